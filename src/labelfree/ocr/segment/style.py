"""What the lines of a book have in common, so that short lines borrow strength from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import RowProfiles
from labelfree.ocr.segment.codebook import Codebook, Matches, learn_codebook
from labelfree.ocr.segment.lattice import MOST_ATOMS, Lattice
from labelfree.ocr.segment.letters import find_atoms, letters_of
from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings
from labelfree.ocr.segment.spaces import GapModel, fit_gaps

Line = TypeVar("Line")

_SAMPLE_LINES = 400
_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class BookStyle:
    """Measures of a book's type."""

    x_height: float  # median over the lines, in pixels
    gaps: GapModel = field(default_factory=GapModel)  # paper within and between words
    codebook: Codebook | None = None  # None where the book has too few letters to tell
    settings: SegmentSettings = DEFAULT  # by which its lines are cut


def measure_book(lines: Sequence[NDArray[np.floating]], settings: SegmentSettings = DEFAULT) -> BookStyle | None:
    """Measure the type of a book on its lines, or give None where they bear no ink."""
    inked = [line >= 0.5 for line in sample_of([line for line in lines if line.max(initial=0) >= 0.5])]
    if not inked:
        return None
    profiles = [RowProfiles.of(strokes, settings) for strokes in inked]
    x_height = float(np.median([found.band(None).x_height for found in profiles]))
    found = [find_atoms(line, own.band(x_height), settings) for line, own in zip(inked, profiles, strict=True)]
    atoms = [each for each in found if each is not None]
    if not atoms:
        return BookStyle(x_height, settings=settings)
    lattice = Lattice.joined([each.lattice for each in atoms])
    codebook, path = _learn(lattice, np.concatenate([each.shapes for each in atoms]), settings)
    n_edges = np.cumsum([0] + [len(each.shapes) for each in atoms])
    own = np.split(path, np.searchsorted(path, n_edges[1:-1]))
    letters = [letters_of(each, chosen - start) for each, chosen, start in zip(atoms, own, n_edges[:-1], strict=True)]
    gaps = np.concatenate([each.gaps[~each.is_stop[1:]] for each in letters])
    return BookStyle(x_height, fit_gaps(gaps, settings), codebook, settings)


def sample_of(lines: Sequence[Line]) -> list[Line]:
    """Lines from all over a book, as many as tell what its type is like."""
    chosen = np.linspace(0, len(lines) - 1, _SAMPLE_LINES if lines else 0).astype(np.int64)
    return [lines[i] for i in np.unique(chosen)]


def _learn(
    lattice: Lattice, shapes: NDArray[np.float32], settings: SegmentSettings
) -> tuple[Codebook | None, NDArray[np.int64]]:
    """Shapes of whole ink first, then of what they make of the book, and so on; and the letters in the end."""
    path = lattice.best_path()
    codebook: Codebook | None = None
    for turn in range(_ROUNDS):
        codebook = learn_codebook(shapes[path], settings)
        if codebook is None:
            return None, path
        matches = codebook.match(shapes)
        if turn:  # broken letters are joined by then, and their halves rare
            kept = ~_are_compounds(codebook, lattice, matches, path)
            if kept.any() and not kept.all():
                codebook = replace(codebook, shapes=codebook.shapes[kept], log_share=codebook.log_share[kept])
                matches = _matched_again(codebook, matches, shapes, kept)
        path = lattice.best_path(matches.cost)
    return codebook, path


def _matched_again(
    codebook: Codebook, matches: Matches, shapes: NDArray[np.float32], kept: NDArray[np.bool_]
) -> Matches:
    """The matches once some shapes are gone: only what they matched is matched anew."""
    lost = np.flatnonzero(~kept[matches.shape])
    anew = codebook.match(shapes[lost])
    shape, distance, cost = (np.cumsum(kept) - 1)[matches.shape], matches.distance.copy(), matches.cost.copy()
    shape[lost], distance[lost], cost[lost] = anew.shape, anew.distance, anew.cost
    return Matches(shape, distance, cost)


def _are_compounds(
    codebook: Codebook, lattice: Lattice, matches: Matches, letters: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which shapes are two letters that touch so often that they look like one.

    Both halves of such a pair are letters of their own, each seen more often than the whole. Halves of ``m`` are no
    letters, but for the few that are broken. `matches` has the shape of every edge; `letters` are edges, too.
    """
    n_shapes = len(codebook.shapes)
    counts = np.bincount(matches.shape[letters], minlength=n_shapes)
    kin = codebook.kin(counts)
    fits = matches.distance < codebook.settings.fits * codebook.spread
    whole, left, right = _halves(lattice, matches, fits, letters)
    is_pair = (kin[left] > kin[whole]) & (kin[right] > kin[whole])
    are: NDArray[np.bool_] = np.bincount(whole[is_pair], minlength=n_shapes) > counts / 2
    return are


def _halves(
    lattice: Lattice, matches: Matches, fits: NDArray[np.bool_], letters: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Shapes of the letters of several atoms that can be two letters, and of their likeliest halves: (3, n)."""
    edge_of = np.full((lattice.n_atoms + 1, MOST_ATOMS + 1), -1)  # by first atom and number of atoms
    length = lattice.last - lattice.first + 1
    is_short = length <= MOST_ATOMS
    edge_of[lattice.first[is_short], length[is_short]] = np.flatnonzero(is_short)
    letters = letters[(length[letters] > 1) & (length[letters] <= 2 * MOST_ATOMS)]
    first, length = lattice.first[letters], length[letters]
    best = np.full(len(letters), np.inf)
    halves = np.zeros((2, len(letters)), np.int64)
    for n_left in range(1, MOST_ATOMS + 1):
        n_right = length - n_left
        is_cut = (n_right >= 1) & (n_right <= MOST_ATOMS)
        left = edge_of[first, n_left]
        right = edge_of[np.where(is_cut, first + n_left, 0), np.where(is_cut, n_right, 0)]
        is_cut &= (left >= 0) & (right >= 0) & fits[left] & fits[right]
        cost = np.where(is_cut, matches.cost[left] + matches.cost[right], np.inf)
        is_better = cost < best
        best[is_better] = cost[is_better]
        halves[:, is_better] = left[is_better], right[is_better]
    found = np.isfinite(best)
    shapes: NDArray[np.int64] = matches.shape[np.stack([letters, *halves])[:, found]]
    return shapes
