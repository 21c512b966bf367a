"""Decoding where the states are too many to keep: the likely labels of each position, and the best contexts of those.

A state is a context of candidate labels (`candidates`). Paths that meet in one context merge, by maximum or by sum.
The states of a window are kept sorted by what is left of them once their oldest label is dropped; those with the same
rest are a set, and the next states are set x candidate. All windows of a group step together, their states in one row.
Of the next states the best ``beam`` of each window stay. The walk is in logs. A beam as wide as all states and an
infinite margin leave nothing out and give the exact result.

The way back needs no logs: with w[i, j] the share of state i in what reached state j, the posterior of i is the sum
over j of w[i, j] times the posterior of j.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.candidates import Candidates
from labelfree.decode.transitions import Transitions
from labelfree.decode.windows import LONGEST, Windows
from labelfree.workers import in_order

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class _Edges:
    """Ways from the states of one column to those of the next: ``many`` to each state, one state after another."""

    many: Indices
    parents: Indices
    scores: Array  # natural logs on arrival, then the share of each in its state

    def keep(self, states: NDArray[np.bool_]) -> "_Edges":
        edges = np.repeat(states, self.many)
        return _Edges(self.many[states], self.parents[edges], self.scores[edges])


class _Merge(Protocol):
    """How paths that meet become one score, and what is kept of the edges they came by."""

    def total(self, scores: Array, many: Indices) -> Array: ...
    def kept(self, edges: _Edges, total: Array) -> _Edges: ...


class _Maximum:
    """The best path; its edge is kept."""

    def total(self, scores: Array, many: Indices) -> Array:
        top: Array = np.maximum.reduceat(scores, np.cumsum(many) - many)
        return top

    def kept(self, edges: _Edges, total: Array) -> _Edges:
        best = np.flatnonzero(edges.scores == np.repeat(total, edges.many))
        best = best[_starts(np.repeat(np.arange(len(total)), edges.many)[best])]
        return _Edges(np.ones(len(total), np.int64), edges.parents[best], np.ones(len(total)))


class _Sum:
    """The log of the sum of all paths; the share of each edge in it is kept."""

    def total(self, scores: Array, many: Indices) -> Array:
        first = np.cumsum(many) - many
        top: Array = np.maximum.reduceat(scores, first)
        return top + np.log(np.add.reduceat(np.exp(scores - np.repeat(top, many)), first))

    def kept(self, edges: _Edges, total: Array) -> _Edges:
        return _Edges(edges.many, edges.parents, np.exp(edges.scores - np.repeat(total, edges.many)))


@dataclass(frozen=True)
class _Column:
    """The states at one position of all windows, by window and rest."""

    window: Indices
    codes: Indices
    keys: Indices  # window and rest as one number
    scores: Array  # natural logs, relative to ``scale`` of the window
    scale: Array  # (windows,) the best score, or the log of the sum of all
    edges: _Edges
    place: Indices  # where among the states that ``edges`` lead to each state stands


class _Lattice:
    """A group of windows, the longest first, walked to the end of each."""

    def __init__(
        self, windows: Windows, candidates: Candidates, tr: Transitions, beam: int, margin: float, merge: _Merge
    ) -> None:
        self.windows, self.candidates, self.tr = windows, candidates, tr
        self.beam, self.margin, self.merge = beam, margin, merge
        self.columns, self.running = list[_Column](), windows.running
        each, zero = np.arange(self.running[0]), np.zeros(self.running[0])
        column = _Column(each, np.zeros_like(each), each, zero, zero, _Edges(each, each, zero), each)
        for t, n in enumerate(self.running):
            column = self._step(t, n, column)
            self.columns.append(column)

    def backward(self) -> Iterator[tuple[Indices, _Column]]:
        """Yield the columns from the last on, each with the positions that its windows stand at."""
        for t in reversed(range(len(self.columns))):
            yield self.windows.start[: self.running[t]] + t, self.columns[t]

    def _step(self, t: int, n: int, old: _Column) -> _Column:
        size = _n_states(old, n)
        first = _starts(old.keys[:size])  # state of each set
        window, positions = old.window[first], self.windows.start[:n] + t
        n_next = self.candidates.many[positions][window]
        sets = np.repeat(np.arange(len(first)), n_next)
        chosen = _ranges(self.candidates.first[positions][window], n_next)
        labels = self.candidates.labels[chosen]
        many = np.diff(first, append=size)[sets]
        parents = _ranges(first[sets], many)
        steps = self.tr.pairs(old.codes[parents], np.repeat(labels, many), min(t, self.tr.depth))
        edges = _Edges(many, parents, steps + old.scores[parents])
        total = self.merge.total(edges.scores, many)
        scores = total + self.candidates.scores[chosen]
        codes = (old.codes[first] % self._rest(t))[sets] * self.tr.n_labels + labels
        window = window[sets]
        kept = _near_the_best(window, scores, n, self.beam, self.margin)
        if not kept.all():
            window, codes, scores, total = window[kept], codes[kept], scores[kept], total[kept]
            edges = edges.keep(kept)
        edges = self.merge.kept(edges, total)
        scale = self.merge.total(scores, np.bincount(window, minlength=n))
        scores -= scale[window]
        rest = self._rest(t + 1)
        keys = window * rest + codes % rest
        place = np.argsort(keys, kind="stable")
        return _Column(window[place], codes[place], keys[place], scores[place], scale, edges, place)

    def _rest(self, n_before: int) -> int:
        # Until a context is full, nothing is dropped.
        return self.tr.n_states if n_before < self.tr.depth else self.tr.n_states // self.tr.n_labels


def _near_the_best(window: Indices, scores: Array, n: int, beam: int, margin: float) -> NDArray[np.bool_]:
    """Return which states are within the margin of the best of their window and among its best ``beam``."""
    first = np.searchsorted(window, np.arange(n))
    near: NDArray[np.bool_] = scores >= (np.maximum.reduceat(scores, first) - margin)[window]
    many = np.add.reduceat(near, first, dtype=np.int64)
    full = many > beam
    if full.any():
        crowd = np.flatnonzero(near & full[window])
        filled = np.arange(many.max()) < many[full][:, None]
        table = np.full(filled.shape, -np.inf)
        table[filled] = scores[crowd]
        least = np.partition(table, -beam, axis=1)[:, -beam, None]
        left = beam - np.count_nonzero(table > least, axis=1, keepdims=True)  # places for those that score the least
        equal = table == least
        near[crowd] = ((table > least) | (equal & (np.cumsum(equal, axis=1) <= left)))[filled]
    return near


def _n_states(column: _Column, n: int) -> int:
    """Return how many states the first n windows have."""
    return int(np.searchsorted(column.window, n))


def _starts(values: Indices) -> Indices:
    """Return where each run of equal values starts."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1]))


