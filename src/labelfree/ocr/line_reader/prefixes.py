"""Beginnings of lines in a beam, and how probable each is."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEVER = -1e30
"""The log-probability of what cannot be, finite so that sums stay numbers."""


@dataclass(frozen=True, eq=False)
class Beginnings:
    """Beginnings of lines, all of shape (b, k).

    `key` and `parent` number a beginning, and the one with its last symbol off; `context` are its last symbols as one
    number and `known` how many these are.
    """

    key: NDArray[np.uint64]
    parent: NDArray[np.uint64]
    last: Ints
    context: Ints
    known: Ints
    in_symbol: Floats
    in_blank: Floats
    prior: Floats

    def first(self, n: int) -> Beginnings:
        """The beginnings of the first n lines."""
        return Beginnings(*(getattr(self, field.name)[:n] for field in fields(self)))

    def take(self, places: Ints) -> Beginnings:
        """The beginnings at some places of each line, of shape (b, k)."""
        return Beginnings(*(np.take_along_axis(getattr(self, field.name), places, 1) for field in fields(self)))

    @property
    def spelled(self) -> Floats:
        """Log-probability of the frames."""
        total: Floats = np.logaddexp(self.in_symbol, self.in_blank)
        return total

    @property
    def scores(self) -> Floats:
        """That and what the language model says."""
        return self.spelled + self.prior
