"""Features of tiles: what a linear classifier can tell characters apart by.

Pixels, histograms of oriented gradients, or the 4096-wide layer of VGG19, each with the tile's place and size beside
it, brought to fewer numbers by principal components.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.ocr.glyphs.settings import DEFAULT, GlyphSettings
from labelfree.ocr.glyphs.tiles import N_MEASURES, SIDE, Tiles

FeatureKind = Literal["pixels", "hog", "vgg19"]
_HOG_BINS = 8
_HOG_CELLS = 4
DESCRIBED: dict[str, int] = {
    "pixels": SIDE * SIDE + N_MEASURES,
    "hog": _HOG_CELLS * _HOG_CELLS * _HOG_BINS + N_MEASURES,
    "vgg19": 4096 + N_MEASURES,
}
"""How many numbers describe a tile before the components are taken."""


@dataclass(frozen=True, eq=False)
class TileFeatures:
    """Principal components of some tiles, which turn any tiles into rows of features.

    Attributes
    ----------
    kind : {"pixels", "hog", "vgg19"}
    mean : array of shape (d,), float32
        Of the numbers that describe a tile.
    components : array of shape (n, d), float32
    weights : Path, optional
        The file of VGG19's weights, wanted for ``"vgg19"`` alone.
    settings : GlyphSettings
        How tiles are described.

    Examples
    --------
    >>> tiles = Tiles(np.eye(SIDE, dtype=np.uint8)[None].repeat(3, 0), np.eye(3, N_MEASURES, dtype=np.float32))
    >>> TileFeatures.fit(tiles, "hog").transform(tiles).shape
    (3, 3)
    """

    kind: FeatureKind
    mean: NDArray[np.float32] = field(repr=False)
    components: NDArray[np.float32] = field(repr=False)
    weights: Path | None = None
    settings: GlyphSettings = DEFAULT

    def __post_init__(self) -> None:
        _check_kind(self.kind, self.weights)

    @classmethod
    def fit(
        cls,
        tiles: Tiles,
        kind: FeatureKind = "pixels",
        *,
        weights: Path | None = None,
        seed: int = 0,
        settings: GlyphSettings = DEFAULT,
    ) -> Self:
        """Find the components.

        Parameters
        ----------
        tiles : Tiles
        kind : {"pixels", "hog", "vgg19"}
        weights : Path, optional
            The file of VGG19's weights.
        seed : int
            Of the sample that the components are fitted to, where tiles are many.
        settings : GlyphSettings
        """
        from sklearn.decomposition import PCA

        _check_kind(kind, weights)
        if len(tiles) > settings.feature_sample:
            chosen = np.random.default_rng(seed).choice(len(tiles), settings.feature_sample, replace=False)
            tiles = tiles[np.sort(chosen)]
        rows: NDArray[np.float64] = _describe(tiles, kind, weights, settings).astype(np.float64)
        pca = PCA(min(settings.n_features, *rows.shape), svd_solver="covariance_eigh").fit(rows)
        return cls(kind, pca.mean_.astype(np.float32), pca.components_.astype(np.float32), weights, settings)

    def transform(self, tiles: Tiles) -> NDArray[np.float32]:
        """Rows of features, one a tile."""
        rows = (_describe(tiles, self.kind, self.weights, self.settings) - self.mean) @ self.components.T
        return rows.astype(np.float32)


def _check_kind(kind: str, weights: Path | None) -> None:
    if kind not in get_args(FeatureKind):
        raise InputError(f"features {kind!r}, one of {', '.join(get_args(FeatureKind))} wanted")
    if kind == "vgg19" and weights is None:
        raise InputError("vgg19 features want a file of weights; name one with weights=, or use kind='pixels'")


def _describe(tiles: Tiles, kind: FeatureKind, weights: Path | None, settings: GlyphSettings) -> NDArray[np.float32]:
    """The numbers that describe each tile, shape and place."""
    shape: NDArray[np.float32]
    if weights is not None and kind == "vgg19":
        from labelfree.ocr.glyphs.vgg import vgg19_features

        shape = vgg19_features(tiles.images, weights)
    elif kind == "hog":
        shape = oriented_gradients(tiles.images, settings.gradient_length)
    else:
        shape = tiles.images.reshape(len(tiles), -1).astype(np.float32) / np.float32(255)
    return np.concatenate([shape, np.float32(settings.geometry_weight) * tiles.geometry], 1)


def oriented_gradients(images: NDArray[np.uint8], length: float = DEFAULT.gradient_length) -> NDArray[np.float32]:
    """Histograms of oriented gradients of all tiles at once: 8 directions in 4 x 4 cells, each row of one length.

    The same numbers as ``skimage.feature.hog`` gives one image at a time with one block and the norm ``"L2"``.

    Parameters
    ----------
    images : array of shape (n, side, side)
    length : float
        Of each row.

    Returns
    -------
    array of shape (n, 128)
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
