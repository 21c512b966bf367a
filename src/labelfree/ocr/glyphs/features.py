"""Features of tiles: what a linear classifier can tell characters apart by.

Pixels or histograms of oriented gradients, with the tile's place and size beside them, brought to fewer numbers by
principal components.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.ocr.glyphs.settings import DEFAULT, GlyphSettings
from labelfree.ocr.glyphs.tiles import N_MEASURES, SIDE, Tiles

FeatureKind = Literal["pixels", "hog"]
_HOG_BINS = 8
_HOG_CELLS = 4
# How many numbers describe a tile before the components are taken.
DESCRIBED: dict[str, int] = {"pixels": SIDE**2 + N_MEASURES, "hog": _HOG_CELLS**2 * _HOG_BINS + N_MEASURES}


@dataclass(frozen=True, eq=False)
class TileFeatures:
    """Principal components of some tiles, which turn any tiles into rows of features.

    Examples
    --------
    >>> tiles = Tiles(np.eye(SIDE, dtype=np.uint8)[None].repeat(3, 0), np.eye(3, N_MEASURES, dtype=np.float32))
    >>> TileFeatures.fit(tiles, "hog").transform(tiles).shape
    (3, 3)
    """

    kind: FeatureKind
    mean: NDArray[np.float32] = field(repr=False)  # (d,), of the numbers that describe a tile
    components: NDArray[np.float32] = field(repr=False)  # (n, d)
    settings: GlyphSettings = DEFAULT  # how tiles are described

    @classmethod
    def fit(
        cls, tiles: Tiles, kind: FeatureKind = "pixels", *, seed: int = 0, settings: GlyphSettings = DEFAULT
    ) -> Self:
        """Find the components; `seed` is that of the sample that they are fitted to, where tiles are many."""
        chosen = sample(len(tiles), settings.feature_sample, seed)
        return cls(kind, *principal_components(_describe(tiles[chosen], kind, settings), settings.n_features), settings)

    def transform(self, tiles: Tiles) -> NDArray[np.float32]:
        """Rows of features, one a tile."""
        rows = (_describe(tiles, self.kind, self.settings) - self.mean) @ self.components.T
        return rows.astype(np.float32)


def sample(n: int, most: int, seed: int) -> NDArray[np.int64]:
    """Numbers below `n` in order, some of them where they are more than `most`."""
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(seed).choice(n, most, replace=False))


def principal_components(rows: NDArray[np.float32], n: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The mean of rows of shape (m, d), and up to `n` components of shape (n, d)."""
    from sklearn.decomposition import PCA

    pca = PCA(min(n, *rows.shape), svd_solver="covariance_eigh").fit(rows.astype(np.float64))
    return pca.mean_.astype(np.float32), pca.components_.astype(np.float32)


def _describe(tiles: Tiles, kind: FeatureKind, settings: GlyphSettings) -> NDArray[np.float32]:
    """The numbers that describe each tile, shape and place."""
    if kind not in DESCRIBED:
        raise InputError(f"features {kind!r}, one of {', '.join(DESCRIBED)} wanted")
    shape = tiles.images.reshape(len(tiles), -1).astype(np.float32) / np.float32(255)
    if kind == "hog":
        shape = oriented_gradients(tiles.images, settings.gradient_length)
    return np.concatenate([shape, np.float32(settings.geometry_weight) * tiles.geometry], 1)


def oriented_gradients(images: NDArray[np.uint8], length: float = DEFAULT.gradient_length) -> NDArray[np.float32]:
    """Histograms of oriented gradients (n, 128) of all tiles (n, side, side): 8 directions in 4 x 4 cells.

    Each row has the same length. But for that length, they are the numbers that ``skimage.feature.hog`` gives one image
    at a time with one block and the norm ``"L2"``.
    """
    grey = images.astype(np.float32) / 255
    down, across = np.zeros_like(grey), np.zeros_like(grey)
    down[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    across[:, :, 1:-1] = grey[:, :, 2:] - grey[:, :, :-2]
    strength = np.hypot(down, across)
    direction = np.floor(np.arctan2(down, across) % np.pi * (_HOG_BINS / np.pi)).astype(np.int8) % _HOG_BINS
    n, side, _ = images.shape
    cell = side // _HOG_CELLS
    found = np.empty((n, _HOG_CELLS, _HOG_CELLS, _HOG_BINS), np.float32)
    for i in range(_HOG_BINS):
        votes = strength * (direction == i)
        found[..., i] = votes.reshape(n, _HOG_CELLS, cell, _HOG_CELLS, cell).mean((2, 4))
    rows = found.reshape(n, -1)
    scaled: NDArray[np.float32] = length * rows / np.sqrt(np.square(rows).sum(1, keepdims=True) + 1e-10)
    return scaled
