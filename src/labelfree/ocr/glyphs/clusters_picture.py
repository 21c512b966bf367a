"""A picture of numbered clusters of characters, some of each, and what they are read as."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from labelfree.ocr.glyphs.clusters import ClusterReading

SHOWN = 8  # characters of each cluster
_COLUMNS = 3
_X_HEIGHT = 14  # pixels
_CELL = 40  # across and down, of one character
_WORDS = 170  # across, beside the characters
_MARGIN = 20
_SIZE = 15
_GREY = 110


def draw_clusters(
    members: Sequence[Sequence[NDArray[np.float32]]], x_height: float, readings: Sequence[ClusterReading] | None = None
) -> bytes:
    """Draw clusters as a PNG file: the ink of up to `SHOWN` characters of each, and what it is read as.

    `x_height` is that of the book, in pixels of that ink.
    """
    n_rows = -(-len(members) // _COLUMNS)
    across = _WORDS + SHOWN * _CELL + _MARGIN
    page = Image.new("L", (2 * _MARGIN + _COLUMNS * across, 2 * _MARGIN + n_rows * _CELL), 255)
    draw, face = ImageDraw.Draw(page), _face()
    for number, shown in enumerate(members):
        column, row = divmod(number, n_rows)
        left, top = _MARGIN + column * across, _MARGIN + row * _CELL
        middle = top + _CELL // 2
        draw.text((left, middle), str(number + 1), 0, face, anchor="lm")
        if readings is not None:
            reading = readings[number]
            draw.text((left + 45, middle), "space" if reading.symbol == " " else reading.symbol, 0, face, anchor="lm")
            draw.text((left + 100, middle), f"{reading.share:.0%}", _GREY, face, anchor="lm")
        for place, ink in enumerate(shown):
            tile = _scaled(ink, _X_HEIGHT / x_height)
            page.paste(tile, (left + _WORDS + place * _CELL, middle - tile.height // 2))
    content = io.BytesIO()
    page.save(content, "PNG")
    return content.getvalue()


def _scaled(ink: NDArray[np.float32], factor: float) -> Image.Image:
    """Dark ink on white paper, no larger than a cell less a gap."""
    grey = Image.fromarray((255 * (1 - np.clip(ink, 0, 1))).astype(np.uint8))
    factor = min(factor, (_CELL - 6) / max(grey.width, grey.height, 1))
    size = max(1, round(grey.width * factor)), max(1, round(grey.height * factor))
    return grey.resize(size, Image.Resampling.LANCZOS) if ink.size else Image.new("L", size, 255)


def _face() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A face with many letters where the machine has one, else Pillow's own."""
    try:
        return ImageFont.truetype("DejaVuSans.ttf", _SIZE)
    except OSError:
        return ImageFont.load_default(_SIZE)
