"""Counting N-grams in one pass over text of any length.

Only windows of the full order are counted, over the symbols and one more code that marks the end of a sequence; what
follows such a mark is of no account. As every sequence ends with marks, the count of a shorter N-gram is the sum over
all that may follow it, marks included, so that every order is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Codes
from labelfree.errors import InputError
from labelfree.lengths import as_lengths

DENSE_BINS = 1 << 22
"""Up to how many possible N-grams a count stands in a plain array."""

BLOCK = 1 << 16
"""How many windows are counted at a time, so that they stay in cache."""

HELD_OUT_SHARE = 16
"""One window in this many is counted apart, to choose the smoothing on."""


@dataclass(frozen=True)
class NGramCounts:
    """How often each N-gram occurs, for every order up to one.

    Attributes
    ----------
    size : int
        The number of symbols C.
    order : int
    codes : tuple of int64 arrays
        For each order n the N-grams seen, sorted; w_1 ... w_n is written as the number with these digits in base C.
    counts : tuple of float64 arrays
        How often, beside each code.

    Examples
    --------
    >>> counts = NGramCounts.from_ids([0, 1, 0, 1, 1], [5], size=2, order=2)
    >>> counts.codes[1], counts.counts[1]
    (array([1, 2, 3]), array([2., 1., 1.]))
    """

    size: int
    order: int
    codes: tuple[NDArray[np.int64], ...]
    counts: tuple[NDArray[np.float64], ...]

    @classmethod
    def from_ids(
        cls, ids: Sequence[int] | NDArray[np.integer], lengths: Sequence[int], size: int, order: int
    ) -> NGramCounts:
        """Count stacked sequences of symbol indices."""
        tally = Tally(size, order)
        stacked = np.asarray(ids)
        each = as_lengths(lengths, stacked.size)
        for end, length in zip(np.cumsum(each), each, strict=True):
            tally.add(stacked[end - length : end].astype(np.int64))
            tally.end_sequence()
        tally.finish()
        return tally.counts()

    @classmethod
    def from_codes(cls, codes: NDArray[np.int64], counts: NDArray[np.float64], size: int, order: int) -> NGramCounts:
        """Take N-grams of the highest order, as codes in base C in any order, and how often each occurs.

        Examples
        --------
        >>> NGramCounts.from_codes(np.array([3, 1]), np.array([0.25, 0.75]), size=2, order=2).counts[0]
        array([0.75, 0.25])
        """
        check_size(size, order)
        levels = [summed(codes // size ** (order - n), counts) for n in range(1, order + 1)]
        return cls(size, order, tuple(level[0] for level in levels), tuple(level[1] for level in levels))

    def __add__(self, other: NGramCounts) -> NGramCounts:
        if (self.size, self.order) != (other.size, other.order):
            raise InputError(
                f"counts over {other.size} symbols of order {other.order} cannot be added to counts over "
                f"{self.size} symbols of order {self.order}; count both alike"
            )
        merged = [
            summed(np.concatenate(codes), np.concatenate(counts))
            for codes, counts in zip(
                zip(self.codes, other.codes, strict=True), zip(self.counts, other.counts, strict=True), strict=True
            )
        ]
        return NGramCounts(self.size, self.order, tuple(m[0] for m in merged), tuple(m[1] for m in merged))

    @property
    def total(self) -> float:
        """The number of symbols counted."""
        return float(self.counts[0].sum())


class Tally:
    """Windows counted so far, as codes in base `size + 1`; the digit `size` marks the end of a sequence."""

    def __init__(self, size: int, order: int) -> None:
        check_size(size, order)
        self.size, self.order = size, order
        self._tail: Codes = np.zeros(0, np.int64)
        self._kept = _bins(size, order)
        self._held = _bins(size, order)

    def add(self, codes: Codes) -> None:
        """Count the windows that these symbols complete; the last share of them goes to the held-out side."""
        symbols = np.concatenate((self._tail.astype(codes.dtype), codes))
        windows = symbols.size - self.order + 1
        if windows <= 0:
            self._tail = symbols
            return
        self._tail = symbols[windows:]
        apart = windows // HELD_OUT_SHARE
        _count_windows(symbols[: symbols.size - apart], self._kept, self.size + 1, self.order)
        _count_windows(symbols[windows - apart :], self._held, self.size + 1, self.order)

    def end_sequence(self) -> None:
        """Say that the sequence ends here."""
        self.add(np.array([self.size], np.min_scalar_type(self.size)))

    def finish(self) -> None:
        """Complete the windows that hang over the end."""
        self.add(np.full(self.order, self.size, np.min_scalar_type(self.size)))

    def relabel(self, ids: NDArray[np.int64], size: int) -> None:
        """Give symbol i the index `ids[i]`, among `size` of them; what lies beyond `ids` has not occurred."""
        check_size(size, self.order)
        unused = np.full(self.size - ids.size, -1)
        new_ids = np.concatenate((ids, unused, [size]))
        bins = []
        for old in (self._kept, self._held):
            codes, counts = old.sparse()
            new = _bins(size, self.order)
            new.merge(_recoded(codes, new_ids, size + 1, self.order), counts)
            bins.append(new)
        self._tail = new_ids[self._tail]
        self.size, (self._kept, self._held) = size, bins

    def absorb(self, other: Tally) -> None:
        """Add what another has counted, of the same symbols and order, and finished."""
        for mine, its in ((self._kept, other._kept), (self._held, other._held)):
            mine.merge(*its.sparse())

    def counts(self, held: bool | None = None) -> NGramCounts:
        """Give the counts of all windows, of the held-out ones (True) or of the others (False)."""
        parts = {None: (self._kept, self._held), True: (self._held,), False: (self._kept,)}[held]
        both = [part.sparse() for part in parts]
        codes, counts = summed(np.concatenate([b[0] for b in both]), np.concatenate([b[1] for b in both]))
        return _all_orders(codes, counts, self.size, self.order)


class _DenseBins:
    """Counts of all possible windows."""

    def __init__(self, bins: int) -> None:
        self._total = np.zeros(bins, np.int64)

    def __getstate__(self) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
        return self._total.size, *self.sparse()  # most are 0, and need not travel

    def __setstate__(self, state: tuple[int, NDArray[np.int64], NDArray[np.float64]]) -> None:
        self._total = np.zeros(state[0], np.int64)
        self.merge(*state[1:])

    def add(self, codes: Codes) -> None:
        if self._total.size <= 2 * codes.size:
            self._total += np.bincount(codes, minlength=self._total.size)
        else:
            np.add.at(self._total, codes, 1)

    def merge(self, codes: NDArray[np.int64], counts: NDArray[np.float64]) -> None:
        np.add.at(self._total, codes, counts.astype(np.int64))

    def sparse(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        codes = np.flatnonzero(self._total)
        return codes, self._total[codes].astype(np.float64)


class _SparseBins:
    """Counts of the windows seen, sorted and summed whenever as many new ones wait."""

    def __init__(self) -> None:
        self._codes = np.zeros(0, np.int64)
        self._counts = np.zeros(0, np.float64)
        self._waiting: list[NDArray[np.int64]] = []
        self._waiting_size = 0

    def add(self, codes: Codes) -> None:
        self._waiting.append(codes.astype(np.int64))
        self._waiting_size += codes.size
        if self._waiting_size > max(DENSE_BINS, self._codes.size):
            self._settle()

    def merge(self, codes: NDArray[np.int64], counts: NDArray[np.float64]) -> None:
        self._codes, self._counts = summed(np.concatenate((self._codes, codes)), np.concatenate((self._counts, counts)))

    def _settle(self) -> None:
        if self._waiting:
            codes, times = np.unique(np.concatenate(self._waiting), return_counts=True)
            self._waiting, self._waiting_size = [], 0
            self.merge(codes, times.astype(np.float64))

    def sparse(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        self._settle()
        return self._codes, self._counts


def check_size(size: int, order: int) -> None:
    """Refuse an order that is none, or whose codes do not fit 63 bits."""
    if order < 1:
        raise InputError(f"order is {order}; give 1 or more")
    if order >= 63 or (size + 1) ** order >= 1 << 63:
        fits = max(n for n in range(1, min(order, 63)) if (size + 1) ** n < 1 << 63)
        raise InputError(f"order {order} over {size} symbols is too large to count; use an order up to {fits}")


def _bins(size: int, order: int) -> _DenseBins | _SparseBins:
    bins = (size + 1) ** order
    return _DenseBins(bins) if bins <= DENSE_BINS else _SparseBins()


def _count_windows(symbols: Codes, bins: _DenseBins | _SparseBins, base: int, order: int) -> None:
    """Count all windows of consecutive symbols, a block at a time in the narrowest integers that hold their codes."""
    top = base**order
    dtype = np.dtype(np.uint16 if top <= 1 << 16 else np.uint32 if top <= 1 << 32 else np.int64)
    windows = symbols.size - order + 1
    for start in range(0, windows, BLOCK):
        stop = min(start + BLOCK, windows)
        block = symbols[start : stop + order - 1].astype(dtype)
        codes = block[: stop - start]
        for place in range(1, order):
            codes = codes * dtype.type(base)
            codes += block[place : place + stop - start]
        bins.add(codes)


def summed(codes: NDArray[np.int64], counts: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Sort codes and add up the counts of equal ones."""
    if codes.size == 0:
        return codes, counts
    by_code = np.argsort(codes, kind="stable")
    codes, counts = codes[by_code], counts[by_code]
    first = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    return codes[first], np.add.reduceat(counts, first)


def _recoded(codes: NDArray[np.int64], new_ids: NDArray[np.int64], base: int, order: int) -> NDArray[np.int64]:
    """Write the same windows with other digits in another base."""
    old_base = new_ids.size
    recoded = np.zeros_like(codes)
    for place in range(order - 1, -1, -1):
        recoded = recoded * base + new_ids[codes // old_base**place % old_base]
    return recoded


def _all_orders(codes: NDArray[np.int64], counts: NDArray[np.float64], size: int, order: int) -> NGramCounts:
    """Sum sorted windows over what follows, for every order, leaving out what runs over the end of a sequence."""
    base = size + 1
    whole = np.ones(codes.size, bool)
    shorter = np.zeros_like(codes)  # the first n symbols in base C, where whole
    all_codes, all_counts = [], []
    for place in range(order - 1, -1, -1):
        digit = codes // base**place % base
        whole &= digit < size
        shorter = shorter * size + digit
        # Sorted windows keep equal beginnings together, and in order.
        n_codes, n_counts = summed(shorter[whole], counts[whole])
        all_codes.append(n_codes)
        all_counts.append(n_counts)
    return NGramCounts(size, order, tuple(all_codes), tuple(all_counts))
