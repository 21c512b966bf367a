"""Pieces of ink shared out among the lines of a column, so that each line keeps its own strokes and no other's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.components import Components
from labelfree.ocr.layout.line_detection import Ridge

# In letter heights:
_SMALLEST_LETTER, _TALLEST_LETTER = 0.5, 2.5
_REACH_ASIDE = 3.0
_REACH_AWAY = 1.1
_REACH_TO_LETTER = 0.75
_LOOSE = 1.2
_THICK = 0.45  # waist of an initial that stands beside several lines

_SAME_LINE = 0.5  # of the letters on one ridge that are also on the next


@dataclass(frozen=True, eq=False)
class Band:
    """The body of a line: from the tops to the feet of its common letters, as distances from its ridge."""

    ridge: Ridge
    top: float
    bottom: float

    def edges(self, x: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        middle = self.ridge.at(x)
        return middle + self.top, middle + self.bottom


def find_bands(boxes: NDArray[np.integer], ridges: list[Ridge], letter: float) -> list[Band]:
    """Ridges that letters stand on, each once: large type may have raised two."""
    heights = boxes[:, 3] - boxes[:, 1]
    crossing = _crossings(boxes, ridges, letter) & (heights >= _SMALLEST_LETTER * letter)[:, None]
    on_both = crossing.T.astype(np.float32) @ crossing.astype(np.float32)
    on_one = on_both.diagonal()
    kept: list[int] = []
    for index in sorted(range(len(ridges)), key=lambda index: -ridges[index].weight):
        shared = on_both[index, kept] / np.maximum(np.minimum(on_one[index], on_one[kept]), 1)
        if on_one[index] and np.all(shared < _SAME_LINE):
            kept.append(index)
    return [_band(boxes, ridges[index], crossing[:, index], letter) for index in sorted(kept)]


def _crossings(boxes: NDArray[np.integer], ridges: list[Ridge], letter: float) -> NDArray[np.bool_]:
    crossing = np.zeros((len(boxes), len(ridges)), np.bool_)
    middle = (boxes[:, 0] + boxes[:, 2]) / 2
    for index, ridge in enumerate(ridges):
        height = ridge.at(middle)
        crossing[:, index] = (
            (boxes[:, 1] < height)
            & (height < boxes[:, 3])
            & (boxes[:, 2] > ridge.x[0] - letter)
            & (boxes[:, 0] < ridge.x[-1] + letter)
        )
    return crossing


def _band(boxes: NDArray[np.integer], ridge: Ridge, on_it: NDArray[np.bool_], letter: float) -> Band:
    common = on_it & (boxes[:, 3] - boxes[:, 1] <= _TALLEST_LETTER * letter)
    chosen = boxes[common if common.any() else on_it]
    height = ridge.at((chosen[:, 0] + chosen[:, 2]) / 2)
    return Band(ridge, float(np.median(chosen[:, 1] - height)), float(np.median(chosen[:, 3] - height)))


def cut_between(
    components: Components, chosen: NDArray[np.int64], bands: list[Band], letter: float
) -> tuple[Components, NDArray[np.int64]]:
    """Cut pieces that touch across lines at their thinnest row; an initial several lines tall stays whole.

    Returns
    -------
    Components, array
        With the parts below a cut as pieces of their own (the labels are changed in place), and `chosen` with them.
    """
    if not len(bands):
        return components, chosen
    crossing = _crossings(components.boxes[chosen], [band.ridge for band in bands], letter)
    boxes, areas = list(components.boxes), list(components.areas)
    added = []
    for row in np.flatnonzero(crossing.sum(axis=1) > 1):
        piece = int(chosen[row])
        touched = np.flatnonzero(crossing[row])
        for upper, lower in pairwise(touched):
            cut = _cut_row(components.labels, piece, boxes[piece], bands[upper], bands[lower], letter)
            if cut is None:
                break
            _cut(components.labels, piece, cut, boxes, areas)
            added.append(piece := len(boxes) - 1)
    if not added:
        return components, chosen
    grown = Components(components.labels, np.array(boxes, np.int64), np.array(areas, np.int64))
    return grown, np.append(chosen, added)


def _cut_row(
    labels: NDArray[np.int32], piece: int, box: NDArray[np.int64], upper: Band, lower: Band, letter: float
) -> int | None:
    x0, y0, x1, y1 = box
    middle = np.array([(x0 + x1) / 2])
    start = max(int(upper.edges(middle)[1][0]), y0 + 1)
    stop = min(max(int(lower.edges(middle)[0][0]), start + 1), y1 - 1)
    if stop <= start:
        return None
    runs = np.array([_longest_run(row) for row in labels[start:stop, x0:x1] == piece + 1])
    thinnest = np.flatnonzero(runs == runs.min())
    if runs.min() > _THICK * letter:
        return None
    return int(start + thinnest[np.argmin(np.abs(thinnest - len(runs) / 2))])


def _longest_run(row: NDArray[np.bool_]) -> int:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.view(np.int8), [0]])))
    return int((edges[1::2] - edges[::2]).max()) if edges.size else 0


def _cut(labels: NDArray[np.int32], piece: int, row: int, boxes: list[NDArray[np.int64]], areas: list[int]) -> None:
    x0, y0, x1, y1 = boxes[piece]
    part = labels[row:y1, x0:x1]
    part[part == piece + 1] = len(boxes) + 1
    for index, upper, lower in ((piece, y0, row), (len(boxes), row, y1)):
        rows, columns = np.nonzero(labels[upper:lower, x0:x1] == index + 1)
        # A straight cut can leave nothing on one side: then that side is an empty box.
        found = (
            (x0 + columns.min(), upper + rows.min(), x0 + columns.max() + 1, upper + rows.max() + 1)
            if rows.size
            else (x0, upper, x0, upper)
        )
        if index == len(boxes):
            boxes.append(np.array(found, np.int64))
            areas.append(rows.size)
        else:
            boxes[index], areas[index] = np.array(found, np.int64), rows.size


def share_out(boxes: NDArray[np.integer], bands: list[Band], letter: float) -> NDArray[np.int64]:
    """Index of the band that each piece belongs to, -1 for a stranger.

    A piece belongs where most of it lies in the band; one outside all bands (a dot, an accent, a quote) to the band
    whose letter it stands closest to.
    """
    if not bands or not len(boxes):
        return np.full(len(boxes), -1, np.int64)
    middle = (boxes[:, 0] + boxes[:, 2]) / 2
    overlap, gap = np.empty((2, len(boxes), len(bands)))
    for index, band in enumerate(bands):
        top, bottom = band.edges(middle)
        overlap[:, index] = np.minimum(bottom, boxes[:, 3]) - np.maximum(top, boxes[:, 1])
        aside = np.maximum(band.ridge.x[0] - boxes[:, 2], boxes[:, 0] - band.ridge.x[-1])
        gap[:, index] = np.where(aside > _REACH_ASIDE * letter, np.inf, -overlap[:, index])
    overlap[~np.isfinite(gap)] = -np.inf
    owner = np.where(overlap.max(axis=1) > 0, overlap.argmax(axis=1), -1)
    members = [boxes[owner == index] for index in range(len(bands))]
    for piece in np.flatnonzero(owner < 0):
        near = np.flatnonzero(gap[piece] < _REACH_AWAY * letter)
        if near.size:
            distances = [_distance(boxes[piece], members[band], gap[piece, band]) for band in near]
            if min(distances) < _REACH_TO_LETTER * letter:
                owner[piece] = near[int(np.argmin(distances))]
    return np.asarray(owner)


def without_loose_ends(boxes: NDArray[np.integer], at_edge: NDArray[np.bool_], letter: float) -> NDArray[np.bool_]:
    """Which pieces of a line to keep: all but dirt that stands alone before its first or after its last word.

    Dirt is what is smaller than a letter, or touches the edge of the page.
    """
    keep = np.ones(len(boxes), np.bool_)
    dirt = at_edge | ((boxes[:, 2:] - boxes[:, :2]).max(axis=1) < _SMALLEST_LETTER * letter)
    for near, far in ((boxes[:, 0], boxes[:, 2]), (-boxes[:, 2], -boxes[:, 0])):
        order = np.argsort(near, kind="stable")
        for piece in order:
            rest = keep.copy()
            rest[piece] = False
            if not dirt[piece] or not rest.any() or near[rest].min() - far[piece] < _LOOSE * letter:
                break
            keep[piece] = False
    return keep


def _distance(piece: NDArray[np.integer], letters: NDArray[np.integer], gap: float) -> float:
    """White between a piece and the nearest letter of a line above or below it, else the distance to the line."""
    x0, y0, x1, y1 = piece
    over = letters[(letters[:, 0] < x1) & (letters[:, 2] > x0)]
    if not len(over):
        return gap
    return float(max(np.maximum(over[:, 1] - y1, y0 - over[:, 3]).min(), 0))
