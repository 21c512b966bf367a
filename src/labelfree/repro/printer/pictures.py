"""Pictures among the text of a page: photographs in halftone, drawings, ornaments, and where they stand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

from labelfree.ocr.types import Box

Grey = NDArray[np.uint8]

_MARGIN = 40  # pixels of white around a picture


def photo(height: int, width: int, rng: np.random.Generator) -> Grey:
    """A photograph as print has it, in black and white dots: shapes in light and shadow."""
    scene = np.zeros((height, width))
    for scale in (4, 10, 30):
        rough = rng.normal(size=(scale, scale))
        scene += np.asarray(Image.fromarray(rough.astype(np.float32)).resize((width, height))) / np.sqrt(scale)
    scene += gaussian_filter(rng.normal(size=scene.shape), 1.5)
    scene = 255 / (1 + np.exp(-2 * (scene - scene.mean()) / scene.std()))
    dots = Image.fromarray(scene.astype(np.uint8)).convert("1")
    return np.where(np.asarray(dots), np.uint8(255), np.uint8(0))


def drawing(height: int, width: int, rng: np.random.Generator) -> Grey:
    """A drawing in ink: outlines, and hatching in some of them."""
    picture = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(picture)
    for _ in range(int(rng.integers(8, 16))):
        x, y = rng.uniform(0.05, 0.75, 2) * (width, height)
        across, down = rng.uniform(0.05, 0.25, 2) * (width, height)
        shape = [x, y, x + across, y + down]
        [draw.ellipse, draw.rectangle][int(rng.integers(2))](shape, outline=0, width=int(rng.integers(2, 5)))
        if rng.random() < 0.5:
            for step in np.arange(0, across, rng.uniform(6, 14)):
                draw.line([x + step, y, x + step * 0.8, y + down], fill=0, width=2)
    for _ in range(int(rng.integers(4, 10))):
        steps = rng.normal(0, 0.04, (30, 2)).cumsum(axis=0) + rng.uniform(0.2, 0.8, 2)
        draw.line([tuple(point) for point in np.clip(steps, 0, 1) * (width, height)], fill=0, width=3)
    return np.asarray(picture)


def ornament(height: int, width: int, rng: np.random.Generator) -> Grey:
    """A row of flowers, each like the others."""
    picture = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(picture)
    size = min(height, width) / 4
    petals = int(rng.integers(4, 8))
    for x in np.arange(size, width - size, 2.2 * size):
        for turn in np.arange(petals) * 2 * np.pi / petals:
            at = np.array([x + 0.6 * size * np.cos(turn), height / 2 + 0.6 * size * np.sin(turn)])
            draw.ellipse([*(at - 0.3 * size), *(at + 0.3 * size)], outline=0, width=3)
        draw.ellipse([x - size / 4, height / 2 - size / 4, x + size / 4, height / 2 + size / 4], fill=0)
    return np.asarray(picture)


PICTURES: tuple[Callable[[int, int, np.random.Generator], Grey], ...] = (photo, drawing, ornament)


def with_picture(grey: Grey, kind: int, rng: np.random.Generator) -> tuple[Grey, Box]:
    """A page with a picture between two of its lines, and where that is.

    Examples
    --------
    >>> page = np.full((400, 300), 255, np.uint8)
    >>> page[50:350:40, 30:270] = 0
    >>> wider, box = with_picture(page, 1, np.random.default_rng(0))
    >>> bool((wider < 128).sum() > (page < 128).sum()), len(wider) - len(page) == box.height + 80
    (True, True)
    """
    ink = grey < 128
    columns = np.flatnonzero(ink.any(axis=0))
    left, right = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, grey.shape[1])
    height = int(rng.uniform(0.2, 0.4) * len(grey))
    at = _between_lines(ink)
    block = np.full((height + 2 * _MARGIN, grey.shape[1]), 255, np.uint8)
    block[_MARGIN : _MARGIN + height, left:right] = PICTURES[kind % len(PICTURES)](height, right - left, rng)
    box = Box(left, at + _MARGIN, right, at + _MARGIN + height)
    return np.concatenate([grey[:at], block, grey[at:]]), box


def _between_lines(ink: NDArray[np.bool_]) -> int:
    """The row nearest to a third of the page that has no ink around it."""
    rows = np.asarray(ink.any(axis=1))
    white = np.convolve(rows, np.ones(5), "same") == 0
    found = np.flatnonzero(white)
    return int(found[np.argmin(np.abs(found - len(rows) // 3))]) if len(found) else len(rows)
