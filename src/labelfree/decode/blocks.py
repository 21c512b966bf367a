"""Long sequences as blocks that run side by side, each handed what its neighbour computed: fast, and still exact.

A recursion over one long sequence is a chain of tiny steps. Cut in blocks, all blocks step together once the vector
that enters each is known. It is first guessed from a short run-up through the neighbour, then compared with what the
neighbour really hands over, and every block whose guess was off runs again from the true vector. Both recursions
here, sums of products and maxima of sums, never move two vectors further apart in Hilbert's projective metric, so a
guess within `TOLERANCE` at the border is within `TOLERANCE` all through the block.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

LONGEST = 1024  # sequences up to here stay whole; longer ones are cut to between half of this and this
RUN_UP = 64
TOLERANCE = 1e-9

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Blocks:
    """Stretches of positions, in order: where each starts and stops, its sequence, and whether it opens or ends it."""

    start: Indices
    stop: Indices
    sequence: Indices
    opens: NDArray[np.bool_]
    ends: NDArray[np.bool_]

    @classmethod
    def cut(cls, lengths: Indices, longest: int = LONGEST) -> "Blocks":
        """Cut sequences longer than ``longest`` in equal parts of at least half of it; drop the empty ones."""
        parts = np.where(lengths <= longest, lengths > 0, lengths // max(longest // 2, 1))
        sequence = np.repeat(np.arange(len(lengths)), parts)
        rank = np.arange(len(sequence)) - np.repeat(np.cumsum(parts) - parts, parts)
        offset = np.repeat(np.cumsum(lengths) - lengths, parts)
        many, whole = np.repeat(parts, parts), np.repeat(lengths, parts)
        start, stop = offset + whole * rank // many, offset + whole * (rank + 1) // many
        return cls(start, stop, sequence, rank == 0, rank == many - 1)

    def groups(self, chosen: Indices, columns: Callable[[int], int]) -> Iterator["Group"]:
        """Yield ``chosen`` in groups of at most ``columns(longest)`` blocks: later blocks, then opening ones."""
        for opens in (False, True):
            part = chosen[self.opens[chosen] == opens]
            sizes = (self.stop[part] - self.start[part]).tolist()
            at = 0
            while at < len(part):
                end, longest = at + 1, sizes[at]
                while end < len(part) and end - at < columns(max(longest, sizes[end])):
                    longest = max(longest, sizes[end])
                    end += 1
                yield self.group(part[at:end])
                at = end

    def group(self, members: Indices) -> "Group":
        """Return the blocks ``members``, all of one kind, as a group."""
        size = self.stop[members] - self.start[members]
        order = np.argsort(-size, kind="stable")
        return Group(members[order], self.start[members][order], size[order], bool(self.opens[members[0]]))


@dataclass(frozen=True)
class Group:
    """Blocks that step together, the longest first, so that those still running are always the first columns."""

    members: Indices
    start: Indices
    size: Indices
    opens: bool

    @property
    def running(self) -> list[int]:
        """How many blocks have a position t, for t from 0."""
        return [int(n) for n in np.searchsorted(-self.size, -np.arange(self.size[0]))]

    def gather(self, rows: Tensor) -> Tensor:
        """Return (t, C, b) from rows (T, C); past its end a block repeats its last row, which nobody reads."""
        step = np.minimum(np.arange(self.size[0])[:, None], self.size - 1)
        return rows[torch.from_numpy(self.start + step)].transpose(1, 2).contiguous()

    def only(self, first: bool, n_steps: int) -> "Group":
        """Return the group cut down to the first or the last ``n_steps`` positions of each block, as a later part."""
        size = np.minimum(self.size, n_steps)
        start = self.start if first else self.start + self.size - size
        return Group(self.members, start, size, self.opens and first)


def settle(
    blocks: Blocks,
    step: int,
    run: Callable[["Group", Tensor], Tensor],
    apart: Callable[[Tensor, Tensor], Tensor],
    borders: Tensor,
    columns: int,
) -> None:
    """Replace ``borders`` (states, blocks), flat on entry, with what each block receives from the one before it.

    ``step`` is 1 where the block before is the earlier one, -1 where it is the later one. ``run(group, received)``
    gives what a group hands on, ``apart(a, b)`` which columns of two results differ by more than the tolerance.
    """
    is_source = ~(blocks.ends if step == 1 else blocks.opens)
    chosen = np.flatnonzero(is_source)
    handed = borders.clone()
    for group in blocks.groups(chosen, lambda _: columns):
        run_up = group.only(step == -1, RUN_UP)
        borders[:, group.members + step] = run(run_up, handed[:, group.members])
    stale = is_source.copy()
    while len(chosen):
        for group in blocks.groups(chosen, lambda _: columns):
            handed[:, group.members] = run(group, borders[:, group.members])
        after = chosen + step
        off = apart(handed[:, chosen], borders[:, after]).numpy()
        borders[:, after[off]] = handed[:, chosen[off]]
        stale[chosen] = False
        stale[after[off]] = is_source[after[off]]
        # Of each sequence only the first block that is off runs again: those behind it may come right by that.
        waiting = np.flatnonzero(stale)[::step]
        chosen = waiting[np.unique(blocks.sequence[waiting], return_index=True)[1]]
