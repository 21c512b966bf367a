"""Tiles of a line whose characters have boxes and nothing else: its baseline and x-height are told by them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.ocr.glyphs.tiles import Tiles, grey_of, place_and_size, resized

_LEAST_X_HEIGHT = 4.0
_SMALL_LETTER = 35  # percentile of a line's heights that is a small letter's: above marks, below tall letters
_LEAST_STANDING = 8
_SPECK = 0.004  # of the box's height squared: less ink than the smallest full stop
_EDGE = 0.02  # of the box: so little ink at its side belongs to the neighbour


def cut_boxes(
    ink: NDArray[np.floating], boxes: ArrayLike, *, baseline: float | None = None, x_height: float | None = None
) -> Tiles:
    """Cut boxes out of a line.

    Parameters
    ----------
    ink : array of shape (height, width)
        1 where there is ink, 0 where there is paper.
    boxes : array-like of shape (n, 4)
        ``x0, y0, x1, y1`` in pixels from the top left corner, the right and lower edge excluded.
    baseline, x_height : float, optional
        Of the line, in pixels; by default as `line_measures` finds them.

    Examples
    --------
    >>> ink = np.zeros((20, 20)); ink[5:15, 2:7] = 1
    >>> cut_boxes(ink, [[0, 0, 10, 20], [10, 0, 20, 20]], baseline=15, x_height=10).geometry.tolist()
    [[1.0, 0.0, 0.5, 1.0], [0.0, 0.0, 1.0, 0.0]]
    """
    boxes = np.asarray(boxes, dtype=np.int64).reshape(-1, 4)
    grey = grey_of(ink)
    tight = _tight_boxes(grey, boxes)
    found = line_measures(tight[tight[:, 2] > tight[:, 0]], len(ink))
    baselines = found.baseline_at(boxes[:, [0, 2]].mean(1)) if baseline is None else baseline
    return Tiles(resized(grey, tight), place_and_size(tight, boxes, baselines, x_height or found.x_height))


def _tight_boxes(grey: NDArray[np.uint8], boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Boxes around the ink in some boxes, all 0 where there is none but a speck or a neighbour's edge."""
    height, width = grey.shape
    tight = np.zeros_like(boxes)
    for i, (x0, y0, x1, y1) in enumerate(boxes.tolist()):
        left, top = min(max(x0, 0), width - 1), min(max(y0, 0), height - 1)
        right, bottom = max(min(max(x1, 1), width), left + 1), max(min(max(y1, 1), height), top + 1)
        strokes = grey[top:bottom, left:right] >= 128
        rows, columns = np.flatnonzero(strokes.any(1)), np.flatnonzero(strokes.any(0))
        amount = strokes.sum()
        is_at_edge = strokes[:, 0].any() or strokes[:, -1].any()
        if amount and amount >= _SPECK * len(strokes) ** 2 and not (is_at_edge and amount < _EDGE * strokes.size):
            tight[i] = left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1
    return tight


@dataclass(frozen=True)
class LineMeasures:
    """Where a line's characters stand and how tall its small letters are, in pixels."""

    baseline: float
    slope: float
    x_height: float

    def baseline_at(self, x: NDArray[np.floating]) -> NDArray[np.float64]:
        """Row of the baseline at each column."""
        return self.baseline + self.slope * np.asarray(x, dtype=np.float64)


def line_measures(boxes: NDArray[np.int64], height: int) -> LineMeasures:
    """Measure a line by its characters: a straight line through most lower edges, and the commonest height.

    Commas and tails hang below the baseline and are left out of the fit; most letters stand on it.
    """
    if not len(boxes):
        return LineMeasures(0.75 * height, 0.0, max(_LEAST_X_HEIGHT, 0.4 * height))
    x_height = max(_LEAST_X_HEIGHT, float(np.percentile(boxes[:, 3] - boxes[:, 1], _SMALL_LETTER)))
    x, lower = boxes[:, [0, 2]].mean(1), boxes[:, 3].astype(np.float64)
    baseline, slope = float(np.median(lower)), 0.0
    for reach in (0.3, 0.15):
        stands = np.abs(lower - baseline - slope * x) <= reach * x_height
        if stands.sum() >= _LEAST_STANDING and np.ptp(x[stands]) > 4 * x_height:
            slope, baseline = (float(value) for value in np.polyfit(x[stands], lower[stands], 1))
    return LineMeasures(baseline, slope, x_height)