def _ranges(first: Indices, many: Indices) -> Indices:
    """Return ``many[0]`` whole numbers from ``first[0]`` on, then ``many[1]`` from ``first[1]`` on, and so forth."""
    ends = np.cumsum(many)
    return np.repeat(first - ends + many, many) + np.arange(ends[-1])


def _lattices(
    scores: Array, lengths: Indices, transitions: Transitions, beam: int, margin: float, merge: _Merge
) -> Iterator[Callable[[], _Lattice]]:
    """What walks each group of windows, in any order or side by side."""
    candidates = Candidates.choose(scores, transitions, margin)
    exact = beam >= transitions.n_states and math.isinf(margin)
    windows = Windows.cut(lengths, max(int(lengths.max(initial=0)), 1) if exact else LONGEST)
    most = 2**62 // transitions.n_states  # windows that can be numbered together with their states
    for group in windows.groups(candidates.transitions(transitions.depth, beam), most):
        yield partial(_Lattice, group, candidates, transitions, beam, margin, merge)


def viterbi(scores: Array, lengths: Indices, transitions: Transitions, beam: int, margin: float = math.inf) -> Indices:
    """Return the best labels (T,) among the paths in the beam."""
    labels = np.empty(len(scores), dtype=np.int64)
    for make in _lattices(scores, lengths, transitions, beam, margin, _Maximum()):
        lattice, at = make(), np.empty(0, np.int64)
        for positions, column in lattice.backward():
            ended = _n_states(column, len(at))
            best = ended + np.flatnonzero(column.scores[ended:] == 0)
            at = np.append(at, best[_starts(column.window[best])] if len(best) else best)
            owned = lattice.windows.owned(positions)
            labels[positions[owned]] = column.codes[at[owned]] % transitions.n_labels
            at = column.edges.parents[column.place[at]]
    return labels


def forward_backward(
    scores: Array, lengths: Indices, transitions: Transitions, beam: int, margin: float = math.inf
) -> tuple[Array, Array]:
    """Return the posteriors (T, C) and the log-likelihood of each sequence, from the paths in the beam."""
    marginals = np.empty_like(scores)
    log_likelihood = np.zeros(len(lengths))

    def walk(make: Callable[[], _Lattice]) -> tuple[Indices, Array]:
        """Fill in the positions of one lattice, which no other owns; the likelihoods of its windows."""
        lattice = make()
        return lattice.windows.sequence, _posteriors(lattice, marginals)

    for sequence, found in in_order(walk, _lattices(scores, lengths, transitions, beam, margin, _Sum())):
        np.add.at(log_likelihood, sequence, found)
    return marginals, log_likelihood


def _posteriors(lattice: _Lattice, marginals: Array) -> Array:
    """Write the posteriors of the positions that a lattice owns; the log-likelihood of what each window owns."""
    n_labels = marginals.shape[1]
    log_likelihood = np.zeros(lattice.running[0])
    handed: Array = np.empty(0)
    n_later = 0
    for positions, column in lattice.backward():
        shares = np.exp(column.scores)
        shares[: _n_states(column, n_later)] = 0.0
        shares[: len(handed)] = handed
        cells = column.window * n_labels + column.codes % n_labels
        found = np.bincount(cells, shares, len(positions) * n_labels).reshape(len(positions), -1)
        owned = lattice.windows.owned(positions)
        marginals[positions[owned]] = found[owned] / found[owned].sum(axis=1, keepdims=True)
        log_likelihood[: len(positions)][owned] += column.scale[owned]
        edges, reached = column.edges, np.empty(len(shares))
        reached[column.place] = shares
        handed = np.bincount(edges.parents, np.repeat(reached, edges.many) * edges.scores).astype(np.float64)
        n_later = len(positions)
    return log_likelihood
