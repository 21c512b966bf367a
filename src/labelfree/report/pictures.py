"""Pictures of lines, cut from the scans where these are still there, and packed small enough for a report."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.export.pairs import line_picture
from labelfree.ocr.export.pictures import open_page
from labelfree.ocr.export.slant import Slant
from labelfree.ocr.sources.images import PageReader
from labelfree.ocr.types import Line, Page

GREYS, _FEW_GREYS = 4, 3  # levels that a line is packed in: more take more room and show no more
_PILOT = 24  # lines that tell how much room pictures take
_TALLEST, _PLEASANT, _LEAST_TALL = 44, 28, 20  # pixels of a packed line
_STANDARD = 32


@dataclass(frozen=True, eq=False)
class LineSheet:
    """A line cut from its scan, level, in grey.

    Attributes
    ----------
    grey : array of shape (height, width), uint8
    spans : array of shape (n, 4)
        Left, upper, right and lower edge of each glyph in the picture.
    scale : float
        Pixels of the picture to one of the page.
    """

    grey: NDArray[np.uint8]
    spans: NDArray[np.float64]
    scale: float

    @property
    def shares(self) -> NDArray[np.float64]:
        """Where each glyph begins and ends, from 0 to 1 of the picture's width, of shape (n, 2)."""
        shares: NDArray[np.float64] = np.clip(self.spans[:, [0, 2]] / max(self.grey.shape[1], 1), 0, 1)
        return shares


def line_sheets(page: Page) -> Iterator[LineSheet | None]:
    """Every line of a page; None for all where its scan cannot be opened, and for lines of which nothing is left."""
    try:
        with PageReader() as reader:
            sheet = open_page(page, reader)
            grey = sheet if sheet.mode in ("L", "RGB") else sheet.convert("L")
            if grey.size[0] < 1 or page.width < 1:
                raise InputError(f"{page.source} holds an empty page")
    except (InputError, OSError):
        yield from (None for _ in page.lines)
        return
    for line in page.lines:
        yield _sheet(grey, line, page) if line.glyphs and line.box.width and line.box.height else None


def _sheet(picture: Image.Image, line: Line, page: Page) -> LineSheet:
    cut = np.asarray(line_picture(picture, line, page).convert("L"))
    slant, scale = Slant.of(page.angle), picture.width / page.width
    left, upper = float(line.box.x0), float(line.box.y0)
    if slant.sin:
        left = min(slant.reach(glyph.box)[0] for glyph in line.glyphs)
        upper = slant.band(line)[0]
    spans = np.empty((len(line.glyphs), 4))
    for span, glyph in zip(spans, line.glyphs, strict=True):
        begin, end = slant.reach(glyph.box)
        middle = (glyph.box.x0 + glyph.box.x1) / 2
        span[:] = (
            begin - left,
            slant.across(middle, glyph.box.y0) - upper,
            end - left,
            slant.across(middle, glyph.box.y1) - upper,
        )
    return LineSheet(_levelled(cut), spans * scale, scale)


def _levelled(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Paper made white and ink black, whatever the light."""
    paper, ink = np.percentile(grey, [90, 1])
    if paper - ink < 30:  # nothing but paper, or nothing but ink
        return grey
    stretched = (grey.astype(np.float32) - ink) * (255 / (0.94 * (paper - ink)))
    levelled: NDArray[np.uint8] = np.clip(stretched, 0, 255).astype(np.uint8)
    return levelled


def data_uri(picture: Image.Image, greys: int = GREYS) -> str:
    """A picture in so many greys as a URI that holds it."""
    return "data:image/webp;base64," + base64.b64encode(webp(picture, greys)).decode()


def webp(picture: Image.Image, greys: int = GREYS) -> bytes:
    """A picture in so many greys as a file of WebP."""
    steps = greys - 1
    reduced = picture.convert("L").point([round(value * steps / 255) * 255 // steps for value in range(256)])
    stream = io.BytesIO()
    reduced.convert("RGB").save(stream, "WEBP", lossless=True, quality=70, method=4)
    return stream.getvalue()


@dataclass(frozen=True)
class Packing:
    """How pictures of lines are made small: by how much, and in how many greys."""

    by: float = 1.0
    greys: int = GREYS

    def uri(self, sheet: LineSheet) -> str:
        """A line's picture as a URI that holds it."""
        rows, columns = sheet.grey.shape
        size = max(1, round(columns / self.by)), max(1, round(rows / self.by))
        return data_uri(Image.fromarray(sheet.grey).resize(size, Image.Resampling.LANCZOS), self.greys)

    @classmethod
    def fitting(cls, sheets: Sequence[LineSheet], n_lines: int, room: int) -> Packing:
        """The best by which pictures of so many lines, of which these are some, take no more than `room` characters.

        Pictures are never enlarged, and stay so large that they can be read.
        """
        if not sheets:
            return cls()
        rows = float(np.median([sheet.grey.shape[0] for sheet in sheets]))
        chosen = [sheets[i * len(sheets) // _PILOT] for i in range(min(_PILOT, len(sheets)))]
        for greys in (GREYS, _FEW_GREYS):
            standard = cls(rows / _STANDARD, greys)
            each = sum(len(standard.uri(sheet)) for sheet in chosen) / len(chosen)
            height = _STANDARD * room / (each * max(n_lines, 1))  # what is packed grows with the height
            if height >= _PLEASANT:
                break
        return cls(max(1.0, rows / min(max(height, _LEAST_TALL), _TALLEST)), greys)
