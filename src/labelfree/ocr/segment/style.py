"""What the lines of a book have in common, so that short lines borrow strength from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import find_band
from labelfree.ocr.segment.codebook import Lexicon, learn_lexicon
from labelfree.ocr.segment.compounds import without_compounds
from labelfree.ocr.segment.lattice import choose_runs
from labelfree.ocr.segment.letters import Atoms, find_atoms, read_letters
from labelfree.ocr.segment.spaces import GapModel, fit_gaps

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
    lexicon : Lexicon or None
        Shapes of the book's letters; None where it has too few to tell.
    """

    x_height: float
    gaps: GapModel = field(default_factory=GapModel)
    lexicon: Lexicon | None = None


def measure_book(lines: Sequence[NDArray[np.floating]]) -> BookStyle | None:
    """Measure the type of a book on its lines, or give None where they bear no ink."""
    inked = [strokes for strokes in (line >= 0.5 for line in lines) if strokes.any()]
    if not inked:
        return None
    inked = [inked[i] for i in np.unique(np.linspace(0, len(inked) - 1, _SAMPLE_LINES).astype(np.int64))]
    x_height = float(np.median([find_band(strokes).x_height for strokes in inked]))
    atoms = [found for found in (find_atoms(strokes, x_height) for strokes in inked) if len(found.letter)]
    if not atoms:
        return BookStyle(x_height)
    lexicon = _learn(atoms)
    letters = [read_letters(found, lexicon) for found in atoms]
    gaps = [found.gaps[~found.is_stop[1:]] for found in letters]
    return BookStyle(x_height, fit_gaps(np.concatenate(gaps)), lexicon)


def _learn(atoms: list[Atoms]) -> Lexicon | None:
    """Shapes of whole ink first, then of what they make of the book, and so on."""
    lexicon: Lexicon | None = None
    for turn in range(_ROUNDS):
        chosen = [choose_runs(f.runs, f.vectors, lexicon, len(f.letter), f.band.x_height) for f in atoms]
        lexicon = learn_lexicon(np.concatenate([f.vectors[c] for f, c in zip(atoms, chosen, strict=True)]))
        if lexicon is None:
            return None
        if turn:  # broken letters are joined by then, and their halves rare
            lexicon = without_compounds(lexicon, [(f.runs, f.vectors) for f in atoms], chosen)
    return lexicon
