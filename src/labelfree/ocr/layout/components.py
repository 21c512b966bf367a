"""Connected pieces of ink, and which of them are letters rather than dirt, rules, frames and shadows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings


@dataclass(frozen=True, eq=False)
class Components:
    """Pieces of ink, touching at sides or corners."""

    labels: NDArray[np.int32]  # (height, width), 0 for paper; piece ``i`` is marked ``i + 1``
    boxes: NDArray[np.int64]  # (n, 4), left, upper, right and lower edge of each piece
    areas: NDArray[np.int64]  # (n,), pixels of ink

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def widths(self) -> NDArray[np.int64]:
        return self.boxes[:, 2] - self.boxes[:, 0]

    @property
    def heights(self) -> NDArray[np.int64]:
        return self.boxes[:, 3] - self.boxes[:, 1]

    def only(self, keep: NDArray[np.bool_]) -> Components:
        """Some of the pieces, numbered anew."""
        number = np.concatenate([[0], np.cumsum(keep) * keep]).astype(np.int32)
        return Components(number[self.labels], self.boxes[keep], self.areas[keep])

    def cut_out(self, pieces: NDArray[np.int64]) -> tuple[NDArray[np.bool_], int, int]:
        """Ink of the chosen pieces in the box around them, and that box's left and upper edge."""
        (x0, y0), (x1, y1) = self.boxes[pieces, :2].min(axis=0), self.boxes[pieces, 2:].max(axis=0)
        chosen = np.zeros(len(self) + 1, np.bool_)
        chosen[pieces + 1] = True
        return chosen[self.labels[y0:y1, x0:x1]], int(x0), int(y0)


def find_components(ink: NDArray[np.bool_]) -> Components:
    """Find the connected pieces.

    Examples
    --------
    >>> find_components(np.array([[1, 0, 0, 1], [0, 1, 0, 1]], bool)).boxes
    array([[0, 0, 2, 2],
           [3, 0, 4, 2]])
    """
    from scipy import ndimage

    labels = np.empty(ink.shape, np.int32)
    ndimage.label(ink, np.ones((3, 3), int), output=labels)
    boxes = [(x.start, y.start, x.stop, y.stop) for y, x in ndimage.find_objects(labels)]
    areas = np.bincount(labels.ravel(), minlength=len(boxes) + 1)[1:]
    return Components(labels, np.array(boxes, np.int64).reshape(-1, 4), areas)


def contrast_of(components: Components, grey: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Grey levels by which each piece is darker than white, in the mean over its ink."""
    sums = np.bincount(components.labels.ravel(), (255 - grey).ravel(), len(components) + 1)[1:]
    return np.asarray(sums / np.maximum(components.areas, 1))


def is_faint(
    components: Components, contrast: NDArray[np.float64], settings: LayoutSettings = DEFAULT
) -> NDArray[np.bool_]:
    """Which pieces are much paler than most of the ink: print that shows through the paper."""
    order = np.argsort(contrast, kind="stable")
    share = np.cumsum(components.areas[order]) / max(components.areas.sum(), 1)
    common = contrast[order][np.searchsorted(share, 0.5)] if len(order) else 0.0
    return np.asarray(contrast < settings.faint * common)


def letter_height(components: Components, settings: LayoutSettings = DEFAULT) -> float:
    """Height of the common letters in pixels: half of the ink is in pieces no taller; 0 where there are none."""
    widths, heights, areas = components.widths, components.heights, components.areas
    least, largest = settings.least_letter, settings.largest
    # Letters touch one another in bad print, so that a piece may be a word wide, but it is no taller for that.
    plausible = (
        (heights >= least)
        & (widths >= least / 2)
        & (areas >= 2 * least)
        & (heights <= max(len(components.labels) / largest, settings.wanted_letter * largest))
        & (widths <= largest * heights)
        & (heights <= largest * widths)
    )
    if not plausible.any():
        return 0.0
    heights, weights = heights[plausible], np.sqrt(areas[plausible])
    order = np.argsort(heights, kind="stable")
    return float(heights[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)])


def is_text(components: Components, letter: float, settings: LayoutSettings = DEFAULT) -> NDArray[np.bool_]:
    """Which pieces may be part of a text: no specks, rules, frames or pictures."""
    widths, heights, largest = components.widths, components.heights, settings.largest * letter
    speck = components.areas < settings.speck * letter**2
    giant = (heights > largest) | ((widths > 3 * largest) & (heights > largest / 2))
    rule = (heights < settings.rule * letter) & (widths > largest)
    stroke = (widths < settings.rule * letter) & (heights > largest / 2)
    return np.asarray(~(speck | giant | rule | stroke))


def runs(row: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each run of true values starts and stops."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.view(np.int8), [0]])))
    return edges[::2], edges[1::2]
