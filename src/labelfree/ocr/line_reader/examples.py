"""Strips and what they are thought to say: what a line reader is trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.errors import InputError
from labelfree.ocr.line_reader.network import n_frames
from labelfree.ocr.line_reader.strips import Strip

LEAST_STRIPS = 20
"""Below so many, none could be held out."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Strips, each with its labels and how much they count."""

    strips: Sequence[Strip]
    labels: Sequence[NDArray[np.int64]]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.strips)

    def take(self, chosen: NDArray[np.int64]) -> Examples:
        """Some of them."""
        return Examples([self.strips[i] for i in chosen], [self.labels[i] for i in chosen], self.weights[chosen])

    @property
    def widths(self) -> NDArray[np.int64]:
        """Columns of each strip."""
        return np.array([strip.width for strip in self.strips], np.int64)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Labels of each strip."""
        return np.array([len(found) for found in self.labels], np.int64)


def usable(strips: Sequence[Strip], labels: Sequence[ArrayLike], n_symbols: int, weights: ArrayLike | None) -> Examples:
    """The strips that can be learned from, all of them checked."""
    numbers = [np.asarray(found, np.int64).reshape(-1) for found in labels]
    counts = np.ones(len(strips)) if weights is None else np.asarray(weights, np.float64)
    for what, n in (("labels", len(numbers)), ("weights", len(counts))):
        if n != len(strips):
            raise InputError(f"{n} {what} for {len(strips)} strips, one a strip wanted; give each strip its own")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise InputError(f"weights run from {counts.min()} to {counts.max()}, finite ones of 0 or more wanted")
    for i, found in enumerate(numbers):
        if len(found) and not 0 <= found.min() <= found.max() < n_symbols:
            raise InputError(f"labels[{i}] run from {found.min()} to {found.max()}, 0 to {n_symbols - 1} wanted")
    fits = [
        len(found) > 0 and n_frames(strip.width) >= len(found) + np.count_nonzero(found[1:] == found[:-1])
        for strip, found in zip(strips, numbers, strict=True)
    ]
    chosen = np.flatnonzero(np.array(fits, bool) & (counts > 0))
    if len(chosen) < LEAST_STRIPS:
        raise InputError(
            f"{len(chosen)} of {len(strips)} strips can be learned from, {LEAST_STRIPS} or more wanted; give more lines"
        )
    return Examples(strips, numbers, counts).take(chosen)
