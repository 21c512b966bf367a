"""Line images with their text beside them, as tesstrain, kraken and calamari take them to train on.

``name.png`` and ``name.gt.txt``; a name holds no dot, since the three do not agree where its ending begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from labelfree.ocr.export.markup import legal
from labelfree.ocr.export.pictures import open_page, saved
from labelfree.ocr.export.slant import Slant
from labelfree.ocr.sources.images import PageReader
from labelfree.ocr.types import Line, Page


@dataclass(frozen=True)
class Pair:
    """The picture of a line as PNG, its text, and the number of the line on its page, from 1."""

    image: bytes
    text: bytes
    number: int


def pairs(page: Page, least_confidence: float = 0.0) -> Iterator[Pair]:
    """The lines of a page on which something was read, and that with enough confidence."""
    lines = enumerate(page.lines, 1)
    chosen = [(number, line) for number, line in lines if line.text and line.confidence >= least_confidence]
    if not chosen:
        return
    with PageReader() as reader:
        sheet = open_page(page, reader)
    for number, line in chosen:
        yield Pair(saved(line_picture(sheet, line, page), "PNG"), f"{legal(line.text)}\n".encode(), number)


def pair_name(stem: Path, pair: Pair, page: Page) -> Path:
    """What the files of a pair are called, without their ending."""
    number = f"_{pair.number:04d}" if len(page.lines) > 1 else ""
    return stem.with_name(stem.name.replace(".", "_") + number)


def line_picture(sheet: Image.Image, line: Line, page: Page) -> Image.Image:
    """The line's part of the page, turned level."""
    slant = Slant.of(page.angle)
    scale = sheet.width / page.width
    if slant.sin == 0:
        box = line.box.within(page.width, page.height)
        x0, y0 = min(box.x0, page.width - 1), min(box.y0, page.height - 1)
        x1, y1 = max(box.x1, x0 + 1), max(box.y1, y0 + 1)
        return sheet.crop((int(x0 * scale), int(y0 * scale), math.ceil(x1 * scale), math.ceil(y1 * scale)))
    upper, lower = slant.band(line)
    reaches = [slant.reach(glyph.box) for glyph in line.glyphs]
    left, right = min(begin for begin, _ in reaches), max(end for _, end in reaches)
    size = max(1, math.ceil((right - left) * scale)), max(1, math.ceil((lower - upper) * scale))
    x, y = slant.on_page(left, upper)
    placing = (slant.cos, -slant.sin, x * scale, slant.sin, slant.cos, y * scale)
    grey = sheet.convert("L") if sheet.mode == "1" else sheet
    return grey.transform(size, Image.Transform.AFFINE, placing, Image.Resampling.BILINEAR, fillcolor="white")
