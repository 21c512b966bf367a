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
from scipy.ndimage import find_objects

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
        The number of the tile that each pixel belongs to. A tile then shows all its own ink and no other, whatever its
        box.

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
    grey = np.clip(ink * 255.0, 0, 255).astype(np.uint8)
    tight = _tight_boxes(grey, boxes) if owner is None else _own_boxes(grey, owner, len(boxes))
    is_inked = tight[:, 2] > tight[:, 0]
    ink_boxes = tight[is_inked]
    if baseline is None or x_height is None:
        found = line_measures(ink_boxes, len(ink))
        baseline = found.baseline_at(boxes[:, [0, 2]].mean(1)) if baseline is None else baseline
        x_height = found.x_height if x_height is None else x_height
    baselines = np.broadcast_to(np.asarray(baseline, dtype=np.float64), len(boxes))
    images = np.zeros((len(boxes), SIDE, SIDE), np.uint8)
    picture, places = (grey, tight) if owner is None else _set_apart(grey, owner, tight)
    images[is_inked] = _resized(picture, places[is_inked])
    geometry = np.zeros((len(boxes), N_MEASURES), np.float32)
    geometry[:, 2] = np.maximum(1, boxes[:, 2] - boxes[:, 0])
    left, top, right, bottom = ink_boxes.T
    above = baselines[is_inked]
    geometry[is_inked] = np.stack([above - top, above - bottom, right - left, bottom - top], 1)
    return Tiles(images, geometry / np.float32(x_height))


def _tight_boxes(grey: NDArray[np.uint8], boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Boxes around the ink in some boxes, all 0 where there is none but a speck or a neighbour's edge."""
    height, width = grey.shape
    tight = np.zeros_like(boxes)
    for i, (x0, y0, x1, y1) in enumerate(boxes.tolist()):
        left, top = min(max(x0, 0), width - 1), min(max(y0, 0), height - 1)
        right, bottom = max(min(max(x1, 1), width), left + 1), max(min(max(y1, 1), height), top + 1)
        strokes = grey[top:bottom, left:right] >= 255 * _FAINTEST
        rows, columns = np.flatnonzero(strokes.any(1)), np.flatnonzero(strokes.any(0))
        amount = strokes.sum()
        is_at_edge = strokes[:, 0].any() or strokes[:, -1].any()
        if amount and amount >= _SPECK * len(strokes) ** 2 and not (is_at_edge and amount < _EDGE * strokes.size):
            tight[i] = left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1
    return tight


def _own_boxes(grey: NDArray[np.uint8], owner: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """Boxes around the ink of each owner, all 0 where it has none."""
    tight = np.zeros((count, 4), np.int64)
    for i, found in enumerate(find_objects(np.where(grey >= 255 * _FAINTEST, owner + 1, 0), count)):
        if found is not None:
            tight[i] = found[1].start, found[0].start, found[1].stop, found[0].stop
    return tight


def _set_apart(
    grey: NDArray[np.uint8], owner: NDArray[np.integer], boxes: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A picture in which the ink of each owner stands in a box of its own, and these boxes."""
    width = boxes[:, 2] - boxes[:, 0]
    shift = np.cumsum(width) - width - boxes[:, 0]
    y, x = np.nonzero((owner >= 0) & (grey > 0))
    tile = owner[y, x]
    is_inside = (boxes[tile, 0] <= x) & (x < boxes[tile, 2])
    y, x, tile = y[is_inside], x[is_inside], tile[is_inside]
    picture = np.zeros((len(grey), max(1, int(width.sum()))), np.uint8)
    picture[y, x + shift[tile]] = grey[y, x]
    places = boxes.copy()
    places[:, [0, 2]] += shift[:, None]
    return picture, places


def _resized(picture: NDArray[np.uint8], boxes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """What a picture holds in some boxes, each brought to one size."""
    whole = Image.fromarray(picture)
    row = Image.new("L", (SIDE * max(1, len(boxes)), SIDE))  # one conversion for all tiles is faster than one each
    for i, box in enumerate(boxes.tolist()):
        row.paste(whole.crop(box).resize((SIDE, SIDE), Image.Resampling.BOX), (SIDE * i, 0))
    tiles: NDArray[np.uint8] = np.asarray(row).reshape(SIDE, -1, SIDE).transpose(1, 0, 2)[: len(boxes)]
    return tiles


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
