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


@dataclass(frozen=True, eq=False)
class Tiles:
    """Characters as pictures."""

    # (n, SIDE, SIDE): a tile's own strokes, stretched to the whole square, from 0 for paper to 255 for ink.
    images: NDArray[np.uint8]
    # (n, 4): top and bottom of the ink above the baseline, its width and its height, in x-heights. Of a blank tile only
    # the width is not 0.
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
    ink: NDArray[np.floating], boxes: ArrayLike, *, baseline: ArrayLike, x_height: float, owner: NDArray[np.integer]
) -> Tiles:
    """Cut boxes, ``x0, y0, x1, y1`` in pixels, out of a line that is 1 where there is ink and 0 where there is paper.

    `baseline` is the row on which the line's characters stand, or that of each tile where the line slants. `owner` has
    the number of each pixel's tile, or -1: a tile shows all its own ink and no other, whatever its box.

    Examples
    --------
    >>> ink = np.zeros((20, 20)); ink[5:15, 2:7] = 1
    >>> owner = np.where(ink > 0, 0, -1)
    >>> cut_tiles(ink, [[0, 0, 10, 20], [10, 0, 20, 20]], baseline=15, x_height=10, owner=owner).geometry.tolist()
    [[1.0, 0.0, 0.5, 1.0], [0.0, 0.0, 1.0, 0.0]]
    """
    boxes = np.asarray(boxes, dtype=np.int64).reshape(-1, 4)
    grey = grey_of(ink)
    tight = np.zeros_like(boxes)
    for i, found in enumerate(find_objects(np.where(grey >= 128, owner + 1, 0), len(boxes))):
        if found is not None:
            tight[i] = found[1].start, found[0].start, found[1].stop, found[0].stop
    return Tiles(resized(*_set_apart(grey, owner, tight)), place_and_size(tight, boxes, baseline, x_height))


def grey_of(ink: NDArray[np.floating]) -> NDArray[np.uint8]:
    """A line from 0 for paper to 255 for ink."""
    if ink.ndim != 2:
        raise InputError(f"a line has shape {ink.shape}, two dimensions wanted; give one grey image a line")
    grey: NDArray[np.uint8] = np.clip(ink * 255.0, 0, 255).astype(np.uint8)
    return grey


def resized(picture: NDArray[np.uint8], boxes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """What a picture holds in some boxes, each brought to one size; nothing where a box is empty."""
    whole = Image.fromarray(picture)
    row = Image.new("L", (SIDE * max(1, len(boxes)), SIDE))  # one conversion for all tiles is faster than one each
    for i in np.flatnonzero(boxes[:, 2] > boxes[:, 0]):
        tile = whole.crop(tuple(boxes[i].tolist())).resize((SIDE, SIDE), Image.Resampling.BOX)
        row.paste(tile, (SIDE * int(i), 0))
    tiles: NDArray[np.uint8] = np.asarray(row).reshape(SIDE, -1, SIDE).transpose(1, 0, 2)[: len(boxes)].copy()
    return tiles


def place_and_size(
    tight: NDArray[np.int64], boxes: NDArray[np.int64], baseline: ArrayLike, x_height: float
) -> NDArray[np.float32]:
    """The geometry of tiles, given the boxes around their ink, all 0 where there is none, and their own boxes."""
    left, top, right, bottom = tight.T
    above = np.broadcast_to(np.asarray(baseline, dtype=np.float64), len(boxes))
    blank = np.zeros((len(boxes), N_MEASURES))
    blank[:, 2] = np.maximum(1, boxes[:, 2] - boxes[:, 0])
    inked = np.stack([above - top, above - bottom, right - left, bottom - top], 1)
    return np.where(right[:, None] > left[:, None], inked, blank).astype(np.float32) / np.float32(x_height)


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
