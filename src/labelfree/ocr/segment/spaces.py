"""Which gaps between letters are spaces: two kinds of gap, known from the book and adapted to the line."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import Band
from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings

_ROUNDS = 30


@dataclass(frozen=True)
class GapModel:
    """Gaps in x-heights: mean and spread of those within and between words, and the share of the latter."""

    within: float = 0.2
    between: float = 0.7
    spread_within: float = 0.1
    spread_between: float = 0.2
    share: float = 0.18

    def adapt(self, gaps: NDArray[np.float64], settings: SegmentSettings = DEFAULT) -> GapModel:
        """Move the two means to a line's own gaps as far as it has many."""
        model, borrowed = self, settings.borrowed
        gaps = np.minimum(gaps, settings.capital)
        for _ in range(4):
            spaces = model.is_space(gaps)
            n_between = spaces.sum()
            n_within = len(gaps) - n_between
            within = (borrowed * self.within + gaps[~spaces].sum()) / (borrowed + n_within)
            between = (borrowed * self.between + gaps[spaces].sum()) / (borrowed + n_between)
            model = replace(self, within=float(within), between=float(between))
        return model

    def is_space(self, gaps: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each gap more likely lies between words."""
        clipped = np.clip(gaps, self.within, self.between)
        return self._log_odds(clipped) > 0

    def _log_odds(self, gaps: NDArray[np.float64]) -> NDArray[np.float64]:
        odds = np.log(self.share / (1 - self.share) * self.spread_within / self.spread_between)
        within = ((gaps - self.within) / self.spread_within) ** 2
        between = ((gaps - self.between) / self.spread_between) ** 2
        return np.asarray(odds + (within - between) / 2)


def find_spaces(
    model: GapModel,
    gaps: NDArray[np.float64],
    is_stop: NDArray[np.bool_],
    is_quote: NDArray[np.bool_],
    settings: SegmentSettings = DEFAULT,
) -> NDArray[np.bool_]:
    """Which of a line's gaps, in x-heights, are spaces, given the model of the book.

    A stop after the gap stands without a space before it, a quote with a space on one side alone.
    """
    plain = gaps[~is_stop]
    if len(plain) > settings.borrowed and 2 * model.is_space(plain).sum() > len(plain):
        shift = max(0.0, float(np.median(plain)) - model.within)
        model = replace(model, within=model.within + shift, between=model.between + shift)
    spaces = model.adapt(plain, settings).is_space(gaps)
    spaces &= ~(is_stop & (gaps < settings.stop_space * model.between))
    both = np.flatnonzero(is_quote[:-1] & spaces[:-1] & spaces[1:])
    spaces[np.where(gaps[both] < gaps[both + 1], both, both + 1)] = False
    return spaces


def fit_gaps(gaps: NDArray[np.float64], settings: SegmentSettings = DEFAULT) -> GapModel:
    """The two kinds of gap in a book, by expectation and maximisation."""
    if len(gaps) < settings.few:
        return GapModel()
    gaps, least = np.minimum(gaps, settings.capital), settings.near / 2
    is_wide = (gaps > _valley(gaps)).astype(np.float64)
    for _ in range(_ROUNDS):
        share = float(np.clip(is_wide.mean(), 0.02, 0.6))
        within, spread_within = _moments(gaps, 1 - is_wide, least)
        between, spread_between = _moments(gaps, is_wide, least)
        model = GapModel(within, between, spread_within, spread_between, share)
        is_wide = 1 / (1 + np.exp(-np.clip(model._log_odds(np.clip(gaps, within, between)), -50, 50)))
    return model


def _moments(values: NDArray[np.float64], weights: NDArray[np.float64], least: float) -> tuple[float, float]:
    """Mean and spread, the latter not below `least`."""
    total = max(float(weights.sum()), 1e-9)
    mean = float((weights * values).sum() / total)
    return mean, max(least, float(np.sqrt((weights * (values - mean) ** 2).sum() / total)))


def _valley(values: NDArray[np.float64]) -> float:
    """The threshold that parts values into the two most compact halves (Otsu's)."""
    ordered = np.sort(values)
    n = np.arange(1, len(ordered))
    left = np.cumsum(ordered)[:-1] / n
    right = (ordered.sum() - np.cumsum(ordered)[:-1]) / (len(ordered) - n)
    best = int(np.argmax(n * (len(ordered) - n) * (left - right) ** 2))
    return float((ordered[best] + ordered[best + 1]) / 2)


def measure_gaps(owner: NDArray[np.int32], boxes: NDArray[np.int64], band: Band, near: float) -> NDArray[np.float64]:
    """Paper between each tile and the next, in x-heights, at the rows where they come nearest within the band.

    Tiles that share no rows there (a quote after a stop) are as far apart as their boxes.
    """
    if len(boxes) < 2:
        return np.zeros(0)
    gaps = (boxes[1:, 0] - boxes[:-1, 2]).astype(np.float64)
    height, width = owner.shape
    middle = float(band.baseline_at(np.array([width / 2]))[0])
    top, bottom = int(np.clip(middle - (1 + near / 2) * band.x_height, 0, height - 1)), int(np.clip(middle, 1, height))
    step = max(1, (bottom - top) // 4)
    rows = np.maximum.reduceat(owner[top:bottom], np.arange(0, max(bottom - top, 1), step), axis=0)
    y, x = np.nonzero(rows >= 0)
    tile = rows[y, x]
    turns = np.flatnonzero((y[1:] == y[:-1]) & (tile[1:] == tile[:-1] + 1))
    nearest = np.full(len(boxes), np.inf)
    np.minimum.at(nearest, tile[turns], (x[turns + 1] - x[turns] - 1).astype(np.float64))
    return np.where(np.isfinite(nearest[:-1]), (nearest[:-1] + gaps) / 2, gaps) / band.x_height
