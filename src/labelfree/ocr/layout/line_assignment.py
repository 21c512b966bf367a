"""Pieces of ink shared out among the lines of a column, so that each line keeps its own strokes and no other's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.components import Components, runs
from labelfree.ocr.layout.line_detection import Ridge
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings


@dataclass(frozen=True, eq=False)
class LineBody:
    """The body of a line: from the tops to the feet of its common letters, as distances from its ridge."""

    ridge: Ridge
    top: float
    bottom: float

    def edges(self, x: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        middle = self.ridge.at(x)
        return middle + self.top, middle + self.bottom


def find_bands(
    boxes: NDArray[np.integer], ridges: list[Ridge], letter: float, settings: LayoutSettings = DEFAULT
) -> list[LineBody]:
    """Bodies of the lines: ridges that letters stand on, each once, since large type may have raised two."""
    heights = boxes[:, 3] - boxes[:, 1]
    crossing = _crossings(boxes, ridges, letter) & (heights >= settings.smallest * letter)[:, None]
    on_both = crossing.T.astype(np.float32) @ crossing.astype(np.float32)
    on_one = on_both.diagonal()
    kept: list[int] = []
    for index in sorted(range(len(ridges)), key=lambda index: -ridges[index].weight):
        shared = on_both[index, kept] / np.maximum(np.minimum(on_one[index], on_one[kept]), 1)
        if on_one[index] and np.all(shared < 0.5):
            kept.append(index)
    bodies = []
    for index in sorted(kept):
        common = crossing[:, index] & (heights <= settings.pitch * letter)
        x0, top, x1, bottom = boxes[common if common.any() else crossing[:, index]].T
        middle = ridges[index].at((x0 + x1) / 2)
        bodies.append(LineBody(ridges[index], float(np.median(top - middle)), float(np.median(bottom - middle))))
    return bodies


def _crossings(boxes: NDArray[np.integer], ridges: list[Ridge], letter: float) -> NDArray[np.bool_]:
    crossing = np.zeros((len(boxes), len(ridges)), np.bool_)
    x0, top, x1, bottom = boxes.T
    for index, ridge in enumerate(ridges):
        height = ridge.at((x0 + x1) / 2)
        beside = (x1 <= ridge.x[0] - letter) | (x0 >= ridge.x[-1] + letter)
        crossing[:, index] = (top < height) & (height < bottom) & ~beside
    return crossing


def cut_between(
    components: Components,
    chosen: NDArray[np.int64],
    bodies: list[LineBody],
    letter: float,
    settings: LayoutSettings = DEFAULT,
) -> tuple[Components, NDArray[np.int64]]:
    """Cut pieces that touch across lines at their thinnest row; an initial several lines tall stays whole.

    The parts below a cut become pieces of their own (the labels are changed in place) and join those `chosen`.
    """
    crossing = _crossings(components.boxes[chosen], [body.ridge for body in bodies], letter)
    across = np.flatnonzero(crossing.sum(axis=1) > 1)
    if not across.size:
        return components, chosen
    labels, boxes, areas = components.labels, list(components.boxes), list(components.areas)
    for row in across:
        piece = int(chosen[row])
        for upper, lower in pairwise(np.flatnonzero(crossing[row])):
            box = boxes[piece]
            cut = _thinnest_row(labels, piece, box, (bodies[upper], bodies[lower]), settings.smallest * letter)
            if cut is None:
                break
            x0, y0, x1, y1 = box
            below = labels[cut:y1, x0:x1]
            below[below == piece + 1] = len(boxes) + 1
            boxes.append(box)
            areas.append(0)
            for part, start, stop in ((piece, y0, cut), (len(boxes) - 1, cut, y1)):
                y, x = np.nonzero(labels[start:stop, x0:x1] == part + 1)
                boxes[part] = np.array([x0 + x.min(), start + y.min(), x0 + x.max() + 1, start + y.max() + 1])
                areas[part] = y.size
            piece = len(boxes) - 1
    grown = Components(labels, np.array(boxes, np.int64), np.array(areas, np.int64))
    return grown, np.append(chosen, np.arange(len(components), len(grown)))


def _thinnest_row(
    labels: NDArray[np.int32], piece: int, box: NDArray[np.int64], lines: tuple[LineBody, LineBody], most: float
) -> int | None:
    """The row between two lines where a piece is thinnest; None where it is thicker than `most` all over."""
    x0, y0, x1, y1 = box
    (_, foot), (top, _) = (line.edges((x0 + x1) / 2) for line in lines)
    start = max(int(foot), y0 + 1)
    stop = min(max(int(top), start + 1), y1 - 1)
    if stop <= start:
        return None
    ends = [runs(row) for row in labels[start:stop, x0:x1] == piece + 1]
    widths = np.array([(stops - starts).max(initial=0) for starts, stops in ends])
    if widths.min() > most:
        return None
    thinnest = np.flatnonzero(widths == widths.min())
    return int(start + thinnest[np.argmin(np.abs(thinnest - len(widths) / 2))])


def share_out(
    boxes: NDArray[np.integer], bodies: list[LineBody], letter: float, settings: LayoutSettings = DEFAULT
) -> NDArray[np.int64]:
    """Index of the line that each piece belongs to, -1 for a stranger.

    A piece belongs where most of it lies in the body of a line; one outside of all (a dot, an accent, a quote) to the
    line whose letter it stands closest to.
    """
    if not bodies or not len(boxes):
        return np.full(len(boxes), -1, np.int64)
    x0, y0, x1, y1 = boxes.T
    overlap = np.empty((len(boxes), len(bodies)))
    for index, body in enumerate(bodies):
        top, bottom = body.edges((x0 + x1) / 2)
        aside = np.maximum(body.ridge.x[0] - x1, x0 - body.ridge.x[-1])
        inside = np.minimum(bottom, y1) - np.maximum(top, y0)
        overlap[:, index] = np.where(aside > settings.column / 2 * letter, -np.inf, inside)
    owner = np.where(overlap.max(axis=1) > 0, overlap.argmax(axis=1), -1)
    members = [boxes[owner == index] for index in range(len(bodies))]
    for piece in np.flatnonzero(owner < 0):
        near = np.flatnonzero(-overlap[piece] < settings.space * letter)
        distances = [_distance(boxes[piece], members[line], -overlap[piece, line]) for line in near]
        if distances and min(distances) < settings.reach * letter:
            owner[piece] = near[int(np.argmin(distances))]
    return np.asarray(owner)


def _distance(piece: NDArray[np.integer], letters: NDArray[np.integer], gap: float) -> float:
    """White between a piece and the nearest letter of a line above or below it, else the distance to the line."""
    x0, y0, x1, y1 = piece
    over = letters[(letters[:, 0] < x1) & (letters[:, 2] > x0)]
    if not len(over):
        return gap
    return float(max(np.maximum(over[:, 1] - y1, y0 - over[:, 3]).min(), 0))


def without_loose_ends(
    boxes: NDArray[np.integer], at_edge: NDArray[np.bool_], letter: float, settings: LayoutSettings = DEFAULT
) -> NDArray[np.bool_]:
    """Which pieces of a line to keep: all but dirt that stands alone before its first or after its last word.

    Dirt is what is smaller than a letter, or touches the edge of the page.
    """
    keep = np.ones(len(boxes), np.bool_)
    dirt = at_edge | ((boxes[:, 2:] - boxes[:, :2]).max(axis=1) < settings.smallest * letter)
    for near, far in ((boxes[:, 0], boxes[:, 2]), (-boxes[:, 2], -boxes[:, 0])):
        for piece in np.argsort(near, kind="stable"):
            rest = keep.copy()
            rest[piece] = False
            if not dirt[piece] or not rest.any() or near[rest].min() - far[piece] < settings.space * letter:
                break
            keep[piece] = False
    return keep
