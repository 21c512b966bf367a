"""The best way to read atoms of ink as letters: each letter a run of neighbouring atoms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.codebook import Lexicon

MOST_ATOMS = 5  # in one letter
_WIDEST_JOIN = 2.0  # in x-heights: no broken letter is wider
_WIDEST_GAP = 0.35
_TOUCH = 2.0  # nats for parting ink that hangs together
_SEAM = 8.0  # nats for each x-height of ink cut through
_STRANGE = 20.0  # nats for each x-height of a shape that the lexicon does not have
_STRANGE_WHOLE = 16.0  # and of one that hangs together and stands apart
_BREAK = 0.5  # nats for joining ink that lies apart
_GAP = 8.0  # nats for each x-height of paper joined over


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of atoms that may be letters.

    Attributes
    ----------
    first, last : arrays of shape (n,)
        Their first and last atom, sorted by the last.
    joins, paper : arrays of shape (n,)
        Breaks that the run joins, and the paper between them in x-heights.
    cuts, seam : arrays of shape (n,)
        1 where the run begins at a cut, and the ink in x-heights that it goes through.
    boxes : array of shape (n, 4)
    is_whole : array of shape (n,)
        Whether the run is one letter as the ink hangs together.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    joins: NDArray[np.float64]
    paper: NDArray[np.float64]
    cuts: NDArray[np.float64]
    seam: NDArray[np.float64]
    boxes: NDArray[np.int64]
    is_whole: NDArray[np.bool_]


def list_runs(
    boxes: NDArray[np.int64],
    gaps: NDArray[np.float64],
    letter: NDArray[np.int64],
    seam: NDArray[np.float64],
    x_height: float,
) -> Runs:
    """All runs of atoms narrow enough for a letter.

    Parameters
    ----------
    boxes : array of shape (n, 4)
        Of the atoms in reading order.
    gaps : array of shape (n - 1,)
        Paper between each atom and the next, in x-heights.
    letter : array of shape (n,)
        Atoms with the same number hang together.
    seam : array of shape (n,)
        Ink in x-heights on the cut at an atom's left edge.
    """
    n = len(boxes)
    together = letter[1:] == letter[:-1]
    may_join = together | (gaps < _WIDEST_GAP)
    breaks_before = np.concatenate([[0], np.cumsum(~together)])
    paper_before = np.concatenate([[0.0], np.cumsum(np.where(together, 0.0, np.maximum(gaps, 0.0)))])
    is_cut = np.concatenate([[False], together])
    firsts, lasts, unions = [], [], []
    alive = np.arange(n)
    union = boxes.copy()
    for length in range(MOST_ATOMS):
        firsts.append(alive)
        lasts.append(alive + length)
        unions.append(union)
        alive_next = alive + length + 1 < n
        alive_next[alive_next] &= may_join[alive[alive_next] + length]
        alive, union = alive[alive_next], union[alive_next].copy()
        other = boxes[alive + length + 1]
        union[:, :2] = np.minimum(union[:, :2], other[:, :2])
        union[:, 2:] = np.maximum(union[:, 2:], other[:, 2:])
        narrow = (union[:, 2] - union[:, 0] <= _WIDEST_JOIN * x_height) | (letter[alive] == letter[alive + length + 1])
        alive, union = alive[narrow], union[narrow]
    starts = np.flatnonzero(np.concatenate([[True], ~together]))
    stops = np.append(starts[1:], n) - 1
    long = stops - starts >= MOST_ATOMS
    firsts.append(starts[long])
    lasts.append(stops[long])
    unions.append(
        np.array([_union(boxes[i : j + 1]) for i, j in zip(starts[long], stops[long], strict=True)]).reshape(-1, 4)
    )
    first, last, union = np.concatenate(firsts), np.concatenate(lasts), np.concatenate(unions)
    order = np.argsort(last, kind="stable")
    first, last, union = first[order], last[order], union[order]
    joins = (breaks_before[last] - breaks_before[first]).astype(np.float64)
    paper = paper_before[last] - paper_before[first]
    cuts = is_cut[first].astype(np.float64)
    begins = np.concatenate([[True], ~together])
    ends = np.concatenate([~together, [True]])
    is_whole = begins[first] & ends[last] & (letter[first] == letter[last])
    return Runs(first, last, joins, paper, cuts, np.where(is_cut, seam, 0.0)[first], union, is_whole)


def _union(boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([boxes[:, :2].min(0), boxes[:, 2:].max(0)])


def best_path(runs: Runs, cost: NDArray[np.floating], n_atoms: int) -> NDArray[np.int64]:
    """Numbers of the runs that cover all atoms at least cost, from left to right."""
    best = [0.0] + [np.inf] * n_atoms
    choice = [-1] * (n_atoms + 1)
    for k, (first, last, price) in enumerate(zip(runs.first.tolist(), runs.last.tolist(), cost.tolist(), strict=True)):
        total = best[first] + price
        if total < best[last + 1]:
            best[last + 1], choice[last + 1] = total, k
    path = []
    at = n_atoms
    while at > 0:
        path.append(choice[at])
        at = int(runs.first[choice[at]])
    return np.array(path[::-1], dtype=np.int64)


def choose_runs(
    runs: Runs, vectors: NDArray[np.float32], lexicon: Lexicon | None, n_atoms: int, x_height: float
) -> NDArray[np.int64]:
    """The letters of a line: by the lexicon, or as the ink hangs together where there is none."""
    if lexicon is None:
        return np.flatnonzero(runs.is_whole)
    penalty = _BREAK * runs.joins + _GAP * runs.paper + _TOUCH * runs.cuts + _SEAM * runs.seam
    width = (runs.boxes[:, 2] - runs.boxes[:, 0]) / x_height
    strange = np.where(runs.is_whole, _STRANGE_WHOLE, _STRANGE) * width
    return best_path(runs, np.minimum(lexicon.surprise(vectors)[0], strange) + penalty, n_atoms)
