"""Pages to lines with Tesseract's layout analysis in place of our own."""

from __future__ import annotations

import numpy as np
from PIL import Image

from labelfree.errors import InputError
from labelfree.files import scratch_folder
from labelfree.ocr.layout.outlines import outlined_lines
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.sources import tesseract
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.types import PageLines

_LINE_LEVEL = 4
_SECONDS = 300
# It reads the page too, in a language that is always installed, though only the lines are used.
_ARGUMENTS = ("stdout", "-l", "eng", "--psm", "3", "tsv")


def tesseract_lines(page: PageImage, settings: LayoutSettings = DEFAULT) -> PageLines:
    """Find the lines of a page as the program ``tesseract`` sees them."""
    with scratch_folder() as folder:
        image = folder / "page.png"
        Image.fromarray(page.grey).save(image, compress_level=1, dpi=(300, 300))
        try:
            table = tesseract.run([str(image), *_ARGUMENTS], page.source, _SECONDS)
        except InputError as error:
            raise InputError(f"{error}, or leave Tesseract's layout out") from None
    boxes = parse_lines(table)
    corners = [np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64) for x0, y0, x1, y1 in boxes]
    height, width = page.grey.shape
    return outlined_lines(page, corners, (width, height), settings=settings)


def parse_lines(table: str) -> list[tuple[int, int, int, int]]:
    r"""Boxes of the lines in Tesseract's table of tab-separated values; what is no line is passed over.

    Examples
    --------
    >>> parse_lines("level\tpage_num\n4\t1\t1\t1\t1\t0\t10\t20\t300\t40\t-1\t\n5\t1\n")
    [(10, 20, 310, 60)]
    """
    boxes = []
    for row in table.splitlines():
        fields = row.split("\t")
        try:
            level, left, top, width, height = (int(fields[place]) for place in (0, 6, 7, 8, 9))
        except (ValueError, IndexError):
            continue
        if level == _LINE_LEVEL and width > 0 and height > 0:
            boxes.append((left, top, left + width, top + height))
    return boxes
