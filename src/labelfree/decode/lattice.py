"""Decoding where the states are too many to keep: the best ``beam`` contexts at each position, and no others.

Paths that meet in one context merge, by maximum or by sum. The states of a sequence are kept sorted by what is left
of them once their oldest label is dropped; those with the same rest are a set, and the next states are set x label.
All arithmetic is in logs. A beam as wide as all states leaves nothing out and gives the exact result.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.transitions import Transitions

KEPT_NUMBERS = 2**23  # numbers held for one group of sequences (64 MB an array)
STEP_NUMBERS = 2**16  # numbers in one step of all sequences of a group: what a cache holds

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class _Column:
    """The states at one position of all sequences of a group: arrays (sequences, states)."""

    codes: Indices
    scores: Array  # natural logs relative to the best state of the sequence
    sets: Indices  # the set each state belongs to when its oldest label is dropped
    parents: Indices  # the set each state came from
    scale: Array  # (sequences,) what the scores are relative to


class _Lattice:
    """A group of sequences, the longest first, walked with ``merge``: np.maximum or np.logaddexp."""

    def __init__(
        self, scores: Array, start: Indices, size: Indices, tr: Transitions, beam: int, merge: np.ufunc
    ) -> None:
        self.scores, self.start, self.size, self.tr = scores, start, size, tr
        self.beam, self.merge = beam, merge
        self.n_labels, self.columns = tr.n_labels, list[_Column]()
        zero = np.zeros((len(start), 1), dtype=np.int64)
        self.entry = _Column(zero, np.zeros(zero.shape), zero, zero, np.zeros(len(start)))
        column = self.entry
        for t in range(int(size[0])):
            column = self._step(t, column, int(np.searchsorted(-size, -t)))
            self.columns.append(column)

    def evidence(self, t: int, n: int) -> Array:
        return self.scores[self.start[:n] + t]

    def rows(self, t: int, column: _Column, n: int) -> Array:
        """Return (n, states, C): transitions from the states of ``column`` to position t."""
        codes = column.codes[:n]
        return self.tr.rows(codes.ravel(), min(t, self.tr.depth)).reshape(*codes.shape, -1)

    def _step(self, t: int, old: _Column, n: int) -> _Column:
        c, codes, sets = self.n_labels, old.codes[:n], old.sets[:n]
        reached = (old.scores[:n, :, None] + self.rows(t, old, n)).reshape(-1, c)
        first = np.ones(sets.shape, dtype=bool)
        first[:, 1:] = sets[:, 1:] != sets[:, :-1]
        row, at = np.nonzero(first)
        n_sets = int(sets.max()) + 1
        met = np.full((n, n_sets, c), -np.inf)
        met[row, sets[row, at]] = self.merge.reduceat(reached, np.flatnonzero(first), axis=0)
        met += self.evidence(t, n)[:, None, :]
        rests = np.zeros((n, n_sets), dtype=np.int64)
        rests[row, sets[row, at]] = codes[row, at] % self._rest(t)
        flat = met.reshape(n, -1)
        if flat.shape[1] > self.beam:
            kept = np.argpartition(flat, -self.beam, axis=1)[:, -self.beam :]
        else:
            kept = np.broadcast_to(np.arange(flat.shape[1]), flat.shape)
        parents, labels = np.divmod(kept, c)
        codes = np.take_along_axis(rests, parents, 1) * c + labels
        order = np.argsort(codes % self._rest(t + 1), axis=1, kind="stable")
        codes, parents, kept = (np.take_along_axis(a, order, 1) for a in (codes, parents, kept))
        rest = codes % self._rest(t + 1)
        sets = np.zeros_like(codes)
        np.cumsum(rest[:, 1:] != rest[:, :-1], axis=1, out=sets[:, 1:])
        scores = np.take_along_axis(flat, kept, 1)
        scale = scores.max(axis=1)
        return _Column(codes, scores - scale[:, None], sets, parents, scale)

    def _rest(self, n_before: int) -> int:
        # Until a context is full, nothing is dropped.
        return self.tr.n_states if n_before < self.tr.depth else self.tr.n_states // self.n_labels


def _groups(lengths: Indices, n_labels: int, beam: int) -> Iterator[tuple[Indices, Indices, Indices]]:
    """Yield sequences, the longest first, as (numbers, starts, sizes)."""
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]
    at = 0
    while at < len(order):
        width = min(STEP_NUMBERS // (beam * n_labels), KEPT_NUMBERS // (beam * int(lengths[order[at]])))
        chosen = order[at : at + max(width, 1)]
        yield chosen, starts[chosen], lengths[chosen]
        at += len(chosen)


def viterbi(scores: Array, lengths: Indices, transitions: Transitions, beam: int) -> Indices:
    """Return the best labels (T,) among the paths in the beam."""
    labels = np.empty(len(scores), dtype=np.int64)
    for _, start, size in _groups(lengths, transitions.n_labels, beam):
        lattice = _Lattice(scores, start, size, transitions, beam, np.maximum)
        at = np.zeros(len(start), dtype=np.int64)
        running = 0
        for t in range(int(size[0]) - 1, -1, -1):
            column, n = lattice.columns[t], len(lattice.columns[t].codes)
            at[running:n] = column.scores[running:n].argmax(axis=1)
            running, each = n, np.arange(n)
            newest = column.codes[each, at[:n]] % lattice.n_labels
            labels[start[:n] + t] = newest
            before = lattice.columns[t - 1] if t else lattice.entry
            steps = np.take_along_axis(lattice.rows(t, before, n), newest[:, None, None], 2)[:, :, 0]
            same = before.sets[:n] == column.parents[each, at[:n]][:, None]
            at[:n] = np.where(same, before.scores[:n] + steps, -np.inf).argmax(axis=1)
    return labels


def forward_backward(scores: Array, lengths: Indices, transitions: Transitions, beam: int) -> tuple[Array, Array]:
    """Return the posteriors (T, C) and the log-likelihood of each sequence, from the paths in the beam."""
    marginals = np.empty_like(scores)
    log_likelihood = np.zeros(len(lengths))
    for numbers, start, size in _groups(lengths, transitions.n_labels, beam):
        lattice = _Lattice(scores, start, size, transitions, beam, np.logaddexp)
        c, backward = lattice.n_labels, np.zeros((0, 0))
        for t in range(int(size[0]) - 1, -1, -1):
            column = lattice.columns[t]
            n = len(column.codes)
            state = np.zeros(column.codes.shape)
            if len(backward):
                state[: len(backward)] = backward
            newest = column.codes % c
            both = column.scores + state
            weights = np.exp(both - both.max(axis=1, keepdims=True))
            cells = (np.arange(n)[:, None] * c + newest).ravel()
            found = np.bincount(cells, weights.ravel(), n * c).reshape(n, c)
            marginals[start[:n] + t] = found / found.sum(axis=1, keepdims=True)
            ended = len(backward)
            final = column.scores[ended:]
            log_likelihood[numbers[ended:n]] += np.log(np.exp(final).sum(axis=1))
            log_likelihood[numbers[:n]] += column.scale
            if t:
                state += np.take_along_axis(lattice.evidence(t, n), newest, 1)
                backward = _back(lattice, t, lattice.columns[t - 1], column, state)
    return marginals, log_likelihood


def _back(lattice: _Lattice, t: int, before: _Column, column: _Column, state: Array) -> Array:
    """Return the backward state of ``before`` for the sequences that reach position t."""
    n, c = len(state), lattice.n_labels
    met = np.full((n, int(before.sets[:n].max()) + 1, c), -np.inf)
    met[np.arange(n)[:, None], column.parents, column.codes % c] = state
    ahead = lattice.rows(t, before, n) + np.take_along_axis(met, before.sets[:n, :, None], 1)
    top = ahead.max(axis=2)
    top[top == -np.inf] = 0  # a state none of whose children were kept
    with np.errstate(divide="ignore"):
        back: Array = top + np.log(np.exp(ahead - top[:, :, None]).sum(axis=2))
    back -= back.max(axis=1, keepdims=True)
    return back
