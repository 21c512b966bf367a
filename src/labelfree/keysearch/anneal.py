"""Many signs, one letter: Gibbs sampling of the key while it cools, many chains at once.

A reader of letters writes each with one of its signs, so the text x under the key, with c_s the count of sign s and
C_p the count of letter p, has the log-likelihood

    sum_t log p(y_t | y_<t)  +  sum_s c_s log(c_s / C_key(s)),      y_t = key(x_t).

Without its second term the key that reads everything as one letter would often be best. One step looks at one sign:
the log-likelihoods of all its readings, the others as they are, are sums of rows of the model's table, one row an
N-gram that holds the sign; a reading is drawn from them at the current temperature. All chains visit the same sign.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import embedding_bag

from labelfree.keysearch.problem import Cipher, Ints, Table

CHAINS = 32
SWEEPS = 100
BATCHES = 3
HOT, COLD = 8.0, 1.0
GREEDY = 5
AGREEING = 3
SAME_SHARE = 0.9


@lru_cache(maxsize=1)
def rows_of(table: Table, letters: tuple[int, ...]) -> torch.Tensor:
    """Lay a table out as rows: for each place of an N-gram, its log probability for all letters in that place.

    Row ``j * size**(N-1) + code of the other symbols`` holds the place j.
    """
    full = table.flat.reshape((table.size,) * table.order)
    sides = [np.moveaxis(full, place, -1)[..., list(letters)] for place in range(table.order)]
    return torch.from_numpy(np.concatenate([side.reshape(-1, len(letters)) for side in sides]))


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
        self.flat = torch.from_numpy(table.flat)
        self.letters = torch.from_numpy(cipher.letters)
        self.keys = torch.from_numpy(cipher.keys(cipher.letters[readings]).T.copy())  # (slots, R)
        self.readings = torch.from_numpy(readings.T.copy())
        self.all = torch.arange(len(readings))
        counts = np.bincount(cipher.slots, minlength=cipher.n_sought)[: cipher.n_sought]
        self.counts = torch.from_numpy(counts.astype(np.float32))
        self.totals = torch.zeros(len(readings), len(cipher.letters))  # (R, M): how often each letter is read
        for sign in range(cipher.n_sought):
            self.totals[self.all, self.readings[sign]] += self.counts[sign]
        self.once, self.twice = self._windows()

    def _windows(self) -> tuple[list[tuple[torch.Tensor, torch.Tensor]], list[tuple[torch.Tensor, torch.Tensor]]]:
        """List for each sign the windows that hold it once (row offsets, other slots), and those that hold it more."""
        windows = self.cipher.windows(self.table.order)
        once, twice = [], []
        for sign in range(self.cipher.n_sought):
            here = windows == sign
            times = here.sum(axis=1)
            single = times == 1
            place = here[single].argmax(axis=1)
            others = windows[single][~here[single]].reshape(-1, self.table.order - 1)
            once.append((torch.from_numpy(place * self.table.size ** (self.table.order - 1)), torch.from_numpy(others)))
            more = times > 1
            own = (here[more] * self.table.places).sum(axis=1)
            rest = np.where(here[more], -1, windows[more])
            twice.append((torch.from_numpy(own), torch.from_numpy(rest)))
        return once, twice

    def options(self, sign: int) -> torch.Tensor:
        """Give the (R, M) log-likelihoods of all readings of a sign, up to a constant a chain.

        The counts in `totals` are to be without the sign's own.
        """
        offset, others = self.once[sign]
        index = offset[:, None].expand(-1, self.all.numel()).clone()
        for place, scale in enumerate(self.table.places[1:].tolist()):
            index += self.keys[others[:, place]] * scale
        scores = embedding_bag(index.T.contiguous(), self.rows, mode="sum")
        own, rest = self.twice[sign]
        if own.numel():
            code = torch.zeros(rest.shape[0], self.all.numel(), dtype=torch.int64)
            for place, scale in enumerate(self.table.places.tolist()):
                column = rest[:, place, None]
                code += torch.where(column < 0, 0, self.keys[column[:, 0].clamp(min=0)] * scale)
            for letter, symbol in enumerate(self.letters.tolist()):
                scores[:, letter] += self.flat[code + own[:, None] * symbol].sum(dim=0)
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
