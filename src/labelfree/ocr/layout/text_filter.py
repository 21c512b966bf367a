"""Lines of text told from rows of anything else: letters stand on a common baseline, pebbles do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# In letter heights:
_SMALLEST_LETTER = 0.5
_OFF_LINE = 0.15

_NEIGHBOURS = 11
_ENOUGH_LETTERS = 8  # to judge a line by itself
_ALIGNED = 0.62  # share of letters on the baseline; print has 0.67 and more, rows in pictures rarely over 0.6
_ALIGNED_AMONG_TEXT = 0.4
_SURE = 0.4  # share of a page's letters in lines that are text for sure
_MOST_ODDMENTS = 5  # lines of a page that shows but a number and a word or two


def text_lines(lines: Sequence[NDArray[np.integer]], letter: float) -> list[bool]:
    """Say of each line, given the boxes of its pieces, whether it is text.

    A line with enough letters is judged by itself, a shorter one by the company it keeps: the page as a whole.
    """
    letters = [_letters(boxes, letter) for boxes in lines]
    counts = np.array([len(boxes) for boxes in letters])
    aligned = np.array([_aligned(boxes, letter) for boxes in letters])
    sure = (counts >= _ENOUGH_LETTERS) & (aligned >= _ALIGNED)
    is_page = len(lines) <= _MOST_ODDMENTS or counts[sure].sum() >= _SURE * counts.sum()
    least = _ALIGNED_AMONG_TEXT if is_page else _ALIGNED
    return [
        bool(count and (share >= least if count >= _ENOUGH_LETTERS else is_page))
        for count, share in zip(counts.tolist(), aligned.tolist(), strict=True)
    ]


def _letters(boxes: NDArray[np.integer], letter: float) -> NDArray[np.integer]:
    """Pieces as large as letters, those of titles too, from left to right; no mere strokes of a shadow."""
    widths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    large = (heights >= _SMALLEST_LETTER * letter) & ((heights <= 2 * letter) | (heights <= 6 * widths))
    boxes = boxes[large]
    return boxes[np.argsort(boxes[:, 0], kind="stable")]


def _aligned(boxes: NDArray[np.integer], letter: float) -> float:
    """Share of the letters whose feet, or on a page upside down whose heads, are level with their neighbours'."""
    from scipy.ndimage import median_filter

    if not len(boxes):
        return 0.0
    size = max(letter, float(np.median(boxes[:, 3] - boxes[:, 1])))
    shares = []
    for edge in (boxes[:, 3], boxes[:, 1]):
        level = median_filter(edge.astype(np.float64), _NEIGHBOURS, mode="nearest")
        shares.append(float((np.abs(edge - level) < _OFF_LINE * size).mean()))
    return max(shares)
