"""Concavities are where paper is open to, as counting by hand finds them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays

from labelfree.ocr.glyphs.concavities import measure_concavities
from labelfree.ocr.scripts.letterform import CONCAVITIES, CORNERS, SIDES, Concavity

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


def open_concavities(picture: str) -> Concavity:
    shares = measure_concavities(drawn(*PICTURES[picture]))[0]
    found = Concavity.NONE
    for concavity, share in zip(CONCAVITIES, shares, strict=True):
        found |= concavity if share else Concavity.NONE
    return found


@pytest.mark.parametrize(
    ("picture", "wanted"),
    [
        ("C", Concavity.RIGHT_ABOVE | Concavity.RIGHT_BELOW),
        ("U", Concavity.TOP),
        ("O", Concavity.NONE),
        ("7", Concavity.BOTTOM_LEFT),
        ("L", Concavity.TOP_RIGHT),
    ],
)
def test_letters_are_open_where_they_are(picture: str, wanted: Concavity) -> None:
    assert open_concavities(picture) == wanted


def test_a_pocket_is_part_of_the_concavity_that_it_opens_to() -> None:
    shares = dict(zip(CONCAVITIES, measure_concavities(drawn(*PICTURES["hook"]))[0], strict=True))
    assert shares[Concavity.LEFT_ABOVE] == pytest.approx(7 / 30)
    assert shares[Concavity.LEFT_BELOW] == pytest.approx(5 / 30)


def test_every_concavity_is_open_to_one_side_or_to_two() -> None:
    assert SIDES | CORNERS == ~Concavity.NONE
    assert not SIDES & CORNERS


@settings(deadline=None)
@given(arrays(np.bool_, (4, 6, 5)))
def test_what_is_seen_from_outside_is_found_and_nothing_but_paper_is(strokes: np.ndarray) -> None:
    found = measure_concavities(strokes) * 30
    for picture, shares in zip(strokes, found, strict=True):
        seen = dict.fromkeys(CONCAVITIES, 0)
        hidden = 0
        for row, column in np.argwhere(~picture).tolist():
            left, right = picture[row, :column].any(), picture[row, column + 1 :].any()
            top, bottom = picture[:row, column].any(), picture[row + 1 :, column].any()
            above = row < 3
            hidden += left and right and top and bottom
            is_open_to = {
                (False, True, True, True): Concavity.LEFT_ABOVE if above else Concavity.LEFT_BELOW,
                (True, False, True, True): Concavity.RIGHT_ABOVE if above else Concavity.RIGHT_BELOW,
                (True, True, False, True): Concavity.TOP,
                (True, True, True, False): Concavity.BOTTOM,
                (False, True, False, True): Concavity.TOP_LEFT,
                (True, False, False, True): Concavity.TOP_RIGHT,
                (False, True, True, False): Concavity.BOTTOM_LEFT,
                (True, False, True, False): Concavity.BOTTOM_RIGHT,
            }
            concavity = is_open_to.get((bool(left), bool(right), bool(top), bool(bottom)))
            if concavity is not None:
                seen[concavity] += 1
        assert (shares > np.array([seen[concavity] for concavity in CONCAVITIES]) - 1e-9).all()
        assert shares.sum() <= sum(seen.values()) + hidden + 1e-9


@settings(deadline=None)
@given(arrays(np.bool_, (3, 6, 6)))
def test_a_mirror_swaps_left_and_right(strokes: np.ndarray) -> None:
    swapped = [
        Concavity.RIGHT_ABOVE,
        Concavity.RIGHT_BELOW,
        Concavity.LEFT_ABOVE,
        Concavity.LEFT_BELOW,
        Concavity.TOP,
        Concavity.BOTTOM,
        Concavity.TOP_RIGHT,
        Concavity.TOP_LEFT,
        Concavity.BOTTOM_RIGHT,
        Concavity.BOTTOM_LEFT,
    ]
    is_plain = ~_has_a_pocket(strokes)
    found, mirrored = measure_concavities(strokes), measure_concavities(strokes[:, :, ::-1])
    assert np.allclose(found[is_plain], mirrored[is_plain][:, [CONCAVITIES.index(concavity) for concavity in swapped]])


def _has_a_pocket(strokes: np.ndarray) -> np.ndarray:
    """Whether pictures have paper with ink on all sides: where two concavities meet there, the first one takes it."""
    seen = [np.logical_or.accumulate(strokes, axis) for axis in (1, 2)]
    seen += [np.flip(np.logical_or.accumulate(np.flip(strokes, axis), axis), axis) for axis in (1, 2)]
    return (np.logical_and.reduce(seen) & ~strokes).any((1, 2))


def test_no_picture_has_no_concavity() -> None:
    assert measure_concavities(np.zeros((0, 4, 4), np.bool_)).shape == (0, len(CONCAVITIES))
