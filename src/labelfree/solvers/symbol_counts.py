"""Counts of the runs of symbols in a stream: all that a cost over symbols needs to know, and they add up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from labelfree.core import Windows, subsequences
from labelfree.errors import InputError

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SymbolCounts:
    """How often each run of 1, 2, ..., N symbols stands inside the sequences seen.

    Attributes
    ----------
    runs : tuple of arrays of shape (W_n, n)
        The distinct runs of each length, sorted.
    counts : tuple of arrays of shape (W_n,)
        How often each was seen.
    """

    runs: tuple[Integers, ...]
    counts: tuple[Integers, ...]

    @classmethod
    def of(cls, symbols: ArrayLike, lengths: ArrayLike, order: int) -> SymbolCounts:
        """Count sequences of symbols, any whole numbers.

        Parameters
        ----------
        symbols : array-like of int of shape (T,)
        lengths : array-like
            Length of each sequence.
        order : int
            N, the longest runs to count.

        Examples
        --------
        >>> seen = SymbolCounts.of([7, 5, 7], [3], order=2)
        >>> seen.runs[1].tolist(), (seen + seen).counts[1].tolist()
        ([[5, 7], [7, 5]], [2, 2])
        """
        distinct, numbers = np.unique(np.asarray(symbols, dtype=np.int64), return_inverse=True)
        longest = int(np.max(lengths, initial=0))
        parts = [
            _counted(distinct, numbers.reshape(-1)[subsequences(lengths, n).rows.numpy()])
            if n <= longest
            else (np.zeros((0, n), np.int64), np.zeros(0, np.int64))
            for n in range(1, order + 1)
        ]
        return cls(tuple(runs for runs, _ in parts), tuple(counts for _, counts in parts))

    def __add__(self, other: SymbolCounts) -> SymbolCounts:
        """Counts of both streams, one after the other."""
        if self.order != other.order:
            raise InputError(f"counts of runs up to {other.order} symbols found, up to {self.order} wanted to add them")
        both = zip(self.runs, other.runs, self.counts, other.counts, strict=True)
        parts = [_merged(np.concatenate([a, b]), np.concatenate([m, n])) for a, b, m, n in both]
        return SymbolCounts(tuple(runs for runs, _ in parts), tuple(counts for _, counts in parts))

    @property
    def order(self) -> int:
        """N."""
        return len(self.runs)

    @property
    def longest(self) -> int:
        """The longest run that was seen, at most N."""
        return max(n for n, counts in enumerate(self.counts, 1) if len(counts) or n == 1)

    @property
    def symbols(self) -> Integers:
        """The distinct symbols, sorted."""
        return self.runs[0][:, 0]

    def windows(self, order: int) -> Windows:
        """Windows over the numbers of the symbols, in their order, as `merge_windows` gives them."""
        runs, counts = self.runs[order - 1], self.counts[order - 1]
        if len(runs) == 0:
            raise InputError(
                f"no window of {order} positions fits: the longest of the sequences seen has {self.longest}; "
                "give longer sequences or a lower order"
            )
        total = int(counts.sum())
        rows = torch.from_numpy(np.searchsorted(self.symbols, runs))
        return Windows(rows, torch.from_numpy(counts / total), n_rows=len(self.symbols), count=total)


def _counted(distinct: Integers, numbers: Integers) -> tuple[Integers, Integers]:
    """Distinct runs of symbols, sorted, and how often each is there; given as numbers of the distinct symbols."""
    order, n_symbols = numbers.shape[1], len(distinct)
    if n_symbols**order > np.iinfo(np.int64).max:
        return _merged(distinct[numbers], np.ones(len(numbers), np.int64))
    codes = numbers @ (n_symbols ** np.arange(order - 1, -1, -1, dtype=np.int64))
    if n_symbols**order <= 4 * len(codes):
        counts = np.bincount(codes, minlength=n_symbols**order)
        found = np.flatnonzero(counts)
        counts = counts[found]
    else:
        found, counts = np.unique(codes, return_counts=True)
    return distinct[np.stack(np.unravel_index(found, (n_symbols,) * order), 1)], counts.astype(np.int64)


def _merged(runs: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Distinct runs, sorted, and how often each is there."""
    distinct, where = np.unique(runs, axis=0, return_inverse=True)
    found = np.bincount(where.reshape(-1), weights=counts, minlength=len(distinct))
    return distinct, found.astype(np.int64)
