"""What the lines of a book have in common, so that short lines borrow strength from the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.band import find_band
from labelfree.ocr.segment.letters import Letters, find_letters
from labelfree.ocr.segment.parts import stroke_width
from labelfree.ocr.segment.spaces import GapModel, fit_gaps


@dataclass(frozen=True, eq=False)
class BookStyle:
    """Measures of a book's type.

    Attributes
    ----------
    x_height : float
        Median over the lines, in pixels.
    stroke : float
        Median width of a stroke, in x-heights.
    gaps : GapModel
    """

    x_height: float
    stroke: float
    gaps: GapModel = field(default_factory=GapModel)


def measure_book(lines: Sequence[NDArray[np.floating]]) -> BookStyle | None:
    """Measure the type of a book on its lines, or give None where they bear no ink."""
    found: list[Letters] = []
    inked = [strokes for strokes in (line >= 0.5 for line in lines) if strokes.any()]
    if not inked:
        return None
    bands = [find_band(strokes) for strokes in inked]
    x_height = float(np.median([band.x_height for band in bands]))
    strokes = [stroke_width(s) / band.x_height for s, band in zip(inked, bands, strict=True)]
    style = BookStyle(x_height, float(np.median(strokes)))
    found = [find_letters(s, style.x_height) for s in inked]
    gaps = np.concatenate([letters.gaps for letters in found])
    return BookStyle(x_height, style.stroke, fit_gaps(gaps))
