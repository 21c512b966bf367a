"""The tuned numbers of tiles, their features and their clusters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GlyphSettings:
    """How tiles are cut, described and clustered."""

    geometry_weight: float = 6.0  # of an x-height against a black pixel, in the numbers that describe a tile
    gradient_length: float = 8.0  # of a tile's oriented gradients: about that of its pixels
    n_features: int = 200  # principal components kept
    feature_sample: int = 30_000  # tiles that they are fitted to; they move little beyond
    most_clusters: int = 300  # that a person is asked to name
    tiles_a_cluster: int = 20  # on average, at least


DEFAULT = GlyphSettings()
