"""N-grams of an endless row of independent words with separators between them, computed, not drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from labelfree.lm.counting import DENSE_BINS, summed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

WordGroups: TypeAlias = list[tuple[Ints, Floats]]
"""Words by length: (words, length) symbol indices and (words,) weights; all weights together sum to 1."""

LARGEST_PRODUCT = 1 << 22
"""How many joins of two parts are formed at most; of larger alphabets the rarest are left out."""


@dataclass(frozen=True)
class Separator:
    """What may stand between two words, how often, and whether a sentence ends there."""

    ids: Ints
    share: float
    ends_sentence: bool


@dataclass(frozen=True)
class Grams:
    """Weighted strings of one length, as sorted codes in base C."""

    codes: Ints
    weights: Floats

    def scaled(self, by: float) -> Grams:
        """Multiply all weights."""
        return Grams(self.codes, self.weights * by)


@dataclass(frozen=True)
class WordRow:
    """An endless row of separators and words, each drawn on its own.

    Parameters
    ----------
    size : int
        The number of symbols C.
    words : dict of WordGroups
        The words as they stand inside a sentence (False) and first in one (True).
    separators : list of Separator
        Their shares sum to 1.

    Examples
    --------
    >>> words = [(np.array([[0], [1]]), np.array([0.5, 0.5]))]
    >>> row = WordRow(3, {True: words, False: words}, [Separator(np.array([2]), 1.0, False)])
    >>> grams = row.windows(2)
    >>> grams.codes, grams.weights  # a-space, b-space, space-a, space-b
    (array([2, 5, 6, 7]), array([0.25, 0.25, 0.25, 0.25]))
    """

    size: int
    words: dict[bool, WordGroups]
    separators: list[Separator]

    def windows(self, order: int) -> Grams:
        """Give the distribution of N-grams; the weights sum to 1."""
        onward, begun = self._beginnings(order)
        first_share = sum(one.share for one in self.separators if one.ends_sentence)
        tails: list[list[Grams]] = [[] for _ in range(order)]
        parts: list[Grams] = []
        for first, share in ((True, first_share), (False, 1 - first_share)):
            for ids, weights in self.words[first] if share else []:
                for start in range(ids.shape[1]):
                    left = ids.shape[1] - start
                    grams = self._grams(ids[:, start : start + order], weights * share)
                    (parts if left >= order else tails[left]).append(grams)
        for left in range(1, order):
            parts.append(self._product(self._sum(tails[left]), onward[order - left], order - left))
        for one in self.separators:
            for start in range(one.ids.size):
                rest = one.ids[start : start + order]
                after = begun[order - rest.size][one.ends_sentence]
                parts.append(self._behind(rest, after, order).scaled(one.share))
        grams = self._sum(parts)
        return grams.scaled(1 / (float(grams.weights.sum()) or 1.0))

    def _beginnings(self, order: int) -> tuple[list[Grams], list[dict[bool, Grams]]]:
        """Give for k < order the next k symbols from a separator on, and from an inner or a first word on."""
        nothing = Grams(np.zeros(1, np.int64), np.ones(1))
        onward, begun = [nothing], [{True: nothing, False: nothing}]
        for k in range(1, order):
            begun.append({first: self._begin(self.words[first], k, onward) for first in (True, False)})
            parts = []
            for one in self.separators:
                rest = one.ids[:k]
                parts.append(self._behind(rest, begun[k - rest.size][one.ends_sentence], k).scaled(one.share))
            onward.append(self._sum(parts))
        return onward, begun

    def _begin(self, words: WordGroups, k: int, onward: list[Grams]) -> Grams:
        parts = []
        for ids, weights in words:
            start = self._grams(ids[:, :k], weights)
            missing = max(k - ids.shape[1], 0)
            parts.append(self._product(start, onward[missing], missing))
        return self._sum(parts)

    def _behind(self, ids: Ints, after: Grams, length: int) -> Grams:
        """Put fixed symbols before strings, to make strings of a length."""
        code = 0
        for symbol in ids.tolist():
            code = code * self.size + symbol
        return Grams(code * self.size ** (length - ids.size) + after.codes, after.weights)

    def _product(self, left: Grams, right: Grams, right_length: int) -> Grams:
        """Join every string on the left with every one on the right."""
        if left.codes.size * right.codes.size > LARGEST_PRODUCT:
            many = max(LARGEST_PRODUCT // min(left.codes.size, right.codes.size), 1 << 11)
            left = _likeliest(left, min(many, left.codes.size))
            right = _likeliest(right, max(LARGEST_PRODUCT // left.codes.size, 1))
        codes = left.codes[:, None] * self.size**right_length + right.codes
        return Grams(codes.ravel(), (left.weights[:, None] * right.weights).ravel())

    def _grams(self, ids: Ints, weights: Floats) -> Grams:
        codes = np.zeros(ids.shape[0], np.int64)
        for column in ids.T:
            codes = codes * self.size + column
        return self._sum([Grams(codes, weights)], ids.shape[1])

    def _sum(self, parts: Iterable[Grams], length: int | None = None) -> Grams:
        listed = list(parts)
        if not listed:
            return Grams(np.zeros(0, np.int64), np.zeros(0))
        codes = np.concatenate([part.codes for part in listed])
        weights = np.concatenate([part.weights for part in listed])
        if length is not None and self.size**length <= min(DENSE_BINS, 16 * codes.size):
            dense = np.bincount(codes, weights, self.size**length).astype(np.float64)
            codes = np.flatnonzero(dense)
            return Grams(codes, dense[codes])
        return Grams(*summed(codes, weights))


def _likeliest(grams: Grams, many: int) -> Grams:
    """Keep the heaviest strings, scaled to the weight of all."""
    if many >= grams.codes.size:
        return grams
    kept = np.sort(np.argpartition(-grams.weights, many)[:many])
    weights = grams.weights[kept]
    return Grams(grams.codes[kept], weights * (grams.weights.sum() / weights.sum()))
