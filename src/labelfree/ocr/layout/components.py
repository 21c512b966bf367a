"""Connected pieces of ink, and which of them are letters rather than dirt, rules, frames and shadows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SPECK = 0.012  # of the letter height squared
_TALLEST = 8.0  # letter heights of the largest title
_RULE_THICKNESS, _RULE_LENGTH = 0.35, 8.0  # letter heights


@dataclass(frozen=True, eq=False)
class Components:
    """Pieces of ink, touching at sides or corners.

    Attributes
    ----------
    labels : array of shape (height, width), int32
        0 for paper; piece ``i`` is marked ``i + 1``.
    boxes : array of shape (n, 4), int64
        Left, upper, right and lower edge of each piece.
    areas : array of shape (n,), int64
        Pixels of ink.
    """

    labels: NDArray[np.int32]
    boxes: NDArray[np.int64]
    areas: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.boxes)

    @property
    def widths(self) -> NDArray[np.int64]:
        return self.boxes[:, 2] - self.boxes[:, 0]

    @property
    def heights(self) -> NDArray[np.int64]:
        return self.boxes[:, 3] - self.boxes[:, 1]

    def ink(self, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Ink of the chosen pieces."""
        return np.asarray(np.concatenate([[False], keep])[self.labels])


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


def letter_height(components: Components) -> float:
    """Height of the common letters in pixels: half of the ink is in pieces no taller; 0 where there are none."""
    page_height, page_width = components.labels.shape
    widths, heights, areas = components.widths, components.heights, components.areas
    # Letters touch one another in bad print, so that a piece may be a word wide, but it is no taller for that.
    plausible = (
        (heights >= 4)
        & (widths >= 2)
        & (areas >= 8)
        & (heights <= max(page_height / 8, min(page_height, 150)))
        & (widths <= max(page_width / 4, 100))
        & (widths <= 12 * heights)
        & (heights <= 8 * widths)
    )
    if not plausible.any():
        return 0.0
    heights, weights = heights[plausible], np.sqrt(areas[plausible])
    order = np.argsort(heights, kind="stable")
    return float(heights[order][np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)])


def is_text(components: Components, letter: float) -> NDArray[np.bool_]:
    """Which pieces may be part of a text: no specks, rules, frames or pictures."""
    widths, heights, areas = components.widths, components.heights, components.areas
    speck = areas < _SPECK * letter**2
    giant = (heights > _TALLEST * letter) | ((widths > 3 * _TALLEST * letter) & (heights > 4 * letter))
    rule = (heights < _RULE_THICKNESS * letter) & (widths > _RULE_LENGTH * letter)
    stroke = (widths < _RULE_THICKNESS * letter) & (heights > _RULE_LENGTH / 2 * letter)
    return np.asarray(~(speck | giant | rule | stroke))
