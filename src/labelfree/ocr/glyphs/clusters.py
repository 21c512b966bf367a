"""Characters that look alike, in numbered groups, and a picture of them for people to name.

The numbers depend on the characters alone, not on the language or on the seed of learning, so that a group keeps its
number for as long as the same scans are cut in the same way. The largest group is the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.fitting.compress import Groups, group_rows
from labelfree.ocr.glyphs.features import TileFeatures
from labelfree.ocr.glyphs.tiles import Tiles

_MOST_GROUPS = 300
_LEAST_PER_GROUP = 20


@dataclass(frozen=True)
class GroupReading:
    """A group as it is read now.

    Attributes
    ----------
    symbol : str
        What most of them are read as.
    share : float
        How many of them.
    """

    symbol: str
    share: float


def group_tiles(tiles: Tiles) -> Groups:
    """Cut the tiles of a book into groups, the largest first."""
    n_groups = max(2, min(_MOST_GROUPS, len(tiles) // _LEAST_PER_GROUP))
    found = group_rows(TileFeatures("hog").fit(tiles).transform(tiles), n_groups)
    sizes = np.bincount(found.labels, minlength=found.n_groups)
    rank = np.empty(found.n_groups, np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(found.n_groups)
    return Groups(rank[found.labels], found.n_groups, found.exact)


def group_readings(groups: Groups, labels: NDArray[np.int64], symbols: Sequence[str]) -> list[GroupReading]:
    """What the tiles of each group are read as, given the label of every tile.

    Examples
    --------
    >>> groups = Groups(np.array([0, 0, 0, 1]), 2, exact=False)
    >>> group_readings(groups, np.array([1, 1, 0, 0]), "ab")[0]
    GroupReading(symbol='b', share=0.6666666666666666)
    """
    counts = np.zeros((groups.n_groups, len(symbols)), np.int64)
    np.add.at(counts, (groups.labels, labels), 1)
    return [GroupReading(symbols[int(row.argmax())], float(row.max() / row.sum())) for row in counts]


def members(groups: Groups, count: int) -> list[NDArray[np.int64]]:
    """The numbers of a few tiles of each group, taken from all over the book."""
    found = []
    for group in range(groups.n_groups):
        tiles = np.flatnonzero(groups.labels == group)
        found.append(np.unique(tiles[np.linspace(0, len(tiles) - 1, count).astype(int)]))
    return found
