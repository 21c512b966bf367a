"""How long each of several stacked sequences is, checked before anything is computed from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.errors import InputError


def as_lengths(lengths: ArrayLike | None, n_positions: int, *, least: int = 0) -> NDArray[np.int64]:
    """Lengths as integers that sum to the number of positions; None stands for one sequence.

    No sum overflows: one longer than all positions is told before they are added up.

    Parameters
    ----------
    lengths : array-like of int, optional
    n_positions : int
    least : int
        The least that a sequence may have.

    Examples
    --------
    >>> as_lengths([2, 1], 3)
    array([2, 1])
    >>> as_lengths([2**62] * 4, 0)
    Traceback (most recent call last):
    labelfree.errors.InputError: lengths sum to 18446744073709551616, 0 wanted, the number of rows; give each length
    """
    if lengths is None:
        return np.array([n_positions], np.int64)
    try:
        found: NDArray[Any] = np.asarray(lengths)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"lengths is no row of whole numbers ({error}); give one length a sequence") from None
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InputError(
            f"lengths is an array of {found.dtype} with shape {found.shape}, a row of whole numbers wanted; "
            "give one length a sequence"
        )
    if found.size and found.min() < least:
        place = int(found.argmin())
        raise InputError(f"lengths[{place}] is {found[place]}, {least} or more wanted; give one length a sequence")
    # Python's own numbers know no overflow; the sum of so many that are no larger than an array is no case for them.
    fits = not found.size or int(found.max()) <= n_positions
    if (total := int(found.sum(dtype=np.int64)) if fits else sum(found.tolist())) != n_positions:
        raise InputError(f"lengths sum to {total}, {n_positions} wanted, the number of rows; give each length")
    return found.astype(np.int64)
