"""Characters that look alike: a book's tiles in numbered clusters, for people to name.

The numbers depend on the characters alone, not on the language or on the seed of learning, so that a cluster keeps its
number for as long as the same scans are cut in the same way. The largest cluster is the first. The command line calls
them groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.fitting.compress import Groups, group_rows
from labelfree.ocr.glyphs.features import TileFeatures
from labelfree.ocr.glyphs.settings import DEFAULT, GlyphSettings
from labelfree.ocr.glyphs.tiles import Tiles


@dataclass(frozen=True)
class ClusterReading:
    """A cluster as it is read now."""

    symbol: str  # what most of its tiles are read as
    share: float  # how many of them


def cluster_tiles(tiles: Tiles, settings: GlyphSettings = DEFAULT) -> Groups:
    """Cut the tiles of a book into clusters, the largest first."""
    n_clusters = max(2, min(settings.most_clusters, len(tiles) // settings.tiles_a_cluster))
    found = group_rows(TileFeatures.fit(tiles, "hog", settings=settings).transform(tiles), n_clusters)
    sizes = np.bincount(found.labels, minlength=found.n_groups)
    rank = np.empty(found.n_groups, np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(found.n_groups)
    return Groups(rank[found.labels], found.n_groups, found.exact)


def cluster_readings(clusters: Groups, labels: NDArray[np.int64], symbols: Sequence[str]) -> list[ClusterReading]:
    """What the tiles of each cluster are read as, given the label of every tile.

    Examples
    --------
    >>> clusters = Groups(np.array([0, 0, 0, 1]), 2, exact=False)
    >>> cluster_readings(clusters, np.array([1, 1, 0, 0]), "ab")[0]
    ClusterReading(symbol='b', share=0.6666666666666666)
    """
    counts = np.zeros((clusters.n_groups, len(symbols)), np.int64)
    np.add.at(counts, (clusters.labels, labels), 1)
    return [ClusterReading(symbols[int(row.argmax())], float(row.max() / row.sum())) for row in counts]


def members(clusters: Groups, count: int) -> list[NDArray[np.int64]]:
    """The numbers of a few tiles of each cluster, taken from all over the book."""
    every = (np.flatnonzero(clusters.labels == cluster) for cluster in range(clusters.n_groups))
    return [np.unique(tiles[np.linspace(0, len(tiles) - 1, count).astype(int)]) for tiles in every]
