"""Stretches of sequences that are decoded side by side, in groups that fit in memory.

A sequence is one window. Where nothing is lost that a beam would not lose, a long sequence is cut into several, each
of which also walks `RUN_UP` positions of its neighbours and leaves what it finds there to them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LONGEST = 512  # sequences up to here stay whole
RUN_UP = 64
KEPT_NUMBERS = 2**24  # transitions for one group before any is passed over; a small part of them is kept
STEP_NUMBERS = 2**18  # transitions in one step of a group, before any is passed over

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Windows:
    """Positions ``start`` to ``stop`` of a sequence, of which ``own`` to ``end`` are no other window's."""

    start: Indices
    stop: Indices
    own: Indices
    end: Indices
    sequence: Indices

    @classmethod
    def cut(cls, lengths: Indices, longest: int) -> "Windows":
        """Cut sequences longer than ``longest`` in equal parts and let these overlap; drop the empty ones."""
        parts = -(-lengths // longest)
        sequence = np.repeat(np.arange(len(lengths)), parts)
        rank = np.arange(len(sequence)) - np.repeat(np.cumsum(parts) - parts, parts)
        first = np.repeat(np.cumsum(lengths) - lengths, parts)
        many, whole = np.repeat(parts, parts), np.repeat(lengths, parts)
        own, end = first + whole * rank // many, first + whole * (rank + 1) // many
        start, stop = np.maximum(own - RUN_UP, first), np.minimum(end + RUN_UP, first + whole)
        return cls(start, stop, own, end, sequence)

    def take(self, chosen: Indices) -> "Windows":
        """Return some of the windows."""
        return Windows(*(a[chosen] for a in (self.start, self.stop, self.own, self.end, self.sequence)))

    def groups(self, cost: Array, most: int) -> Iterator["Windows"]:
        """Yield groups of at most ``most``, the longest windows first; ``cost`` is the transitions to each position."""
        total = np.append(0.0, np.cumsum(cost))
        kept = total[self.stop] - total[self.start]
        size = self.stop - self.start
        order = np.argsort(-size, kind="stable")
        share = np.maximum(kept / KEPT_NUMBERS, kept / size / STEP_NUMBERS)[order].tolist()
        at, filled = 0, 0.0
        for here, one in enumerate(share):
            if here > at and (filled + one > 1 or here - at == most):
                yield self.take(order[at:here])
                at, filled = here, 0.0
            filled += one
        if len(order):
            yield self.take(order[at:])

    @property
    def running(self) -> list[int]:
        """How many windows have a position t, for t from 0; the longest stand first."""
        size = self.stop - self.start
        return [int(n) for n in np.searchsorted(-size, -np.arange(size[0]))]

    def owned(self, positions: Indices) -> NDArray[np.bool_]:
        """Return which of the first windows own the position each of them stands at."""
        n = len(positions)
        owned: NDArray[np.bool_] = (positions >= self.own[:n]) & (positions < self.end[:n])
        return owned
