"""Lines cut into tiles: spaces all alike, and lines in capitals measured as if they had small letters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from labelfree.ocr.cutting import cut_lines, shrinking_for

from labelfree.ocr.glyphs.capitals import are_of_one_height, enlarged, tall_letter
from labelfree.ocr.segment import measure_book
from labelfree.ocr.types import Box, Placement, TextLine
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

TEXT = (
    "the boatman told the children that he had built it himself",
    "and that the old bridge behind the hill would not hold",
    "they laughed at him but he had the better of all of them",
)
HEADS = ("THE BOATMAN AND THE CHILDREN", "THE BRIDGE BEHIND THE HILL")


def line_of(text: str, number: int) -> TextLine:
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    ink = set_line(text, face, 32, np.random.default_rng(number), strength=0.1).ink.astype(np.float32)
    return TextLine(Path(f"{number}.png"), 0, Box(0, 0, ink.shape[1], ink.shape[0]), ink)


LINES = [line_of(text, i) for i, text in enumerate(TEXT)]


@pytest.fixture(scope="module")
def cut():
    lines = [line_of(text, i) for i, text in enumerate(TEXT * 3 + HEADS)]
    return cut_lines(lines, measure_book([line.ink for line in lines]))


def test_spaces_are_all_alike(cut):
    blank = [line.tiles.images.reshape(len(line.tiles), -1).max(1) == 0 for line in cut]
    spaces = np.concatenate([line.tiles.geometry[chosen] for line, chosen in zip(cut, blank, strict=True)])
    assert len(spaces) > 60
    assert not spaces.any()


def test_capitals_of_a_heading_are_as_tall_as_capitals_are(cut):
    small, heads = cut[: len(TEXT) * 3], cut[len(TEXT) * 3 :]
    tall = tall_letter([line.tiles for line in small])
    assert tall > 1.2
    for line in heads:
        tops = line.tiles.geometry[line.tiles.geometry[:, 3] > 0.7, 0]
        assert np.median(tops) == pytest.approx(tall, rel=0.15)


def test_a_line_with_ascenders_is_not_in_capitals(cut):
    assert not any(are_of_one_height(line.tiles) for line in cut[: len(TEXT) * 3])


def test_letters_of_one_height_are_capitals_and_grow(cut):
    flat = cut[0].tiles
    flat = flat[(flat.geometry[:, 0] > 0.8) & (flat.geometry[:, 0] < 1.15) & (flat.geometry[:, 3] > 0.7)]
    assert len(flat) >= 12
    assert are_of_one_height(flat)
    assert not are_of_one_height(flat[:8])
    assert are_of_one_height(flat[:8], is_large=True)
    assert enlarged(flat, 1.5).geometry == pytest.approx(1.5 * flat.geometry)


@pytest.mark.parametrize(("times", "wanted"), [(1, 1), (3, 2)])
def test_fine_scans_are_shrunk_and_others_are_not(times, wanted):
    fine = [replace(line, ink=np.kron(line.ink, np.ones((times, times), np.float32))) for line in LINES]
    assert shrinking_for(fine) == wanted
    assert shrinking_for([replace(line, ink=np.zeros_like(line.ink)) for line in LINES]) == 1


def test_boxes_of_a_shrunk_line_lie_where_they_did():
    ink = np.zeros((40, 400), np.float32)
    for placement in (None, Placement((1000.0, 500.0), 1.5, 1.0)):
        line = TextLine(Path("a.png"), 0, Box(1000, 500, 1400, 540), ink, placement=placement)
        whole, shrunk = line.page_box((80, 8, 120, 32)), line.shrunk(4).page_box((20, 2, 30, 8))
        assert np.abs(np.subtract(whole, shrunk)).max() <= 1
