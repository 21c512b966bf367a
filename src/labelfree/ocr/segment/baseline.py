"""Where a line's letters stand: the baseline, its slant, and the height of a letter without ascender.

Most letters end on the baseline and begin at the x-height, whatever the script, so that lower edges of ink pile up in
one row and upper edges in another. Edges need no letters: broken, touching and strange ones count all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings


@dataclass(frozen=True)
class Band:
    """The strip between baseline and x-height, in pixels."""

    baseline: float  # first row below the letters, at the left end of the line
    slope: float  # rows that the baseline falls for each column to the right
    x_height: float

    def baseline_at(self, x: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
        """Row of the baseline in some columns."""
        return self.baseline + self.slope * np.asarray(x, dtype=np.float64)

    def rise(self, boxes: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Top and bottom of some boxes above the baseline, in x-heights."""
        baseline = self.baseline_at(boxes[:, [0, 2]].mean(1))
        return (baseline - boxes[:, 1]) / self.x_height, (baseline - boxes[:, 3]) / self.x_height


def find_band(strokes: NDArray[np.bool_], x_height: float | None = None, settings: SegmentSettings = DEFAULT) -> Band:
    """Find the band of a line that has ink; `x_height` is what the book's other lines lead to expect."""
    return RowProfiles.of(strokes, settings).band(x_height)


def type_band(strokes: NDArray[np.bool_], x_height: float, settings: SegmentSettings = DEFAULT) -> Band:
    """The band of a line as `find_band` has it, of a line in capitals that of small letters of the same type."""
    found = RowProfiles.of(strokes, settings)
    top, bottom = found.best_strip(None)
    tall = bottom + 1 - top
    least = settings.few_large if tall > (1 + settings.reach) * x_height else settings.few
    if strokes.any(0).sum() > least * tall and found.share_above(top, tall) < settings.ink_above:
        return replace(found.band_of((top, bottom)), x_height=tall / settings.capital)
    return found.band(x_height)


@dataclass(frozen=True, eq=False)
class RowProfiles:
    """What a line has in each row, once it is level: lower edges, upper edges, and ink."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    ink: NDArray[np.float64]
    slope: float
    width: int
    settings: SegmentSettings = DEFAULT

    @classmethod
    def of(cls, strokes: NDArray[np.bool_], settings: SegmentSettings = DEFAULT) -> RowProfiles:
        """Measure a line that has ink."""
        height, width = strokes.shape
        below, above = np.zeros_like(strokes), np.zeros_like(strokes)
        below[:-1] = strokes[:-1] & ~strokes[1:]
        above[1:] = strokes[1:] & ~strokes[:-1]
        below[-1], above[0] = strokes[-1], strokes[0]  # a line cropped at its ink ends with its image
        edges = np.unique(np.linspace(0, width, min(settings.blocks, width) + 1).astype(np.int64))
        centres = (edges[:-1] + edges[1:]) / 2 - width / 2
        rows = np.concatenate([below, above, strokes]).view(np.uint8)
        blocks = np.add.reduceat(rows, edges[:-1], axis=1, dtype=np.int32).reshape(3, height, -1)
        slope = _slope(blocks[:2], centres, settings)
        shifts = np.rint(slope * centres).astype(np.int64)
        lower, upper, ink = _smooth(_straighten(blocks, shifts[None])[:, 0])
        return cls(lower, upper, ink, slope, width, settings)

    def band(self, x_height: float | None) -> Band:
        """The band that the book leads to expect, or the best of all where there is no book or this is smaller print.

        The tall letters of a note are about as tall as the small ones of the text. They are taken for those where
        nothing rises above them, though ink rises above the best strip of all.
        """
        free = self.best_strip(None)
        if x_height is None:
            return self.band_of(free)
        expected = self.best_strip(x_height)
        (top, bottom), (free_top, free_bottom) = expected, free
        height, free_height = bottom + 1 - top, free_bottom + 1 - free_top
        is_inside = height / 2 <= free_height < height and abs(bottom - free_bottom) <= 2
        few, rising = self.share_above(top, height), self.share_above(free_top, free_height)
        is_smaller = is_inside and few < self.settings.ink_above and rising > 10 * self.settings.ink_above
        return self.band_of(free if is_smaller else expected)

    def band_of(self, strip: tuple[int, int]) -> Band:
        """The band of a strip from its first to its last row."""
        top, bottom = strip
        return Band(bottom + 1 - self.slope * self.width / 2, self.slope, float(bottom + 1 - top))

    def share_above(self, top: int, height: int) -> float:
        """How much of the ink is clearly above a row."""
        return float(self.ink[: max(0, top - max(1, round(self.settings.near * height)))].sum() / self.ink.sum())

    def best_strip(self, x_height: float | None) -> tuple[int, int]:
        """First and last row of the strip that begins and ends with most edges and holds the densest ink."""
        score, extent = self._scores
        if x_height is not None:
            away = np.log(np.arange(1, len(self.ink) + 1) / x_height) ** 2
            score = score - (self.settings.x_height_prior * away)[extent - 1]
        best = int(np.argmax(score))
        return best // len(self.ink), best % len(self.ink)

    @cached_property
    def _scores(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The score of each strip from a first to a last row, and how many rows it has (1 where it has none)."""
        height = len(self.ink)
        total = np.concatenate([[0.0], np.cumsum(self.ink)])
        rows = np.arange(height)
        extent = rows - rows[:, None] + 1
        is_strip = (extent > 0) & (2 * self.lower >= self.lower.max())
        extent = np.maximum(extent, 1)
        within = total[None, 1:] - total[:-1, None]
        edges = self.lower / max(float(self.lower.max()), 1e-9), self.upper / max(float(self.upper.max()), 1e-9)
        density = within / extent / max(float(self.ink.max()), 1e-9)
        score = (edges[0] + edges[1][:, None]) + density + within / max(float(total[-1]), 1e-9)
        return np.where(is_strip, score, -np.inf), extent


def _slope(edges: NDArray[np.int32], centres: NDArray[np.float64], settings: SegmentSettings) -> float:
    """The slant at which edges pile up highest, level unless another is clearly better."""
    reach = float(np.abs(centres).max(initial=1.0))
    steps = int(settings.steepest * reach)
    if steps < 1:
        return 0.0
    ends = np.arange(-steps, steps + 1)
    shifts = np.rint(ends[:, None] * centres[None] / reach).astype(np.int64)
    sharpness = (_smooth(_straighten(edges, shifts)) ** 2).sum((0, 2))
    sharpness = sharpness * (1 - settings.level * np.minimum(1, np.abs(ends) / 3))
    return float(ends[int(np.argmax(sharpness))] / reach)


def _straighten(blocks: NDArray[np.int32], shifts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Row profiles (k, s, height) of blocks (k, height, b), each of them moved up by each of its shifts (s, b)."""
    n_kinds, height, n_blocks = blocks.shape
    reach = int(np.abs(shifts).max(initial=0))
    padded = np.zeros((n_kinds, n_blocks, height + 2 * reach))
    padded[:, :, reach : reach + height] = blocks.transpose(0, 2, 1)
    moved = sliding_window_view(padded, height, axis=2)[:, np.arange(n_blocks), shifts + reach]
    total: NDArray[np.float64] = moved.sum(2)
    return total


def _smooth(profile: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.zeros((*profile.shape[:-1], profile.shape[-1] + 2))
    padded[..., 1:-1] = profile
    return 0.25 * padded[..., :-2] + 0.5 * padded[..., 1:-1] + 0.25 * padded[..., 2:]
