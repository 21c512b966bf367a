"""Columns told apart by the white between them, and the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.types import Box

# In letter heights:
_CELL = 0.25
_NARROWEST_GUTTER = 1.2
_SHORTEST_GUTTER = 6.0
_LEAST_GUTTER_AREA = 20.0
_NARROWEST_COLUMN = 6.0
_SNAP = 2.0
_LINE_GAP = 2.5  # white between two lines of a column

_Block = tuple[int, int, int, int]  # rows from and to, columns from and to, in cells
_White = NDArray[np.bool_]


def reading_blocks(boxes: NDArray[np.integer], letter: float) -> list[Box]:
    """Divide a page into blocks of one column each, in reading order.

    The tallest strip of white with text on both sides is a gutter. What stands above it is read first, then the
    column to its left, the one to its right, then what stands below; each part is divided again in the same way.

    Parameters
    ----------
    boxes : array of shape (n, 4)
        Of the letters.
    letter : float
        Letter height.

    Returns
    -------
    list of Box
        Each letter's centre lies in one of them.
    """
    if not len(boxes):
        return []
    cell = max(1.0, _CELL * letter)
    filled = _filled_cells(boxes, cell)
    unit = letter / cell
    return [
        Box(int(left * cell), int(upper * cell), int(np.ceil(right * cell)), int(np.ceil(lower * cell)))
        for upper, lower, left, right in _divide(filled, (0, filled.shape[0], 0, filled.shape[1]), unit)
    ]


def _filled_cells(boxes: NDArray[np.integer], cell: float) -> NDArray[np.bool_]:
    x0, y0 = np.floor(boxes[:, :2] / cell).astype(np.int64).T
    x1, y1 = np.ceil(boxes[:, 2:] / cell).astype(np.int64).T
    steps = np.zeros((int(y1.max()) + 1, int(x1.max()) + 1), np.int64)
    for y, x, step in ((y0, x0, 1), (y1, x1, 1), (y0, x1, -1), (y1, x0, -1)):
        np.add.at(steps, (y, x), step)
    return np.asarray(steps.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0)


def _divide(filled: NDArray[np.bool_], block: _Block, unit: float) -> Iterator[_Block]:
    trimmed = _trim(filled, block)
    if trimmed is None:
        return
    upper, lower, left, right = trimmed
    gutter = _tallest_gutter(filled[upper:lower, left:right], unit)
    if gutter is None:
        yield trimmed
        return
    from_row, to_row, from_column, to_column = gutter
    top = _emptiest_row(filled, trimmed, upper + from_row, unit)
    bottom = _emptiest_row(filled, trimmed, upper + to_row, unit)
    middle = left + (from_column + to_column) // 2
    if (top, bottom, left, right) != trimmed:
        yield from _divide(filled, (upper, top, left, right), unit)
    yield from _divide(filled, (top, bottom, left, middle), unit)
    yield from _divide(filled, (top, bottom, middle, right), unit)
    if (top, bottom, left, right) != trimmed:
        yield from _divide(filled, (bottom, lower, left, right), unit)


def _trim(filled: NDArray[np.bool_], block: _Block) -> _Block | None:
    upper, lower, left, right = block
    inside = filled[upper:lower, left:right]
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not rows.size:
        return None
    return upper + int(rows[0]), upper + int(rows[-1]) + 1, left + int(columns[0]), left + int(columns[-1]) + 1


def _tallest_gutter(filled: NDArray[np.bool_], unit: float) -> _Block | None:
    width = max(2, round(_NARROWEST_GUTTER * unit))
    least = _SHORTEST_GUTTER * unit
    n_rows, n_columns = filled.shape
    if n_rows < least or n_columns < 2 * _NARROWEST_COLUMN * unit + width:
        return None
    sums = np.pad(filled.cumsum(axis=1), ((0, 0), (1, 0)))
    white = sums[:, width:] == sums[:, :-width]
    ends, lengths = _longest_runs(white)
    for start in np.argsort(-lengths, kind="stable"):
        if lengths[start] < least:
            return None
        gutter = _between_texts(filled, int(ends[start] - lengths[start]), int(ends[start]), int(start), width, unit)
        if gutter is not None:
            return gutter
    return None


def _longest_runs(white: _White) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """End and length of the longest run of white in each column."""
    run = np.zeros(white.shape[1], np.int64)
    lengths, ends = run.copy(), run.copy()
    for row, here in enumerate(white, start=1):
        run = (run + 1) * here
        longer = run > lengths
        lengths[longer], ends[longer] = run[longer], row
    return ends, lengths


def _between_texts(
    filled: NDArray[np.bool_], from_row: int, to_row: int, start: int, width: int, unit: float
) -> _Block | None:
    """The gutter at a strip of white, cut to the rows between two columns of text; None where one side has none."""
    left, right = filled[from_row:to_row, :start], filled[from_row:to_row, start + width :]
    rows_left, rows_right = (_spread(np.asarray(side.any(axis=1)), unit) for side in (left, right))
    rows = _longest_true(rows_left & rows_right)
    left_columns, right_columns = (np.flatnonzero(side[rows].any(axis=0)) for side in (left, right))
    if not left_columns.size or not right_columns.size:
        return None
    from_column, to_column = int(left_columns[-1]) + 1, start + width + int(right_columns[0])
    height, breadth = (rows.stop - rows.start) / unit, (to_column - from_column) / unit
    columns_wide = min(np.ptp(left_columns), np.ptp(right_columns)) / unit
    if height < _SHORTEST_GUTTER or height * breadth < _LEAST_GUTTER_AREA or columns_wide < _NARROWEST_COLUMN:
        return None
    top, bottom = _with_longer_column(rows_left | rows_right, rows.start, rows.stop)
    return from_row + top, from_row + bottom, from_column, to_column


def _longest_true(rows: NDArray[np.bool_]) -> slice:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], rows.view(np.int8), [0]])))
    if not edges.size:
        return slice(0, 0)
    starts, stops = edges[::2], edges[1::2]
    longest = int(np.argmax(stops - starts))
    return slice(int(starts[longest]), int(stops[longest]))


def _with_longer_column(text: NDArray[np.bool_], top: int, bottom: int) -> tuple[int, int]:
    """Rows of a gutter, carried on as far as the longer column beside it has no gap."""
    gaps = np.flatnonzero(~text)
    above, below = gaps[gaps < top], gaps[gaps >= bottom]
    return int(above[-1]) + 1 if above.size else 0, int(below[0]) if below.size else len(text)


def _spread(rows: NDArray[np.bool_], unit: float) -> NDArray[np.bool_]:
    """Rows of text with the white between its lines."""
    reach = max(1, round(_LINE_GAP / 2 * unit))
    return np.asarray(np.convolve(rows, np.ones(2 * reach + 1), "same") > 0)


def _emptiest_row(filled: NDArray[np.bool_], block: _Block, row: int, unit: float) -> int:
    """A row close by that cuts through little, or the edge of the block where that is as near."""
    upper, lower, left, right = block
    reach = round(_SNAP * unit)
    if row - upper <= reach // 2:
        return upper
    if lower - row <= reach // 2:
        return lower
    rows = np.arange(max(upper, row - reach), min(lower, row + reach) + 1)
    cost = filled[np.minimum(rows, lower - 1), left:right].sum(axis=1) * 1000.0 + np.abs(rows - row)
    return int(rows[int(np.argmin(cost))])
