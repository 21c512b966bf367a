"""Tiles: the picture of one character, cut from a line and brought to one size, with its place and size beside it.

A picture at one size knows nothing of size or height, so ``.`` and ``o``, or ``,`` and ``'``, would be alike. Four
measures of the box, in units of the line's x-height, go beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from labelfree.errors import InputError

SIDE = 16
N_MEASURES = 4
_FAINTEST = 0.5  # ink from which a pixel belongs to a stroke
_LEAST_X_HEIGHT = 4.0
_SMALL_LETTER = 35  # percentile of a line's heights that is a small letter's: above marks, below tall letters
_LEAST_STANDING = 8
_SPECK = 0.004  # of the box's height squared: less ink than the smallest full stop
_EDGE = 0.02  # of the box: so little ink at its side belongs to the neighbour


@dataclass(frozen=True, eq=False)
class Tiles:
    """Characters as pictures.

    Attributes
    ----------
    images : array of shape (n, SIDE, SIDE), uint8
        Ink of the tile's own strokes, stretched to the whole square: 0 for paper, 255 for ink. A blank tile is all 0.
    geometry : array of shape (n, 4), float32
        Top and bottom of the ink above the baseline, its width and its height, all in x-heights. Of a blank tile only
        the width is not 0.
    """

    images: NDArray[np.uint8]
    geometry: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, chosen: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Tiles:
        return Tiles(self.images[chosen], self.geometry[chosen])


def stack(parts: Iterable[Tiles]) -> Tiles:
    """All tiles of several lines, one after the other."""
    parts = list(parts)
    if not parts:
        return Tiles(np.zeros((0, SIDE, SIDE), np.uint8), np.zeros((0, N_MEASURES), np.float32))
    return Tiles(np.concatenate([part.images for part in parts]), np.concatenate([part.geometry for part in parts]))


def cut_tiles(
    ink: NDArray[np.floating],
    boxes: ArrayLike,
    *,
    baseline: ArrayLike | None = None,
    x_height: float | None = None,
    owner: NDArray[np.integer] | None = None,
) -> Tiles:
    """Cut boxes out of a line.

    Parameters
    ----------
    ink : array of shape (height, width)
        1 where there is ink, 0 where there is paper.
    boxes : array-like of shape (n, 4)
        ``x0, y0, x1, y1`` in pixels from the top left corner, the right and lower edge excluded.
    baseline : float or array-like of shape (n,), optional
        Row on which the line's characters stand, or that of each tile where the line slants; by default as
        `line_measures` finds it.
    x_height : float, optional
        Of the line, in pixels; by default as `line_measures` finds it.
    owner : array of shape (height, width), optional
        The number of the tile that each pixel belongs to. A tile then shows its own ink alone, and not a neighbour's
        that hangs into its box.

    Examples
    --------
    >>> ink = np.zeros((20, 20)); ink[5:15, 2:7] = 1
    >>> tiles = cut_tiles(ink, [[0, 0, 10, 20], [10, 0, 20, 20]], baseline=15, x_height=10)
    >>> tiles.geometry.tolist()
    [[1.0, 0.0, 0.5, 1.0], [0.0, 0.0, 1.0, 0.0]]
    """
    boxes = np.asarray(boxes, dtype=np.int64).reshape(-1, 4)
    if ink.ndim != 2:
        raise InputError(f"a line has shape {ink.shape}, two dimensions wanted; give one grey image a line")
    height, width = ink.shape
    grey = np.clip(ink * 255.0, 0, 255).astype(np.uint8)
    x0, x1 = np.clip(boxes[:, 0], 0, width - 1), np.clip(boxes[:, 2], 1, width)
    y0, y1 = np.clip(boxes[:, 1], 0, height - 1), np.clip(boxes[:, 3], 1, height)
    outer = np.stack([x0, y0, np.maximum(x1, x0 + 1), np.maximum(y1, y0 + 1)], 1).tolist()
    crops = [grey[top:bottom, left:right] for left, top, right, bottom in outer]
    if owner is not None:
        crops = [
            np.where(owner[top:bottom, left:right] == i, crop, 0)
            for i, (crop, (left, top, right, bottom)) in enumerate(zip(crops, outer, strict=True))
        ]
    tight = [_tighten(crop, owned=owner is not None) for crop in crops]
    if baseline is None or x_height is None:
        inked = [
            (left + box[0], top + box[1], left + box[2], top + box[3])
            for box, (left, top, _, _) in zip(tight, outer, strict=True)
            if box is not None
        ]
        found = line_measures(np.array(inked, dtype=np.int64).reshape(-1, 4), height)
        baseline = found.baseline_at(boxes[:, [0, 2]].mean(1)) if baseline is None else baseline
        x_height = found.x_height if x_height is None else x_height
    baselines = np.broadcast_to(np.asarray(baseline, dtype=np.float64), len(boxes))
    images = np.zeros((len(boxes), SIDE, SIDE), np.uint8)
    geometry = np.zeros((len(boxes), N_MEASURES), np.float32)
    for i, box in enumerate(tight):
        if box is None:
            geometry[i, 2] = max(1, boxes[i, 2] - boxes[i, 0]) / x_height
            continue
        left, top, right, bottom = box
        crop = Image.fromarray(crops[i][top:bottom, left:right])
        images[i] = np.asarray(crop.resize((SIDE, SIDE), Image.Resampling.BOX))
        height_above = baselines[i] - outer[i][1]
        geometry[i] = height_above - top, height_above - bottom, right - left, bottom - top
        geometry[i] /= x_height
    return Tiles(images, geometry)


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


def _tighten(grey: NDArray[np.uint8], *, owned: bool) -> tuple[int, int, int, int] | None:
    """The box around the ink of a crop, or None where there is none but a speck or a neighbour's edge."""
    strokes = grey >= 255 * _FAINTEST
    rows, columns = np.flatnonzero(strokes.any(1)), np.flatnonzero(strokes.any(0))
    if not len(rows):
        return None
    amount = strokes.sum()
    is_at_edge = columns[0] == 0 or columns[-1] == strokes.shape[1] - 1
    is_dirt = amount < _SPECK * len(strokes) ** 2 or (is_at_edge and amount < _EDGE * strokes.size)
    if is_dirt and not owned:
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
