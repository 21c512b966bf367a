"""The paper's subsequences: which rows of a posterior matrix stand next to each other, and how often.

Plain data has one row a position and every window once. Compressed data has one row a group of inputs, and each
distinct tuple of groups once, with the share of the data it stands for: the exact sufficient statistic of equation (2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from labelfree.errors import InputError

_BLOCK = 1 << 20  # rows whose windows are counted at a time
_DENSE_PAIRS = 4_000_000  # a table of row pairs up to this size multiplies faster than a list of pairs


@dataclass(frozen=True, eq=False)
class Windows:
    """N rows in a row, oldest first, each with its share of the data.

    Attributes
    ----------
    rows : Tensor of shape (W, N)
        Window ``w`` reads the rows ``rows[w]`` of the posteriors. Windows are distinct and sorted.
    weight : Tensor of shape (W,)
        Share of the data each window stands for; sums to 1. In float64, so that it adds no error to posteriors in it.
    n_rows : int
        How many rows the posteriors have.
    count : int
        How many windows of the data these stand for, repeats included.
    """

    rows: Tensor
    weight: Tensor
    n_rows: int
    count: int

    @property
    def order(self) -> int:
        """N, the length of a window."""
        return self.rows.shape[1]

    def __len__(self) -> int:
        return self.rows.shape[0]

    @cached_property
    def pair_table(self) -> Tensor | None:
        """For N = 2 the weights as an (n_rows, n_rows) table, where that is small."""
        if self.order != 2 or self.n_rows**2 > min(_DENSE_PAIRS, 64 * max(1, len(self))):
            return None
        table = torch.zeros(self.n_rows, self.n_rows, dtype=self.weight.dtype)
        table[self.rows[:, 0], self.rows[:, 1]] = self.weight
        return table

    @cached_property
    def _cumulated(self) -> Tensor:
        return torch.cumsum(self.weight.double(), 0)

    def beginning_in(self, rows: slice) -> tuple[Windows, int]:
        """The windows whose first row is among these, over rows counted from the first of them, and how many those are.

        Windows keep their share of all the data.
        """
        first, last = torch.searchsorted(self.rows[:, 0].contiguous(), torch.tensor([rows.start, rows.stop])).tolist()
        mine = self.rows[first:last] - rows.start
        n_rows = max(rows.stop - rows.start, int(mine.max()) + 1 if len(mine) else 0)
        return Windows(mine, self.weight[first:last], n_rows, last - first), n_rows

    def sample(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
        """Draw windows with replacement, each by its share: the mini-batches of Algorithm 1.

        Returns
        -------
        Tensor of shape (*shape, N)
            Row numbers.
        """
        return self.rows[self._draw(shape, generator)]

    def sample_pair_tables(self, n_tables: int, size: int, generator: torch.Generator) -> Tensor:
        """Draw mini-batches of windows of two rows as tables: the share of each pair of rows in each batch.

        Returns
        -------
        Tensor of shape (n_tables, n_rows, n_rows)
            Single precision; each table sums to 1.
        """
        drawn = self._draw((n_tables, size), generator)
        pairs = (self.rows[:, 0] * self.n_rows + self.rows[:, 1])[drawn]
        pairs += torch.arange(n_tables)[:, None] * self.n_rows**2
        counts = torch.bincount(pairs.reshape(-1), minlength=n_tables * self.n_rows**2)
        return (counts / size).reshape(n_tables, self.n_rows, self.n_rows)

    def _draw(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
        """Numbers of windows, each drawn by its share."""
        if len(self) == self.count:  # plain data: every window alike
            return torch.randint(len(self), shape, generator=generator)
        uniform = torch.rand(shape, generator=generator, dtype=torch.float64)
        drawn = torch.searchsorted(self._cumulated, uniform * self._cumulated[-1], right=True)
        return drawn.clamp_(max=len(self) - 1)


class _Subsequences(Windows):
    """The windows of plain data, which are worked out where they are wanted: a list of them may be larger than data."""

    def __init__(self, sizes: NDArray[np.int64], order: int) -> None:
        per_sequence = np.maximum(sizes - order + 1, 0)
        total = int(per_sequence.sum())
        self.__dict__.update(n_rows=int(sizes.sum()), count=total, _order=order)
        self.__dict__["_starts"] = np.cumsum(sizes) - sizes  # of sequences, in rows
        self.__dict__["_until"] = np.cumsum(per_sequence)  # windows up to the end of each

    @cached_property
    def rows(self) -> Tensor:
        return self._rows_of(torch.arange(self.count))

    @cached_property
    def weight(self) -> Tensor:
        return torch.full((self.count,), 1.0 / self.count, dtype=torch.float64)

    @property
    def order(self) -> int:
        return int(self.__dict__["_order"])

    def __len__(self) -> int:
        return self.count

    def beginning_in(self, rows: slice) -> tuple[Windows, int]:
        """As of any windows; only these are worked out."""
        starts, until = self.__dict__["_starts"], self.__dict__["_until"]
        bounds = []
        for row in (rows.start, rows.stop):  # how many windows begin before it
            sequence = int(np.searchsorted(starts, row, side="right")) - 1
            before = int(until[sequence - 1]) if sequence > 0 else 0
            bounds.append(min(before + row - int(starts[sequence]), int(until[sequence])))
        mine = self._rows_of(torch.arange(*bounds)) - rows.start
        n_rows = max(rows.stop - rows.start, int(mine.max()) + 1 if len(mine) else 0)
        weight = torch.full((len(mine),), 1.0 / self.count, dtype=torch.float64)
        return Windows(mine, weight, n_rows, len(mine)), n_rows

    def sample(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
        """As of any windows."""
        return self._rows_of(self._draw(shape, generator))

    def _rows_of(self, numbers: Tensor) -> Tensor:
        """The rows of windows by their numbers, (..., N)."""
        starts, until = self.__dict__["_starts"], self.__dict__["_until"]
        sequence = np.searchsorted(until, numbers.numpy(), side="right")
        before = np.where(sequence > 0, until[sequence - 1], 0)
        first = torch.from_numpy(np.asarray(starts[sequence] - before)) + numbers
        return first[..., None] + torch.arange(self.order)


def subsequences(lengths: ArrayLike, order: int) -> Windows:
    """All windows of ``order`` positions that stay inside one sequence.

    Sequences shorter than ``order`` have none.

    Examples
    --------
    >>> subsequences([3, 1, 2], order=2).rows.tolist()
    [[0, 1], [1, 2], [4, 5]]
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    if not (sizes >= order).any():
        raise InputError(
            f"no window of {order} positions fits: the longest of {len(sizes)} sequences has "
            f"{int(sizes.max(initial=0))}; give longer sequences or a lower order"
        )
    return _Subsequences(sizes, order)


