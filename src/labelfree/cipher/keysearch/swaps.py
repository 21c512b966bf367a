"""One sign, one letter: steepest ascent over swaps of two readings, kicked again and again, many chains at once.

The score of a key is the sum over the distinct N-grams of the cipher of count times log probability. A swap of the
readings of signs a and b gives an N-gram the score that it would have, were a and b swapped in it instead; these
swapped N-grams are listed once for all pairs, so that the gains of all swaps are one gather and one segmented sum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.cipher.keysearch.problem import Cipher, Floats, Ints, Table

CHAINS = 8
KICKS = 6
ROUNDS = 80
AGREEING = 3
SAME = 1e-2


class Swaps:
    """All swaps of two readings of a key, and what each gains.

    Parameters
    ----------
    cipher : Cipher
        With `one_to_one` set.
    table : Table
        What scores it.
    """

    def __init__(self, cipher: Cipher, table: Table) -> None:
        self.table = table
        self.movable = cipher.movable
        self.windows, counts = np.unique(cipher.windows(table.order), axis=0, return_counts=True)
        self.counts = counts.astype(np.float32)
        first, second = np.triu_indices(len(self.movable), 1)
        pairs = np.stack([self.movable[first], self.movable[second]], axis=1)
        holds = np.zeros((cipher.before + 1 + len(self.movable), len(self.windows)), bool)
        for column in self.windows.T:
            holds[column, np.arange(len(column))] = True
        seen = np.flatnonzero(holds.sum(axis=1))
        self.pairs = pairs[np.isin(pairs, seen).any(axis=1)]  # two slots that stand nowhere swap nothing
        which, self.touched = np.nonzero(holds[self.pairs[:, 0]] | holds[self.pairs[:, 1]])
        self.starts = np.searchsorted(which, np.arange(len(self.pairs)))
        a, b = self.pairs[which].T
        swapped = self.windows[self.touched]
        self.swapped = np.where(swapped == a[:, None], b[:, None], np.where(swapped == b[:, None], a[:, None], swapped))
        self.weights = self.counts[self.touched]

    def scores(self, keys: Ints) -> Floats:
        """Give the (R,) scores of (R, slots) keys."""
        return np.asarray((self.table.scores(keys, self.windows) * self.counts).sum(axis=1))

    def gains(self, keys: Ints) -> tuple[Floats, Floats]:
        """Give the (R,) scores of keys and what each of the swaps adds to them, (R, pairs)."""
        now = self.table.scores(keys, self.windows)
        change = self.table.scores(keys, self.swapped)
        change -= np.take(now, self.touched, axis=1)
        change *= self.weights
        return (now * self.counts).sum(axis=1), np.add.reduceat(change, self.starts, axis=1)

    def climb(self, keys: Ints) -> Floats:
        """Make the best swap of each key, in place, until none is left that gains; give the scores."""
        scores = np.zeros(len(keys), np.float32)
        rising = np.arange(len(keys))
        while rising.size:
            scores[rising], gains = self.gains(keys[rising])
            best = gains.argmax(axis=1)
            better = gains[np.arange(rising.size), best] > 1e-3  # above the rounding of the sums
            rising, pairs = rising[better], self.pairs[best[better]]
            exchange(keys, rising, pairs)
        return scores


def exchange(keys: Ints, rows: Ints, pairs: Ints) -> None:
    """Swap in each of the rows the two readings named."""
    first = keys[rows, pairs[:, 0]].copy()
    keys[rows, pairs[:, 0]] = keys[rows, pairs[:, 1]]
    keys[rows, pairs[:, 1]] = first


def search_swaps(
    cipher: Cipher, table: Table, rng: np.random.Generator, start: Ints | None = None
) -> tuple[Ints, NDArray[np.float64]]:
    """Run chains until a few of them, begun apart, have the same best key, or rounds are over.

    Parameters
    ----------
    cipher, table, rng
    start : (n_sought,) int array, optional
        Readings near which half of the chains begin, -1 where nothing is known.

    Returns
    -------
    keys : (R, slots) int array
        The best key of each chain.
    scores : (R,) array
    """
    swaps = Swaps(cipher, table)
    drawn = np.stack([rng.permutation(cipher.letters) for _ in range(CHAINS)])
    if start is not None:
        drawn[: CHAINS // 2] = [_beginning(start, row) for row in drawn[: CHAINS // 2]]
    keys = cipher.keys(drawn)
    if len(swaps.pairs) == 0:
        return keys, swaps.scores(keys).astype(np.float64)
    scores = swaps.climb(keys)
    for _ in range(ROUNDS):
        if (scores > scores.max() - SAME).sum() >= AGREEING:
            break
        kicked = keys.copy()
        for _ in range(KICKS):
            exchange(kicked, np.arange(CHAINS), swaps.pairs[rng.integers(len(swaps.pairs), size=CHAINS)])
        reached = swaps.climb(kicked)
        better = reached > scores
        keys[better], scores[better] = kicked[better], reached[better]
    return keys, scores.astype(np.float64)


def _beginning(start: Ints, drawn: Ints) -> Ints:
    """The letters drawn, in an order in which the first ones read as a start says, each of its letters once.

    Examples
    --------
    >>> _beginning(np.array([4, -1, 4]), np.array([2, 3, 4, 5]))
    array([4, 2, 3, 5])
    """
    held = {letter: sign for sign, letter in reversed(list(enumerate(start.tolist()))) if letter in drawn}
    rest = iter([letter for letter in drawn.tolist() if letter not in held])
    at = {sign: letter for letter, sign in held.items()}
    return np.array([at[sign] if sign in at else next(rest) for sign in range(len(drawn))])
