"""Lines of text told from rows of anything else: letters stand on a common baseline, pebbles do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings

_CHANCE = 0.03  # share of the rows of a photograph that look like text; print has most


def text_lines(lines: Sequence[NDArray[np.integer]], letter: float, settings: LayoutSettings = DEFAULT) -> list[bool]:
    """Say of each line, given the boxes of its pieces, whether it is text.

    A line with enough letters is judged by itself, a shorter one by the company it keeps: the page as a whole. A page
    of few lines may show but a number and a word or two. Where hardly a row looks like text, those that do so do by
    chance.
    """
    counts, aligned = np.array([alignment(boxes, letter, settings) for boxes in lines]).reshape(-1, 2).T
    enough = counts >= settings.enough
    sure = enough & (aligned >= settings.aligned)
    if sure.sum() < _CHANCE * enough.sum():
        return [False] * len(lines)
    is_page = 2 * len(lines) <= settings.enough or counts[sure].sum() >= settings.among_text * counts.sum()
    least = settings.among_text if is_page else settings.aligned
    return [bool(each) for each in (counts > 0) & np.where(enough, aligned >= least, is_page)]


def alignment(boxes: NDArray[np.integer], letter: float, settings: LayoutSettings) -> tuple[int, float]:
    """Number of letters, and share whose feet (upside down, whose heads) are level with their neighbours'."""
    from scipy.ndimage import median_filter

    widths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    shadow = (heights > settings.pitch * letter) & (heights > settings.largest * widths)
    boxes = boxes[(heights >= settings.smallest * letter) & ~shadow]
    if not len(boxes):
        return 0, 0.0
    boxes = boxes[np.argsort(boxes[:, 0], kind="stable")]
    near = settings.off_line * max(letter, float(np.median(boxes[:, 3] - boxes[:, 1])))
    edges = boxes[:, [3, 1]].astype(np.float64)
    # Fewer neighbours would let rows of noise pass for text.
    level = median_filter(edges, (settings.enough + 3, 1), mode="nearest")
    return len(boxes), float((np.abs(edges - level) < near).mean(axis=0).max())