def merge_windows(windows: Windows, groups: ArrayLike, n_groups: int) -> Windows:
    """Compress: read every row as its group and merge the windows that became equal.

    Examples
    --------
    >>> merged = merge_windows(subsequences([5], order=2), groups=[0, 1, 0, 1, 0], n_groups=2)
    >>> merged.rows.tolist(), merged.weight.tolist()
    ([[0, 1], [1, 0]], [0.5, 0.5])
    """
    if n_groups**windows.order > np.iinfo(np.int64).max:
        raise InputError(f"{n_groups} groups at order {windows.order} overflow; use fewer groups")
    group_of = np.asarray(groups, dtype=np.int64)
    if group_of.min(initial=0) < 0 or group_of.max(initial=0) >= n_groups:
        raise InputError(f"groups run from {group_of.min()} to {group_of.max()}; {n_groups} groups go from 0 up")
    place_values = n_groups ** np.arange(windows.order - 1, -1, -1, dtype=np.int64)
    if len(windows) == windows.count:  # every window alike: whole numbers add up without rounding
        distinct, counts = _counted(windows, group_of, place_values)
        weight = counts.astype(np.float64) / windows.count
    else:
        distinct, where = np.unique(group_of[windows.rows.numpy()] @ place_values, return_inverse=True)
        weight = np.bincount(where, weights=windows.weight.numpy()).astype(np.float64)
    rows = np.stack(np.unravel_index(distinct, (n_groups,) * windows.order), axis=1)
    return Windows(
        torch.from_numpy(rows),
        torch.from_numpy(weight).to(windows.weight.dtype),
        n_rows=n_groups,
        count=windows.count,
    )


def _counted(
    windows: Windows, group_of: NDArray[np.int64], place_values: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct windows of groups as numbers, sorted, and how often each is there; block by block."""
    distinct, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for first in range(0, windows.n_rows, _BLOCK):
        block, _ = windows.beginning_in(slice(first, min(first + _BLOCK, windows.n_rows)))
        codes, times = np.unique(group_of[block.rows.numpy() + first] @ place_values, return_counts=True)
        distinct, where = np.unique(np.concatenate([distinct, codes]), return_inverse=True)
        both = np.concatenate([counts, times])
        counts = np.zeros(len(distinct), np.int64)
        np.add.at(counts, where.reshape(-1), both)
    return distinct, counts
