"""Where a line's letters stand: the baseline, its slant, and the height of a letter without ascender.

Most letters end on the baseline and begin at the x-height, whatever the script, so that lower edges of ink pile up in
one row and upper edges in another. Edges need no letters: broken, touching and strange ones count all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

_BLOCKS = 24  # pieces of the line that slide against each other when it is straightened
_STEEPEST = 0.04
_LEAST_X_HEIGHT = 3
_BASELINE = 0.7  # of the most lower edges in any row that the baseline's row has at least
_PRIOR_SPREAD = 0.2  # of the logarithm of a line's x-height around the book's
_PRIOR_WEIGHT = 0.35
_SMALLER = 0.5, 0.85  # of what the book leads to expect: the x-height of smaller print
_RISING = 0.03  # of the ink of smaller print that is above its small letters
_ABOVE_ALL = 0.002  # of the ink that may be above the tall ones
_ABOVE_CAPITALS = 0.004  # of the ink that may be above a line in capitals
_CAPITAL = 1.5  # x-heights of a capital
_LARGER = 1.2  # x-heights of the book: taller than any small letter
_FEW_LARGE, _FEW = 2, 10  # letters that make a line, where all are so tall, and where they are not


@dataclass(frozen=True)
class Band:
    """The strip between baseline and x-height, in pixels.

    Attributes
    ----------
    baseline : float
        First row below the letters, at the left end of the line.
    slope : float
        Rows that the baseline falls for each column to the right.
    x_height : float
    """

    baseline: float
    slope: float
    x_height: float

    def baseline_at(self, x: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
        """Row of the baseline in some columns."""
        return self.baseline + self.slope * np.asarray(x, dtype=np.float64)


def find_band(strokes: NDArray[np.bool_], x_height: float | None = None) -> Band:
    """Find the band of a line that has ink; `x_height` is what the book's other lines lead to expect."""
    found = _Profiles.of(strokes)
    return found.band(_strip(found, x_height))


def type_band(strokes: NDArray[np.bool_], x_height: float) -> Band:
    """The band of a line as `find_band` has it, of a line in capitals that of small letters of the same type."""
    found = _Profiles.of(strokes)
    top, bottom = found.best_strip(None)
    tall = bottom + 1 - top
    letters = strokes.any(0).sum() / tall
    is_one_height = found.share_above(top, tall) < _ABOVE_CAPITALS
    if is_one_height and letters > (_FEW_LARGE if tall > _LARGER * x_height else _FEW):
        return replace(found.band((top, bottom)), x_height=tall / _CAPITAL)
    return found.band(_strip(found, x_height))


