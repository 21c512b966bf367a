"""The part of a long cipher from which its key is found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_LEAST = 1500
_EACH_SIGN = 60  # signs of text for each distinct sign
_OCCURRENCES = 10
_AROUND = 6


def excerpt(x: Ints) -> tuple[Ints, Ints]:
    """Give the beginning of a cipher, and what stands around signs that are rare in it.

    Returns
    -------
    part : (P,) int array
        Holds every sign that `x` holds; all of `x` where that is short.
    lengths : (S,) int array
        The stretches that it is made of.

    Examples
    --------
    >>> part, lengths = excerpt(np.append(np.zeros(9000, np.int64), [1, 0]))
    >>> len(part), lengths
    (1508, array([1500,    8]))
    """
    beginning = max(_LEAST, _EACH_SIGN * len(np.unique(x)))
    if len(x) <= 2 * beginning:
        return x, np.array([len(x)])
    kept = np.zeros(len(x), bool)
    kept[:beginning] = True
    seen = np.bincount(x[:beginning], minlength=int(x.max()) + 1)
    for sign in np.flatnonzero(seen < _OCCURRENCES).tolist():
        for place in np.flatnonzero(x == sign)[:_OCCURRENCES].tolist():
            kept[max(place - _AROUND, 0) : place + _AROUND + 1] = True
    steps = np.flatnonzero(np.diff(kept.astype(np.int8), prepend=0, append=0))
    return x[kept], steps[1::2] - steps[::2]
