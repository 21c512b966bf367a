"""Bays: paper beside the strokes of a character, open to one side only, or to two in a corner.

C is open to the right, U to the top, 2 to the left above and to the right below, whatever the type.
"""

from __future__ import annotations

from enum import Flag, auto

import numpy as np
from numpy.typing import NDArray


class Bay(Flag):
    """Where a bay is open to; those open to the left or the right are in the upper or the lower half."""

    NONE = 0
    LEFT_ABOVE = auto()
    LEFT_BELOW = auto()
    RIGHT_ABOVE = auto()
    RIGHT_BELOW = auto()
    TOP = auto()
    BOTTOM = auto()
    TOP_LEFT = auto()
    TOP_RIGHT = auto()
    BOTTOM_LEFT = auto()
    BOTTOM_RIGHT = auto()


BAYS = tuple(Bay)
"""Every bay by itself, in the order in which they are measured."""

CORNERS = Bay.TOP_LEFT | Bay.TOP_RIGHT | Bay.BOTTOM_LEFT | Bay.BOTTOM_RIGHT
"""All that are open to two sides."""

SIDES = ~CORNERS
"""All that are open to one."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 1, 2, 4, 8  # where there is ink
_HIDDEN = _LEFT | _RIGHT | _TOP | _BOTTOM
_OPEN_TO_ONE = (_HIDDEN - _TOP, _HIDDEN - _BOTTOM)
_OPEN_TO_TWO = (_RIGHT | _BOTTOM, _LEFT | _BOTTOM, _RIGHT | _TOP, _LEFT | _TOP)
_DEPTH = 8  # pixels to which a pocket that cannot be seen from outside is part of the bay that it opens to


def measure_bays(strokes: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the share of each picture that each bay takes up.

    Parameters
    ----------
    strokes : array of shape (n, height, width)
        Where there is ink.

    Returns
    -------
    array of shape (n, bays)
        In the order of `BAYS`.

    Examples
    --------
    >>> u = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]], bool)
    >>> found = measure_bays(u[None])[0]
    >>> [bay.name for bay, share in zip(BAYS, found, strict=True) if share]
    ['TOP']
    """
    height, width = strokes.shape[1:]
    around = _around(strokes)
    around[strokes] = 0
    is_deep = (around == _HIDDEN).any((1, 2))
    around[is_deep] = _with_pockets(around[is_deep])
    middle = -(-height // 2)
    halves = [
        (half == _HIDDEN - side).sum((1, 2)) for side in (_LEFT, _RIGHT) for half in np.split(around, [middle], axis=1)
    ]
    whole = [(around == seen).sum((1, 2)) for seen in (*_OPEN_TO_ONE, *_OPEN_TO_TWO)]
    shares: NDArray[np.float64] = np.stack([*halves, *whole], 1) / max(height * width, 1)
    return shares


def _around(strokes: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """On which sides of each place there is ink."""
    to_left, to_top = (np.logical_or.accumulate(strokes, axis) for axis in (2, 1))
    to_right = np.logical_or.accumulate(strokes[:, :, ::-1], 2)[:, :, ::-1]
    to_bottom = np.logical_or.accumulate(strokes[:, ::-1], 1)[:, ::-1]
    found: NDArray[np.uint8] = to_left * np.uint8(_LEFT)
    for seen, side in ((to_right, _RIGHT), (to_top, _TOP), (to_bottom, _BOTTOM)):
        found |= seen * np.uint8(side)
    return found


def _with_pockets(around: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same with hidden places open to where the place beside them is, from the outside in."""
    found = np.zeros((len(around), around.shape[1] + 2, around.shape[2] + 2), np.uint8)
    inner = found[:, 1:-1, 1:-1]
    inner[:] = around
    is_open = np.isin(np.arange(_HIDDEN + 1), [_HIDDEN - _LEFT, _HIDDEN - _RIGHT, *_OPEN_TO_ONE, *_OPEN_TO_TWO])
    for _ in range(_DEPTH):
        before = found.copy()
        for beside in (before[:, 1:-1, :-2], before[:, 1:-1, 2:], before[:, :-2, 1:-1], before[:, 2:, 1:-1]):
            np.copyto(inner, beside, where=(inner == _HIDDEN) & is_open[beside])
        if np.array_equal(before, found):
            break
    return inner
