"""One line to tiles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import find_band
from labelfree.ocr.segment.letters import find_atoms, letters_of
from labelfree.ocr.segment.spaces import find_spaces
from labelfree.ocr.segment.style import BookStyle, measure_book


@dataclass(frozen=True, eq=False)
class LineTiles:
    """A line cut into n characters and spaces, in reading order."""

    boxes: NDArray[np.int64]  # (n, 4): x0, y0, x1, y1, the right and lower edge excluded; a space is the gap
    is_space: NDArray[np.bool_]
    baseline: NDArray[np.float64]  # (n,), row on which each tile stands
    x_height: float  # in pixels
    ink: NDArray[np.float32]  # (height, width), without specks and strangers
    owner: NDArray[np.int32]  # (height, width), number of each pixel's tile, -1 where there is none

    def __len__(self) -> int:
        return len(self.boxes)


def segment_line(ink: NDArray[np.floating], style: BookStyle | None = None) -> LineTiles:
    """Cut a line, 1 where there is ink and 0 where there is paper, into characters and spaces.

    Without the style of its book the line tells little of which shapes are letters.

    Examples
    --------
    >>> ink = np.zeros((30, 60))
    >>> for left in (5, 14, 35, 44):
    ...     ink[8:20, left : left + 6] = 1
    >>> segment_line(ink).is_space.tolist()
    [False, False, True, False, False]
    """
    strokes = ink >= 0.5
    if style is None:
        style = measure_book([ink])
    atoms = None
    if style is not None and strokes.any():
        atoms = find_atoms(strokes, find_band(strokes, style.x_height, style.settings), style.settings)
    if style is None or atoms is None:
        nothing = np.zeros(ink.shape, np.float32), np.full(ink.shape, -1, np.int32)
        return LineTiles(np.zeros((0, 4), np.int64), np.zeros(0, np.bool_), np.zeros(0), 1.0, *nothing)
    cost = style.codebook.match(atoms.shapes).cost if style.codebook else None
    letters = letters_of(atoms, atoms.lattice.best_path(cost))
    spaces = find_spaces(style.gaps, letters.gaps, letters.is_stop[1:], letters.is_quote[1:], style.settings)
    n = len(letters.boxes)
    place = np.arange(n) + np.concatenate([[0], np.cumsum(spaces)])
    boxes = np.zeros((n + int(spaces.sum()), 4), np.int64)
    boxes[place] = letters.boxes
    is_space = np.ones(len(boxes), np.bool_)
    is_space[place] = False
    middle = letters.band.baseline_at(letters.boxes[:, [0, 2]].mean(1))
    for before in np.flatnonzero(spaces):
        left, right = sorted((letters.boxes[before, 2], letters.boxes[before + 1, 0]))
        top = int(middle[before] - letters.band.x_height)
        boxes[place[before] + 1] = left, max(top, 0), max(right, left + 1), max(int(middle[before]), max(top, 0) + 1)
    owner = np.append(place, -1).astype(np.int32)[letters.owner]
    baseline = letters.band.baseline_at(boxes[:, [0, 2]].mean(1))
    cleaned = np.where(owner >= 0, ink, 0).astype(np.float32)
    return LineTiles(boxes, is_space, baseline, letters.band.x_height, cleaned, owner)
