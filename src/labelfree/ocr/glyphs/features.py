"""Features of tiles: what a linear classifier can tell characters apart by.

Pixels, histograms of oriented gradients, or the 4096-wide layer of VGG19, each with the tile's place and size beside
it, brought to 200 numbers by principal components.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import N_MEASURES, SIDE, Tiles

FeatureKind = Literal["pixels", "hog", "vgg19"]
_GEOMETRY_WEIGHT = 6.0  # an x-height weighs as much as thirty-six black pixels
_FIT_ROWS = 30_000  # components move little beyond this many examples
_HOG_BINS = 8
_HOG_CELLS = 4
DESCRIBED: dict[str, int] = {
    "pixels": SIDE * SIDE + N_MEASURES,
    "hog": _HOG_CELLS * _HOG_CELLS * _HOG_BINS + N_MEASURES,
    "vgg19": 4096 + N_MEASURES,
}
"""How many numbers describe a tile before the components are taken."""
_HOG_LENGTH = 8.0  # about that of a tile's pixels


@dataclass(eq=False)
class TileFeatures:
    """Fit principal components to some tiles, then turn any tiles into rows of features.

    Parameters
    ----------
    kind : {"pixels", "hog", "vgg19"}
    n_components : int
        At most so many features.
    weights : Path, optional
        The file of VGG19's weights, wanted for ``"vgg19"`` alone.
    seed : int
        Of the sample that the components are fitted to.
    """

    kind: FeatureKind = "pixels"
    n_components: int = 200
    weights: Path | None = None
    seed: int = 0
    mean_: NDArray[np.float32] = field(init=False, repr=False)
    components_: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in get_args(FeatureKind):
            raise InputError(f"features {self.kind!r}, one of {', '.join(get_args(FeatureKind))} wanted")
        if self.kind == "vgg19" and self.weights is None:
            raise InputError("vgg19 features want a file of weights; name one with weights=, or use kind='pixels'")

    def fit(self, tiles: Tiles) -> Self:
        """Find the components."""
        from sklearn.decomposition import PCA

        if len(tiles) > _FIT_ROWS:
            chosen = np.random.default_rng(self.seed).choice(len(tiles), _FIT_ROWS, replace=False)
            tiles = tiles[np.sort(chosen)]
        rows: NDArray[np.float64] = self._describe(tiles).astype(np.float64)
        pca = PCA(min(self.n_components, *rows.shape), svd_solver="covariance_eigh").fit(rows)
        self.mean_ = pca.mean_.astype(np.float32)
        self.components_ = pca.components_.astype(np.float32)
        return self

    def transform(self, tiles: Tiles) -> NDArray[np.float32]:
        """Rows of features, one a tile."""
        rows = (self._describe(tiles) - self.mean_) @ self.components_.T
        return rows.astype(np.float32)

    def _describe(self, tiles: Tiles) -> NDArray[np.float32]:
        shape: NDArray[np.float32]
        if self.weights is not None and self.kind == "vgg19":
            from labelfree.ocr.glyphs.vgg import vgg19_features

            shape = vgg19_features(tiles.images, self.weights)
        elif self.kind == "hog":
            shape = oriented_gradients(tiles.images)
        else:
            shape = tiles.images.reshape(len(tiles), -1).astype(np.float32) / np.float32(255)
        return np.concatenate([shape, np.float32(_GEOMETRY_WEIGHT) * tiles.geometry], 1)


def oriented_gradients(images: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Histograms of oriented gradients of all tiles at once: 8 directions in 4 x 4 cells, each row of length 8.

    The same numbers as ``skimage.feature.hog`` gives one image at a time with one block and the norm ``"L2"``.

    Parameters
    ----------
    images : array of shape (n, side, side)

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
    scaled: NDArray[np.float32] = _HOG_LENGTH * rows / np.sqrt(np.square(rows).sum(1, keepdims=True) + 1e-10)
    return scaled
