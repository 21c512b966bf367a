"""Tiles cut from drawn lines."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import SIDE, stack
from labelfree.repro.tasks.boxed_line import cut_boxes, line_measures


def drawn_line() -> np.ndarray:
    """A tall stroke, a square on the baseline, a dot on it and the same dot high above it."""
    ink = np.zeros((40, 80), np.float32)
    ink[6:30, 2:6] = 1
    ink[20:30, 12:22] = 1
    ink[27:30, 32:35] = 1
    ink[6:9, 52:55] = 1
    return ink


BOXES = [[0, 0, 10, 40], [10, 0, 25, 40], [30, 0, 36, 40], [50, 0, 56, 40], [60, 0, 80, 40]]


def test_same_shapes_differ_in_place_and_size():
    tiles = cut_boxes(drawn_line(), BOXES, baseline=30, x_height=10)
    square, dot, high_dot = tiles.geometry[1], tiles.geometry[2], tiles.geometry[3]
    np.testing.assert_array_equal(tiles.images[1], tiles.images[2])
    np.testing.assert_allclose(square, [1.0, 0.0, 1.0, 1.0])
    np.testing.assert_allclose(dot, [0.3, 0.0, 0.3, 0.3], atol=1e-6)
    np.testing.assert_allclose(high_dot, [2.4, 2.1, 0.3, 0.3], atol=1e-6)


def test_a_gap_is_blank_and_keeps_its_width():
    tiles = cut_boxes(drawn_line(), BOXES, baseline=30, x_height=10)
    assert not tiles.images[4].any()
    np.testing.assert_allclose(tiles.geometry[4], [0, 0, 2, 0])


def test_a_speck_and_the_edge_of_a_neighbour_are_no_character():
    ink = drawn_line()
    ink[20:22, 70] = 1
    ink[10:20, 79] = 1
    assert not cut_boxes(ink, [[65, 0, 75, 40], [60, 0, 80, 40]]).images.any()


def test_a_line_scanned_twice_as_large_gives_the_same_tiles():
    once = cut_boxes(drawn_line(), BOXES, x_height=10)
    twice = cut_boxes(drawn_line().repeat(2, 0).repeat(2, 1), 2 * np.array(BOXES), x_height=20)
    np.testing.assert_allclose(once.geometry, twice.geometry, atol=1e-5)
    assert np.abs(once.images.astype(int) - twice.images).max() <= 130  # only where a pixel fell between two


def test_boxes_over_the_edge_are_cut_at_it():
    tiles = cut_boxes(drawn_line(), [[-5, -5, 200, 90], [78, 39, 78, 39]])
    assert tiles.images.shape == (2, SIDE, SIDE)
    assert np.isfinite(tiles.geometry).all()


def test_a_line_without_boxes_has_no_tiles():
    assert len(cut_boxes(drawn_line(), [])) == 0
    assert len(stack([])) == 0


def test_tiles_stack_in_order():
    tiles = cut_boxes(drawn_line(), BOXES)
    both = stack([tiles, tiles[1:3]])
    assert len(both) == 7
    np.testing.assert_array_equal(both.images[5:], tiles.images[1:3])


def test_measures_of_a_slanting_line_are_those_of_most_characters():
    rng = np.random.default_rng(0)
    x = np.arange(0, 600, 15)
    lower = 40 + 0.02 * x + rng.normal(0, 0.3, len(x))
    heights = np.where(np.arange(len(x)) % 3 == 0, 30, 20)
    tails = np.arange(len(x)) % 7 == 0
    boxes = np.stack([x, lower - heights, x + 12, lower + 6 * tails], 1).round().astype(np.int64)
    found = line_measures(boxes, 80)
    assert found.x_height == pytest.approx(20, abs=1)
    np.testing.assert_allclose(found.baseline_at(x + 6), 40 + 0.02 * (x + 6), atol=1.0)


def test_a_line_of_few_characters_is_level():
    boxes = np.array([[0, 10, 5, 30], [6, 20, 9, 30], [9, 20, 12, 30], [12, 20, 15, 36]])
    found = line_measures(boxes, 40)
    assert (found.baseline, found.slope) == (30.0, 0.0)
    assert 10 <= found.x_height <= 16


def test_a_colour_image_is_refused():
    with pytest.raises(InputError, match="two dimensions wanted"):
        cut_boxes(np.zeros((4, 4, 3)), [])
