"""The tuned numbers of tiles, their features and their clusters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GlyphSettings:
    """How tiles are described and clustered, and lines in capitals and repeated ones told; lengths are in x-heights."""

    geometry_weight: float = 6.0  # of an x-height against a black pixel, in the numbers that describe a tile
    gradient_length: float = 8.0  # of a tile's oriented gradients: about that of its pixels
    n_features: int = 200  # principal components kept
    feature_sample: int = 30_000  # tiles that they are fitted to; they move little beyond
    most_clusters: int = 300  # that a person is asked to name
    tiles_a_cluster: int = 20  # on average, at least
    letter: float = 0.7  # height of a letter at least, and share of tall ones that make a line in capitals
    tall: float = 1.2  # height from which a letter rises above the small ones
    rising: float = 0.11  # share of letters that may do so, beyond the few, where the rest are capitals
    few: int = 12  # letters of which one must rise in a line of small ones
    few_large: int = 4  # the same where they are taller than the book's
    repeat_shapes: int = 80  # kinds of tiles by which lines are compared
    repeat: float = 0.75  # share of the tiles that two lines have in common where one repeats the other


DEFAULT = GlyphSettings()
