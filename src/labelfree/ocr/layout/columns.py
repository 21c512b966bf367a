"""Columns told apart by the white between them, and the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.components import runs
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.types import Box

_Block = tuple[int, int, int, int]  # rows from and to, columns from and to, in cells


@dataclass(frozen=True, eq=False)
class Separators:
    """Boxes of the rules that run across, and of those that run down."""

    across: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    down: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 4), np.int64))


def reading_blocks(
    boxes: NDArray[np.integer],
    letter: float,
    settings: LayoutSettings = DEFAULT,
    separators: Separators | None = None,
) -> list[Box]:
    """Divide a page into blocks of one column each, in reading order.

    The tallest strip of white, or rule, with text on both sides is a gutter; none crosses a rule that runs across.
    What stands above it is read first, then the column to its left, the one to its right, then what stands below; each
    part is divided again in the same way.
    The centre of each letter, given by its box, lies in one of the blocks.
    """
    if not len(boxes):
        return []
    cell = max(1.0, 2 * settings.cell * letter)
    filled = _filled_cells(boxes, cell)
    separators = separators or Separators()
    bars = filled | _filled_cells(separators.across, cell, filled.shape)
    page = _Page(filled, bars, np.round(separators.down / cell).astype(np.int64), letter / cell, settings)
    return [
        Box(int(left * cell), int(upper * cell), int(np.ceil(right * cell)), int(np.ceil(lower * cell)))
        for upper, lower, left, right in page.divide((0, page.filled.shape[0], 0, page.filled.shape[1]))
    ]


def _filled_cells(boxes: NDArray[np.integer], cell: float, shape: tuple[int, ...] | None = None) -> NDArray[np.bool_]:
    x0, y0 = np.floor(boxes[:, :2] / cell).astype(np.int64).T
    x1, y1 = np.ceil(boxes[:, 2:] / cell).astype(np.int64).T
    height, width = shape or (int(y1.max()), int(x1.max()))
    x0, x1, y0, y1 = (np.clip(side, 0, most) for side, most in ((x0, width), (x1, width), (y0, height), (y1, height)))
    steps = np.zeros((height + 1, width + 1), np.int64)
    for y, x, step in ((y0, x0, 1), (y1, x1, 1), (y0, x1, -1), (y1, x0, -1)):
        np.add.at(steps, (y, x), step)
    return np.asarray(steps.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0)


@dataclass(frozen=True, eq=False)
class _Page:
    """Which cells hold text, and which text or a rule across; upright rules and the letter height in cells."""

    filled: NDArray[np.bool_]
    barred: NDArray[np.bool_]
    walls: NDArray[np.int64]  # (n, 4)
    unit: float
    settings: LayoutSettings

    def divide(self, block: _Block) -> Iterator[_Block]:
        upper, lower, left, right = block
        inside = self.filled[upper:lower, left:right]
        rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
        if not rows.size:
            return
        upper, lower = upper + int(rows[0]), upper + int(rows[-1]) + 1
        left, right = left + int(columns[0]), left + int(columns[-1]) + 1
        trimmed = upper, lower, left, right
        gutter = self._tallest_gutter(trimmed)
        if gutter is None:
            yield trimmed
            return
        top, bottom = (self._emptiest_row(trimmed, upper + row) for row in gutter[:2])
        middle = left + (gutter[2] + gutter[3]) // 2
        parts = [(top, bottom, left, middle), (top, bottom, middle, right)]
        if (top, bottom) != (upper, lower):
            parts = [(upper, top, left, right), *parts, (bottom, lower, left, right)]
        for part in parts:
            yield from self.divide(part)

    def _tallest_gutter(self, block: _Block) -> _Block | None:
        upper, lower, left, right = block
        filled, barred = (cells[upper:lower, left:right] for cells in (self.filled, self.barred))
        width = max(2, round(self.settings.space * self.unit))
        least = self.settings.column * self.unit
        if filled.shape[0] < least or filled.shape[1] < 2 * least + width:
            return None
        sums = np.pad(barred.cumsum(axis=1), ((0, 0), (1, 0)))
        ends, lengths = _longest_runs(sums[:, width:] == sums[:, :-width])
        strips = [(int(lengths[start]), int(ends[start]), int(start), width) for start in range(len(lengths))]
        for x0, y0, x1, y1 in self.walls - np.array([left, upper, left, upper]):
            top, bottom = max(int(y0), 0), min(int(y1), lower - upper)
            if x0 > 0 and x1 < right - left and bottom > top:
                strips.append((bottom - top, bottom, int(x0), max(1, int(x1 - x0))))
        for length, end, start, across in sorted(strips, key=lambda strip: (-strip[0], strip[2])):
            if length < least:
                return None
            gutter = self._between_texts(filled, slice(end - length, end), start, across)
            if gutter is not None:
                return gutter
        return None

    def _between_texts(self, filled: NDArray[np.bool_], strip: slice, start: int, width: int) -> _Block | None:
        """The gutter at a strip of white, cut to the rows between two columns of text; None where one side has none."""
        settings, unit = self.settings, self.unit
        sides = filled[strip, :start], filled[strip, start + width :]
        # The white between the lines of a column belongs to it.
        spread = np.ones(2 * max(1, round(settings.pitch / 2 * unit)) + 1)
        on_left, on_right = (np.convolve(side.any(axis=1), spread, "same") > 0 for side in sides)
        starts, stops = runs(on_left & on_right)
        if not starts.size:
            return None
        longest = int(np.argmax(stops - starts))
        top, bottom = int(starts[longest]), int(stops[longest])
        left, right = (np.flatnonzero(side[top:bottom].any(axis=0)) for side in sides)
        if not left.size or not right.size:
            return None
        from_column, to_column = int(left[-1]) + 1, start + width + int(right[0])
        least, area = settings.column * unit, (bottom - top) * (to_column - from_column)
        if min(bottom - top, int(np.ptp(left)), int(np.ptp(right))) < least or area < settings.gutter_area * unit**2:
            return None
        # A gutter goes on as far as the longer column beside it has no gap.
        gaps = np.flatnonzero(~(on_left | on_right))
        top, bottom = max(gaps[gaps < top], default=-1) + 1, min(gaps[gaps >= bottom], default=len(on_left))
        return int(strip.start + top), int(strip.start + bottom), from_column, to_column

    def _emptiest_row(self, block: _Block, row: int) -> int:
        """A row close by that cuts through little, or the edge of the block where that is as near."""
        upper, lower, left, right = block
        reach = round(2 * self.unit)
        if row - upper <= reach // 2:
            return upper
        if lower - row <= reach // 2:
            return lower
        rows = np.arange(max(upper, row - reach), min(lower, row + reach) + 1)
        filled = self.filled[np.minimum(rows, lower - 1), left:right].sum(axis=1)
        return int(rows[np.lexsort((np.abs(rows - row), filled))[0]])


def _longest_runs(white: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """End and length of the longest run of white in each column."""
    run = np.zeros(white.shape[1], np.int64)
    lengths, ends = run.copy(), run.copy()
    for row, here in enumerate(white, start=1):
        run = (run + 1) * here
        longer = run > lengths
        lengths[longer], ends[longer] = run[longer], row
    return ends, lengths
