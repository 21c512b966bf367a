"""The letters of a text, numbered as in the alphabet's order, and what a language model thinks of readings of them."""

from __future__ import annotations

import string
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from labelfree.cipher.keysearch import FLOOR, FULL_ORDER
from labelfree.cipher.keysearch.problem import Table, highest_order, score_table
from labelfree.lm import NGramLM
from labelfree.verdict import LEAST_EXPLAINED, LEAST_SAVED, KeyVerdict, Outcome, Remedy, chance

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def alphabet_of(lm: NGramLM) -> str:
    """The letters in the order that ciphers count in: a to z where the language has them, else all its letters.

    Examples
    --------
    >>> alphabet_of(NGramLM.from_text("γβα αβγ", order=1))
    'αβγ'
    """
    letters = "".join(sorted(symbol for symbol in lm.alphabet if symbol.isalpha() and len(symbol) == 1))
    return string.ascii_lowercase if set(string.ascii_lowercase) <= set(letters) else letters


@dataclass(frozen=True, eq=False)
class Reading:
    """A reading of the letters.

    Attributes
    ----------
    plain : (n,) int array
        The letters read.
    kind : str
        The kind of cipher and its key, in words.
    price : float
        Nats that the choice of the key costs, with that of the kind.
    score : float
        Log probability under the model.
    reorders : bool
        Whether the letters are the cipher's own in another order.
    """

    plain: Ints
    kind: str
    price: float
    score: float
    reorders: bool = False

    @property
    def worth(self) -> float:
        """By how many nats text and key are likely, to compare readings with."""
        return self.score - self.price


class Letters:
    """Letters of a ciphertext among fixed spaces.

    Parameters
    ----------
    x : (n,) int array
        The letters, counted from 0 in `alphabet`.
    lm : NGramLM
        A model of these letters, and of the space where there are any.
    spaces : (S,) int array
        Before how many letters each space stands.
    """

    def __init__(self, x: Ints, lm: NGramLM, spaces: Ints | None = None) -> None:
        self.x, self.lm, self.alphabet = x, lm, alphabet_of(lm)
        self.ids = np.array([lm.alphabet.index(letter) for letter in self.alphabet])
        gaps = np.zeros(0, np.int64) if spaces is None else spaces
        self._row = np.insert(np.zeros(len(x), np.int64), gaps, -1)
        self._at = np.flatnonzero(self._row == 0)
        self._row[self._row < 0] = lm.alphabet.index(" ") if len(gaps) else 0
        self._table: Table = score_table(lm, highest_order(lm, FULL_ORDER), FLOOR)
        single = np.asarray(lm.joint(1), np.float64)
        self.frequencies: Floats = single[self.ids] / single[self.ids].sum()

    @property
    def size(self) -> int:
        """How many letters the alphabet has."""
        return len(self.alphabet)

    def beginning(self, n: int) -> Letters:
        """The first n letters."""
        spaces = np.searchsorted(self._at, np.setdiff1d(np.arange(len(self._row)), self._at))
        return Letters(self.x[:n], self.lm, spaces[spaces < n])

    def scores(self, plain: Ints) -> Floats:
        """Log probabilities of (R, n) readings."""
        order, size = self._table.order, self._table.size
        rows = np.full((len(plain), order - 1 + len(self._row)), size - 1)
        rows[:, order - 1 :] = self._row
        rows[:, order - 1 + self._at] = self.ids[plain]
        codes = np.zeros((len(plain), len(self._row)), np.int64)
        for place in range(order):
            codes = codes * size + rows[:, place : place + len(self._row)]
        return np.asarray(self._table.flat[codes].sum(axis=1, dtype=np.float64))

    def verdict(self, reading: Reading) -> KeyVerdict:
        """Whether a reading is no work of chance, and nearer to the language than to mere letters."""
        explained, saved = self._explained(reading), reading.worth - self._by_chance(reading)
        is_read = explained >= LEAST_EXPLAINED and saved >= LEAST_SAVED
        return KeyVerdict(
            outcome=Outcome.READ if is_read else Outcome.STUCK,
            reason=f"{reading.kind} saves {saved:,.0f} nats more than chance is given",
            remedies=() if is_read else (Remedy.MORE_DATA, Remedy.OTHER_LANGUAGE),
            explained=explained,
            saved=saved,
            chance=chance(saved),
            expected_error=0.0 if is_read else 1.0,  # no letter of a key of a few numbers is wrong by itself
            agreeing=1,
            chains=1,
        )

    def believed(self, reading: Reading) -> bool:
        """Whether a reading is to be believed."""
        return self.verdict(reading).converged

    def _explained(self, reading: Reading) -> float:
        """How far it is on the way from letters drawn one by one to text of the language."""
        n, (alone, text) = len(self._row), self._levels
        return (reading.score / n - alone) / (text - alone) if n and text > alone else 0.0

    def _by_chance(self, reading: Reading) -> float:
        """Log probability of the cipher as letters in no order: its own shuffled, or drawn with frequencies unknown."""
        row = self._row.copy()
        row[self._at] = self.ids[self.x]
        counts = np.bincount(row, minlength=len(self.lm.alphabet))
        if reading.reorders:
            return float(gammaln(counts + 1).sum() - gammaln(len(row) + 1))
        half = 0.5  # Jeffreys' prior of the frequencies
        drawn = gammaln(counts + half).sum() - gammaln(len(row) + half * len(counts))
        return float(drawn + gammaln(half * len(counts)) - len(counts) * gammaln(half))

    @property
    def _levels(self) -> tuple[float, float]:
        """Mean log probability of letters drawn one by one, and of text drawn from the model, under it."""
        single = np.asarray(self.lm.joint(1), np.float64)
        alone = float((single * np.log(np.maximum(single, 1e-300))).sum())
        pairs = np.asarray(self.lm.joint(min(3, self.lm.order)), np.float64)
        given = pairs / np.maximum(pairs.sum(axis=-1, keepdims=True), 1e-300)
        return alone, float((pairs * np.log(np.maximum(given, 1e-300))).sum())
