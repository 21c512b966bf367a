"""The one form every language model here takes: back-off tables, one level an order.

log p(w | h) = level[n].log_prob[h w]                          if the N-gram h w is listed,
               level[n-1].log_backoff[h] + log p(w | h')       otherwise (h' is h without its first symbol;
                                                               an unlisted h has log back-off weight 0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TABLE_LIMIT = 1 << 22
"""Up to how many entries a level is also kept as a full table for fast lookup."""


@dataclass(frozen=True)
class Level:
    """The listed N-grams of one order: sorted codes in base C, natural logs of p(last | others) and of weights."""

    codes: Ints  # (U,)
    log_prob: Floats  # (U,)
    log_backoff: Floats  # (U,)


class BackOff:
    """Levels 1 to `order` over `size` symbols; level 1 lists every symbol.

    Examples
    --------
    >>> unigram = Level(np.arange(2), np.log([0.25, 0.75]), np.log([1.0, 0.4]))
    >>> bigram = Level(np.array([2]), np.log([0.9]), np.zeros(1))
    >>> np.exp(BackOff(2, (unigram, bigram)).table(2)).round(3)
    array([[0.25, 0.75],
           [0.9 , 0.3 ]])
    """

    def __init__(self, size: int, levels: tuple[Level, ...]) -> None:
        self.size = size
        self.levels = levels
        self._tables: dict[int, Floats] = {}

    @property
    def order(self) -> int:
        """The length of the longest listed N-grams."""
        return len(self.levels)

    def table(self, n: int) -> Floats:
        """Give log p(w | h) for every context of n - 1 symbols, as (C**(n-1), C)."""
        if n in self._tables:
            return self._tables[n]
        level = self.levels[n - 1]
        if n == 1:
            table = level.log_prob[None, :].copy()
        else:
            shorter = self.table(n - 1)
            weights = self.backoff_weights(n - 1)
            table = np.tile(shorter, (self.size, 1)) if n > 2 else np.repeat(shorter, self.size, axis=0)
            table += weights[:, None]
            table.ravel()[level.codes] = level.log_prob
        if table.size <= TABLE_LIMIT:
            table.setflags(write=False)
            self._tables[n] = table
        return table

    def backoff_weights(self, n: int) -> Floats:
        """Give the log back-off weight of every context of n symbols, as (C**n,)."""
        weights = np.zeros(self.size**n)
        weights[self.levels[n - 1].codes] = self.levels[n - 1].log_backoff
        return weights

    def score(self, n: int, codes: Ints) -> Floats:
        """Give log p(last | others) of N-grams of n symbols."""
        if self.size**n <= TABLE_LIMIT:
            scores: Floats = self.table(n).ravel()[codes]
            return scores
        level = self.levels[n - 1]
        place, found = look_up(level.codes, codes)
        scores = np.empty(codes.size)
        scores[found] = level.log_prob[place[found]]
        missing = codes[~found]
        if missing.size:
            rest = self.score(n - 1, missing % self.size ** (n - 1))
            scores[~found] = rest + self._weight_of(n - 1, missing // self.size)
        return scores

    def rows(self, contexts: Ints) -> Floats:
        """Give log p(w | h) for (R, m) contexts and all w, as (R, C); m is at most order - 1."""
        m = contexts.shape[1]
        codes = np.zeros(contexts.shape[0], np.int64)
        for column in contexts.T:
            codes = codes * self.size + column
        return self._rows(codes, m)

    def _rows(self, codes: Ints, m: int) -> Floats:
        if self.size ** (m + 1) <= TABLE_LIMIT:
            rows: Floats = self.table(m + 1)[codes]
            return rows
        rows = self._rows(codes % self.size ** (m - 1), m - 1)
        rows += self._weight_of(m, codes)[:, None]
        level = self.levels[m]
        first = np.searchsorted(level.codes, codes * self.size)
        many = np.searchsorted(level.codes, (codes + 1) * self.size) - first
        row = np.repeat(np.arange(codes.size), many)
        listed = np.arange(row.size) - np.repeat(np.cumsum(many) - many - first, many)
        rows[row, level.codes[listed] % self.size] = level.log_prob[listed]
        return rows

    def _weight_of(self, n: int, codes: Ints) -> Floats:
        """Give the log back-off weights of contexts of n symbols, 0 where unlisted."""
        level = self.levels[n - 1]
        place, found = look_up(level.codes, codes)
        return np.where(found, level.log_backoff[place], 0.0)


def look_up(sorted_codes: Ints, codes: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Find codes among sorted ones: where each would stand, and whether it is there."""
    place = np.minimum(np.searchsorted(sorted_codes, codes), max(sorted_codes.size - 1, 0))
    if sorted_codes.size == 0:
        return place, np.zeros(codes.size, bool)
    return place, sorted_codes[place] == codes