@dataclass(frozen=True, eq=False)
class _Profiles:
    """What a line has in each row, once it is level: lower edges, upper edges, and ink."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    ink: NDArray[np.float64]
    slope: float
    width: int

    @classmethod
    def of(cls, strokes: NDArray[np.bool_]) -> _Profiles:
        height, width = strokes.shape
        below, above = np.zeros_like(strokes), np.zeros_like(strokes)
        below[:-1] = strokes[:-1] & ~strokes[1:]
        above[1:] = strokes[1:] & ~strokes[:-1]
        below[-1], above[0] = strokes[-1], strokes[0]  # a line cropped at its ink ends with its image
        edges = np.unique(np.linspace(0, width, min(_BLOCKS, width) + 1).astype(np.int64))
        centres = (edges[:-1] + edges[1:]) / 2
        blocks = [np.add.reduceat(kind, edges[:-1], axis=1, dtype=np.float64) for kind in (below, above, strokes)]
        slope = _slope(blocks[0], blocks[1], centres - width / 2, height)
        shifts = np.rint(slope * (centres - width / 2)).astype(np.int64)
        lower, upper, ink = (_smooth(_straighten(block, shifts[None])[0]) for block in blocks)
        return cls(lower, upper, ink, slope, width)

    def best_strip(self, x_height: float | None) -> tuple[int, int]:
        """First and last row of the strip that begins and ends with most edges and holds the densest ink."""
        return _best_strip(self.lower, self.upper, self.ink, x_height)

    def share_above(self, top: int, height: int) -> float:
        """How much of the ink is clearly above a row."""
        return float(self.ink[: max(0, top - max(1, height // 10))].sum() / self.ink.sum())

    def band(self, strip: tuple[int, int]) -> Band:
        top, bottom = strip
        return Band(bottom + 1 - self.slope * self.width / 2, self.slope, float(bottom + 1 - top))


def _strip(found: _Profiles, x_height: float | None) -> tuple[int, int]:
    """The strip that the book leads to expect, or the best of all where there is no book or this is smaller print.

    The tall letters of a note are about as tall as the small ones of the text. They are taken for those where nothing
    rises above them, though ink rises above the best strip of all.
    """
    free = found.best_strip(None)
    if x_height is None:
        return free
    expected = found.best_strip(x_height)
    (top, bottom), (free_top, free_bottom) = expected, free
    share = (free_bottom + 1 - free_top) / (bottom + 1 - top)
    is_inside = abs(bottom - free_bottom) <= 2 and _SMALLER[0] <= share <= _SMALLER[1]
    rising = found.ink[top : max(top, free_top - 1)].sum() / found.ink.sum()
    is_smaller = is_inside and found.share_above(top, bottom + 1 - top) < _ABOVE_ALL and rising > _RISING
    return free if is_smaller else expected


def _slope(lower: NDArray[np.float64], upper: NDArray[np.float64], centres: NDArray[np.float64], height: int) -> float:
    """The slant at which edges pile up highest, level unless another is clearly better."""
    reach = float(np.abs(centres).max(initial=1.0))
    steps = int(min(_STEEPEST * reach, height / 4))
    if steps < 1:
        return 0.0
    ends = np.arange(-steps, steps + 1)
    shifts = np.rint(ends[:, None] * centres[None] / reach).astype(np.int64)
    heights = [_smooth(_straighten(kind, shifts)) for kind in (lower, upper)]
    sharpness = sum((kind**2).sum(1) for kind in heights)
    sharpness = sharpness * (1 - 0.05 * np.minimum(1, np.abs(ends) / 3))
    return float(ends[int(np.argmax(sharpness))] / reach)


def _straighten(block: NDArray[np.float64], shifts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Row profiles of shape (s, height) with each column block moved up by each of its shifts of shape (s, blocks)."""
    height, n_blocks = block.shape
    rows = np.arange(height)[None, :, None] + shifts[:, None, :]
    inside = (rows >= 0) & (rows < height)
    moved = block[np.clip(rows, 0, height - 1), np.arange(n_blocks)[None, None, :]]
    total: NDArray[np.float64] = np.where(inside, moved, 0.0).sum(2)
    return total


def _smooth(profile: NDArray[np.float64]) -> NDArray[np.float64]:
    padded = np.pad(profile, [(0, 0)] * (profile.ndim - 1) + [(1, 1)])
    return 0.25 * padded[..., :-2] + 0.5 * padded[..., 1:-1] + 0.25 * padded[..., 2:]


def _best_strip(
    lower: NDArray[np.float64], upper: NDArray[np.float64], ink: NDArray[np.float64], x_height: float | None
) -> tuple[int, int]:
    height = len(ink)
    total = np.concatenate([[0.0], np.cumsum(ink)])
    top, bottom = np.meshgrid(np.arange(height), np.arange(height), indexing="ij")
    extent = bottom - top + 1
    tall = extent >= min(_LEAST_X_HEIGHT, height)
    within = np.where(tall, total[bottom + 1] - total[np.minimum(top, bottom)], 0.0)
    density = within / np.maximum(extent, 1) / max(float(ink.max()), 1e-9)
    share = within / max(float(total[-1]), 1e-9)
    score = lower[bottom] / max(float(lower.max()), 1e-9) + upper[top] / max(float(upper.max()), 1e-9)
    score = score + density + share
    if x_height is not None:
        away = (np.log(np.maximum(extent, 1) / x_height) / _PRIOR_SPREAD) ** 2
        score = score - _PRIOR_WEIGHT * np.minimum(away, 9.0)
    may_end = lower[bottom] >= _BASELINE * lower.max()
    best = int(np.argmax(np.where(tall & may_end, score, -np.inf)))
    return best // height, best % height
