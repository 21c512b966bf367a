"""The anatomy of type: how well tiles fit what a symbol has in common in every typeface of a script.

A comma hangs from the baseline, a capital rises above the small letters, an 8 closes in paper twice, and a C is open to
the right, whatever the type (`letterforms`). So a tile tells something of what it shows before any is known. A symbol
that is not listed there may look like anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.glyphs.concavities import BAYS, CORNERS, measure_bays
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.ocr.scripts.letterforms import Anatomy, anatomies_of

Logs = NDArray[np.float32]
Fits = Callable[[Sequence[str]], Logs]
"""How well the tiles of a book fit each of some symbols: `fit` with the tiles and the script given."""

_OUTSIDE = 10.0  # nats for an x-height outside of a range
_MOST = 3.0  # nats at most for those: a tile may be cut badly
_OPENED = 1.0  # nats for a counter that is not closed, as where print is faint
_CLOSED = 2.0  # nats for one too many, which is rarer
_COUNTERS = 2  # that are counted
_LEAST_COUNTER = 2  # pixels of a tile
_INK = (64, 160)  # of 255, from which a pixel is part of a stroke: that may be faint, or the paper beside it stained
_NEAR = 0.12  # of a tile's height, between where a counter is and where it is looked for
_FAR = 20.0  # nats for a tile's height beyond that
_FARTHEST = 2.0  # nats at most
_OPEN = 0.045  # of a tile, that a bay takes up at least
_SHUT = 0.035  # of a tile, at most where there is none
_OPEN_CORNER, _SHUT_CORNER = 0.16, 0.18
_OTHERWISE = 40.0  # nats for a tile that is open where it should not be, or the other way round
_MOST_OTHERWISE = 1.5  # nats at most, for each bay


def fit(tiles: Tiles, symbols: Sequence[str], script: str) -> Logs:
    """The log of how well tiles fit symbols: 0 where a tile looks as the symbol may, less where it does not.

    Parameters
    ----------
    tiles : Tiles
    symbols : sequence of str
        An empty one fits any tile.
    script : {"antiqua", "old antiqua", "fraktur", "signs"}

    Returns
    -------
    array of shape (tiles, symbols)
        0 throughout for a blank tile.
    """
    looks = [tuple(anatomies_of(symbol, script)) for symbol in symbols]
    strokes = [_Strokes(tiles.images >= ink) for ink in _INK]
    cost = {
        anatomy: _cost_of_place(tiles, anatomy) + np.minimum.reduce([each.cost(anatomy) for each in strokes])
        for anatomy in {each for look in looks for each in look}
    }
    least = {look: np.minimum.reduce([cost[anatomy] for anatomy in look]) for look in set(looks)}
    is_inked = tiles.geometry[:, 3:] > 0
    found: Logs = np.where(is_inked, -np.stack([least[look] for look in looks], 1), 0.0).astype(np.float32)
    return found


def _cost_of_place(tiles: Tiles, anatomy: Anatomy) -> NDArray[np.float64]:
    """What it costs each tile to be elsewhere, or of another size, in nats."""
    measures = tiles.geometry[:, :3]
    least, most = np.array([anatomy.top, anatomy.bottom, anatomy.width]).T
    outside = np.maximum(np.maximum(least - measures, measures - most), 0.0).sum(1)
    cost: NDArray[np.float64] = np.minimum(_MOST, _OUTSIDE * outside)
    return cost


class _Strokes:
    """What the strokes of tiles close in and leave open."""

    def __init__(self, strokes: NDArray[np.bool_]) -> None:
        self.counted, self.height = closed_counters(strokes)
        shares = measure_bays(strokes)
        is_corner = np.array([bay in CORNERS for bay in BAYS])
        missing = np.where(is_corner, _OPEN_CORNER, _OPEN) - shares
        beyond = shares - np.where(is_corner, _SHUT_CORNER, _SHUT)
        self.of_open, self.of_shut = (np.clip(_OTHERWISE * apart, 0.0, _MOST_OTHERWISE) for apart in (missing, beyond))

    def cost(self, anatomy: Anatomy) -> NDArray[np.float64]:
        """What it costs each tile to differ from an anatomy, in nats."""
        is_open, is_shut = (np.array([bay in bays for bay in BAYS]) for bays in (anatomy.open, anatomy.shut))
        cost: NDArray[np.float64] = self.of_open[:, is_open].sum(1) + self.of_shut[:, is_shut].sum(1)
        return cost if anatomy.counters is None else cost + self._cost_of_counters(anatomy.counters)

    def _cost_of_counters(self, wanted: tuple[float, ...]) -> NDArray[np.float64]:
        missing = len(wanted) - self.counted
        cost = np.where(missing > 0, _OPENED * missing, -_CLOSED * missing)
        if wanted:
            apart = np.abs(self.height[:, None] - np.array(wanted)).min(1)
            cost = cost + np.where(self.counted == 1, np.clip(_FAR * (apart - _NEAR), 0.0, _FARTHEST), 0.0)
        return cost


def closed_counters(strokes: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How often the strokes of each tile close in paper, up to twice, and at what height on average, from 0 to 1.

    Parameters
    ----------
    strokes : array of shape (n, side, side)
        Where there is ink.
    """
    from scipy import ndimage

    n, side, _ = strokes.shape
    if not n:
        return np.zeros(0, np.int64), np.zeros(0)
    paper = np.ones((n, side + 2, side + 2), np.bool_)
    paper[:, 1:-1, 1:-1] = ~strokes
    beside = np.zeros((3, 3, 3), np.bool_)
    beside[1] = ndimage.generate_binary_structure(2, 1)
    piece, n_pieces = ndimage.label(paper, beside)
    area = np.bincount(piece.ravel(), minlength=n_pieces + 1)
    row = np.broadcast_to(np.arange(side + 2)[None, :, None], piece.shape)
    middle = np.bincount(piece.ravel(), row.ravel(), n_pieces + 1) / np.maximum(area, 1)
    tile = np.zeros(n_pieces + 1, np.int64)
    tile[piece.reshape(n, -1)] = np.arange(n)[:, None]
    is_closed = area >= _LEAST_COUNTER
    is_closed[0] = False
    is_closed[piece[:, 0, 0]] = False
    counted = np.bincount(tile[is_closed], minlength=n)
    total = np.bincount(tile[is_closed], 1 - (middle[is_closed] - 0.5) / side, n)
    return np.minimum(counted, _COUNTERS), total / np.maximum(counted, 1)


class ShapePrior:
    def __init__(self, tiles: Tiles) -> None:
        self.tiles = tiles

    @classmethod
    def measure(cls, tiles: Tiles) -> ShapePrior:
        return cls(tiles)

    def log_fit(self, symbols: Sequence[str], script: str) -> Logs:
        return fit(self.tiles, symbols, script)
