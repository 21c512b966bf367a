"""A line that runs downhill, seen along its own direction."""

from __future__ import annotations

import math
from dataclasses import dataclass

from labelfree.ocr.types import Box, Line

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
