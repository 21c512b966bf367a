"""Bays are where paper is open to, as counting by hand finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays

from labelfree.ocr.glyphs.concavities import BAYS, CORNERS, SIDES, Bay, measure_bays

PICTURES = {
    "C": ("####", "#...", "#...", "####"),
    "U": ("#..#", "#..#", "#..#", "####"),
    "O": ("####", "#..#", "#..#", "####"),
    "7": ("####", "...#", "...#", "...#"),
    "L": ("#...", "#...", "#...", "####"),
    "hook": ("######", "#....#", "##...#", ".....#", "######"),
}


def drawn(*rows: str) -> np.ndarray:
    return np.array([[place == "#" for place in row] for row in rows])[None]


def open_bays(picture: str) -> Bay:
    shares = measure_bays(drawn(*PICTURES[picture]))[0]
    found = Bay.NONE
    for bay, share in zip(BAYS, shares, strict=True):
        found |= bay if share else Bay.NONE
    return found


@pytest.mark.parametrize(
    ("picture", "wanted"),
    [
        ("C", Bay.RIGHT_ABOVE | Bay.RIGHT_BELOW),
        ("U", Bay.TOP),
        ("O", Bay.NONE),
        ("7", Bay.BOTTOM_LEFT),
        ("L", Bay.TOP_RIGHT),
    ],
)
def test_letters_are_open_where_they_are(picture: str, wanted: Bay) -> None:
    assert open_bays(picture) == wanted


def test_a_pocket_is_part_of_the_bay_that_it_opens_to() -> None:
    shares = dict(zip(BAYS, measure_bays(drawn(*PICTURES["hook"]))[0], strict=True))
    assert shares[Bay.LEFT_ABOVE] == pytest.approx(7 / 30)
    assert shares[Bay.LEFT_BELOW] == pytest.approx(5 / 30)


def test_every_bay_is_open_to_one_side_or_to_two() -> None:
    assert SIDES | CORNERS == ~Bay.NONE
    assert not SIDES & CORNERS


@settings(deadline=None)
@given(arrays(np.bool_, (4, 6, 5)))
def test_what_is_seen_from_outside_is_found_and_nothing_but_paper_is(strokes: np.ndarray) -> None:
    found = measure_bays(strokes) * 30
    for picture, shares in zip(strokes, found, strict=True):
        seen = dict.fromkeys(BAYS, 0)
        hidden = 0
        for row, column in np.argwhere(~picture).tolist():
            left, right = picture[row, :column].any(), picture[row, column + 1 :].any()
            top, bottom = picture[:row, column].any(), picture[row + 1 :, column].any()
            above = row < 3
            hidden += left and right and top and bottom
            is_open_to = {
                (False, True, True, True): Bay.LEFT_ABOVE if above else Bay.LEFT_BELOW,
                (True, False, True, True): Bay.RIGHT_ABOVE if above else Bay.RIGHT_BELOW,
                (True, True, False, True): Bay.TOP,
                (True, True, True, False): Bay.BOTTOM,
                (False, True, False, True): Bay.TOP_LEFT,
                (True, False, False, True): Bay.TOP_RIGHT,
                (False, True, True, False): Bay.BOTTOM_LEFT,
                (True, False, True, False): Bay.BOTTOM_RIGHT,
            }
            bay = is_open_to.get((bool(left), bool(right), bool(top), bool(bottom)))
            if bay is not None:
                seen[bay] += 1
        assert (shares > np.array([seen[bay] for bay in BAYS]) - 1e-9).all()
        assert shares.sum() <= sum(seen.values()) + hidden + 1e-9


@settings(deadline=None)
@given(arrays(np.bool_, (3, 6, 6)))
def test_a_mirror_swaps_left_and_right(strokes: np.ndarray) -> None:
    swapped = [
        Bay.RIGHT_ABOVE,
        Bay.RIGHT_BELOW,
        Bay.LEFT_ABOVE,
        Bay.LEFT_BELOW,
        Bay.TOP,
        Bay.BOTTOM,
        Bay.TOP_RIGHT,
        Bay.TOP_LEFT,
        Bay.BOTTOM_RIGHT,
        Bay.BOTTOM_LEFT,
    ]
    is_plain = ~_has_a_pocket(strokes)
    found, mirrored = measure_bays(strokes), measure_bays(strokes[:, :, ::-1])
    assert np.allclose(found[is_plain], mirrored[is_plain][:, [BAYS.index(bay) for bay in swapped]])


def _has_a_pocket(strokes: np.ndarray) -> np.ndarray:
    """Whether pictures have paper with ink on all sides: where two bays meet there, the first one takes it."""
    seen = [np.logical_or.accumulate(strokes, axis) for axis in (1, 2)]
    seen += [np.flip(np.logical_or.accumulate(np.flip(strokes, axis), axis), axis) for axis in (1, 2)]
    return (np.logical_and.reduce(seen) & ~strokes).any((1, 2))


def test_no_picture_has_no_bay() -> None:
    assert measure_bays(np.zeros((0, 4, 4), np.bool_)).shape == (0, len(BAYS))
