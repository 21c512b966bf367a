"""Columns where letters that touch may come apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import Band
from labelfree.ocr.segment.parts import Parts

_LEAST_WIDTH = 0.75  # in x-heights: nothing narrower is two letters
_LEAST_PIECE = 0.22
_THICKEST = 0.5  # ink in a column, in x-heights, that a cut may go through


@dataclass(frozen=True, eq=False)
class Seams:
    """Where letters may be cut.

    Attributes
    ----------
    letter : array of shape (n,)
        The letter that each piece came from.
    columns : dict
        For each letter that has seams, their columns and the ink in x-heights that they go through.
    """

    letter: NDArray[np.int64]
    columns: dict[int, list[tuple[int, float]]]


def cut_parts(parts: Parts, letter: NDArray[np.int64], band: Band) -> tuple[NDArray[np.int32], Seams]:
    """Cut wide letters at every column that may be a seam; gives the map of pieces after all cuts."""
    labels = parts.labels.copy()
    letters = letter.tolist()
    columns: dict[int, list[tuple[int, float]]] = {}
    wide = np.flatnonzero(parts.boxes[:, 2] - parts.boxes[:, 0] >= _LEAST_WIDTH * band.x_height)
    for i in wide[letter[wide] >= 0].tolist():
        x0, y0, x1, y1 = parts.boxes[i].tolist()
        own = labels[y0:y1, x0:x1] == i + 1
        profile = np.count_nonzero(own, axis=0) / band.x_height
        for column in seam_columns(profile, band.x_height):
            letters.append(letters[i])
            labels[y0:y1, x0 + column : x1][own[:, column:]] = len(letters)
            columns.setdefault(letters[i], []).append((x0 + column, float(profile[column])))
    return labels, Seams(np.array(letters, dtype=np.int64), {name: sorted(found) for name, found in columns.items()})


def seam_columns(profile: NDArray[np.float64], x_height: float) -> list[int]:
    """Columns, from left to right, that hold least ink among their neighbours; the thinnest first where crowded."""
    margin = max(1, round(_LEAST_PIECE * x_height))
    inner = profile[margin : len(profile) - margin]
    if len(inner) < 3:
        return []
    is_low = (inner[1:-1] <= inner[:-2]) & (inner[1:-1] <= inner[2:]) & (inner[1:-1] <= _THICKEST)
    low = (np.flatnonzero(is_low) + margin + 1).tolist()
    valleys: list[list[int]] = []
    for column in low:
        if valleys and column == valleys[-1][-1] + 1:
            valleys[-1].append(column)
        else:
            valleys.append([column])
    chosen: list[int] = []
    for column in sorted((valley[len(valley) // 2] for valley in valleys), key=profile.__getitem__):
        if all(abs(column - other) >= margin for other in chosen):
            chosen.append(column)
    return sorted(chosen)
