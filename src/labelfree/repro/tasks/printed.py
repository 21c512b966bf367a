"""What the tasks on print have in common: sequences of tiles to learn from and others to test on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.ocr.glyphs.features import TileFeatures, principal_components, sample
from labelfree.ocr.glyphs.settings import DEFAULT, GlyphSettings
from labelfree.ocr.glyphs.tiles import Tiles, stack

FeatureKind = Literal["pixels", "hog", "vgg19"]
_MEASURE_WEIGHT = 6.0  # an x-height weighs as much as thirty-six black pixels


@dataclass(frozen=True, eq=False)
class TileSequences:
    """Tiles, the labels that only evaluation may read, and where sequences end."""

    tiles: Tiles
    y: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def first(self, n_tiles: int) -> TileSequences:
        """The first sequences up to exactly so many tiles."""
        ends = np.minimum(np.cumsum(self.lengths), n_tiles)
        lengths = np.diff(ends, prepend=0)
        n = int(ends[-1]) if len(ends) else 0
        return TileSequences(self.tiles[:n], self.y[:n], lengths[lengths > 0])

    def pixels(self) -> NDArray[np.float32]:
        """Rows that a tile network reads: the picture, 0 for paper and 1 for ink, and the tile's place and size."""
        pictures = self.tiles.images.reshape(len(self.tiles), -1) / np.float32(255)
        return np.concatenate([pictures, _MEASURE_WEIGHT * self.tiles.geometry], 1, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class PrintTask:
    """Print to learn from, print to test on, and other text of the same domain for a language model."""

    train: TileSequences
    test: TileSequences
    in_domain: tuple[str, ...]
    alphabet: Alphabet

    def features(
        self, kind: FeatureKind = "hog", weights: Path | None = None, settings: GlyphSettings = DEFAULT
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Rows of features of both parts, fitted to the first; `weights` is the file of VGG19's, for those alone."""
        if kind == "vgg19":
            return self._vgg19_features(weights, settings)
        features = TileFeatures.fit(self.train.tiles, kind, settings=settings)
        return features.transform(self.train.tiles), features.transform(self.test.tiles)

    def _vgg19_features(
        self, weights: Path | None, settings: GlyphSettings
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Components of the 4096-wide layer of VGG19, with the place and size of tiles beside it."""
        from labelfree.repro.tasks.vgg import vgg19_features

        if weights is None:
            raise InputError("vgg19 features want a file of weights; name one with weights=, or use kind='pixels'")
        train, test = (
            np.concatenate([vgg19_features(tiles.images, weights), settings.geometry_weight * tiles.geometry], 1)
            for tiles in (self.train.tiles, self.test.tiles)
        )
        chosen = sample(len(train), settings.feature_sample, 0)
        mean, components = principal_components(train[chosen], settings.n_features)
        return (train - mean) @ components.T, (test - mean) @ components.T


def join(parts: list[TileSequences]) -> TileSequences:
    """All sequences of several parts, one after the other."""
    return TileSequences(
        stack([part.tiles for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.lengths for part in parts]),
    )
