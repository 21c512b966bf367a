"""Lines of type much larger than the rest: mastheads and titles, found by their own letters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings

_ALIKE = 0.15  # of a size, by which pieces of one kind differ at most
_REPEATED = 4  # times that pieces of an ornament occur


def find_titles(boxes: NDArray[np.int64], letter: float, settings: LayoutSettings = DEFAULT) -> list[NDArray[np.int64]]:
    """Pieces of each line of large type, given the boxes of all that may be letters; initials are none.

    Examples
    --------
    >>> large = [(x, 100, x + 25 + x // 20, 180) for x in range(0, 300, 50)]
    >>> small = [(x, 300, x + 10, 320) for x in range(0, 300, 12)]
    >>> find_titles(np.array(large + [(300, 165, 312, 180)] + small), letter=20)[0].tolist()
    [0, 1, 2, 3, 4, 5, 6]
    """
    heights, widths = boxes[:, 3] - boxes[:, 1], boxes[:, 2] - boxes[:, 0]
    large = np.flatnonzero(
        (heights > settings.pitch * letter)
        & (heights < 2 * settings.largest * letter)
        & (widths < 3 * heights)
        & (4 * widths > heights)
    )
    found = []
    for row in _rows(boxes, large):
        if len(row) < 3 or _is_ornament(widths[row], heights[row]):
            continue
        around = np.array([*boxes[row, :2].min(axis=0), *boxes[row, 2:].max(axis=0)])
        found.append(_with_small(boxes, row, around, float(np.median(heights[row])), letter))
    return found


def _is_ornament(widths: NDArray[np.int64], heights: NDArray[np.int64]) -> bool:
    """Whether a row is the same few pieces again and again; the letters of a title are of many widths."""
    sizes = np.round(np.log(np.column_stack([widths, heights])) / _ALIKE)
    return len(widths) >= _REPEATED * len(np.unique(sizes, axis=0))


def _rows(boxes: NDArray[np.int64], chosen: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Pieces of about one height side by side."""
    row_of = {int(piece): int(piece) for piece in chosen}

    def first(piece: int) -> int:
        while row_of[piece] != piece:
            piece = row_of[piece]
        return piece

    x0, y0, x1, y1 = boxes[chosen].T
    heights = y1 - y0
    for index, piece in enumerate(chosen):
        shorter, taller = np.minimum(heights, heights[index]), np.maximum(heights, heights[index])
        shared = np.minimum(y1, y1[index]) - np.maximum(y0, y0[index])
        gap = np.maximum(x0, x0[index]) - np.minimum(x1, x1[index])
        for other in chosen[(shared > shorter / 2) & (taller < 2 * shorter) & (gap < 1.5 * shorter)]:
            row_of[first(int(other))] = first(int(piece))
    rows: dict[int, list[int]] = {}
    for piece in chosen:
        rows.setdefault(first(int(piece)), []).append(int(piece))
    return [np.array(row, np.int64) for row in rows.values()]


def _with_small(
    boxes: NDArray[np.int64], row: NDArray[np.int64], around: NDArray[np.int64], height: float, letter: float
) -> NDArray[np.int64]:
    """A row with its dots, hyphens and small letters: what lies inside it, or goes on with it."""
    x0, y0, x1, y1 = boxes.T
    middle = (y0 + y1) / 2
    inside = (middle > around[1]) & (middle < around[3]) & (y1 - y0 < 2 * height)
    letters = inside & (y1 - y0 > height / 3)
    left, right = around[0], around[2]
    for _ in range(100):
        near = letters & (x1 > left - height / 2) & (x0 < right + height / 2)
        reach = min(left, x0[near].min(initial=left)), max(right, x1[near].max(initial=right))
        if reach == (left, right):
            break
        left, right = reach
    stop = inside & (x0 >= right) & (x0 < right + height / 3) & (y0 > around[1] + 0.6 * (around[3] - around[1]))
    dirt = (y1 - y0 < letter / 2) & (x1 - x0 < letter / 2)
    return np.union1d(np.flatnonzero((inside & ~dirt & (x0 >= left) & (x1 <= right)) | (stop & ~dirt)), row)
