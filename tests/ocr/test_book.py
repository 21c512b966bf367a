"""A book as a value: lines cut into tiles, spaces all alike, capitals as tall as they are, and readings of lines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.ocr.book import NOTHING, PIECE, Book, LineReading, Reading, _shrinking, pieces
from labelfree.ocr.glyphs.capitals import are_of_one_height, enlarged, tall_letter
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.ocr.language import unknown_language
from labelfree.ocr.scripts import script_named
from labelfree.ocr.segment.settings import SegmentSettings
from labelfree.ocr.types import Box, Placement, TextLine
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

TEXT = (
    "the boatman told the children that he had built it himself",
    "and that the old bridge behind the hill would not hold",
    "they laughed at him but he had the better of all of them",
)
N_TIMES = 7  # enough to be measured
HEADS = ("THE BOATMAN AND THE CHILDREN", "THE BRIDGE BEHIND THE HILL")


def line_of(text: str, number: int) -> TextLine:
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    ink = set_line(text, face, 32, np.random.default_rng(number), strength=0.1).ink
    return TextLine(Path(f"{number}.png"), 0, Box(0, 0, ink.shape[1], ink.shape[0]), np.uint8(255 * ink))


LINES = [line_of(text, i) for i, text in enumerate(TEXT)]


@pytest.fixture(scope="module")
def book() -> Book:
    lines = [line_of(text, i) for i, text in enumerate(TEXT * N_TIMES + HEADS)]
    return Book.measure(lines, unknown_language())


def tiles_of(book: Book) -> list[Tiles]:
    """The tiles of each line."""
    return [book.tiles[book.line_of_tile == i] for i in range(len(book.lines))]


def test_lines_are_measured_once_and_cut_again_into_the_same(book: Book) -> None:
    again = Book.cut(book.lines, book.language, book.type)
    for name in ("boxes", "lengths", "in_capitals", "rows"):
        assert np.array_equal(getattr(again, name), getattr(book, name))
    assert np.array_equal(again.tiles.images, book.tiles.images)
    assert [len(boxes) for boxes in book.line_boxes] == book.lengths.tolist()
    assert book.starts.tolist() == [0, *np.cumsum(book.lengths)[:-1].tolist()]
    assert not book.log_fit("ab").any()
    assert book.with_shapes().log_fit("ab").shape == (len(book.tiles), 2)


def test_too_few_characters_are_refused() -> None:
    with pytest.raises(InputError, match=r"characters found on 3 lines, at least 1000 wanted"):
        Book.measure(LINES, unknown_language())


def test_spaces_are_all_alike(book: Book) -> None:
    blank = book.tiles.images.reshape(len(book.tiles), -1).max(1) == 0
    assert blank.sum() > 60
    assert not book.tiles.geometry[blank].any()


def test_capitals_of_a_heading_are_as_tall_as_capitals_are(book: Book) -> None:
    small, heads = tiles_of(book)[: -len(HEADS)], tiles_of(book)[-len(HEADS) :]
    tall = tall_letter(small)
    assert tall > 1.2
    assert book.type.tall == pytest.approx(tall, rel=0.05)
    for tiles in heads:
        tops = tiles.geometry[tiles.geometry[:, 3] > 0.7, 0]
        assert np.median(tops) == pytest.approx(tall, rel=0.15)


def test_where_small_letters_do_not_rise_a_line_of_one_height_is_not_in_capitals(book: Book) -> None:
    cyrillic = Book.measure(book.lines, replace(book.language, script=script_named("cyrillic")))
    again = Book.cut(book.lines, cyrillic.language, cyrillic.type)
    assert not cyrillic.in_capitals.any()
    assert not again.in_capitals.any()
    for tiles in tiles_of(cyrillic)[-len(HEADS) :]:
        tops = tiles.geometry[tiles.geometry[:, 3] > 0.7, 0]
        assert np.median(tops) == pytest.approx(1.0, rel=0.15)


def test_a_line_with_ascenders_is_not_in_capitals(book: Book) -> None:
    assert not any(are_of_one_height(tiles) for tiles in tiles_of(book)[: -len(HEADS)])
    assert book.in_capitals.tolist() == [False] * (len(book.lines) - len(HEADS)) + [True] * len(HEADS)
    assert np.array_equal(book.is_tile_in_capitals, book.line_of_tile >= len(book.lines) - len(HEADS))


def test_letters_of_one_height_are_capitals_and_grow(book: Book) -> None:
    flat = tiles_of(book)[0]
    flat = flat[(flat.geometry[:, 0] > 0.8) & (flat.geometry[:, 0] < 1.15) & (flat.geometry[:, 3] > 0.7)]
    assert len(flat) >= 12
    assert are_of_one_height(flat)
    assert not are_of_one_height(flat[:8])
    assert are_of_one_height(flat[:8], is_large=True)
    assert enlarged(flat, 1.5).geometry == pytest.approx(1.5 * flat.geometry)


@pytest.mark.parametrize(("times", "wanted"), [(1, 1), (3, 2)])
def test_fine_scans_are_shrunk_and_others_are_not(times, wanted):
    fine = [replace(line, pixels=np.kron(line.pixels, np.ones((times, times), np.uint8))) for line in LINES]
    assert _shrinking(fine, SegmentSettings()) == wanted
    assert _shrinking([replace(line, pixels=np.zeros_like(line.pixels)) for line in LINES], SegmentSettings()) == 1


def test_boxes_of_a_shrunk_line_lie_where_they_did():
    pixels = np.zeros((40, 400), np.uint8)
    for placement in (None, Placement((1000.0, 500.0), 1.5, 1.0)):
        line = TextLine(Path("a.png"), 0, Box(1000, 500, 1400, 540), pixels, placement=placement)
        whole, shrunk = line.page_box((80, 8, 120, 32)), line.shrunk(4).page_box((20, 2, 30, 8))
        assert np.abs(np.subtract(tuple(whole), tuple(shrunk))).max() <= 1


LINE = LineReading(np.array([4, 5, 6]), np.array([0.2, 0.4, 0.9]), np.array([[0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9]]))


def test_a_line_said_to_be_the_same_stays_as_it_is() -> None:
    same = LINE.relabelled(LINE.labels.copy())
    assert (same.confidence == LINE.confidence).all()
    assert (same.boxes == LINE.boxes).all()


@pytest.mark.parametrize(
    ("labels", "confidence", "boxes"),
    [
        ([4, 7, 6], [0.2, 0.4, 0.9], [[0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9]]),
        ([4, 6], [0.2, 0.9], [[0, 1, 4, 9], [8, 0, 9, 9]]),
        ([7, 6], [0.3, 0.9], [[0, 0, 8, 9], [8, 0, 9, 9]]),
        ([4, 7, 8, 6], [0.2, 0.4, 0.4, 0.9], [[0, 1, 4, 9], [4, 0, 6, 8], [6, 0, 8, 8], [8, 0, 9, 9]]),
        ([4, 5, 6, 7], [0.2, 0.4, 0.9, 0.9], [[0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9], [8, 0, 9, 9]]),
        ([7, 4, 5, 6], [0.2, 0.2, 0.4, 0.9], [[0, 1, 4, 9], [0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9]]),
    ],
)
def test_other_symbols_share_the_place_of_what_was(labels, confidence, boxes) -> None:
    found = LINE.relabelled(np.array(labels))
    assert found.labels.tolist() == labels
    assert found.confidence == pytest.approx(np.array(confidence))
    assert found.boxes.tolist() == boxes


def test_a_line_without_symbols_has_no_places() -> None:
    nothing = np.empty(0, np.int64)
    assert len(LINE.relabelled(nothing).boxes) == 0
    assert len(LineReading(nothing, np.empty(0), np.empty((0, 4), np.int64)).relabelled(np.array([3])).boxes) == 0


def test_a_line_that_a_person_read_is_sure_and_keeps_the_places_of_what_was_read() -> None:
    found = LINE.transcribed(np.array([4, 7, 6]), np.array([[0, 0, 9, 9]]))
    assert found.labels.tolist() == [4, 7, 6]
    assert found.confidence.tolist() == [1.0, 1.0, 1.0]
    assert found.boxes.tolist() == LINE.boxes.tolist()


def test_a_line_that_only_a_person_could_read_takes_the_place_that_it_has() -> None:
    found = NOTHING.transcribed(np.array([3, 1]), np.array([[4, 2, 8, 6], [9, 3, 20, 7], [21, 3, 24, 5]]))
    assert found.boxes.tolist() == [[4, 2, 14, 7], [14, 2, 24, 7]]
    assert found.confidence.tolist() == [1.0, 1.0]


def test_a_reading_is_its_lines_one_after_the_other() -> None:
    reading = Reading.of_lines([LINE, NOTHING, LINE])
    assert reading.lengths.tolist() == [3, 0, 3]
    assert [line.labels.tolist() for line in reading] == [[4, 5, 6], [], [4, 5, 6]]
    assert all(np.array_equal(a.boxes, b.boxes) for a, b in zip(reading, (LINE, NOTHING, LINE), strict=True))
    other = reading.relabelled([np.array([4, 6]), np.array([], np.int64), np.array([4, 5, 6])])
    assert other.lengths.tolist() == [2, 0, 3]
    assert other.lines[0].boxes.tolist() == LINE.boxes[[0, 2]].tolist()
    assert len(Reading.of_lines([])) == len(list(Reading.of_lines([]))) == 0


@pytest.mark.parametrize("n", [0, 1, PIECE - 1, PIECE, PIECE + 1, 1000])
def test_pieces_are_of_one_size_and_hold_every_line_once(n: int) -> None:
    found = [list(range(n))[piece] for piece in pieces(n)]
    assert [line for piece in found for line in piece] == list(range(n))
    assert all(len(piece) == PIECE for piece in found[:-1])
