"""Pages that lie on their side: letters stand closer to those beside them in a word than to those of other lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings

_FEWEST = 40  # letters that tell
_NEAR = 8  # others that are looked at for each
_SURE = 0.7  # share of the letters whose nearest stands above or below them


def is_sideways(boxes: NDArray[np.int64], letter: float, settings: LayoutSettings = DEFAULT) -> bool:
    """Whether the lines of a page run up or down, given the boxes of what may be text.

    Examples
    --------
    >>> lines = [(x, y, x + 15, y + 20) for y in range(0, 400, 40) for x in range(0, 400, 18)]
    >>> is_sideways(np.array(lines), letter=20), is_sideways(np.array(lines)[:, [1, 0, 3, 2]], letter=20)
    (False, True)
    """
    from scipy.spatial import KDTree

    sides = boxes[:, 2:] - boxes[:, :2]
    boxes = boxes[(sides.max(axis=1) >= settings.smallest * letter) & (sides.max(axis=1) <= settings.pitch * letter)]
    if len(boxes) < _FEWEST:
        return False
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    _, near = KDTree(centres).query(centres, k=_NEAR)
    others = boxes[near[:, 1:]]
    # White between two boxes across and down; below 0 where they overlap.
    white = np.maximum(boxes[:, None, :2], others[..., :2]) - np.minimum(boxes[:, None, 2:], others[..., 2:])
    beside = np.where((white[..., 1] < 0) & (white[..., 0] >= 0), white[..., 0], np.inf).min(axis=1)
    above = np.where((white[..., 0] < 0) & (white[..., 1] >= 0), white[..., 1], np.inf).min(axis=1)
    known = np.isfinite(beside) | np.isfinite(above)
    return bool(known.sum() >= _FEWEST and (above < beside)[known].mean() > _SURE)
