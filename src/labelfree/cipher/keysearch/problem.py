"""A cipher laid out for search: signs as slots of a key, texts as windows of slots, the model as one flat table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.lm.model import NGramLM
from labelfree.lm.stationary import DENSE_LIMIT

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]

TABLE_LIMIT = 1 << 25
"""How many entries a table of log probabilities may have; a model of a higher order is used at a lower one."""


@dataclass(frozen=True, eq=False)
class Cipher:
    """What is to be read, and what is known of the key.

    A key is a row of plaintext symbols, one a slot. Slots come in this order: the signs whose reading is sought, the
    signs whose reading is given, one for the place before a sequence begins, and, where no two signs may read alike,
    one for every symbol that no sign would take, so that the sought and the spare ones are a permutation.

    Parameters
    ----------
    slots : (T,) int array
        The text.
    lengths : (S,) int array
        Where its sequences end.
    n_sought : int
        How many signs are to be read.
    given : (G,) int array
        The readings of the other signs.
    letters : (M,) int array
        What a sought sign may read as.
    n_letters : int
        How many symbols the language has, P. The place before a sequence reads as P.
    one_to_one : bool
        Whether no two sought signs read alike.
    """

    slots: Ints
    lengths: Ints
    n_sought: int
    given: Ints
    letters: Ints
    n_letters: int
    one_to_one: bool

    @property
    def before(self) -> int:
        """The slot of the place before a sequence."""
        return self.n_sought + len(self.given)

    @property
    def movable(self) -> Ints:
        """The slots that the search may change."""
        n_spare = len(self.letters) - self.n_sought if self.one_to_one else 0
        return np.concatenate([np.arange(self.n_sought), self.before + 1 + np.arange(n_spare)])

    def keys(self, readings: Ints) -> Ints:
        """Lay (R, movable) readings out as (R, slots) keys."""
        held = np.append(self.given, self.n_letters)
        middle = np.broadcast_to(held, (len(readings), held.size))
        return np.concatenate([readings[:, : self.n_sought], middle, readings[:, self.n_sought :]], axis=1)

    def windows(self, order: int) -> Ints:
        """Give the (T, order) slots that end at each position, with `before` where a sequence has not yet begun."""
        age = np.arange(len(self.slots)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        columns = [np.where(age >= back, np.roll(self.slots, back), self.before) for back in range(order - 1, -1, -1)]
        return np.stack(columns, axis=1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Table:
    """log p(last | others) of all N-grams over P symbols and the place before a sequence, (P + 1)**N entries."""

    order: int
    size: int
    flat: Floats

    @property
    def places(self) -> Ints:
        """What each symbol of an N-gram counts in its code."""
        return self.size ** np.arange(self.order - 1, -1, -1)

    def scores(self, keys: Ints, windows: Ints) -> Floats:
        """Give the (R, U) log probabilities of (U, N) windows under (R, slots) keys."""
        return np.take(self.flat, self.codes(keys, windows))

    def codes(self, keys: Ints, windows: Ints) -> NDArray[np.int32]:
        """Give the (R, U) places in the table."""
        scaled = keys.astype(np.int32)[None] * self.places.astype(np.int32)[:, None, None]
        codes = np.take(scaled[0], windows[:, 0], axis=1)
        for place in range(1, self.order):
            codes += np.take(scaled[place], windows[:, place], axis=1)
        return codes


def highest_order(lm: NGramLM, at_most: int) -> int:
    """Give the highest order not above `at_most` that the model has and whose table is not too large.

    Examples
    --------
    >>> highest_order(NGramLM.from_text("ab" * 99, order=3), at_most=5)
    3
    """
    size = len(lm.alphabet)
    for order in range(min(lm.order, at_most), 0, -1):
        if (size + 1) ** order <= TABLE_LIMIT and (order == lm.order or size**order <= DENSE_LIMIT):
            return order
    raise InputError(f"the model has {size} symbols, too many for a search over keys; give one with fewer")


@lru_cache(maxsize=4)
def score_table(lm: NGramLM, order: int, floor: float = 0.0) -> Table:
    """Lay a model out as a table, each probability mixed with `floor` of a uniform one.

    Examples
    --------
    >>> table = score_table(NGramLM.from_text("ab" * 99, order=2), 2)
    >>> int(table.flat.reshape(3, 3)[0, :2].argmax())  # after a comes b
    1
    """
    n_letters = len(lm.alphabet)
    flat = np.zeros((n_letters + 1,) * order, np.float32)
    for n in range(1, order + 1):
        # Below its order a smoothed model's own tables are meant for backing off; marginals are the language's.
        exact = n < order or order == lm.order
        logs = lm.backoff.table(n) if exact else np.log(lm.conditional(n))
        if floor:
            logs = np.log((1 - floor) * np.exp(logs) + floor / n_letters)
        flat[(n_letters,) * (order - n) + (slice(0, n_letters),) * n] = logs.reshape((n_letters,) * n)
    return Table(order, n_letters + 1, flat.ravel())
