"""The paper of a grey page made evenly white: shadow, yellowing, the dark table that the page lies on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings

_WHITE = 255


def even_paper(grey: NDArray[np.uint8], settings: LayoutSettings = DEFAULT) -> NDArray[np.uint8]:
    """A picture of dark letters with its paper white all over, and all that is as dark over a large area white too.

    The grey of the paper is what is left where a closing takes away every stroke: a pixel is measured against it.
    Where even that is dark there is no paper: the bed of a scanner, the table, a punched hole, the black of a picture.

    Examples
    --------
    >>> shadow = np.tile(np.linspace(120, 240, 400).astype(np.uint8), (300, 1))
    >>> shadow[100:110, 50:350:20] //= 4
    >>> even = even_paper(shadow)
    >>> bool(even[50].min() > 245), bool(even[105, 50:350:20].max() < 100)
    (True, True)
    """
    by = max(1, round(max(grey.shape) / settings.paper_side))
    small = np.asarray(Image.fromarray(grey).reduce(by)) if by > 1 else grey
    paper = _paper_of(small, settings)
    white = float(np.quantile(paper, 0.8))
    is_paper = paper >= settings.darkest_paper * white
    if not is_paper.any():
        return grey
    gain = np.where(is_paper, _WHITE / np.maximum(paper, 1), 0).astype(np.float32)
    height, width = grey.shape
    gains = np.asarray(Image.fromarray(gain).resize((width, height), Image.Resampling.BILINEAR))
    none = np.asarray(Image.fromarray(is_paper).resize((width, height), Image.Resampling.NEAREST))
    even = np.minimum(grey * np.maximum(gains, 1.0), _WHITE)
    even[~none] = _WHITE
    return np.asarray(even, np.uint8)


def _paper_of(small: NDArray[np.uint8], settings: LayoutSettings) -> NDArray[np.float32]:
    """Grey of the paper under every pixel: a closing, which no stroke survives, then smoothed."""
    from scipy.ndimage import gaussian_filter, grey_closing, grey_erosion, median_filter

    window = max(3, round(settings.broadest_stroke * max(small.shape))) | 1
    # Grains of dust and of the sensor, brighter than the paper, would make it lighter.
    calm = median_filter(small, 3, mode="nearest")
    paper = grey_closing(calm, (window, window), mode="nearest")
    dark = paper < settings.darkest_paper * np.quantile(paper, 0.8)
    smooth = gaussian_filter(paper.astype(np.float32), window / 2, mode="nearest")
    # What borders on the dark is its edge, not paper: the blur would take it for a shadow.
    return np.where(grey_erosion(~dark, (3, 3)), np.maximum(smooth, 1), 0).astype(np.float32)
