"""From hints to the labels of tiles, and the numbered groups that they speak of."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labelfree.ocr.cutting import cut_book
from labelfree.ocr.known import UNKNOWN, KnownLabels, align_words
from PIL import Image

from labelfree.ocr.glyphs.clusters import cluster_readings, cluster_tiles, members
from labelfree.ocr.glyphs.clusters_picture import SHOWN, draw_clusters
from labelfree.ocr.glyphs.tiles import stack
from labelfree.ocr.hints import Hints, parse_hints
from labelfree.ocr.language import book_language
from labelfree.ocr.layout.scans import read_lines

from .scans import english_lines, english_text, save_lines

LINES = english_lines(30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    (folder / "text.txt").write_text(english_text())
    save_lines(folder / "lines", LINES)
    return folder


@pytest.fixture(scope="module")
def language(folder):
    return book_language([folder / "text.txt"], "en", order=2)


@pytest.fixture(scope="module")
def book(folder):
    return cut_book([line for page in read_lines([folder / "lines"], "line") for line in page.lines])


def spelled(text: str) -> np.ndarray:
    return np.array(["~abcdefgh ".index(each) for each in text], dtype=np.int64)


def blank(text: str) -> np.ndarray:
    return np.array([each == " " for each in text], dtype=bool)


@pytest.mark.parametrize(
    ("tiles", "text", "found"),
    [
        ("ab cd", "ab cd", "ab cd"),
        ("ab x cd", "ab cdef cd", "ab ? cd"),  # touching letters
        ("ab xxxx", "ab cd", "ab ????"),  # broken ones
        ("abcde fg", "ab cde fg", "????? fg"),  # a space that was not seen
        ("a bcd efg", "abcd efg", "? ??? efg"),  # one that is none
        ("abc", "de fg", "???"),
        (" ", "abc", "?"),
        ("", "abc", ""),
    ],
)
def test_words_with_as_many_tiles_as_symbols_are_labelled(tiles, text, found):
    labels = align_words(blank(tiles), spelled(text), space=9)
    assert "".join("?" if label == UNKNOWN else "~abcdefgh "[label] for label in labels) == found


words = st.text("abc ", max_size=12)


@settings(deadline=None, derandomize=True)
@given(words, words)
def test_any_line_gets_labels_of_its_own_text_in_order(tiles, text):
    labels = align_words(blank(tiles), spelled(text), space=9)
    assert len(labels) == len(tiles)
    letters = iter(spelled(text).tolist())
    assert all(label in letters for label in labels[(labels != UNKNOWN) & (labels != 9)].tolist())


def test_a_transcribed_line_labels_its_tiles_and_no_other(folder, book, language):
    pages = list(read_lines([folder / "lines"], "line"))
    hints = parse_hints(f"003: {LINES[3]}", "h")
    known = KnownLabels.of(hints, hints.line_labels(pages, language), book, language)
    assert list(known.lines) == [3]
    line_of = np.repeat(np.arange(30), [len(line.tiles) for line in book.cut])
    assert set(line_of[known.tiles != UNKNOWN].tolist()) == {3}
    assert (known.tiles[line_of == 3] != UNKNOWN).mean() > 0.5


def test_groups_are_numbered_by_the_tiles_alone_the_largest_first(folder, book):
    tiles = stack([line.tiles for line in book.cut])
    groups = cluster_tiles(tiles)
    again = cut_book([line for page in read_lines([folder / "lines"], "line") for line in page.lines])
    assert np.array_equal(cluster_tiles(stack([line.tiles for line in again.cut])).labels, groups.labels)
    sizes = np.bincount(groups.labels)
    assert np.all(sizes[:-1] >= sizes[1:])


def test_a_named_group_labels_its_tiles_but_none_that_a_line_has_labelled(folder, book, language):
    groups = cluster_tiles(stack([line.tiles for line in book.cut]))
    pages = list(read_lines([folder / "lines"], "line"))
    hints = parse_hints(f"000: {LINES[0]}\ngroup 2 = q", "h")
    said = hints.line_labels(pages, language)
    known, plain = (KnownLabels.of(each, said, book, language) for each in (hints, Hints(hints.lines)))
    named = groups.labels == 1
    assert np.array_equal(known.tiles[~named], plain.tiles[~named])
    free = named & (plain.tiles == UNKNOWN)
    assert set(known.tiles[free].tolist()) == {language.lm.alphabet.index("q")}
    assert np.array_equal(known.tiles[named & ~free], plain.tiles[named & ~free])


def test_groups_are_drawn_with_some_of_their_characters(book):
    groups = cluster_tiles(stack([line.tiles for line in book.cut]))
    shown = members(groups, book.cut, SHOWN)
    assert len(shown) == groups.n_groups
    assert all(1 <= len(each) <= SHOWN for each in shown)
    readings = cluster_readings(groups, np.zeros(len(groups.labels), np.int64), [" ", "æ"])
    plain, read = (
        np.asarray(Image.open(io.BytesIO(draw_clusters(shown, book.style.x_height, said)))) for said in (None, readings)
    )
    assert plain.shape == read.shape
    assert plain.min() < 50
    assert (plain != read).any()
