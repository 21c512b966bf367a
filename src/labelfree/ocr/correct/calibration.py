"""Confidence that is right on average, with no truth to hold it against.

A reader is too sure of what it was taught wrong. Two readings that were come by in different ways differ where one of
them errs, so that the share of symbols at which they do is an estimate of the error. Each symbol's doubt is raised to
the power at which the mean doubt is that share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from labelfree.ocr.book import Floats, Ints

_LEAST_DOUBT = 1e-6
_LEAST_POWER = 0.02


def disagreement(one: Sequence[Ints], other: Sequence[Ints]) -> float:
    """Symbols that must change to turn the lines of one reading into those of the other, as a share of the other's.

    Examples
    --------
    >>> disagreement([np.array([1, 2, 3])], [np.array([1, 2, 4, 3])])
    0.25
    """
    edits = sum(Levenshtein.distance(a.tolist(), b.tolist()) for a, b in zip(one, other, strict=True))
    return edits / max(1, sum(len(labels) for labels in other))


def doubt_power(sure: Floats, expected_error: float) -> float:
    """The power of all doubts that makes their mean the expected error; 1 where they are as large already."""
    doubts = _doubts(sure)
    if not len(sure) or doubts.mean() >= expected_error:
        return 1.0
    low, high = _LEAST_POWER, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if (doubts**middle).mean() > expected_error else (low, middle)
    return low


def tempered(sure: Floats, power: float) -> Floats:
    """Confidences with their doubts raised to a power."""
    return 1.0 - _doubts(sure) ** power


def _doubts(sure: Floats) -> Floats:
    return np.clip(1.0 - sure, _LEAST_DOUBT, 1.0)
