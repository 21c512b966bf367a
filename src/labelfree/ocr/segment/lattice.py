"""The best way to read atoms of ink as letters: each letter an edge of a lattice, a run of neighbouring atoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings

MOST_ATOMS = 5  # in one letter


@dataclass(frozen=True, eq=False)
class Lattice:
    """Runs of atoms that may be letters: n edges from the first atom to the last."""

    n_atoms: int
    first: NDArray[np.int64]  # (n,), first atom of each edge
    last: NDArray[np.int64]  # (n,), last atom of each edge, in ascending order
    boxes: NDArray[np.int64]  # (n, 4)
    is_whole: NDArray[np.bool_]  # (n,), whether the edge is one letter as the ink hangs together
    penalty: NDArray[np.float64]  # (n,), nats for the ink that it cuts through and the paper that it joins over
    most: NDArray[np.float64]  # (n,), nats that it costs where the codebook has no such shape

    @classmethod
    def joined(cls, parts: Sequence[Lattice]) -> Lattice:
        """Several lattices, one after the other."""
        offsets = np.cumsum([0] + [part.n_atoms for part in parts])
        first, last = (
            np.concatenate([getattr(part, name) + offset for part, offset in zip(parts, offsets[:-1], strict=True)])
            for name in ("first", "last")
        )
        rest = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("boxes", "is_whole", "penalty", "most")
        )
        return cls(int(offsets[-1]), first, last, *rest)

    def best_path(self, shape_cost: NDArray[np.floating] | None = None) -> NDArray[np.int64]:
        """Numbers of the edges that cover all atoms at least cost, in order.

        Without the cost of each edge's shape as one letter, in nats, letters are as the ink hangs together.
        """
        if shape_cost is None:
            return np.flatnonzero(self.is_whole)
        cost = np.minimum(shape_cost, self.most) + self.penalty
        best = [0.0] + [np.inf] * self.n_atoms
        choice = [-1] * (self.n_atoms + 1)
        firsts, lasts = self.first.tolist(), self.last.tolist()
        for k, (first, last, price) in enumerate(zip(firsts, lasts, cost.tolist(), strict=True)):
            total = best[first] + price
            if total < best[last + 1]:
                best[last + 1], choice[last + 1] = total, k
        path = []
        at = self.n_atoms
        while at > 0:
            path.append(choice[at])
            at = firsts[choice[at]]
        return np.array(path[::-1], dtype=np.int64)


def build_lattice(
    boxes: NDArray[np.int64],
    gaps: NDArray[np.float64],
    letter: NDArray[np.int64],
    seam: NDArray[np.float64],
    x_height: float,
    settings: SegmentSettings = DEFAULT,
) -> Lattice:
    """All runs of atoms, given in reading order, that are narrow enough for a letter.

    `gaps` has the paper between each atom and the next, atoms with the same `letter` hang together, and `seam` has the
    ink on the cut at each atom's left edge; gaps and seams are in x-heights, boxes and `x_height` in pixels.
    """
    n = len(boxes)
    together = letter[1:] == letter[:-1]
    may_join = together | (gaps < settings.gap)
    breaks_before = np.concatenate([[0], np.cumsum(~together)])
    paper_before = np.concatenate([[0.0], np.cumsum(np.where(together, 0.0, np.maximum(gaps, 0.0)))])
    begins, ends = np.concatenate([[True], ~together]), np.concatenate([~together, [True]])
    firsts, lasts, unions = [], [], []
    alive, union = np.arange(n), boxes
    for length in range(MOST_ATOMS):
        firsts.append(alive)
        lasts.append(alive + length)
        unions.append(union)
        goes_on = alive + length + 1 < n
        goes_on[goes_on] &= may_join[alive[goes_on] + length]
        alive = alive[goes_on]
        union = _union(union[goes_on], boxes[alive + length + 1])
        is_narrow = union[:, 2] - union[:, 0] <= settings.widest * x_height
        is_narrow |= letter[alive] == letter[alive + length + 1]
        alive, union = alive[is_narrow], union[is_narrow]
    starts, stops = np.flatnonzero(begins), np.flatnonzero(ends)
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        if stop - start >= MOST_ATOMS:  # ink that hangs together is always one of the ways to read it
            firsts.append(np.array([start]))
            lasts.append(np.array([stop]))
            own = boxes[start : stop + 1]
            unions.append(np.concatenate([own[:, :2].min(0), own[:, 2:].max(0)])[None])
    first, last, union = np.concatenate(firsts), np.concatenate(lasts), np.concatenate(unions)
    order = np.argsort(last, kind="stable")
    first, last, union = first[order], last[order], union[order]
    joins = breaks_before[last] - breaks_before[first]
    paper = paper_before[last] - paper_before[first]
    parting = np.where(begins, 0.0, settings.touch + settings.seam * seam)[first]
    penalty = settings.broken * joins + settings.seam * paper + parting
    is_whole = begins[first] & ends[last] & (letter[first] == letter[last])
    width = (union[:, 2] - union[:, 0]) / x_height
    most = np.where(is_whole, settings.whole, settings.strange) * width
    return Lattice(n, first, last, union, is_whole, penalty, most)


def _union(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Boxes around both of each pair of boxes."""
    return np.concatenate([np.minimum(one[:, :2], other[:, :2]), np.maximum(one[:, 2:], other[:, 2:])], axis=1)
