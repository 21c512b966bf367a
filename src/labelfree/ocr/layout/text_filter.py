"""Lines of text told from rows of anything else: letters stand on a common baseline, pebbles do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings


def text_lines(lines: Sequence[NDArray[np.integer]], letter: float, settings: LayoutSettings = DEFAULT) -> list[bool]:
    """Say of each line, given the boxes of its pieces, whether it is text.

    A line with enough letters is judged by itself, a shorter one by the company it keeps: the page as a whole. A page
    of few lines may show but a number and a word or two.
    """
    letters = [_letters(boxes, letter, settings) for boxes in lines]
    counts = np.array([len(boxes) for boxes in letters])
    aligned = np.array([_aligned(boxes, letter, settings) for boxes in letters])
    enough = counts >= settings.enough
    sure = enough & (aligned >= settings.aligned)
    is_page = 2 * len(lines) <= settings.enough or counts[sure].sum() >= settings.among_text * counts.sum()
    least = settings.among_text if is_page else settings.aligned
    return [bool(each) for each in (counts > 0) & np.where(enough, aligned >= least, is_page)]


def _letters(boxes: NDArray[np.integer], letter: float, settings: LayoutSettings) -> NDArray[np.integer]:
    """Pieces as large as letters, those of titles too, from left to right; no mere strokes of a shadow."""
    widths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    is_stroke = (heights > settings.pitch * letter) & (heights > settings.largest * widths)
    boxes = boxes[(heights >= settings.smallest * letter) & ~is_stroke]
    return boxes[np.argsort(boxes[:, 0], kind="stable")]


def _aligned(boxes: NDArray[np.integer], letter: float, settings: LayoutSettings) -> float:
    """Share of the letters whose feet, or on a page upside down whose heads, are level with their neighbours'."""
    from scipy.ndimage import median_filter

    if not len(boxes):
        return 0.0
    near = settings.off_line * max(letter, float(np.median(boxes[:, 3] - boxes[:, 1])))
    shares = []
    for edge in (boxes[:, 3], boxes[:, 1]):
        level = median_filter(edge.astype(np.float64), settings.enough + 1, mode="nearest")
        shares.append(float((np.abs(edge - level) < near).mean()))
    return max(shares)
