"""Exact decoding over all states: every context of order - 1 labels is kept at every position.

A state is ``(i, r, k)`` read as the oldest label, those between, the newest; a step drops the oldest label:

    forward    a'[r, k] = sum_i a[i, r] A[i, r, k] x e[k]        Viterbi  d'[r, k] = max_i (d[i, r] + A[i, r, k]) + e[k]
    backward   b[i, r] = sum_k A[i, r, k] e'[k] b'[r, k]

Sums run in probabilities, scaled at every step, as one batched matrix product; maxima in logs. The batch is the last
axis. The first positions, whose context is shorter, name label 0 where no label is, and have tables of their own.
The steps are small, so they run on one thread: more threads gain little and wait long for each other when another
process holds a core.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from labelfree.decode.blocks import TOLERANCE, Blocks, Group, settle
from labelfree.decode.transitions import Transitions
from labelfree.workers import one_thread

MAX_STATES = 4096
KEPT_NUMBERS = 2**24  # float64 numbers held for one group of blocks (128 MB)
COLUMNS = 64  # blocks side by side: enough to fill vector units, few enough to stay in cache
SAFE_RANGE = 300.0  # see `fits_probabilities`

Array = NDArray[np.float64]


def fits_probabilities(transitions: Transitions) -> bool:
    """Whether float64 holds sums of products exactly enough whatever the likelihoods are.

    A label or state can gain on another through at most ``order`` factors of the model. While these together stay
    below ``SAFE_RANGE`` nats, what underflows (beyond 700 nats) could never have mattered.
    """
    return _range(transitions) < SAFE_RANGE


def _range(transitions: Transitions) -> float:
    tables = [transitions.table(n) for n in range(transitions.depth + 1)]
    factor = max(t.max() for t in tables) - min(t.min() for t in tables)
    return float(factor * (transitions.depth + 1))


class _Recursion:
    """What sums and maxima share: tables for the start of a sequence, and the walk along a group of blocks."""

    def __init__(self, transitions: Transitions) -> None:
        self.n_labels, self.depth = transitions.n_labels, transitions.depth
        self.n_states, self.n_between = transitions.n_states, transitions.n_states // transitions.n_labels
        shape = self.n_labels, self.n_between, self.n_labels
        self.logs = [torch.from_numpy(transitions.table(n)).view(shape) for n in range(self.depth + 1)]

    def n_before(self, group: Group, t: int) -> int:
        return min(t, self.depth) if group.opens else self.depth

    def columns(self, longest: int) -> int:
        return min(COLUMNS, max(1, KEPT_NUMBERS // (self.n_states * longest)))

    def step(self, n_before: int, state: Tensor, evidence: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, group: Group, evidence: Tensor, received: Tensor, kept: Tensor | None = None) -> Tensor:
        """Return the state at the end of each block; write every state into ``kept`` (t, states, b) if given."""
        gathered, state = group.gather(evidence), received.clone()
        for t, n in enumerate(group.running):
            state[:, :n] = self.step(self.n_before(group, t), state[:, :n], gathered[t, :, :n])
            if kept is not None:
                kept[t, :, :n] = state[:, :n]
        return state


class _Maxima(_Recursion):
    """Max-plus on logs; each state is kept relative to the best one."""

    def step(self, n_before: int, state: Tensor, evidence: Tensor) -> Tensor:
        table = self.logs[n_before].unsqueeze(-1)
        old = state.reshape(self.n_labels, self.n_between, 1, -1)
        best = old[0] + table[0]
        trial = torch.empty_like(best)
        for i in range(1, self.n_labels):
            torch.maximum(best, torch.add(old[i], table[i], out=trial), out=best)
        flat = best.add_(evidence).view(self.n_states, -1)
        return flat.sub_(flat.amax(0))

    @staticmethod
    def apart(a: Tensor, b: Tensor) -> Tensor:
        gap = torch.where(a == b, 0.0, a - b)  # -inf in both is no gap
        return (gap.amax(0) - gap.amin(0)).gt(TOLERANCE)


@one_thread()
def viterbi(scores: Array, lengths: NDArray[np.int64], transitions: Transitions) -> NDArray[np.int64]:
    """Return the best labels (T,)."""
    rule, evidence, blocks = _Maxima(transitions), torch.from_numpy(scores), Blocks.cut(lengths)
    entries = torch.zeros(rule.n_states, len(blocks.start), dtype=torch.float64)
    settle(blocks, 1, lambda group, got: rule.forward(group, evidence, got), rule.apart, entries, COLUMNS)
    entries[:, blocks.opens] = -torch.inf
    entries[0, blocks.opens] = 0
    labels = np.empty(len(scores), dtype=np.int64)
    left_at = np.empty(len(blocks.start) + 1, dtype=np.int64)  # the state each block was entered from
    for group in blocks.groups(_last_first(blocks), rule.columns):
        kept = torch.empty(int(group.size[0]), rule.n_states, len(group.members), dtype=torch.float64)
        rule.forward(group, evidence, entries[:, group.members], kept)
        for column in np.argsort(-group.members):
            block, size = group.members[column], group.size[column]
            end = int(kept[size - 1, :, column].argmax()) if blocks.ends[block] else int(left_at[block + 1])
            path = labels[blocks.start[block] : blocks.stop[block]]
            left_at[block] = _trace(rule, group, kept, entries[:, block], int(column), end, path)
    return labels


def _last_first(blocks: Blocks) -> NDArray[np.int64]:
    # A block is traced back after the one that follows it; whole sequences go by length, to pack well.
    size = blocks.stop - blocks.start
    return np.lexsort((-np.arange(len(size)), np.where(blocks.opens, -size, 0), blocks.opens))


def _trace(
    rule: _Maxima, group: Group, kept: Tensor, entry: Tensor, column: int, end: int, path: NDArray[np.int64]
) -> int:
    # Only along the best path is it ever asked which oldest label won, so that is worked out here, not kept.
    c, r = rule.n_labels, rule.n_between
    states = kept.numpy().reshape(len(kept), c, r, -1)
    tables = [table.numpy() for table in rule.logs]
    before = entry.numpy().reshape(c, r)
    for t in range(len(path) - 1, -1, -1):
        between, newest = divmod(end, c)
        path[t] = newest
        old = states[t - 1, :, between, column] if t else before[:, between]
        oldest = int((old + tables[rule.n_before(group, t)][:, between, newest]).argmax())
        end = oldest * r + between
    return end


class _Sums(_Recursion):
    """Sums of products on probabilities; a forward state sums to 1, a backward one has 1 as its largest."""

    def __init__(self, transitions: Transitions) -> None:
        super().__init__(transitions)
        self.down = [table.exp().permute(1, 2, 0).contiguous() for table in self.logs]  # (r, k, i)
        self.up = [table.exp().permute(1, 0, 2).contiguous() for table in self.logs]  # (r, i, k)
        self.floor = TOLERANCE * 1e-3 * np.exp(-_range(transitions)) / self.n_states

    def weigh(self, n_before: int, state: Tensor, evidence: Tensor) -> Tensor:
        old = state.reshape(self.n_labels, self.n_between, -1).transpose(0, 1)
        return torch.bmm(self.down[n_before], old).mul_(evidence).view(self.n_states, -1)

    def step(self, n_before: int, state: Tensor, evidence: Tensor) -> Tensor:
        new = self.weigh(n_before, state, evidence)
        return new.div_(new.sum(0))

    def back(self, n_before: int, state: Tensor, evidence: Tensor) -> Tensor:
        new = state.reshape(self.n_between, self.n_labels, -1) * evidence
        old = torch.bmm(self.up[n_before], new).transpose(0, 1).reshape(self.n_states, -1)
        return torch.div(old, old.amax(0))

    def backward(self, group: Group, evidence: Tensor, received: Tensor) -> Tensor:
        """Return the backward state handed to the block before."""
        gathered, state = group.gather(evidence), received.clone()
        for t, n in reversed(list(enumerate(group.running))):
            state[:, :n] = self.back(self.n_before(group, t), state[:, :n], gathered[t, :, :n])
        return state

    def apart(self, a: Tensor, b: Tensor) -> Tensor:
        larger = torch.maximum(a, b)  # below the floor a state cannot come to matter
        differ: Tensor = ((a - b).abs() > TOLERANCE * larger) & (larger > self.floor)
        return torch.any(differ, dim=0)


@one_thread()
def forward_backward(scores: Array, lengths: NDArray[np.int64], transitions: Transitions) -> tuple[Array, Array]:
    """Return the posteriors (T, C) and the log-likelihood of each sequence."""
    best = scores.max(axis=1, keepdims=True)
    rule, evidence, blocks = _Sums(transitions), torch.from_numpy(np.exp(scores - best)), Blocks.cut(lengths)
    entries = torch.full((rule.n_states, len(blocks.start)), 1.0 / rule.n_states, dtype=torch.float64)
    exits = torch.ones_like(entries)
    settle(blocks, 1, lambda group, got: rule.forward(group, evidence, got), rule.apart, entries, COLUMNS)
    settle(blocks, -1, lambda group, got: rule.backward(group, evidence, got), rule.apart, exits, COLUMNS)
    entries[:, blocks.opens] = 0
    entries[0, blocks.opens] = 1
    marginals = torch.empty(evidence.shape, dtype=torch.float64)
    totals = np.zeros(len(blocks.start))
    for group in blocks.groups(_last_first(blocks), rule.columns):
        totals[group.members] = _marginals(rule, group, evidence, entries, exits, marginals)
    n_sequences, of_position = len(lengths), np.repeat(np.arange(len(lengths)), lengths)
    scaled = np.bincount(blocks.sequence, totals, n_sequences)
    shifts = np.bincount(of_position, best[:, 0], n_sequences)
    return marginals.numpy(), (scaled + shifts).astype(np.float64)


def _marginals(rule: _Sums, group: Group, evidence: Tensor, entries: Tensor, exits: Tensor, marginals: Tensor) -> Array:
    gathered, running = group.gather(evidence), group.running
    state = entries[:, group.members]
    kept = torch.empty(len(running), *state.shape, dtype=torch.float64)
    shares = torch.ones(len(running), state.shape[1], dtype=torch.float64)
    for t, n in enumerate(running):
        state = rule.weigh(rule.n_before(group, t), state[:, :n], gathered[t, :, :n])
        shares[t, :n] = state.sum(0)
        kept[t, :, :n] = state.div_(shares[t, :n])
    start = torch.from_numpy(group.start)
    state = exits[:, group.members]
    for t, n in reversed(list(enumerate(running))):
        both = (kept[t, :, :n] * state[:, :n]).view(rule.n_between, rule.n_labels, n).sum(0)
        marginals[start[:n] + t] = both.div_(both.sum(0)).T
        state[:, :n] = rule.back(rule.n_before(group, t), state[:, :n], gathered[t, :, :n])
    return shares.log_().sum(0).numpy()
