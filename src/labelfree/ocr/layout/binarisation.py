"""Grey pictures to ink and paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings


def is_light_on_dark(grey: NDArray[np.uint8], settings: LayoutSettings = DEFAULT) -> bool:
    """Whether most of the picture's middle is darker than the half between its dark and its light."""
    height, width = grey.shape
    middle = grey[height // 10 : height - height // 10 or 1, width // 10 : width - width // 10 or 1]
    if not middle.size:
        return False
    low, high = _range_of(np.bincount(middle.ravel(), minlength=256))
    return high - low >= settings.least_contrast and float((middle < (low + high) / 2).mean()) > 0.5


@dataclass(frozen=True)
class Levels:
    """Grey levels of a picture: of its ink and its paper, and whether there is nothing between the two."""

    ink: int
    paper: int
    black_and_white: bool


def grey_levels(grey: NDArray[np.uint8], settings: LayoutSettings = DEFAULT) -> Levels:
    """Measure a picture of dark letters on light paper."""
    counts = np.bincount(grey.ravel(), minlength=256)
    low, high = _range_of(counts)
    quarter = (high - low) // 4
    between = int(counts[low + quarter : high - quarter].sum())
    return Levels(low, high, between <= settings.negligible * grey.size)


def ink_of(
    grey: NDArray[np.uint8],
    levels: Levels,
    window: int,
    settings: LayoutSettings = DEFAULT,
    *,
    is_even: bool = False,
) -> NDArray[np.bool_]:
    """Tell ink from paper in a picture of dark letters on light paper.

    A black-and-white picture is split in the middle of its grey levels; any other by Sauvola's local threshold
    ``mean * (1 + k * (deviation / 128 - 1))`` over a `window` of about two letters, which follows uneven light, held
    under the middle between paper and ink, which keeps blurred strokes from growing fat. `levels` are those of the
    picture before it was turned or scaled. Where the paper `is_even`, what is very dark is ink and what is nearly as
    light as the paper is paper, whatever the neighbourhood.

    Examples
    --------
    >>> grey = np.array([[0, 255], [255, 255]], np.uint8)
    >>> ink_of(grey, grey_levels(grey), window=15)
    array([[ True, False],
           [False, False]])
    """
    from scipy.ndimage import uniform_filter

    if levels.paper - levels.ink < settings.least_contrast:
        return np.zeros(grey.shape, np.bool_)
    if levels.black_and_white:
        return grey <= (levels.ink + levels.paper) // 2
    stretch = np.float32(255 / (levels.paper - levels.ink))
    stretched = np.clip((np.arange(256, dtype=np.float32) - levels.ink) * stretch, 0, 255)[grey]
    mean = uniform_filter(stretched, window, mode="nearest")
    deviation = uniform_filter(np.square(stretched), window, mode="nearest")
    deviation -= np.square(mean)
    np.sqrt(np.maximum(deviation, 0, out=deviation), out=deviation)
    middle = mean - settings.stroke_edge * deviation
    deviation *= settings.sauvola_k / 128
    deviation += 1 - settings.sauvola_k
    threshold = np.minimum(mean * deviation, middle, out=middle)
    if is_even:
        np.clip(threshold, 255 * settings.surely_ink, 255 * settings.surely_paper, out=threshold)
    return np.asarray(stretched < threshold)


def _range_of(counts: NDArray[np.int64]) -> tuple[int, int]:
    """Grey of the darkest ink and of the paper, a few stray pixels left out of account."""
    share = np.cumsum(counts) / counts.sum()
    return int(np.searchsorted(share, 0.001, side="right")), int(np.searchsorted(share, 0.95))
