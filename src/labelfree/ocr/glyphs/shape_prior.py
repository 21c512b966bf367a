"""The shape prior: how well tiles fit what a symbol looks like in every typeface of a script.

A comma hangs from the baseline, a capital rises above the small letters, an 8 encloses paper twice, and a C is open to
the right, whatever the typeface (`scripts.letterform`). So a tile tells something of what it shows before any typeface
is known. A symbol that the script does not list may look like anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.glyphs.concavities import measure_concavities
from labelfree.ocr.glyphs.counters import measure_counters
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.ocr.scripts import Letterform, Script
from labelfree.ocr.scripts.letterform import CONCAVITIES, CORNERS, Concavity, Range

Logs = NDArray[np.float32]

_MOST_COUNTERS = 2  # no symbol encloses paper more often


@dataclass(frozen=True)
class ShapePriorSettings:
    """How much it costs a tile to look different from a symbol."""

    outside: float = 10.0  # nats for an x-height outside of a range, and for a fourth of a tile in its shape
    most: float = 3.0  # nats at most for those, as a tile may be cut badly; half of it for its shape, and for a counter
    faint: float = 0.25  # of all ink, from which a pixel is a stroke where print is faint
    stained: float = 0.63  # the same where paper is stained
    concavity: float = 0.04  # of a tile, that tells whether there is one open to one side
    corner: float = 0.18  # the same of one that is open to two sides
    counter_near: float = 0.12  # of a tile's height, from where a counter is looked for to where it may be


@dataclass(frozen=True, eq=False)
class _Strokes:
    """What the strokes of n tiles enclose and leave open, taking as ink what is darker than some grey."""

    counters: NDArray[np.int64]  # (n,), how many there are, up to `_MOST_COUNTERS`
    height: NDArray[np.float64]  # (n,), of the counters on average, from 0 to 1
    concavities: NDArray[np.float64]  # (concavities, n), as shares of the tile

    @classmethod
    def measure(cls, strokes: NDArray[np.bool_]) -> Self:
        counters, height = measure_counters(strokes)
        concavities = np.ascontiguousarray(measure_concavities(strokes).T)
        return cls(np.minimum(counters, _MOST_COUNTERS), height, concavities)


@dataclass(frozen=True, eq=False)
class ShapePrior:
    """What was measured of tiles, once, to compare them with any symbols of any script."""

    geometry: NDArray[np.float32]  # (4, n): top, bottom, width and height of the tiles' ink, in x-heights
    strokes: tuple[_Strokes, ...]  # for each threshold of ink
    settings: ShapePriorSettings = field(default_factory=ShapePriorSettings)

    @classmethod
    def measure(cls, tiles: Tiles, settings: ShapePriorSettings | None = None) -> Self:
        """Measure tiles: what takes long, and does not depend on symbols."""
        settings = settings or ShapePriorSettings()
        strokes = tuple(_Strokes.measure(tiles.images >= 255 * ink) for ink in (settings.faint, settings.stained))
        return cls(np.ascontiguousarray(tiles.geometry.T), strokes, settings)

    def log_fit(self, symbols: Sequence[str], script: Script) -> Logs:
        """The log of how well tiles fit symbols, of shape (tiles, symbols).

        It is 0 where a tile looks as the symbol may, for a blank tile and for an empty symbol, less elsewhere.
        """
        looks = [script.letterforms(symbol) for symbol in symbols]
        shapes = [_ShapeCosts(strokes, self.settings) for strokes in self.strokes]
        cost = {
            form: self._cost_of_place(form) + np.minimum.reduce([shape.cost(form) for shape in shapes])
            for form in {form for look in looks for form in look}
        }
        least = {look: np.minimum.reduce([cost[form] for form in look]) for look in set(looks)}
        is_inked = self.geometry[3] > 0
        found = np.zeros((len(symbols), len(is_inked)), np.float32)
        for row, look in zip(found, looks, strict=True):
            np.negative(least[look], out=row, where=is_inked, casting="same_kind")
        return np.ascontiguousarray(found.T)

    def _cost_of_place(self, form: Letterform) -> NDArray[np.float64]:
        """What it costs each tile to be elsewhere, or of another size, in nats."""
        beyond = [_beyond(*each) for each in zip(self.geometry, (form.top, form.bottom, form.width), strict=False)]
        cost: NDArray[np.float64] = np.minimum(self.settings.most, self.settings.outside * sum(beyond))
        return cost


class _ShapeCosts:
    """What it costs tiles to enclose paper, or to leave it open, where symbols do not."""

    def __init__(self, strokes: _Strokes, settings: ShapePriorSettings) -> None:
        least = np.array([[settings.corner if each in CORNERS else settings.concavity] for each in CONCAVITIES])
        self.strokes, self.settings = strokes, settings
        self.of_open, self.of_shut = (
            self._clipped(apart) for apart in (least - strokes.concavities, strokes.concavities - least)
        )

    def cost(self, form: Letterform) -> NDArray[np.float64]:
        """What it costs each tile to have other counters and concavities than a form, in nats."""
        cost = _sum(self.of_open, form.open) + _sum(self.of_shut, form.shut)
        return cost if form.counters is None else cost + self._cost_of_counters(form.counters)

    def _cost_of_counters(self, wanted: tuple[float, ...]) -> NDArray[np.float64]:
        counters, height = self.strokes.counters, self.strokes.height
        cost: NDArray[np.float64] = self.settings.most / 2 * np.abs(len(wanted) - counters)
        if wanted:
            apart = np.abs(height[:, None] - np.array(wanted)).min(1) - self.settings.counter_near
            cost = cost + np.where(counters == 1, self._clipped(apart), 0.0)
        return cost

    def _clipped(self, apart: NDArray[np.float64]) -> NDArray[np.float64]:
        """What it costs to differ by some share of a tile."""
        return np.clip(4 * self.settings.outside * apart, 0.0, self.settings.most / 2)


def _beyond(measured: NDArray[np.float32], between: Range) -> NDArray[np.float64]:
    """How far measures are outside of a range."""
    least, most = np.float64(between[0]), np.float64(between[1])
    beyond: NDArray[np.float64] = np.maximum(np.maximum(least - measured, measured - most), 0.0)
    return beyond


def _sum(costs: NDArray[np.float64], chosen: Concavity) -> NDArray[np.float64]:
    """The sum over some concavities, of costs of shape (concavities, n)."""
    total: NDArray[np.float64] = costs[[each in chosen for each in CONCAVITIES]].sum(0)
    return total
