"""Lines to characters: clean print exactly, damaged print nearly, anything at all without falling over."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from labelfree.ocr.glyphs.tiles import cut_tiles
from labelfree.ocr.segment import BookStyle, LineTiles, measure_book, segment_line
from labelfree.ocr.segment.baseline import find_band, type_band
from labelfree.repro.tasks.typeset import bundled_typefaces

SENTENCES = (
    "The miller counted seven sacks of grain before noon.",
    "A quiet river bends twice below the old stone mill.",
    "When rain comes, the ducks gather under the bridge;",
    "nobody in the village remembers who planted the elm.",
    "Our carpenter keeps his chisels wrapped in oiled cloth,",
    "and he never lends them: not even to his brother.",
    "She walked home by the long road to watch the moon.",
    "Five geese crossed the meadow, honking as they went.",
    "In winter the windows freeze, and children draw on them.",
    "The baker gave me warm bread and a jar of plum jam.",
    "Have you ever seen a fox asleep in a field of barley?",
    "The blacksmith mended our kettle with a copper rivet.",
    "From the hill we could see three churches and a wood.",
    "My uncle kept bees behind the orchard for many years.",
)
FACES = ("STIXGeneral", "DejaVuSerif", "DejaVuSans")
SIZE = 36


@lru_cache
def face(name: str, size: int = SIZE) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(next(path for path in bundled_typefaces() if path.stem == name), size)


def set_line(text: str, name: str = "STIXGeneral", *, tracking: int = 1, size: int = SIZE) -> NDArray[np.float32]:
    """A line of text as ink, each letter so many pixels farther to the right than the face wants."""
    font = face(name, size)
    width = int(sum(font.getlength(c) + max(tracking, 0) for c in text)) + 40
    image = Image.new("L", (width, 2 * size), 0)
    x = 20.0
    for character in text:
        ImageDraw.Draw(image).text((round(x), size // 3), character, font=font, fill=255)
        x += font.getlength(character) + tracking
    return (np.asarray(image) >= 128).astype(np.float32)


@lru_cache
def book(name: str = "STIXGeneral", tracking: int = 1) -> tuple[tuple[NDArray[np.float32], ...], BookStyle]:
    lines = tuple(set_line(sentence, name, tracking=tracking) for sentence in SENTENCES)
    style = measure_book(lines)
    assert style is not None
    return lines, style


def words(tiles: LineTiles) -> list[int]:
    """Number of letters in each word."""
    return [len(word) for word in "".join(" " if space else "x" for space in tiles.is_space).split()]


def expected(text: str) -> list[int]:
    return [len(word) for word in text.split()]


@pytest.mark.parametrize("name", FACES)
def test_clean_print_is_cut_exactly(name: str) -> None:
    lines, style = book(name)
    for line, sentence in zip(lines, SENTENCES, strict=True):
        assert words(segment_line(line, style)) == expected(sentence), sentence


def test_dots_accents_and_stacked_marks_are_one_tile() -> None:
    _, style = book()
    tiles = segment_line(set_line("fine lilies: déjà jiji; mine? in“ no”"), style)
    assert words(tiles) == expected("fine lilies: déjà jiji; mine? in“ no”")
    dotted = segment_line(set_line("i"), style)
    assert dotted.boxes[0, 3] - dotted.boxes[0, 1] > 1.3 * dotted.x_height


@pytest.mark.parametrize("size", [20, 36, 70])
def test_baseline_and_x_height_at_any_size(size: int) -> None:
    lines = [set_line(sentence, size=size) for sentence in SENTENCES[:6]]
    style = measure_book(lines)
    assert style is not None
    font = face("STIXGeneral", size)
    baseline = size // 3 + font.getmetrics()[0]
    _, top, _, bottom = font.getbbox("x", anchor="ls")
    for line in lines:
        tiles = segment_line(line, style)
        assert np.abs(tiles.baseline - baseline).max() <= 0.04 * size + 1
        assert tiles.x_height == pytest.approx(bottom - top, abs=0.06 * size + 1)


def test_marks_differ_by_their_place() -> None:
    _, style = book()
    tiles = segment_line(set_line("noses, noses' noses. noses- Nose"), style)
    geometry = cut_tiles(
        tiles.ink, tiles.boxes, baseline=tiles.baseline, x_height=tiles.x_height, owner=tiles.owner
    ).geometry
    at = [i for i, c in enumerate("noses, noses' noses. noses- Nose") if c in ",'.-"]
    comma, apostrophe, stop, hyphen = geometry[at]
    assert comma[1] < -0.1
    assert abs(stop[1]) < 0.1 < hyphen[1] < 0.6 < apostrophe[1]
    assert stop[0] < 0.5


@pytest.mark.parametrize("tracking", [1, 2])
def test_two_strokes_of_a_quote_are_one_tile_however_far_apart_and_an_apostrophe_is_another(tracking: int) -> None:
    _, style = book()
    tiles = segment_line(set_line("‘‘men’’ ‘tis o’er’ “men”", tracking=tracking), style)
    assert words(tiles) == expected("“men” ‘tis o’er’ “men”")


def test_a_slanting_line_is_cut_as_a_level_one() -> None:
    lines, style = book()
    for line, sentence in zip(lines[:5], SENTENCES, strict=False):
        drop = np.rint(0.012 * np.arange(line.shape[1])).astype(int)
        slanted = np.stack([np.roll(line[:, x], drop[x]) for x in range(line.shape[1])], 1)
        tiles = segment_line(slanted, style)
        assert words(tiles) == expected(sentence)
        fall = (tiles.baseline[-1] - tiles.baseline[0]) / (tiles.boxes[-1, 0] - tiles.boxes[0, 0])
        assert fall == pytest.approx(0.012, abs=0.004)


def test_touching_letters_part() -> None:
    _, style = book()
    wanted, whole, found = 0, 0, 0
    for sentence in SENTENCES:
        line = set_line(sentence, tracking=-1)
        wanted += len(sentence)
        whole += len(segment_line(line, BookStyle(style.x_height, style.gaps)))
        found += len(segment_line(line, style))
    assert whole < 0.98 * wanted  # letters do touch
    assert abs(found - wanted) < 0.5 * (wanted - whole)


def test_broken_letters_join() -> None:
    lines, style = book()
    rng = np.random.default_rng(5)
    wanted = whole = found = 0
    for line, sentence in zip(lines, SENTENCES, strict=True):
        torn = line.copy()
        tiles = segment_line(line, style)
        for box in tiles.boxes[~tiles.is_space]:
            if box[2] - box[0] > 0.8 * tiles.x_height and rng.random() < 0.3:
                middle = (box[0] + box[2]) // 2
                torn[:, middle : middle + 1] = 0
        wanted += len(sentence)
        whole += len(segment_line(torn, BookStyle(style.x_height, style.gaps)))
        found += len(segment_line(torn, style))
    assert whole > 1.05 * wanted
    assert abs(found - wanted) < 0.2 * (whole - wanted)


def test_a_white_scratch_along_the_line_changes_nothing() -> None:
    lines, style = book()
    for line, sentence in zip(lines, SENTENCES, strict=True):
        tiles = segment_line(line, style)
        scratched = line.copy()
        row = round(float(tiles.baseline[0] - 0.5 * tiles.x_height))
        scratched[row : row + 1] = 0
        assert sum(words(segment_line(scratched, style))) == pytest.approx(sum(expected(sentence)), abs=2)


def test_pieces_of_neighbouring_lines_and_specks_are_dropped() -> None:
    lines, style = book()
    for line, sentence in zip(lines[:6], SENTENCES, strict=False):
        tiles = segment_line(line, style)
        ink_rows = np.flatnonzero(line.any(1))
        crop = line[max(0, ink_rows[0] - 9) : ink_rows[-1] + 9].copy()
        crop[:4, 40:46] = crop[:5, 200:212] = crop[-4:, 100:105] = crop[-3:, 300:320] = 1
        crop[12, 150] = 1
        cleaned = segment_line(crop, style)
        assert words(cleaned) == expected(sentence)
        assert cleaned.ink[:4].sum() == cleaned.ink[-3:].sum() == 0
        assert len(cleaned) == len(tiles)


def test_a_line_cropped_at_its_ink_is_cut_as_any_other() -> None:
    _, style = book()
    text = "we saw a small warm stove"  # nothing hangs below the baseline
    ink = set_line(text)
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    cropped = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    assert words(segment_line(cropped, style)) == expected(text)


def test_wide_and_narrow_word_spaces_are_found() -> None:
    _, style = book()
    for spread in (0, 8, 16):
        text = SENTENCES[9]
        font = face("STIXGeneral")
        image = Image.new("L", (1200, 72), 0)
        x = 20.0
        for character in text:
            ImageDraw.Draw(image).text((round(x), 12), character, font=font, fill=255)
            x += font.getlength(character) + 1 + (spread if character == " " else 0)
        assert words(segment_line((np.asarray(image) >= 128).astype(np.float32), style)) == expected(text)


def test_letters_set_apart_are_one_word() -> None:
    _, style = book()
    assert words(segment_line(set_line("EPILOGUE", tracking=14), style)) == [8]


def test_a_tile_holds_no_neighbours_ink() -> None:
    line = set_line("fjord of joy", "STIXGeneralItalic", tracking=0)
    tiles = segment_line(line)
    for i, (left, top, right, bottom) in enumerate(tiles.boxes):
        own = tiles.owner == i
        assert own.any() != tiles.is_space[i]
        if own.any():
            rows, columns = np.nonzero(own)
            assert (rows.min(), rows.max() + 1, columns.min(), columns.max() + 1) == (top, bottom, left, right)


def test_a_line_alone_needs_no_book() -> None:
    assert words(segment_line(set_line(SENTENCES[0]))) == expected(SENTENCES[0])


@pytest.mark.parametrize("shape", [(30, 200), (1, 1), (1, 50), (50, 1), (0, 10), (10, 0)])
def test_a_blank_line_has_no_tiles(shape: tuple[int, int]) -> None:
    tiles = segment_line(np.zeros(shape, np.float32))
    assert len(tiles) == 0
    assert tiles.ink.shape == tiles.owner.shape == shape


def test_a_book_without_ink_has_no_style() -> None:
    assert measure_book([np.zeros((30, 100))]) is None
    assert measure_book([]) is None


def test_solid_ink_and_noise_are_survived() -> None:
    rng = np.random.default_rng(0)
    _, style = book()
    for ink in (np.ones((40, 300)), (rng.random((60, 900)) < 0.5).astype(float), (rng.random((60, 900)) < 0.05) * 1.0):
        for chosen in (style, None):
            check(segment_line(ink, chosen), ink)


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(np.float32, st.tuples(st.integers(1, 40), st.integers(1, 120)), elements=st.sampled_from([0, 0, 1]))
)
def test_whatever_the_picture_tiles_are_in_order_and_inked(ink: NDArray[np.float32]) -> None:
    check(segment_line(ink), ink)
    check(segment_line(ink, book()[1]), ink)


def check(tiles: LineTiles, ink: NDArray[np.floating]) -> None:
    height, width = ink.shape
    left, top, right, bottom = tiles.boxes.T
    assert ((left >= 0) & (left < right) & (right <= width)).all()
    assert ((top >= 0) & (top < bottom) & (bottom <= height)).all()
    counts = np.bincount(tiles.owner[tiles.owner >= 0], minlength=len(tiles))
    assert ((counts > 0) == ~tiles.is_space).all()
    assert not (tiles.is_space[1:] & tiles.is_space[:-1]).any()
    assert not len(tiles) or not (tiles.is_space[0] or tiles.is_space[-1])
    assert ((tiles.ink > 0) <= (ink > 0)).all()
    assert tiles.x_height > 0
    assert len(tiles.baseline) == len(tiles.is_space) == len(tiles)


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA names no folder")
@pytest.mark.parametrize(
    ("folder", "most"),
    [
        ("english_books_dev/boy_apprenticed", 0.02),
        ("english_books_dev/seat_weaving", 0.02),
        ("fraktur_books_dev/schiller_oberoesterreich_1905", 0.09),
    ],
)
def test_real_books_have_nearly_as_many_tiles_as_characters(folder: str, most: float) -> None:
    images = sorted((Path(os.environ["LABELFREE_DATA"]) / folder).glob("*.png"))[::8][:60]
    lines = [1 - np.asarray(Image.open(path).convert("L"), np.float32) / 255 for path in images]
    texts = [path.with_suffix(".gt.txt").read_text(encoding="utf-8").strip() for path in images]
    style = measure_book(lines)
    surplus = [len(segment_line(line, style)) - len(text) for line, text in zip(lines, texts, strict=True)]
    assert np.abs(surplus).sum() / sum(map(len, texts)) < most


def bars(heights: list[int], baseline: int = 40) -> np.ndarray:
    """A line of upright strokes of some heights that stand on the baseline."""
    strokes = np.zeros((50, 12 * len(heights)), np.bool_)
    for i, height in enumerate(heights):
        strokes[baseline - height : baseline, 12 * i + 2 : 12 * i + 8] = True
    return strokes


SMALL_PRINT = [13, 13, 20, 13, 13, 13, 20, 13] * 3


def test_the_tall_letters_of_smaller_print_are_not_taken_for_the_small_ones_of_the_text() -> None:
    assert find_band(bars(SMALL_PRINT), 21.0).x_height == pytest.approx(13, abs=1)


def test_letters_of_one_height_are_as_the_book_leads_to_expect() -> None:
    assert find_band(bars([20] * 24), 21.0).x_height == pytest.approx(20, abs=1)


@pytest.mark.parametrize(
    ("heights", "wanted"),
    [([30] * 12, 20.0), ([15] * 30, 10.0), ([20] * 4, 20.0), (SMALL_PRINT, 13.0)],
    ids=["capitals", "small capitals", "too few to tell", "smaller print"],
)
def test_the_type_of_a_line_in_capitals_is_told_by_their_height(heights, wanted) -> None:
    assert type_band(bars(heights), 20.0).x_height == pytest.approx(wanted, abs=1)
