"""Strips: lines of any size and slant come out alike, and places lead back to the line."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.ocr.line_reader import line_strip
from labelfree.ocr.line_reader.strips import HEIGHT, X_HEIGHT
from labelfree.ocr.segment.baseline import Band, find_band

LETTERS = range(20, 780, 24)


def bars(height: int = 20, mark: int | None = None) -> np.ndarray:
    """A line of plain letters that stand on row 60, with a mark at a height between two of them."""
    ink = np.zeros((100, 800), np.float32)
    for left in LETTERS:
        ink[60 - height : 60, left : left + 8] = 1
    if mark is not None:
        ink[60 - mark - 4 : 60 - mark, 401:405] = 1
    return ink


def strip_of(ink: np.ndarray, x_height: float = 20.0):
    return line_strip(np.uint8(255 * ink), find_band(ink >= 0.5), x_height)


def test_small_letters_have_one_height_whatever_their_size():
    for factor in (1, 2, 3):
        ink = np.kron(bars(), np.ones((factor, factor), np.float32))
        strip = strip_of(ink, 20.0 * factor)
        inked = np.flatnonzero(strip.image.sum(1) > strip.image.sum(1).max() / 2)
        assert strip.image.shape[0] == HEIGHT
        assert abs(len(inked) - X_HEIGHT) <= 1
        assert strip.scale == pytest.approx(20.0 * factor / X_HEIGHT)
        assert np.allclose(strip.image, strip_of(bars()).image, atol=0.35)


def test_a_slanting_line_is_levelled():
    level = bars()
    rows = np.arange(100)[:, None] - np.rint(np.arange(800) * 0.02).astype(int)
    slanted = np.take_along_axis(np.vstack([level, np.zeros((20, 800), np.float32)])[:100], rows.clip(0, 99), 0)
    straight = strip_of(level).image
    assert (
        np.abs(strip_of(slanted).image - straight).mean() < 0.25 * np.abs(slanted_as_it_is(slanted) - straight).mean()
    )


def slanted_as_it_is(ink: np.ndarray) -> np.ndarray:
    """The strip of a slanting line that is taken for a level one."""
    return line_strip(np.uint8(255 * ink), Band(60.0, 0.0, 20.0), 20.0).image


def test_a_mark_keeps_its_height():
    low, high = strip_of(bars(mark=0)).image, strip_of(bars(mark=20)).image
    column = slice(int(401 / 20 * 12) + 8, int(405 / 20 * 12) + 9)
    assert low[:, column].sum(1).argmax() - high[:, column].sum(1).argmax() >= X_HEIGHT - 2


def test_columns_lead_back_to_the_line():
    strip = strip_of(bars())
    inked = np.flatnonzero(strip.image.sum(0) > 3)
    found = strip.columns(np.array([inked[0], inked[-1] + 1.0]))
    assert found == pytest.approx([LETTERS[0], LETTERS[-1] + 8], abs=2)


def test_a_heading_goes_by_its_own_size():
    assert strip_of(bars(height=40), x_height=20.0).scale == pytest.approx(40 / X_HEIGHT, rel=0.1)


@pytest.mark.parametrize("shape", [(1, 1), (60, 1), (3, 900), (40, 90_000)])
def test_lines_without_ink_and_of_strange_shapes_become_strips(shape):
    strip = strip_of(np.zeros(shape, np.float32))
    assert strip.image.shape[0] == HEIGHT
    assert 1 <= strip.width <= 4_000
    assert not strip.image.any()
