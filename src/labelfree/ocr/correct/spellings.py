"""What a tile may stand for: a letter, none, two that touch, or the end of one that begins with the tile before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.ocr.correct.settings import FormSettings

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

DEFAULT = FormSettings()


@dataclass(frozen=True, eq=False)
class Spellings:
    """All that a tile may stand for; spelling ``x`` for a symbol x is the symbol alone.

    Attributes
    ----------
    symbols : array of shape (m, 2)
        Symbols of each spelling, -1 where it has fewer.
    length : array of shape (m,)
    joins : array of shape (m,), bool
        Whether it takes the place of the last symbol before.
    prior : array of shape (m,)
        Log-odds against a symbol alone.
    usual : array of shape (m,)
        How often a tile of the language's text could be spelled so, as a share of all tiles; 0 for symbols alone, of
        which the text itself tells.
    """

    symbols: Ints
    length: Ints
    joins: NDArray[np.bool_]
    prior: Floats
    usual: Floats

    def __len__(self) -> int:
        return len(self.length)

    def shown(self, lm: NGramLM) -> list[str]:
        """What a tile of each spelling shows; nothing where that is a part of a letter."""
        symbols = (*lm.alphabet.symbols, "")
        return [
            "" if is_part else "".join(symbols[i] for i in row)
            for row, is_part in zip(self.symbols.tolist(), self.joins.tolist(), strict=True)
        ]


def list_spellings(lm: NGramLM, settings: FormSettings = DEFAULT) -> Spellings:
    """The symbols of a language, no symbol, its commonest pairs of letters, and every letter's end.

    Examples
    --------
    >>> spellings = list_spellings(NGramLM.from_text("abab ab ba" * 20, order=2))
    >>> len(spellings), spellings.symbols[0].tolist(), int(spellings.joins.sum())
    (10, [0, -1], 2)
    """
    n = len(lm.alphabet)
    singles = np.asarray(lm.joint(1), np.float64)
    pairs = np.asarray(lm.joint(2), np.float64).reshape(n, n).copy()
    is_letter = np.array([symbol.isalpha() for symbol in lm.alphabet.symbols])
    pairs[~is_letter] = pairs[:, ~is_letter] = 0.0
    common = np.argsort(-pairs, axis=None, kind="stable")[: min(settings.pairs, int((pairs > 0).sum()))]
    whole = np.arange(n)
    is_inked = np.array([not symbol.isspace() for symbol in lm.alphabet.symbols])
    ends = whole[is_letter & is_inked]
    symbols = np.full((n + 1 + len(common) + len(ends), 2), -1, np.int64)
    symbols[:n, 0] = whole
    symbols[n + 1 : n + 1 + len(common)] = np.stack(np.divmod(common, n), 1)
    symbols[n + 1 + len(common) :, 0] = ends
    length = (symbols >= 0).sum(1)
    joins = np.arange(len(symbols)) > n + len(common)
    usual = np.concatenate([np.zeros(n), [1.0], pairs.ravel()[common], singles[ends]])
    prior = np.where(np.arange(len(symbols)) < n, 0.0, settings.split)
    return Spellings(symbols, length, joins, prior, usual)
