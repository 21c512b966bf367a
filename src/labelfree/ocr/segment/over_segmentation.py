"""Columns where letters that touch may come apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import Band
from labelfree.ocr.segment.components import LineComponents
from labelfree.ocr.segment.settings import SegmentSettings


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


def cut_components(
    components: LineComponents, letter: NDArray[np.int64], band: Band, settings: SegmentSettings
) -> tuple[NDArray[np.int32], Seams]:
    """Cut wide letters at every column that may be a seam; gives the map of pieces after all cuts."""
    left, width = components.boxes[:, 0], components.boxes[:, 2] - components.boxes[:, 0]
    start = np.cumsum(width) - width  # each component has a stretch of columns of its own, one after the other
    y, x = np.nonzero(components.labels)
    own = components.labels[y, x] - 1
    column = (start - left)[own] + x
    profile = np.bincount(column, minlength=int(width.sum())) / band.x_height
    may_be_two = (width >= settings.least_width * band.x_height) & (letter >= 0)
    margin = max(1, round(settings.least_piece * band.x_height))
    letters = letter.tolist()
    seams: dict[int, list[tuple[int, float]]] = {}
    piece_at = np.repeat(np.arange(1, len(letters) + 1, dtype=np.int32), width)
    for i, columns in _thin_columns(profile, np.where(may_be_two, width, 0), start, margin).items():
        for at in columns:
            letters.append(letters[i])
            piece_at[at : start[i] + width[i]] = len(letters)
            seams.setdefault(letters[i], []).append((int(left[i] - start[i] + at), float(profile[at])))
    labels = components.labels
    if seams:
        labels = labels.copy()
        labels[y, x] = piece_at[column]
    return labels, Seams(np.array(letters, dtype=np.int64), {name: sorted(found) for name, found in seams.items()})


def _thin_columns(
    profile: NDArray[np.float64], width: NDArray[np.int64], start: NDArray[np.int64], margin: int
) -> dict[int, list[int]]:
    """Columns of each component that hold least ink among their neighbours and less than half an x-height of it.

    Where they are crowded, the thinnest come first.
    """
    inner = np.maximum(width - 2 * margin - 2, 0)
    owner = np.repeat(np.arange(len(width)), inner)
    at = np.arange(len(owner)) + np.repeat(start + margin + 1 - (np.cumsum(inner) - inner), inner)
    ink = profile[at]
    is_low = (ink <= profile[at - 1]) & (ink <= profile[at + 1]) & (2 * ink <= 1)
    at, owner = at[is_low], owner[is_low]
    first = np.flatnonzero(np.diff(at, prepend=-2) > 1)  # columns side by side are one valley, cut in its middle
    middle = first + np.diff(first, append=len(at)) // 2
    found: dict[int, list[int]] = {}
    for i, column in zip(owner[middle].tolist(), at[middle].tolist(), strict=True):
        found.setdefault(i, []).append(column)
    for i, columns in found.items():
        chosen: list[int] = []
        for column in sorted(columns, key=profile.__getitem__):
            if all(abs(column - other) >= margin for other in chosen):
                chosen.append(column)
        found[i] = sorted(chosen)
    return found
