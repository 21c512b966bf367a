"""How often symbols and pairs of them come out, against how often the language has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM

_MOST_PAIRS = 300
_MOST_MISMATCHES = 12
_DIGITS = 3  # significant ones that are kept


@dataclass(frozen=True)
class Gram:
    """A symbol or a pair: its share in the language and in what came out."""

    symbols: tuple[str, ...]
    wanted: float
    found: float


@dataclass(frozen=True)
class Grams:
    """Frequencies of the language against those that came out.

    Attributes
    ----------
    symbols : tuple of Gram
        Every symbol of the language.
    pairs : tuple of Gram
        The most frequent pairs of either side.
    mismatches : tuple of Gram
        The pairs that differ most, by what each adds to the symmetric divergence; the worst first.
    """

    symbols: tuple[Gram, ...]
    pairs: tuple[Gram, ...]
    mismatches: tuple[Gram, ...]

    @classmethod
    def compare(cls, lm: NGramLM, sequences: Iterable[NDArray[np.int64]]) -> Grams:
        """Count symbols and pairs in sequences of numbers of symbols; no pair leaves its sequence.

        Examples
        --------
        >>> from labelfree.alphabet import Alphabet
        >>> lm = NGramLM.from_text("ababababab", Alphabet("ab"), order=2)
        >>> found = Grams.compare(lm, [np.array([0, 0]), np.array([1])])
        >>> [(gram.symbols, round(gram.found, 2)) for gram in found.symbols]
        [(('a',), 0.67), (('b',), 0.33)]
        >>> found.mismatches[0].symbols
        ('a', 'a')
        """
        names, n = lm.alphabet.symbols, len(lm.alphabet)
        singles, pairs = np.zeros(n), np.zeros(n * n)
        for line in sequences:
            singles += np.bincount(line, minlength=n)
            pairs += np.bincount(line[:-1] * n + line[1:], minlength=n * n)
        n_pairs = pairs.sum()
        singles, pairs = singles / max(singles.sum(), 1), pairs / max(n_pairs, 1)
        wanted = np.asarray(lm.joint(1), np.float64)
        wanted_pairs = np.asarray(lm.joint(min(2, lm.order)), np.float64).reshape(-1)
        if lm.order < 2:
            wanted_pairs = np.outer(wanted, wanted).reshape(-1)
        floor = 1 / max(n_pairs, 2)  # what is rarer than one pair cannot be told from never
        gap = (pairs - wanted_pairs) * np.log((pairs + floor) / (wanted_pairs + floor))

        def gram(place: int) -> Gram:
            return Gram((names[place // n], names[place % n]), _short(wanted_pairs[place]), _short(pairs[place]))

        most = np.argsort(-np.maximum(pairs, wanted_pairs), kind="stable")[:_MOST_PAIRS]
        worst = [place for place in np.argsort(-gap, kind="stable")[:_MOST_MISMATCHES].tolist() if gap[place] > 0]
        return cls(
            tuple(Gram((name,), _short(wanted[i]), _short(singles[i])) for i, name in enumerate(names)),
            tuple(gram(place) for place in most.tolist()),
            tuple(gram(place) for place in worst),
        )

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        return {
            name: [[*gram.symbols, gram.wanted, gram.found] for gram in getattr(self, name)]
            for name in ("symbols", "pairs", "mismatches")
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Grams:
        """From what `as_dict` gave."""
        return cls(
            *(
                tuple(Gram(tuple(map(str, row[:-2])), float(row[-2]), float(row[-1])) for row in kept[name])
                for name in ("symbols", "pairs", "mismatches")
            )
        )


def _short(share: float) -> float:
    return float(f"{share:.{_DIGITS}g}")
