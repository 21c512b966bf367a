"""What a tile may stand for: a symbol, or the end of a letter that begins with the tile before."""

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
    symbols : array of shape (m,)
        The symbol of each spelling.
    joins : array of shape (m,), bool
        Whether it takes the place of the symbol before.
    prior : array of shape (m,)
        Log-odds against a symbol alone.
    usual : array of shape (m,)
        How often a tile of the language's text could be spelled so, as a share of all tiles; 0 for symbols alone, of
        which the text itself tells.
    """

    symbols: Ints
    joins: NDArray[np.bool_]
    prior: Floats
    usual: Floats

    def __len__(self) -> int:
        return len(self.symbols)

    def shown(self, lm: NGramLM) -> list[str]:
        """What a tile of each spelling shows; nothing where that is a part of a letter."""
        symbols = lm.alphabet.symbols
        return ["" if part else symbols[i] for i, part in zip(self.symbols.tolist(), self.joins.tolist(), strict=True)]


def list_spellings(lm: NGramLM, settings: FormSettings = DEFAULT) -> Spellings:
    """The symbols of a language, and every letter's end.

    Examples
    --------
    >>> spellings = list_spellings(NGramLM.from_text("abab ab ba" * 20, order=2))
    >>> len(spellings), int(spellings.joins.sum())
    (5, 2)
    """
    whole = np.arange(len(lm.alphabet))
    ends = np.flatnonzero([symbol.isalpha() for symbol in lm.alphabet.symbols])
    usual = np.asarray(lm.joint(1), np.float64)
    return Spellings(
        np.concatenate([whole, ends]),
        np.repeat([False, True], [len(whole), len(ends)]),
        np.repeat([0.0, settings.split], [len(whole), len(ends)]),
        np.concatenate([np.zeros(len(whole)), usual[ends]]),
    )
