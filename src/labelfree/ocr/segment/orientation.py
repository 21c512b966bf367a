"""Which pages stand on their heads: in Latin print far more ink rises above the small letters than hangs below."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import find_band
from labelfree.ocr.segment.settings import DEFAULT
from labelfree.ocr.types import PageLines, TextLine

_LEAST_LINES = 5
_MOST_LINES = 30
_TIMES = 1.3  # as much ink below the small letters as above; upside down Fraktur has 1.6 and more, other print 2
_LEAST_INK = 0.03, 0.004  # of lines that is below and above them; lines of capitals have less above, others 0.009


def upside_down(pages: Sequence[PageLines]) -> list[PageLines]:
    """Pages of Latin print that seem to be upside down; other scripts may hang more than they rise.

    Pages of few lines, such as pictures of single ones, are judged all together.
    """
    few = [page for page in pages if len(page.lines) < _LEAST_LINES]
    found = [page for page in pages if len(page.lines) >= _LEAST_LINES and _hangs(page.lines)]
    return found + (few if _hangs([line for page in few for line in page.lines]) else [])


def is_latin(symbols: Iterable[str]) -> bool:
    """Whether most letters among some symbols are Latin.

    Examples
    --------
    >>> is_latin(["a", "ch", "ß", "."]), is_latin(["я", "ж", "a"])
    (True, False)
    """
    letters = [character for symbol in symbols for character in symbol if character.isalpha()]
    return 2 * sum("LATIN" in unicodedata.name(letter, "") for letter in letters) > len(letters)


def _hangs(lines: Sequence[TextLine]) -> bool:
    inked = [line.strokes for line in lines if line.strokes.any()]
    if len(inked) < _LEAST_LINES:
        return False
    chosen = np.unique(np.linspace(0, len(inked) - 1, _MOST_LINES).astype(np.int64))
    above, below = np.sum([_outside(inked[index]) for index in chosen], axis=0)
    ink = sum(int(inked[index].sum()) for index in chosen)
    least_below, least_above = _LEAST_INK
    return bool(below > _TIMES * above and below > least_below * ink and above > least_above * ink)


def _outside(strokes: NDArray[np.bool_]) -> tuple[int, int]:
    """Pixels of ink clearly above and clearly below the strip of the small letters."""
    band = find_band(strokes)
    height, width = strokes.shape
    baseline = band.baseline_at(np.arange(width))
    rows, margin = np.arange(height)[:, None], DEFAULT.near * band.x_height
    above = strokes & (rows < baseline - band.x_height - margin)
    return int(above.sum()), int((strokes & (rows >= baseline + margin)).sum())
