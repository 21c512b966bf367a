"""Lines of text as pictures, each with its place on the page it came from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Box = tuple[int, int, int, int]
"""Left, upper, right and lower edge in pixels; right and lower edge excluded."""


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the pixels of a straightened picture lie on the page: turned, scaled and moved.

    Attributes
    ----------
    origin : pair of float
        Page coordinates of the picture's upper left corner.
    angle : float
        Degrees by which the picture's rows run downhill on the page.
    scale : float
        Page pixels to one pixel of the picture.
    """

    origin: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0
    scale: float = 1.0

    def points(self, xy: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
        """Page coordinates of points of the picture, both as rows of x and y.

        Examples
        --------
        >>> Placement((10.0, 20.0), scale=2.0).points(np.array([[3, 4]]))
        array([[16., 28.]])
        """
        turn = np.deg2rad(self.angle)
        cos, sin = np.cos(turn), np.sin(turn)
        x, y = np.asarray(xy, np.float64).T * self.scale
        return np.column_stack([self.origin[0] + cos * x - sin * y, self.origin[1] + sin * x + cos * y])

    def box(self, boxes: NDArray[np.integer] | Box) -> Box:
        """Smallest upright box on the page around one or several boxes of the picture."""
        x0, y0, x1, y1 = np.atleast_2d(np.asarray(boxes)).T
        corners = np.column_stack([np.concatenate([x0, x1, x1, x0]), np.concatenate([y0, y0, y1, y1])])
        on_page = self.points(corners)
        left, upper = np.floor(on_page.min(axis=0) + 1e-6).astype(int)
        right, lower = np.ceil(on_page.max(axis=0) - 1e-6).astype(int)
        return int(left), int(upper), int(right), int(lower)

    def inside(self, x: float, y: float) -> Placement:
        """The placement of a part cut from the picture at this pixel."""
        ((page_x, page_y),) = self.points(np.array([[x, y]]))
        return Placement((float(page_x), float(page_y)), self.angle, self.scale)


@dataclass(frozen=True, eq=False)
class TextLine:
    """One line of text, straightened and freed of its neighbours.

    Attributes
    ----------
    source : Path
        File that the line was read from.
    page : int
        Index of the page in that file.
    box : Box
        Around the line's ink, in pixels of the page.
    ink : array of shape (height, width), float32
        1 for ink and 0 for paper.
    angle : float
        Degrees by which the line runs downhill on the page.
    placement : Placement or None
        Where the pixels of `ink` lie on the page; without one they fill `box`.
    """

    source: Path
    page: int
    box: Box
    ink: NDArray[np.float32]
    angle: float = 0.0
    placement: Placement | None = None

    def page_box(self, box: Box) -> Box:
        """The box on the page of a box in `ink`, what lies outside the line's own box left out.

        Examples
        --------
        >>> line = TextLine(Path("a.png"), 0, (100, 50, 140, 60), np.zeros((10, 40), np.float32))
        >>> line.page_box((3, 2, 9, 8))
        (103, 52, 109, 58)
        """
        if self.placement is not None:
            x0, y0, x1, y1 = self.placement.box(box)
            left, upper, right, lower = self.box
            x0, x1 = (min(max(x, left), right) for x in (x0, x1))
            y0, y1 = (min(max(y, upper), lower) for y in (y0, y1))
            return x0, y0, x1, y1
        height, width = self.ink.shape
        left, upper, right, lower = self.box
        across, down = (right - left) / max(width, 1), (lower - upper) / max(height, 1)
        x0, y0, x1, y1 = box
        return (
            left + int(x0 * across),
            upper + int(y0 * down),
            left + int(np.ceil(x1 * across)),
            upper + int(np.ceil(y1 * down)),
        )

    def shrunk(self, factor: int) -> TextLine:
        """The same line with so many pixels as one.

        Examples
        --------
        >>> line = TextLine(Path("a.png"), 0, (100, 50, 140, 60), np.ones((10, 40), np.float32)).shrunk(2)
        >>> line.ink.shape, line.page_box((3, 2, 9, 4))
        ((5, 20), (106, 54, 118, 58))
        """
        if factor == 1:
            return self
        ink = np.asarray(Image.fromarray(self.ink).reduce(factor), np.float32)
        placement = self.placement and replace(self.placement, scale=self.placement.scale * factor)
        return replace(self, ink=ink, placement=placement)


@dataclass(frozen=True, eq=False)
class PageLines:
    """The lines of one page in reading order; `width` and `height` are the page's, `angle` as for a line."""

    source: Path
    page: int
    width: int
    height: int
    angle: float
    lines: tuple[TextLine, ...]
