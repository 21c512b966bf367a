"""Strips of like width side by side in one tensor, so that little of it is padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from labelfree.ocr.line_reader.strips import HEIGHT, Strip

GRAIN = 16
"""Columns of which every padded width is a multiple."""


def padded(strips: Sequence[Strip]) -> Tensor:
    """Strips as one tensor of shape (n, HEIGHT, width), paper to the right of the narrower ones."""
    images = np.zeros((len(strips), HEIGHT, padded_width(max(strip.width for strip in strips))), np.float32)
    for image, strip in zip(images, strips, strict=True):
        image[:, : strip.width] = strip.image
    return torch.from_numpy(images)


def padded_width(width: int) -> int:
    """The least multiple of GRAIN that holds so many columns.

    Examples
    --------
    >>> padded_width(32), padded_width(33)
    (32, 48)
    """
    return -(-width // GRAIN) * GRAIN


def alike(strips: Sequence[Strip], columns: int) -> Iterator[NDArray[np.int64]]:
    """Batches of at most so many columns, strips of one padded width in each, so that none sways another's reading."""
    widths = np.array([padded_width(strip.width) for strip in strips], np.int64)
    for width in np.unique(widths):
        same = np.flatnonzero(widths == width)
        most = max(1, columns // int(width))
        for first in range(0, len(same), most):
            yield same[first : first + most]


def shuffled(
    widths: NDArray[np.int64], columns: int, n_pieces: int, rng: np.random.Generator
) -> list[list[NDArray[np.int64]]]:
    """Batches of about so many columns in chance order, other strips together each time, of nearly one width.

    Each is cut into so many pieces of as many strips; the last strips may make fewer.
    """
    order = np.argsort(widths * rng.uniform(0.95, 1.05, len(widths)), kind="stable")
    batches, start = [], 0
    while start < len(order):
        size = max(1, round(columns / n_pieces / int(widths[order[start]])))
        batch = order[start : start + n_pieces * size]
        batches.append([batch[i : i + size] for i in range(0, len(batch), size)])
        start += len(batch)
    return [batches[i] for i in rng.permutation(len(batches))]
