"""Print shown as Braille patterns."""

import numpy as np
import pytest

from labelfree.cli.dots import dotted


def unfolded(rows):
    """The dots of rows of Braille patterns."""
    places = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]  # of bits 0 to 7
    dots = np.zeros((4 * len(rows), 2 * max(map(len, rows))), bool)
    for y, row in enumerate(rows):
        for x, character in enumerate(row):
            for bit, (down, across) in enumerate(places):
                dots[4 * y + down, 2 * x + across] = (ord(character) - 0x2800) >> bit & 1
    return dots


def test_a_small_picture_is_shown_dot_by_dot():
    ink = np.random.default_rng(0).random((16, 40)) < 0.5
    ink[0], ink[-1], ink[:, 0], ink[:, -1] = True, True, True, True
    np.testing.assert_array_equal(unfolded(dotted(ink.astype(np.float32), 20)), ink)


def test_margins_are_left_out():
    ink = np.zeros((50, 90), np.float32)
    ink[20:28, 30:46] = 1
    assert dotted(ink, 20) == ["⣿" * 8] * 2


def test_a_line_that_fits_keeps_its_shape():
    ink = np.ones((30, 600), np.float32)
    dots = unfolded(dotted(ink, 90))
    assert dots.any(0).sum() == 180
    assert dots.any(1).sum() == 9


@pytest.mark.parametrize("width", [2_000, 7_000])
def test_a_long_line_is_cut_between_its_letters(width):
    ink = np.zeros((40, width), np.float32)
    for x in range(0, width, 25):
        ink[:, x : x + 15] = 1
    rows = dotted(ink, 60)
    assert max(map(len, rows)) <= 60
    per_strip = 2 if width == 2_000 else len(rows) // (len(rows) // 2)
    assert len(rows) > per_strip
    letters = sum(np.diff(unfolded([row]).any(0).astype(int), prepend=0).clip(0).sum() for row in rows[::per_strip])
    assert letters == width // 25


def test_a_blank_line_shows_nothing():
    assert dotted(np.zeros((30, 80), np.float32), 40) == []
