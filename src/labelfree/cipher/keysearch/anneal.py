"""Many signs, one letter: Gibbs sampling of the key while it cools.

A reader of letters writes each with one of its signs, so the text x under the key, with c_s the count of sign s and
C_p the count of letter p, has the log-likelihood

    sum_t log p(y_t | y_<t)  +  sum_s c_s log(c_s / C_key(s)),      y_t = key(x_t).

Without its second term the key that reads everything as one letter would often be best. One step looks at one sign:
the log-likelihoods of all its readings, the others as they are, are sums of rows of the model's table, one row an
N-gram that holds the sign; a reading is drawn from them at the current temperature (`gibbs`).

Easy ciphers fall to many quick chains, hard ones to slow ones only, and which it is shows in the search alone. So
chains come in batches, each cooled twice as slowly as the one before, until some have come to the same text.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from labelfree import progress
from labelfree.cipher.keysearch.problem import Cipher, Ints, Table
from labelfree.workers import in_order

if TYPE_CHECKING:  # numba takes half a second to load, which ciphers without homophones need not wait for
    from labelfree.cipher.keysearch.gibbs import Rows, Windows

LOOKS = 80_000_000
"""Rows of the table looked up, after which a search without a limit of time ends: some four seconds of one core."""

CHAINS = 8
SWEEPS = 250
HOT, WARM, COLD = 3.0, 1.4, 1.0
GREEDY = 5
AGREEING = 3
SAME_SHARE = 0.9

Floats64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PackedTable:
    """A table as rows, one entry a letter.

    For every set of places in an N-gram there are rows of its log probability with each letter in all these places:
    row ``offset[set] + code of the symbols in the other places``. Sets are numbers, bit j for place j.
    """

    offset: Ints
    rows: Rows


@lru_cache(maxsize=1)
def packed(table: Table, letters: tuple[int, ...]) -> PackedTable:
    """Lay a table out as rows of one byte a letter, counted from its lowest entry.

    Examples
    --------
    >>> found = packed(Table(2, 2, np.arange(4, dtype=np.float32)), (0, 1))  # log p(b | a) = 2 a + b
    >>> found.rows.step * found.rows.words[found.offset[0b01] + 1].view(np.uint8)[:2]  # any letter before 1
    array([1., 3.])
    >>> found.rows.step * found.rows.words[found.offset[0b11]].view(np.uint8)[:2]  # any letter before itself
    array([0., 3.])
    """
    from labelfree.cipher.keysearch.gibbs import LANES, Rows

    low = float(table.flat.min())
    step = max(float(table.flat.max()) - low, 1e-9) / 255
    full = np.rint((table.flat - low) / step).astype(np.uint8).reshape((table.size,) * table.order)
    width = -(-len(letters) // LANES) * LANES
    n_rows = sum(table.size ** (table.order - places.bit_count()) for places in range(1, 1 << table.order))
    offset, bytes_ = np.zeros(1 << table.order, np.int64), np.zeros((n_rows, width), np.uint8)
    begin = 0
    for places in range(1, 1 << table.order):
        held = [place for place in range(table.order) if places >> place & 1]
        last = np.moveaxis(full, held, range(-len(held), 0)).reshape(-1, table.size ** len(held))
        side = last[:, np.array(letters) * (table.size ** np.arange(len(held))).sum()]
        offset[places] = begin
        bytes_[begin : begin + len(side), : len(letters)] = side
        begin += len(side)
    return PackedTable(offset, Rows(bytes_.view(np.uint64), step))


class Chains:
    """Keys of a cipher whose signs may read alike.

    Parameters
    ----------
    cipher : Cipher
    table : Table
    """

    def __init__(self, cipher: Cipher, table: Table) -> None:
        self.cipher, self.table = cipher, table
        self.packed = packed(table, tuple(cipher.letters.tolist()))
        counts = np.bincount(cipher.slots, minlength=cipher.before)
        self.counts = counts[: cipher.n_sought]
        given = self._place_of(cipher.given)
        is_letter = cipher.letters[given] == cipher.given  # the space may be given, and is none
        self.given = np.bincount(
            given[is_letter], counts[cipher.n_sought :][is_letter], minlength=len(cipher.letters)
        ).astype(np.int64)
        self.windows = self._windows()

    def _windows(self) -> Windows:
        """List the windows of each sign: where their rows begin, their other slots and what these count there."""
        from labelfree.cipher.keysearch.gibbs import Windows

        every, order = self.cipher.windows(self.table.order), self.table.order
        begins, base, others, scales = [0], [], [], []
        for sign in range(self.cipher.n_sought):
            windows = every[(every == sign).any(axis=1)]
            other = windows != sign
            after = other.sum(axis=1, keepdims=True) - np.cumsum(other, axis=1)
            # One column less will do: a place of the sign itself, which counts nothing, goes last.
            columns = np.argsort(~other, axis=1, kind="stable")[:, :-1]
            base.append(self.packed.offset[(~other << np.arange(order)).sum(axis=1)])
            others.append(np.take_along_axis(windows, columns, axis=1))
            scales.append(np.take_along_axis(np.where(other, self.table.size**after, 0), columns, axis=1))
            begins.append(begins[-1] + len(windows))
        return Windows(np.array(begins), *(np.concatenate(each).astype(np.int64) for each in (base, others, scales)))

    def totals(self, readings: Ints) -> Ints:
        """Give how often each letter is read, (R, M); readings are places in `cipher.letters`."""
        rows = [np.bincount(row, self.counts, minlength=len(self.given)) for row in readings]
        return np.asarray(np.array(rows).astype(np.int64) + self.given)

    def cooled(self, temperatures: Floats64, seed: int, start: Ints | None = None) -> Ints:
        """Run one chain, from a key drawn by lot but for what `start` says; give the readings that it ends with."""
        from labelfree.cipher.keysearch.gibbs import Chain, cool

        readings = np.random.default_rng(seed).integers(len(self.cipher.letters), size=self.cipher.n_sought)
        if start is not None:
            readings = np.where(np.isin(start, self.cipher.letters), self._place_of(start), readings)
        key = self.cipher.keys(self.cipher.letters[readings][None])[0]
        chain = Chain(readings, key, self.totals(readings[None])[0])
        cool(chain, self.windows, self.packed.rows, self.cipher.letters, self.counts, temperatures, seed | 1)
        return readings

    def _place_of(self, symbols: Ints) -> Ints:
        """The places of symbols in `cipher.letters`."""
        return np.searchsorted(self.cipher.letters, symbols).clip(0, len(self.cipher.letters) - 1)

    def likelihoods(self, readings: Ints) -> Floats64:
        """Give the (R,) log-likelihoods of (R, n_sought) readings, without the constant sum of c_s log c_s."""
        keys = self.cipher.keys(self.cipher.letters[readings])
        told = self.table.scores(keys, self.cipher.windows(self.table.order)).sum(axis=1, dtype=float)
        totals = self.totals(readings)
        return np.asarray(told - xlogy(totals, totals).sum(axis=1), np.float64)

    def losses(self, readings: Ints) -> Floats64:
        """Give what each other reading of each sign gains over the one it has, (n_sought, M); 0 for that one."""
        key, every = self.cipher.keys(self.cipher.letters[readings][None]), self.cipher.windows(self.table.order)
        totals = self.totals(readings[None])[0]
        found = np.zeros((self.cipher.n_sought, len(self.cipher.letters)))
        for sign, (reading, count) in enumerate(zip(readings.tolist(), self.counts.tolist(), strict=True)):
            keys = np.repeat(key, len(self.cipher.letters), axis=0)
            keys[:, sign] = self.cipher.letters
            told = self.table.scores(keys, every[(every == sign).any(axis=1)]).sum(axis=1, dtype=float)
            without = totals - count * (np.arange(len(totals)) == reading)
            told += xlogy(without, without) - xlogy(without + count, without + count)
            found[sign] = told - told[reading]
        return found


def search_anneal(
    cipher: Cipher,
    table: Table,
    rng: np.random.Generator,
    seconds: float | None = None,
    start: Ints | None = None,
) -> tuple[Chains, Ints, Floats64]:
    """Cool batches of chains, each batch more slowly, until a few chains read nearly alike or time is over.

    Parameters
    ----------
    cipher, table, rng
    seconds : float, optional
        Of the clock. Without it the search ends after so many steps, wherever and however fast they are made.
    start : (n_sought,) int array, optional
        Readings, -1 where nothing is known, from which some chains begin that do not grow hot enough to forget them.

    Returns
    -------
    chains : Chains
    readings : (R, n_sought) int array
        The end of each chain of the batches run, as places in `cipher.letters`.
    scores : (R,) array
        Their log-likelihoods.
    """
    chains = Chains(cipher, table)
    found: list[Ints] = []
    if start is not None:
        temperatures = np.append(np.geomspace(WARM, COLD, SWEEPS), np.zeros(GREEDY))
        found = [chains.cooled(temperatures, int(rng.integers(1 << 62)), start) for _ in range(CHAINS // 2)]
    for batch in _batches(len(chains.windows.base), rng, seconds):
        found += in_order(lambda job: chains.cooled(*job), batch)
        readings = np.array(found)
        scores = chains.likelihoods(readings)
        if agreeing(cipher, readings, scores) >= AGREEING:
            break
    return chains, readings, scores


def _batches(
    looks_a_sweep: int, rng: np.random.Generator, seconds: float | None
) -> Iterator[Iterator[tuple[Floats64, int]]]:
    """Batches of chains to run; each is the temperatures of its sweeps and a seed."""
    begun = time.perf_counter()
    sweeps, looks = SWEEPS, 0

    def is_over() -> bool:
        """Whether another chain would be too much."""
        chain = sweeps * looks_a_sweep
        if seconds is None:
            return looks + chain > LOOKS
        return (time.perf_counter() - begun) * (1 + chain / looks) > seconds

    def batch() -> Iterator[tuple[Floats64, int]]:
        nonlocal looks
        temperatures = np.append(np.geomspace(HOT, COLD, sweeps), np.zeros(GREEDY))
        for _ in range(CHAINS):
            if looks and is_over():
                return
            spent, whole = (looks, LOOKS) if seconds is None else (time.perf_counter() - begun, seconds)
            progress.stage("search", int(1000 * spent / whole), 1000)
            looks += sweeps * looks_a_sweep
            yield temperatures, int(rng.integers(1 << 62))

    while not looks or not is_over():
        yield batch()
        sweeps *= 2


def agreeing(cipher: Cipher, keys: Ints, scores: Floats64) -> int:
    """Count the keys that read nearly the same text as the best one, itself among them."""
    sought = cipher.slots[cipher.slots < cipher.n_sought]
    best = keys[scores.argmax()]
    return int(((keys[:, sought] == best[sought]).mean(axis=1) >= SAME_SHARE).sum())
