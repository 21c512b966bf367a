"""The letters of one line, before spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.band import Band, find_band
from labelfree.ocr.segment.parts import find_parts, stack_parts, stroke_width
from labelfree.ocr.segment.spaces import measure_gaps


@dataclass(frozen=True, eq=False)
class Letters:
    """Letters in reading order, with the number of the letter that each pixel belongs to (-1 for paper)."""

    band: Band
    boxes: NDArray[np.int64]
    owner: NDArray[np.int32]
    gaps: NDArray[np.float64]


def find_letters(strokes: NDArray[np.bool_], x_height: float | None) -> Letters:
    """Letters of a line with ink."""
    band = find_band(strokes, x_height)
    parts = find_parts(strokes, band, stroke_width(strokes))
    letter = stack_parts(parts, band)
    names = [name for name in np.unique(letter) if name >= 0]
    members = [np.flatnonzero(letter == name) for name in names]
    boxes = np.array(
        [[*parts.boxes[m][:, :2].min(0), *parts.boxes[m][:, 2:].max(0)] for m in members], dtype=np.int64
    ).reshape(-1, 4)
    centre = [parts.core[m, 0].min() + parts.core[m, 1].max() for m in members]
    order = np.argsort(centre, kind="stable")
    boxes = boxes[order]
    number = np.full(len(letter) + 1, -1, np.int32)
    for rank, k in enumerate(order):
        number[members[k] + 1] = rank
    owner = number[parts.labels]
    middle = band.baseline_at(np.array([strokes.shape[1] / 2]))[0]
    rows = int(np.clip(middle - 1.05 * band.x_height, 0, len(strokes) - 1)), int(np.clip(middle, 1, len(strokes)))
    gaps = measure_gaps(owner, boxes, rows) / band.x_height if len(boxes) > 1 else np.zeros(0)
    return Letters(band, boxes, owner, gaps)
