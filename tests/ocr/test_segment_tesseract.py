"""Lines cut where Tesseract sees characters."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import cut_tiles
from labelfree.ocr.segment import measure_book
from labelfree.ocr.segment.tesseract_segmenter import own_ink, tesseract_tiles
from labelfree.ocr.sources.tesseract import BoxedText, CharBox
from labelfree.ocr.types import Box, TextLine
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

SEGMENTER = "labelfree.ocr.segment.tesseract_segmenter"
TEXT = "seven grey geese fly, north by night"


def line_of(ink):
    return TextLine(Path("line.png"), 0, Box(0, 0, ink.shape[1], ink.shape[0]), np.uint8(255 * ink))


@pytest.fixture(scope="module")
def line():
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    return line_of(set_line(TEXT, face, 40, np.random.default_rng(0), strength=0.0).ink)


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="no program tesseract")
def test_every_character_of_a_clean_line_is_a_tile_and_every_gap_a_space(line):
    found = tesseract_tiles(line, measure_book([line.ink]))
    assert found.is_space.tolist() == [character == " " for character in TEXT]
    assert (found.boxes[1:, 0] >= found.boxes[:-1, 0]).all()
    assert found.ink.sum() == line.ink.sum()
    comma = TEXT.index(",")
    assert found.baseline[comma] > found.boxes[comma, 1]
    tiles = cut_tiles(found.ink, found.boxes, baseline=found.baseline, x_height=found.x_height, owner=found.owner)
    assert ((tiles.images.max((1, 2)) == 0) == found.is_space).all()


def test_a_line_without_letters_has_no_tiles():
    assert len(tesseract_tiles(line_of(np.zeros((40, 300), np.float32)), None)) == 0


def test_words_are_parted_by_their_gaps_where_text_and_boxes_disagree(monkeypatch):
    ink = np.zeros((40, 120), np.float32)
    lefts = (5, 17, 29, 60, 72)
    for left in lefts:
        ink[10:30, left : left + 9] = 1
    boxes = tuple(CharBox("x", left + 20, 30, left + 29, 50) for left in lefts)  # of the line with its margin
    monkeypatch.setattr(
        "labelfree.ocr.segment.tesseract_segmenter.read_with_boxes", lambda image: BoxedText("no such text", boxes)
    )
    found = tesseract_tiles(line_of(ink), None)
    assert found.is_space.tolist() == [False, False, False, True, False, False]
    assert found.boxes[3].tolist() == [38, 10, 60, 30]


def test_a_box_without_ink_is_no_tile_and_a_stroke_too_early_does_no_harm(monkeypatch):
    ink = np.zeros((40, 60), np.float32)
    ink[10:30, 5:15] = ink[10:30, 20:30] = 1
    boxes = tuple(CharBox(*box) for box in (("a", 25, 30, 33, 50), ("b", 33, 30, 48, 50), ("c", 70, 30, 78, 50)))
    monkeypatch.setattr(
        "labelfree.ocr.segment.tesseract_segmenter.read_with_boxes", lambda image: BoxedText("a bc", boxes)
    )
    found = tesseract_tiles(line_of(ink), None)
    assert found.boxes[~found.is_space].tolist() == [[5, 10, 15, 30], [20, 10, 30, 30]]
    assert found.is_space.tolist() == [False, True, False]


def test_touching_letters_are_cut_between_their_boxes():
    strokes = np.ones((10, 30), bool)
    owner = own_ink(strokes, np.array([[0, 0, 9, 10], [11, 0, 30, 10]]))
    assert owner[0].tolist() == [0] * 10 + [1] * 20


def test_boxes_that_run_ahead_are_brought_back_in_step():
    strokes = np.zeros((10, 100), bool)
    for left in (0, 24, 48, 72):
        strokes[:, left : left + 20] = True
    owner = own_ink(strokes, np.array([[0, 0, 20, 10], [13, 0, 33, 10], [24, 0, 44, 10], [48, 0, 92, 10]]))
    assert [int(owner[0, left]) for left in (0, 24, 48, 72)] == [0, 1, 2, 3]


def test_a_box_where_nothing_stands_moves_no_other():
    strokes = np.zeros((10, 200), bool)
    lefts = range(0, 200, 20)
    for left in lefts:
        strokes[:, left : left + 12] = True
    boxes = [[left, 0, left + 12, 10] for left in lefts]
    owner = own_ink(strokes, np.array([*boxes[:2], [33, 0, 39, 10], *boxes[2:]]))
    assert [int(owner[0, left]) for left in lefts] == [0, 1, *range(3, 11)]


def test_a_dot_goes_with_its_stem():
    strokes = np.zeros((20, 30), bool)
    strokes[8:, 2:8] = strokes[8:, 12:18] = strokes[8:, 22:28] = True
    strokes[2:5, 14:17] = True
    owner = own_ink(strokes, np.array([[2, 0, 8, 20], [12, 0, 18, 20], [22, 0, 28, 20]]))
    assert owner[3, 15] == owner[15, 15] == 1


def test_without_the_program_the_line_and_the_package_are_named(line, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match=r"^line\.png: no program tesseract found; install it"):
        tesseract_tiles(line, None)
