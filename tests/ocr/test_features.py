"""Features of tiles against other implementations of the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from skimage.feature import hog
from sklearn.decomposition import PCA

from labelfree.errors import InputError
from labelfree.ocr.glyphs.features import TileFeatures, oriented_gradients
from labelfree.ocr.glyphs.settings import GlyphSettings
from labelfree.ocr.glyphs.tiles import SIDE, Tiles


def some_tiles(n: int = 60, seed: int = 0) -> Tiles:
    rng = np.random.default_rng(seed)
    images = np.clip(255 * rng.random((n, SIDE, SIDE)) ** 2, 0, 255).astype(np.uint8)
    return Tiles(images, rng.random((n, 4)).astype(np.float32))


def test_oriented_gradients_are_those_of_scikit_image():
    images = some_tiles(5).images
    theirs = [
        hog(
            image.astype(np.float32) / 255,
            orientations=8,
            pixels_per_cell=(4, 4),
            cells_per_block=(4, 4),
            block_norm="L2",
        )
        for image in images
    ]
    np.testing.assert_allclose(oriented_gradients(images), 8 * np.array(theirs), atol=1e-4)


def test_a_blank_tile_has_finite_gradients():
    assert np.isfinite(oriented_gradients(np.zeros((2, SIDE, SIDE), np.uint8))).all()


def test_pixels_are_the_principal_components_of_ink_and_geometry():
    tiles = some_tiles()
    rows = np.concatenate([tiles.images.reshape(len(tiles), -1) / 255, 6 * tiles.geometry], 1)
    theirs = PCA(20).fit_transform(rows)
    ours = TileFeatures.fit(tiles, settings=GlyphSettings(n_features=20)).transform(tiles)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-3)


@pytest.mark.parametrize("kind", ["pixels", "hog"])
def test_new_tiles_get_as_many_features_as_were_fitted(kind):
    features = TileFeatures.fit(some_tiles(), kind, settings=GlyphSettings(n_features=12))
    found = features.transform(some_tiles(7, seed=1))
    assert found.shape == (7, 12)
    assert found.dtype == np.float32


def test_few_tiles_give_few_features():
    assert TileFeatures.fit(some_tiles(9)).transform(some_tiles(3)).shape[1] <= 9


def test_unknown_features_are_refused():
    with pytest.raises(InputError, match="'colour', one of pixels, hog"):
        TileFeatures.fit(some_tiles(), "colour")  # type: ignore[arg-type]
