"""Strips: whole lines of print, levelled and brought to one height, the letters of all of one size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from labelfree.ocr.segment.baseline import Band

HEIGHT = 32
X_HEIGHT = 12.0
_GRAIN = 16  # columns of which every padded width is a multiple
_ABOVE = 22.5  # rows above the baseline
_MARGIN = 8  # columns of paper at both ends
_WIDEST = 4_000
_LARGEST_CHANGE = 1.4  # of a line's x-height against the book's, beyond which its type is of another size


@dataclass(frozen=True, eq=False)
class Strip:
    """A line as a recogniser sees it: the baseline is level, and small letters are X_HEIGHT rows tall."""

    image: NDArray[np.float32]  # of shape (HEIGHT, width), 1 for ink, 0 for paper
    scale: float  # pixels of the line to a pixel of the strip

    @property
    def width(self) -> int:
        return int(self.image.shape[1])

    @property
    def inked(self) -> tuple[int, int]:
        """First column that has ink, and the first after the last; of a strip without any, all."""
        found = np.flatnonzero((self.image > 0.5).any(0))
        return (int(found[0]), int(found[-1]) + 1) if len(found) else (0, self.width)

    def columns(self, x: NDArray[np.floating]) -> NDArray[np.float64]:
        """Columns of the line for columns of the strip."""
        return (np.asarray(x, np.float64) - _MARGIN) * self.scale


def line_strip(pixels: NDArray[np.uint8], band: Band, x_height: float) -> Strip:
    """Bring a line, 255 for ink and 0 for paper, to a strip.

    The x-height, in pixels, is that of the book; a line whose own is far from it, as a heading's, goes by its own.

    Examples
    --------
    >>> pixels = np.zeros((60, 200), np.uint8)
    >>> pixels[16:40, 5:195:30] = pixels[16:40, 6:195:30] = 255
    >>> line_strip(pixels, Band(baseline=40.0, slope=0.0, x_height=24.0), 24.0).image.shape
    (32, 116)
    """
    if max(band.x_height / x_height, x_height / band.x_height) > _LARGEST_CHANGE:
        x_height = band.x_height
    scale = max(x_height / X_HEIGHT, (pixels.shape[1] + 1) / (_WIDEST - 2 * _MARGIN))
    width = max(1, round(pixels.shape[1] / scale))
    top = band.baseline - _ABOVE * scale
    small = _reduced(pixels, scale)
    across, down = pixels.shape[1] / small.width, pixels.shape[0] / small.height
    step = scale / across, band.slope * scale / down, scale / down
    moved = small.transform(
        (width + 2 * _MARGIN, HEIGHT),
        Image.Transform.AFFINE,
        (step[0], 0.0, -_MARGIN * step[0], step[1], step[2], top / down - _MARGIN * step[1]),
        Image.Resampling.BILINEAR,
    )
    return Strip(np.asarray(moved, np.float32) / np.float32(255), scale)


def _reduced(pixels: NDArray[np.uint8], scale: float) -> Image.Image:
    """The line at about the strip's size, each pixel the mean of those it stands for; never enlarged."""
    height, width = pixels.shape
    grey = Image.fromarray(pixels)
    if scale <= 1:
        return grey
    return grey.resize((max(1, round(width / scale)), max(1, round(height / scale))), Image.Resampling.BOX)


def padded(strips: Sequence[Strip]) -> Tensor:
    """Strips as one tensor of shape (n, HEIGHT, width), paper to the right of the narrower ones."""
    images = np.zeros((len(strips), HEIGHT, padded_width(max(strip.width for strip in strips))), np.float32)
    for image, strip in zip(images, strips, strict=True):
        image[:, : strip.width] = strip.image
    return torch.from_numpy(images)


def padded_width(width: int) -> int:
    """The least multiple of _GRAIN that holds so many columns."""
    return -(-width // _GRAIN) * _GRAIN


def alike(strips: Sequence[Strip], columns: int) -> Iterator[NDArray[np.int64]]:
    """Batches of at most so many columns, strips of one padded width in each, so that none sways another's reading."""
    widths = np.array([padded_width(strip.width) for strip in strips], np.int64)
    for width in np.unique(widths):
        same = np.flatnonzero(widths == width)
        most = max(1, columns // int(width))
        for first in range(0, len(same), most):
            yield same[first : first + most]
