"""Where one text stands in another: by runs of characters that occur once in both, in time linear in their lengths."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_BASE = np.uint64(1_000_003)  # of the rolling sum of a run, taken modulo 2**64


def anchors(one: str, other: str, length: int) -> tuple[Ints, Ints]:
    """Where runs of so many characters begin that occur once in each of two texts, in the order of the first.

    Examples
    --------
    >>> first, second = anchors("the ferry was late", "late is the ferry", 5)
    >>> first.tolist(), second.tolist()
    ([0, 1, 2, 3, 4], [8, 9, 10, 11, 12])
    """
    places = [_once(text, length) for text in (one, other)]
    _, first, second = np.intersect1d(places[0][0], places[1][0], assume_unique=True, return_indices=True)
    at, to = places[0][1][first], places[1][1][second]
    is_same = [one[i : i + length] == other[j : j + length] for i, j in zip(at.tolist(), to.tolist(), strict=True)]
    at, to = at[is_same], to[is_same]
    order = np.argsort(at)
    return at[order], to[order]


def longest_rise(values: Ints) -> list[int]:
    """The places of a longest strictly rising subsequence.

    Examples
    --------
    >>> longest_rise(np.array([7, 1, 2, 9, 3]))
    [1, 2, 4]
    """
    ends: list[int] = []  # the least value that a rise of each length ends with, and where
    places: list[int] = []
    before = np.full(len(values), -1)
    for i, value in enumerate(values.tolist()):
        length = bisect_left(ends, value)
        before[i] = places[length - 1] if length else -1
        ends[length : length + 1], places[length : length + 1] = [value], [i]
    found = places[-1:]
    while found and before[found[-1]] >= 0:
        found.append(int(before[found[-1]]))
    return found[::-1]


def _once(text: str, length: int) -> tuple[NDArray[np.uint64], Ints]:
    """The sums of the runs that occur once, and where each begins."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    n_runs = max(len(points) - length + 1, 0)
    sums = np.zeros(n_runs, np.uint64)
    for i in range(length):
        sums = sums * _BASE + points[i : i + n_runs]
    values, first, counts = np.unique(sums, return_index=True, return_counts=True)
    return values[counts == 1], first[counts == 1].astype(np.int64)
