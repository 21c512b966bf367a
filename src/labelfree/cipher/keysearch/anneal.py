"""Many signs, one letter: Gibbs sampling of the key while it cools, many chains at once.

A reader of letters writes each with one of its signs, so the text x under the key, with c_s the count of sign s and
C_p the count of letter p, has the log-likelihood

    sum_t log p(y_t | y_<t)  +  sum_s c_s log(c_s / C_key(s)),      y_t = key(x_t).

Without its second term the key that reads everything as one letter would often be best. One step looks at one sign:
the log-likelihoods of all its readings, the others as they are, are sums of rows of the model's table, one row an
N-gram that holds the sign; a reading is drawn from them at the current temperature. All chains visit the same sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import embedding_bag

from labelfree.cipher.keysearch.problem import Cipher, Ints, Table

CHAINS = 16
SWEEPS = 60
BATCHES = 3
HOT, COLD = 8.0, 1.0
GREEDY = 5
AGREEING = 3
SAME_SHARE = 0.9


@dataclass(frozen=True, eq=False)
class Rows:
    """A table as rows, one entry a letter.

    For every set of places in an N-gram there are rows of its log probability with each letter in all these places:
    row ``offset[set] + code of the symbols in the other places``. Sets are numbers, bit j for place j.
    """

    offset: Ints
    weight: torch.Tensor


@lru_cache(maxsize=1)
def rows_of(table: Table, letters: tuple[int, ...]) -> Rows:
    """Lay a table out as rows.

    Examples
    --------
    >>> rows = rows_of(Table(2, 2, np.arange(4, dtype=np.float32)), (0, 1))  # log p(b | a) = 2 a + b
    >>> rows.weight[rows.offset[0b01] + 1]  # any letter before 1
    tensor([1., 3.])
    >>> rows.weight[rows.offset[0b11]]  # any letter before itself
    tensor([0., 3.])
    """
    full = table.flat.reshape((table.size,) * table.order)
    offset, sides = np.zeros(1 << table.order, np.int64), []
    for places in range(1, 1 << table.order):
        held = [place for place in range(table.order) if places >> place & 1]
        last = np.moveaxis(full, held, range(-len(held), 0)).reshape(-1, table.size ** len(held))
        sides.append(last[:, np.array(letters) * (table.size ** np.arange(len(held))).sum()])
        if places + 1 < offset.size:
            offset[places + 1] = offset[places] + len(sides[-1])
    return Rows(offset, torch.from_numpy(np.concatenate(sides)))


class Chains:
    """Keys that are sampled one sign at a time.

    Parameters
    ----------
    cipher : Cipher
    table : Table
    readings : (R, n_sought) int array
        Where to begin, as places in `cipher.letters`.
    """

    def __init__(self, cipher: Cipher, table: Table, readings: Ints) -> None:
        self.cipher, self.table = cipher, table
        self.rows = rows_of(table, tuple(cipher.letters.tolist()))
        self.letters = torch.from_numpy(cipher.letters)
        self.keys = torch.from_numpy(cipher.keys(cipher.letters[readings]).T.copy())  # (slots, R)
        self.readings = torch.from_numpy(readings.T.copy())
        self.all = torch.arange(len(readings))
        counts = np.bincount(cipher.slots, minlength=cipher.before).astype(np.float32)
        self.counts = torch.from_numpy(counts[: cipher.n_sought])
        self.totals = torch.zeros(len(readings), len(cipher.letters))  # (R, M): how often each letter is read
        for sign in range(cipher.n_sought):
            self.totals[self.all, self.readings[sign]] += self.counts[sign]
        for letter, count in zip(cipher.given, counts[cipher.n_sought :], strict=True):
            self.totals[:, cipher.letters == letter] += float(count)
        self.windows = [self._holding(sign) for sign in range(cipher.n_sought)]

    def _holding(self, sign: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """List the windows that hold a sign: where their rows begin, their other slots and what these count there."""
        windows = self.cipher.windows(self.table.order)
        windows = windows[(windows == sign).any(axis=1)]
        other = windows != sign
        sets = (~other << np.arange(self.table.order)).sum(axis=1)
        after = other.sum(axis=1, keepdims=True) - np.cumsum(other, axis=1)
        scales = np.where(other, self.table.size**after, 0)
        # One column less will do: a place of the sign itself, which counts nothing, goes last.
        order = np.argsort(~other, axis=1, kind="stable")[:, :-1]
        slots, scales = np.take_along_axis(windows, order, axis=1), np.take_along_axis(scales, order, axis=1)
        begin = self.rows.offset[sets]
        return torch.from_numpy(begin[:, None]), torch.from_numpy(slots.T.copy()), torch.from_numpy(scales.T[..., None])

    def options(self, sign: int) -> torch.Tensor:
        """Give the (R, M) log-likelihoods of all readings of a sign, up to a constant a chain.

        The counts in `totals` are to be without the sign's own.
        """
        begin, slots, scales = self.windows[sign]
        index = begin.expand(-1, self.all.numel())
        for place in range(len(slots)):
            index = index + self.keys[slots[place]] * scales[place]
        scores = torch.zeros_like(self.totals)
        if len(begin):  # a sign may be in no window where sequences are shorter than these
            scores = embedding_bag(index.T.contiguous(), self.rows.weight, mode="sum")
        with_sign = self.totals + self.counts[sign]
        scores += torch.special.xlogy(self.totals, self.totals) - torch.special.xlogy(with_sign, with_sign)
        return scores

    def losses(self) -> NDArray[np.float64]:
        """Give what each reading of each sign has above the one it has, (n_sought, R, M); 0 for that one."""
        found = []
        for sign in range(self.cipher.n_sought):
            self.totals[self.all, self.readings[sign]] -= self.counts[sign]
            scores = self.options(sign)
            self.totals[self.all, self.readings[sign]] += self.counts[sign]
            found.append((scores - scores[self.all, self.readings[sign], None]).numpy())
        return np.asarray(found, np.float64)

    def step(self, sign: int, temperature: float, generator: torch.Generator) -> None:
        """Draw new readings of one sign in every chain; the best ones at temperature 0."""
        self.totals[self.all, self.readings[sign]] -= self.counts[sign]
        scores = self.options(sign)
        if temperature:
            noise = torch.empty_like(scores).exponential_(generator=generator)
            scores = scores / temperature - torch.log(noise)
        best = scores.argmax(dim=1)
        self.readings[sign] = best
        self.keys[sign] = self.letters[best]
        self.totals[self.all, best] += self.counts[sign]

    def likelihoods(self) -> NDArray[np.float64]:
        """Give the (R,) log-likelihoods, without the constant sum of c_s log c_s."""
        told = self.table.scores(self.keys.numpy().T, self.cipher.windows(self.table.order)).sum(axis=1, dtype=float)
        written = torch.special.xlogy(self.totals, self.totals).sum(dim=1).numpy()
        return np.asarray(told - written, np.float64)


def search_anneal(cipher: Cipher, table: Table, rng: np.random.Generator) -> tuple[Ints, NDArray[np.float64]]:
    """Cool batches of chains, each batch more slowly, until a few chains read nearly alike.

    Returns
    -------
    keys : (R, slots) int array
        The last key of each chain of the batches run.
    scores : (R,) array
        Their log-likelihoods.
    """
    generator = torch.Generator().manual_seed(int(rng.integers(1 << 62)))
    keys: list[Ints] = []
    scores: list[NDArray[np.float64]] = []
    for batch in range(BATCHES):
        start = rng.integers(len(cipher.letters), size=(CHAINS, cipher.n_sought))
        chains = Chains(cipher, table, start)
        for temperature in np.geomspace(HOT, COLD, SWEEPS << batch).tolist() + [0.0] * GREEDY:
            for sign in rng.permutation(cipher.n_sought).tolist():
                chains.step(sign, temperature, generator)
        keys.append(chains.keys.numpy().T.copy())
        scores.append(chains.likelihoods())
        if agreeing(cipher, np.concatenate(keys), np.concatenate(scores)) >= AGREEING:
            break
    return np.concatenate(keys), np.concatenate(scores)


def agreeing(cipher: Cipher, keys: Ints, scores: NDArray[np.float64]) -> int:
    """Count the chains that read nearly the same text as the best one, itself among them."""
    sought = cipher.slots[cipher.slots < cipher.n_sought]
    best = keys[scores.argmax()]
    return int(((keys[:, sought] == best[sought]).mean(axis=1) >= SAME_SHARE).sum())
