"""A line that runs downhill, seen along its own direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median_low

from labelfree.ocr.types import Box, Line, Page

_LEVEL = 0.02  # degrees; less moves nothing by a pixel


@dataclass(frozen=True)
class Slant:
    """The turn between the page and an axis along the lines; along and across are x and y where they are level."""

    cos: float
    sin: float

    @classmethod
    def of(cls, degrees: float) -> Slant:
        """The turn of lines that run downhill by so many degrees."""
        if abs(degrees) < _LEVEL:
            return cls(1.0, 0.0)
        return cls(math.cos(math.radians(degrees)), math.sin(math.radians(degrees)))

    def along(self, x: float, y: float) -> float:
        """How far along the line's direction a point of the page lies."""
        return x * self.cos + y * self.sin

    def across(self, x: float, y: float) -> float:
        """How far below."""
        return y * self.cos - x * self.sin

    def on_page(self, along: float, across: float) -> tuple[float, float]:
        """Where on the page that is.

        Examples
        --------
        >>> slant = Slant.of(2.0)
        >>> [round(value, 6) for value in slant.on_page(slant.along(30, 40), slant.across(30, 40))]
        [30.0, 40.0]
        """
        return along * self.cos - across * self.sin, along * self.sin + across * self.cos

    def reach(self, box: Box) -> tuple[float, float]:
        """Where a box begins and ends along the line, at half its height."""
        middle = (box.y0 + box.y1) / 2
        return self.along(box.x0, middle), self.along(box.x1, middle)

    def band(self, line: Line) -> tuple[float, float]:
        """Upper and lower edge of a line across its direction.

        A level line's box gives them. A slanted line's box is too tall, so there they are those of its glyphs.
        """
        boxes = [glyph.box for glyph in line.glyphs if not glyph.is_space]
        if self.sin == 0 or not boxes:
            return line.box.y0, line.box.y1
        centres = [(box.x0 + box.x1) / 2 for box in boxes]
        upper = min(self.across(x, box.y0) for x, box in zip(centres, boxes, strict=True))
        lower = max(self.across(x, box.y1) for x, box in zip(centres, boxes, strict=True))
        return upper, lower

    def baseline(self, line: Line) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """Where the letters of a line stand, from its first to its last; a line where nothing was read has none.

        Most letters and figures stand on it, so it is the median of where they end below.

        Examples
        --------
        >>> from labelfree.ocr.types import Glyph
        >>> boxes = [Box(10 * i, 20, 10 * i + 8, below) for i, below in enumerate((40, 48, 41, 40))]
        >>> line = Line(Box(0, 20, 38, 48), tuple(Glyph(*one, 1.0) for one in zip("age.", boxes, strict=True)))
        >>> Slant.of(0).baseline(line)
        ((0.0, 41.0), (38.0, 41.0))
        """
        boxes = [glyph.box for glyph in line.glyphs if not glyph.is_space]
        standing = [glyph.box for glyph in line.glyphs if glyph.text.isalnum()] or boxes
        if not boxes:
            return None
        below = median_low([self.across((box.x0 + box.x1) / 2, box.y1) for box in standing])
        reaches = [self.reach(box) for box in boxes]
        left, right = min(begin for begin, _ in reaches), max(end for _, end in reaches)
        return self.on_page(left, below), self.on_page(right, below)


def baseline_points(line: Line, page: Page) -> str | None:
    """The baseline of a line as ALTO and PAGE have it, within the page."""
    ends = Slant.of(page.angle).baseline(line)
    if ends is None:
        return None
    return " ".join(f"{min(max(round(x), 0), page.width)},{min(max(round(y), 0), page.height)}" for x, y in ends)
