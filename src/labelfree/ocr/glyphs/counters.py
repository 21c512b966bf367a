"""Counters: paper that the strokes of a character enclose, as in o, e and B."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.glyphs.bitrows import BitRows, flood, pack, whole_row


def measure_counters(strokes: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How many counters each picture has, and at what height on average, from 0 for its bottom to 1 for its top.

    Pictures have shape (n, height, width) and are true where there is ink.

    Examples
    --------
    >>> o = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], bool)
    >>> [found.tolist() for found in measure_counters(np.stack([o, ~o]))]
    [[1, 0], [0.5, 0.0]]
    """
    n, height, width = strokes.shape
    counted, heights = np.zeros(n, np.int64), np.zeros(n)
    ink = pack(strokes)
    paper = ~ink & whole_row(ink, width)
    for chosen, piece in _pieces(paper & ~flood(_edges(paper, width), paper)):
        pixels = np.bitwise_count(piece).astype(np.int64)
        area = pixels.sum(0)
        middle = (np.arange(1, height + 1) @ pixels) / area
        counted[chosen] += 1
        heights[chosen] += 1 - (middle - 0.5) / height
    return counted, heights / np.maximum(counted, 1)


def _edges(rows: BitRows, width: int) -> BitRows:
    """All pixels at the edge of pictures."""
    edges = np.full_like(rows, 1 | 1 << max(width - 1, 0))
    edges[[0, -1]] = whole_row(rows, width)
    return edges


def _pieces(rows: BitRows) -> Iterator[tuple[NDArray[np.int64], BitRows]]:
    """One connected piece of each picture that has any left, and the numbers of these pictures, until none is left."""
    chosen = np.arange(rows.shape[1])
    while len(chosen):
        is_set = rows != 0
        has_any = is_set.any(0)
        chosen, rows, is_set = chosen[has_any], rows[:, has_any], is_set[:, has_any]
        place = is_set.argmax(0), np.arange(len(chosen))
        seeds = np.zeros_like(rows)
        seeds[place] = rows[place] & (~rows[place] + 1)
        piece = flood(seeds, rows)
        yield chosen, piece
        rows = rows & ~piece
