"""Black and white pictures as one integer a row of pixels, so that one operation moves or compares a whole row.

Arrays have shape (height, n): the same row of all pictures stands together. Bit 0 is the leftmost column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

BitRows = NDArray[np.integer[Any]]


def pack(pictures: NDArray[np.bool_]) -> BitRows:
    """Turn pictures of shape (n, height, width), at most 64 wide, into rows of shape (height, n).

    Examples
    --------
    >>> pack(np.array([[[True, False, True], [False, True, False]]])).tolist()
    [[5], [2]]
    """
    n, height, width = pictures.shape
    n_bytes = np.min_scalar_type((1 << width) - 1).itemsize
    packed = np.zeros((n, height, n_bytes), np.uint8)
    packed[..., : -(-width // 8)] = np.packbits(pictures, axis=2, bitorder="little")
    rows: BitRows = np.ascontiguousarray(packed.view(f"<u{n_bytes}")[..., 0].T)
    return rows


def whole_row(rows: BitRows, width: int) -> np.integer[Any]:
    """A row whose pixels are all set."""
    whole: np.integer[Any] = rows.dtype.type((1 << width) - 1)
    return whole


def shifted(rows: BitRows) -> Iterator[BitRows]:
    """What stands to the left, to the right, above and below each pixel, in this order; nothing beyond the edges.

    To the left it may set bits beyond the width, which the caller masks.
    """
    yield rows << 1
    yield rows >> 1
    for inner, outer in ((np.s_[1:], np.s_[:-1]), (np.s_[:-1], np.s_[1:])):
        moved = np.zeros_like(rows)
        moved[..., inner, :] = rows[..., outer, :]
        yield moved


def flood(seeds: BitRows, within: BitRows) -> BitRows:
    """All pixels that a path through `within`, by edges and not by corners, leads to from the seeds.

    Examples
    --------
    >>> flood(np.array([[1], [0]], np.uint8), np.array([[0b1011], [0b0010]], np.uint8)).tolist()
    [[3], [2]]
    """
    found = seeds & within
    growing = np.arange(found.shape[1])
    while len(growing):
        before = found[:, growing]
        grown = before.copy()
        for moved in shifted(before):
            grown |= moved
        grown &= within[:, growing]
        found[:, growing] = grown
        growing = growing[(grown != before).any(0)]
    return found
