"""Lines of a column as ridges: the paths along which the blurred ink is darkest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings


@dataclass(frozen=True, eq=False)
class Ridge:
    """The middle of a line: its height `y` at every `x`, and the ink under it."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    weight: float

    def at(self, x: NDArray[np.floating]) -> NDArray[np.float64]:
        """Height at any x; beyond its ends the ridge runs on level."""
        return np.asarray(np.interp(x, self.x, self.y))

    def moved(self, x: float, y: float) -> Ridge:
        """The ridge seen from another origin."""
        return Ridge(self.x + x, self.y + y, self.weight)


def find_ridges(ink: NDArray[np.bool_], letter: float, settings: LayoutSettings = DEFAULT) -> list[Ridge]:
    """Find the ridges of a column, from top to bottom, in its own pixels."""
    from scipy.ndimage import gaussian_filter

    down, across = (max(1, round(side * letter)) for side in (settings.cell, settings.cell_width))
    # A border of paper, so that ink cut off at the edge makes a ridge too.
    border = max(1, round(letter / down))
    cells = np.pad(_cells(ink, down, across), ((border, border), (0, 0)))
    sigma = (settings.blur * letter / down, settings.pitch * letter / across)
    dark = gaussian_filter(cells, sigma, mode="constant")
    crest = np.zeros(dark.shape, np.bool_)
    crest[1:-1] = (dark[1:-1] > dark[:-2]) & (dark[1:-1] >= dark[2:])
    if not crest.any():
        return []
    crest &= dark > settings.negligible * np.quantile(dark[crest], 0.9)
    ridges = [
        Ridge((columns + 0.5) * across, (rows - border + 0.5) * down, float(dark[rows, columns].sum()))
        for rows, columns in _paths(crest, dark)
    ]
    return sorted(_joined(ridges, settings.reach * letter), key=lambda ridge: float(np.median(ridge.y)))


def _cells(ink: NDArray[np.bool_], down: int, across: int) -> NDArray[np.float32]:
    height, width = ink.shape
    padded = np.pad(ink, ((0, -height % down), (0, -width % across)))
    rows = np.add.reduceat(padded, np.arange(0, padded.shape[0], down), axis=0, dtype=np.int32)
    cells = np.add.reduceat(rows, np.arange(0, padded.shape[1], across), axis=1)
    return np.asarray(cells / np.float32(down * across), np.float32)


def _paths(crest: NDArray[np.bool_], dark: NDArray[np.float32]) -> Iterator[NDArray[np.int64]]:
    """Rows and columns of each connected piece, one height a column: where a piece forks, the darker branch."""
    from scipy import ndimage

    tall = crest.copy()
    tall[1:] |= crest[:-1]
    labels, count = ndimage.label(tall, np.ones((3, 3), int))
    rows, columns = np.nonzero(crest)
    piece = labels[rows, columns]
    order = np.lexsort((dark[rows, columns], columns, piece))
    rows, columns, piece = rows[order], columns[order], piece[order]
    last = np.append((columns[1:] != columns[:-1]) | (piece[1:] != piece[:-1]), True)
    bounds = np.searchsorted(piece[last], np.arange(1, count + 2))
    places = np.stack([rows[last], columns[last]])
    return (places[:, start:stop] for start, stop in pairwise(bounds))


def _joined(ridges: list[Ridge], bend: float) -> list[Ridge]:
    """Put together the pieces of a line that wide spaces or letters of another size keep apart, the longest first."""
    whole: list[Ridge] = []
    for ridge in sorted(ridges, key=lambda ridge: -ridge.weight):
        apart = [_apart(ridge, other) for other in whole]
        nearest = int(np.argmin(apart)) if apart else -1
        if apart and apart[nearest] < bend:
            both = ridge, whole[nearest]
            x, place = np.unique(np.concatenate([each.x for each in both]), return_inverse=True)
            y = np.bincount(place, np.concatenate([each.y for each in both])) / np.bincount(place)
            whole[nearest] = Ridge(x, y, ridge.weight + whole[nearest].weight)
        else:
            whole.append(ridge)
    return whole


def _apart(one: Ridge, other: Ridge) -> float:
    """How far two pieces miss each other where they meet; infinite where half of the shorter is beside the longer."""
    left, right = sorted((one, other), key=lambda ridge: float(ridge.x[0]))
    common = min(left.x[-1], right.x[-1]) - right.x[0]
    if common < 0:
        return abs(float(left.y[-1] - right.y[0]))
    if common >= min(np.ptp(left.x), np.ptp(right.x)) / 2:
        return float(np.inf)
    middle = right.x[0] + common / 2
    return abs(float(left.at(middle) - right.at(middle)))
