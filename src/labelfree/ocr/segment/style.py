"""What the lines of a book have in common, so that short lines borrow strength from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import RowProfiles
from labelfree.ocr.segment.codebook import Codebook, Matches, learn_codebook
from labelfree.ocr.segment.compounds import are_compounds
from labelfree.ocr.segment.lattice import Lattice
from labelfree.ocr.segment.letters import find_atoms, letters_of
from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings
from labelfree.ocr.segment.spaces import GapModel, fit_gaps

Line = TypeVar("Line")

_SAMPLE_LINES = 400
_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class BookStyle:
    """Measures of a book's type.

    Attributes
    ----------
    x_height : float
        Median over the lines, in pixels.
    gaps : GapModel
        Paper within and between words.
    codebook : Codebook or None
        Shapes of the book's letters; None where it has too few to tell.
    settings : SegmentSettings
        By which its lines are cut.
    """

    x_height: float
    gaps: GapModel = field(default_factory=GapModel)
    codebook: Codebook | None = None
    settings: SegmentSettings = DEFAULT


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
    return (
        [lines[i] for i in np.unique(np.linspace(0, len(lines) - 1, _SAMPLE_LINES).astype(np.int64))] if lines else []
    )


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
            kept = ~are_compounds(codebook, lattice, matches, path)
            if kept.any() and not kept.all():
                codebook = codebook.only(kept)
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
