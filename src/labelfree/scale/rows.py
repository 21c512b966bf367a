"""Rows of features that stay in files: read where they are wanted, a block or a sample at a time.

Whoever goes over all rows does so by `blocks`, of plain arrays too, so that both give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

BLOCK = 1 << 14  # rows at a time


class Rows:
    """Arrays of rows, one after the other, as if they were one; usually memory maps.

    Parameters
    ----------
    parts : sequence of array of shape (n_i, d)
        Of one number of columns and one type.

    Examples
    --------
    >>> rows = Rows([np.zeros((2, 3)), np.ones((2, 3))])
    >>> rows.shape, rows[1:3].tolist(), rows[np.array([3, 0])][:, 0].tolist()
    ((4, 3), [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [1.0, 0.0])
    """

    ndim = 2

    def __init__(self, parts: Sequence[NDArray[np.generic]]) -> None:
        self.parts = list(parts)
        self.dtype = self.parts[0].dtype
        self._ends = np.cumsum([len(part) for part in self.parts])
        self.shape = (int(self._ends[-1]), self.parts[0].shape[1])

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, which: slice | NDArray[np.generic]) -> NDArray[np.generic]:
        """Some of the rows, in memory: a slice without steps, or numbers of rows, or a mask."""
        if isinstance(which, slice):
            first, last, _ = which.indices(len(self))
            return self._slice(first, max(first, last))
        numbers = np.flatnonzero(which) if which.dtype == bool else which
        if len(self.parts) == 1:
            return np.asarray(self.parts[0][numbers])
        found = np.empty((len(numbers), self.shape[1]), self.dtype)
        where = np.searchsorted(self._ends, numbers, side="right")
        for part in np.unique(where):
            mine = where == part
            found[mine] = self.parts[part][numbers[mine] - (self._ends[part] - len(self.parts[part]))]
        return found

    def _slice(self, first: int, last: int) -> NDArray[np.generic]:
        pieces = []
        for part, end in zip(self.parts, self._ends.tolist(), strict=True):
            begin = end - len(part)
            if first < end and last > begin:
                pieces.append(part[max(0, first - begin) : last - begin])
        if len(pieces) == 1:
            return np.asarray(pieces[0])
        return np.concatenate(pieces) if pieces else np.empty((0, self.shape[1]), self.dtype)


class ScaledRows:
    """Rows as a classifier reads them, centred and scaled when they are asked for; stands where a tensor would.

    Parameters
    ----------
    rows : Rows or array of shape (n, d)
    center : array of shape (d,)
    scale : float
    """

    ndim = 2

    def __init__(self, rows: Rows | NDArray[np.generic], center: NDArray[np.float64], scale: float) -> None:
        self._rows, self._center, self._scale = rows, center, scale
        self.shape = rows.shape

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, which: slice | Tensor) -> Tensor:
        """Some of the rows as a tensor, of the shape of the numbers given and one more dimension."""
        if isinstance(which, slice):
            return scaled(self._rows[which], self._center, self._scale)
        numbers = np.flatnonzero(which.numpy()) if which.dtype == torch.bool else which.reshape(-1).numpy()
        found = torch.empty((len(numbers), self.shape[1]))
        for block in blocks(len(numbers)):  # so that raw and scaled rows are never all there at once
            found[block] = scaled(self._rows[numbers[block]], self._center, self._scale)
        return found if which.dtype == torch.bool else found.reshape(*which.shape, self.shape[1])

    def index_select(self, _dim: int, rows: Tensor) -> Tensor:
        """As a tensor's, of rows."""
        return self[rows]


Inputs = Tensor | ScaledRows
"""What a classifier reads: in memory, or where it stands."""


def scaled(rows: NDArray[np.generic], center: NDArray[np.float64], scale: float) -> Tensor:
    """Rows less their centre and times a scale, in single precision; block by block, for the sake of memory."""
    found = np.empty(rows.shape, np.float32)
    for block in blocks(len(rows)):
        found[block] = (rows[block] - center) * scale  # type: ignore[operator]
    return torch.from_numpy(found)


def blocks(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """All rows, so many at a time.

    Examples
    --------
    >>> [(block.start, block.stop) for block in blocks(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    for first in range(0, n_rows, size):
        yield slice(first, min(first + size, n_rows))
