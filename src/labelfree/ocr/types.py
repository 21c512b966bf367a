"""Every data type of reading that passes from one room to the next.

Before reading, a page is `PageLines`, each a `TextLine`. What was read is a `Document` of `Page`, `Line`, `Word` and
`Glyph`. Lines stand in `Region`s, of which a page keeps what it was laid out with.

Boxes are in pixels of the page as its file holds it, counted from the upper left corner; the right and the lower edge
are excluded. Confidences run from 0 to 1 and are the expected share of right characters, so a word's and a line's are
the mean of its glyphs'.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.alphabet import nfc
from labelfree.errors import InputError

_MOST_ALTERNATIVES = 5  # of a word
PageKey = tuple[Path, int]  # what tells a page from all others: its file, and its index in that file


class _Edges(NamedTuple):
    x0: int
    y0: int
    x1: int
    y1: int


class Box(_Edges):
    """An upright rectangle: left, upper, right and lower edge in pixels, the last two excluded.

    Examples
    --------
    >>> Box(3, 4, 10, 20).width, Box.around([Box(3, 4, 10, 20), Box(0, 6, 5, 21)])
    (7, Box(x0=0, y0=4, x1=10, y1=21))
    """

    __slots__ = ()

    def __new__(cls, x0: int, y0: int, x1: int, y1: int) -> Self:
        """Refuse a box that ends before it begins."""
        if x1 < x0 or y1 < y0:
            raise InputError(
                f"box ({x0}, {y0}, {x1}, {y1}) ends before it begins; "
                "left, upper, right and lower edge wanted, in that order"
            )
        return super().__new__(cls, x0, y0, x1, y1)

    @property
    def width(self) -> int:
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        return self.y1 - self.y0

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """The smallest box that holds some others."""
        x0, y0, x1, y1 = zip(*boxes, strict=True)
        return cls(min(x0), min(y0), max(x1), max(y1))

    def clipped(self, to: Box) -> Box:
        """What of the box lies in another; a box beside the other shrinks to its edge."""
        x0, x1 = (min(max(x, to.x0), to.x1) for x in (self.x0, self.x1))
        y0, y1 = (min(max(y, to.y0), to.y1) for y in (self.y0, self.y1))
        return Box(x0, y0, x1, y1)

    def within(self, width: int, height: int) -> Box:
        """What of the box lies on a page of this size; a box beside the page shrinks to its edge."""
        return self.clipped(Box(0, 0, width, height))


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the pixels of a deskewed image lie on the page: rotated, scaled and shifted."""

    origin: tuple[float, float] = (0.0, 0.0)  # page coordinates of the image's upper left corner
    angle: float = 0.0  # degrees by which the image's rows run downhill on the page
    scale: float = 1.0  # page pixels to one pixel of the image

    def points(self, xy: NDArray[np.floating] | NDArray[np.integer]) -> NDArray[np.float64]:
        """Page coordinates of points of the image, both as rows of x and y.

        Examples
        --------
        >>> Placement((10.0, 20.0), scale=2.0).points(np.array([[3, 4]]))
        array([[16., 28.]])
        """
        turn = np.deg2rad(self.angle)
        cos, sin = np.cos(turn), np.sin(turn)
        x, y = np.asarray(xy, np.float64).T * self.scale
        return np.column_stack([self.origin[0] + cos * x - sin * y, self.origin[1] + sin * x + cos * y])

    def box(self, boxes: NDArray[np.integer] | tuple[int, int, int, int]) -> Box:
        """Smallest upright box on the page around one or several boxes of the image."""
        x0, y0, x1, y1 = np.atleast_2d(np.asarray(boxes)).T
        corners = self.points(np.column_stack([np.concatenate([x0, x1, x1, x0]), np.concatenate([y0, y0, y1, y1])]))
        left, upper = np.floor(corners.min(axis=0) + 1e-6)
        right, lower = np.ceil(corners.max(axis=0) - 1e-6)
        return Box(int(left), int(upper), int(right), int(lower))

    def inside(self, x: float, y: float) -> Placement:
        """The placement of a part cut from the image at this pixel."""
        ((page_x, page_y),) = self.points(np.array([[x, y]]))
        return Placement((float(page_x), float(page_y)), self.angle, self.scale)

    def turned_back(self, width: float) -> Placement:
        """The placement on a page so wide that was turned to the left by a quarter before.

        Examples
        --------
        >>> Placement((3.0, 4.0)).turned_back(100).points(np.array([[0, 0], [10, 0]]))
        array([[96.,  3.],
               [96., 13.]])
        """
        x, y = self.origin
        return Placement((width - y, x), self.angle + 90.0, self.scale)

    def on_larger(self, by: float, x: float = 0.0, y: float = 0.0) -> Placement:
        """The placement on a page so many times larger, of which this page is the part that begins at x and y."""
        return Placement(((self.origin[0] + x) * by, (self.origin[1] + y) * by), self.angle, self.scale * by)


@dataclass(frozen=True, eq=False)
class TextLine:
    """The image of one text line, deskewed, without strokes of its neighbours."""

    source: Path
    page: int  # index in the file
    box: Box  # around the line's ink, in pixels of the page
    pixels: NDArray[np.uint8]  # (height, width), 255 for ink and 0 for paper
    angle: float = 0.0  # degrees by which the line runs downhill on the page
    placement: Placement | None = None  # where the pixels lie on the page; without one they fill `box`

    @property
    def ink(self) -> NDArray[np.float32]:
        """From 0 for paper to 1 for ink."""
        return np.divide(self.pixels, 255, dtype=np.float32)

    @property
    def strokes(self) -> NDArray[np.bool_]:
        """Whether each pixel is ink."""
        return self.pixels >= np.uint8(128)

    def page_box(self, box: tuple[int, int, int, int]) -> Box:
        """The box on the page of a box in pixels, clipped to the line's own box."""
        if self.placement is not None:
            return self.placement.box(box).clipped(self.box)
        height, width = self.pixels.shape
        across, down = self.box.width / max(width, 1), self.box.height / max(height, 1)
        x0, y0, x1, y1 = box
        return Box(
            self.box.x0 + int(x0 * across),
            self.box.y0 + int(y0 * down),
            self.box.x0 + int(np.ceil(x1 * across)),
            self.box.y0 + int(np.ceil(y1 * down)),
        )

    @property
    def turned_over(self) -> TextLine:
        """The same line turned by half a circle, as if the page had stood on its head.

        Examples
        --------
        >>> line = TextLine(Path("a.png"), 0, Box(100, 50, 140, 60), np.full((10, 40), 255, np.uint8)).turned_over
        >>> line.page_box((0, 0, 10, 10)), line.angle
        (Box(x0=130, y0=50, x1=140, y1=60), 180.0)
        """
        height, width = self.pixels.shape
        placement = self.placement or Placement((self.box.x0, self.box.y0), scale=self.box.width / max(width, 1))
        over = placement.inside(width, height)
        placed = replace(over, angle=_half_turn(over.angle))
        return replace(self, pixels=self.pixels[::-1, ::-1].copy(), angle=_half_turn(self.angle), placement=placed)

    def shrunk(self, factor: int) -> TextLine:
        """The same line with squares of so many pixels a side averaged into one.

        Examples
        --------
        >>> line = TextLine(Path("a.png"), 0, Box(100, 50, 140, 60), np.full((10, 40), 255, np.uint8)).shrunk(2)
        >>> line.pixels.shape, line.page_box((3, 2, 9, 4))
        ((5, 20), Box(x0=106, y0=54, x1=118, y1=58))
        """
        if factor == 1:
            return self
        pixels = np.asarray(Image.fromarray(self.pixels).reduce(factor))
        placement = self.placement and replace(self.placement, scale=self.placement.scale * factor)
        return replace(self, pixels=pixels, placement=placement)


def _half_turn(angle: float) -> float:
    """An angle and half a circle, from -180 (excluded) to 180 degrees."""
    return angle + 180.0 if angle <= 0 else angle - 180.0


RegionKind = Literal["paragraph", "heading", "header", "footer", "page-number", "marginalia", "picture"]
"""What a part of a page is; header and footer are what is printed above and below the text of every page."""


@dataclass(frozen=True)
class Region:
    """A part of a page: its kind, its box on the page, and its lines.

    Attributes
    ----------
    kind : str
        One of `RegionKind`.
    box : Box
    lines : tuple of int
        Indices into the lines of the page, in reading order; none for a picture.

    Examples
    --------
    >>> Region("heading", Box(0, 0, 90, 20), (0, 1)).lines
    (0, 1)
    """

    kind: RegionKind
    box: Box
    lines: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        kinds = get_args(RegionKind)
        if self.kind not in kinds:
            raise InputError(f"region of kind {self.kind!r} found, one of {', '.join(kinds)} wanted; name one of those")
        if self.kind == "picture" and self.lines:
            raise InputError(f"picture with {len(self.lines)} lines found, none wanted; give the lines another region")


def _check_regions(regions: tuple[Region, ...], n_lines: int) -> None:
    """Refuse regions with lines that the page does not have, or with a line in two of them."""
    named = [index for region in regions for index in region.lines]
    if any(not 0 <= index < n_lines for index in named) or len(set(named)) < len(named):
        raise InputError(
            f"regions with the lines {named} found on a page of {n_lines} lines; each line in one region at most wanted"
        )


@dataclass(frozen=True, eq=False)
class PageLines:
    """The text lines of one page in reading order; `width` and `height` are the page's, `angle` as for a line.

    A line of no region is a paragraph's, as all lines are where there are no regions.
    """

    source: Path
    page: int
    width: int
    height: int
    angle: float
    lines: tuple[TextLine, ...]
    regions: tuple[Region, ...] = ()  # in reading order

    def __post_init__(self) -> None:
        _check_regions(self.regions, len(self.lines))

    @property
    def key(self) -> PageKey:
        """Its file, and its index in that file."""
        return self.source, self.page

    @property
    def turned_over(self) -> PageLines:
        """The same page turned by half a circle, so that its last line is its first."""
        last = len(self.lines) - 1
        regions = tuple(replace(each, lines=tuple(last - i for i in reversed(each.lines))) for each in self.regions)
        lines = tuple(line.turned_over for line in reversed(self.lines))
        return replace(self, angle=_half_turn(self.angle), lines=lines, regions=regions[::-1])


class Alternative(NamedTuple):
    """What a glyph or a word might be instead, and the probability of that."""

    text: str
    share: float


@dataclass(frozen=True, slots=True)
class Glyph:
    """One piece of type: a character, a ligature of several (``ch``), or the space between words (``" "``)."""

    text: str
    box: Box
    confidence: float
    alternatives: tuple[Alternative, ...] = ()  # the likeliest first; none where it is hardly doubtful

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise InputError(f"confidence of {self.text!r} is {self.confidence}; a share from 0 to 1 wanted: clip it")

    @property
    def is_space(self) -> bool:
        """Whether it separates words."""
        return not self.text or self.text.isspace()

    def characters(self) -> tuple[Glyph, ...]:
        """One glyph for each character, side by side in equal shares of the box."""
        if len(self.text) == 1:
            return (self,)
        n, (x0, y0, _, y1) = len(self.text), self.box
        edges = pairwise(x0 + self.box.width * i // n for i in range(n + 1))
        return tuple(
            Glyph(character, Box(left, y0, right, y1), self.confidence)
            for character, (left, right) in zip(self.text, edges, strict=True)
        )


@dataclass(frozen=True)
class Word:
    """Glyphs with no space among them."""

    glyphs: tuple[Glyph, ...]

    @cached_property
    def text(self) -> str:
        """What is read, in NFC."""
        return nfc("".join(glyph.text for glyph in self.glyphs))

    @cached_property
    def box(self) -> Box:
        """Around all glyphs."""
        return Box.around(glyph.box for glyph in self.glyphs)

    @property
    def confidence(self) -> float:
        """Mean over the glyphs."""
        return _mean_confidence(self.glyphs)

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """The likeliest other readings of a word with doubtful glyphs, each of which is right or wrong by itself.

        Examples
        --------
        >>> at = Box(0, 0, 4, 9)
        >>> c, at_, t = Glyph("c", at, 0.5, (Alternative("o", 0.4),)), Glyph("a", at, 1.0), Glyph("t", at, 1.0)
        >>> Word((c, at_, t)).alternatives
        (Alternative(text='oat', share=0.4),)
        """
        if not any(glyph.alternatives for glyph in self.glyphs):
            return ()
        best = [Alternative("", 1.0)]
        for glyph in self.glyphs:
            choices = [Alternative(glyph.text, glyph.confidence), *glyph.alternatives]
            longer = [Alternative(word + text, share * by) for word, share in best for text, by in choices]
            best = sorted(longer, key=lambda each: -each.share)[: _MOST_ALTERNATIVES + 1]
        others = (Alternative(nfc(text), round(share, 4)) for text, share in best)
        return tuple(each for each in others if each.text != self.text)[:_MOST_ALTERNATIVES]


@dataclass(frozen=True)
class Line:
    """One line of text.

    Examples
    --------
    >>> at = Box(0, 0, 4, 9)
    >>> line = Line(at, (Glyph("a", at, 1.0), Glyph(" ", at, 0.5), Glyph("ch", at, 0.9)))
    >>> line.text, line.words[1].text, round(line.confidence, 3)
    ('a ch', 'ch', 0.8)
    """

    box: Box
    glyphs: tuple[Glyph, ...]  # in reading order, spaces among them
    id: str = ""  # a name for the line, where it came with one

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The runs of glyphs between spaces."""
        runs = groupby(self.glyphs, key=lambda glyph: glyph.is_space)
        return tuple(Word(tuple(glyphs)) for is_space, glyphs in runs if not is_space)

    @cached_property
    def text(self) -> str:
        """The words, one space between any two."""
        return " ".join(word.text for word in self.words)

    @property
    def confidence(self) -> float:
        """Mean over the glyphs, spaces included; 0 where nothing was read."""
        return _mean_confidence(self.glyphs)


@dataclass(frozen=True)
class Page:
    """One page, or the image of a single line."""

    source: Path
    index: int  # in the file, from 0
    width: int  # in pixels of the file, as the height is
    height: int
    lines: tuple[Line, ...]  # in reading order
    angle: float = 0.0  # degrees by which the lines run downhill
    regions: tuple[Region, ...] = ()  # in reading order; a line of none of them is a paragraph's

    def __post_init__(self) -> None:
        _check_regions(self.regions, len(self.lines))

    @property
    def key(self) -> PageKey:
        """Its file, and its index in that file."""
        return self.source, self.index

    @property
    def text(self) -> str:
        """The lines, each ended."""
        return "".join(line.text + "\n" for line in self.lines)

    @property
    def confidence(self) -> float:
        """Mean over all glyphs; 0 where nothing was read."""
        return _mean_confidence(glyph for line in self.lines for glyph in line.glyphs)

    @property
    def expected_error(self) -> float | None:
        """Share of the glyphs that are expected to be wrong; None where nothing was read."""
        return 1 - self.confidence if any(line.glyphs for line in self.lines) else None


@dataclass(frozen=True)
class Unread:
    """What stands in a text for characters that could not be read: a mark, and the confidence that others have."""

    mark: str
    least_confidence: float

    def of_glyph(self, glyph: Glyph) -> Glyph:
        """The glyph, or as many marks as it has characters."""
        is_read = glyph.is_space or glyph.confidence >= self.least_confidence
        return glyph if is_read else replace(glyph, text=self.mark * len(glyph.text))


@dataclass(frozen=True)
class Document:
    """All pages that were read in one run.

    Attributes
    ----------
    pages : tuple of Page
    language : str
        Code such as ``de``; empty where none is known.
    model : mapping
        Facts on the model that read it.
    words : container of str
        Those of its language, as far as they are known.
    """

    pages: tuple[Page, ...]
    language: str = ""
    model: Mapping[str, Any] = field(default_factory=dict)
    words: Container[str] = frozenset()

    @property
    def text(self) -> str:
        """All pages, separated by an empty line unless each is the image of a single line."""
        separator = "" if all(len(page.lines) == 1 for page in self.pages) else "\n"
        return separator.join(page.text for page in self.pages)

    def marked(self, unread: Unread) -> Document:
        r"""The same with a mark for each character that was read with too little confidence.

        Examples
        --------
        >>> at = Box(0, 0, 4, 9)
        >>> line = Line(at, (Glyph("a", at, 0.9), Glyph(" ", at, 0.2), Glyph("ch", at, 0.3)))
        >>> Document((Page(Path("a.png"), 0, 9, 9, (line,)),)).marked(Unread("▯", 0.5)).text
        'a ▯▯\n'
        """

        def of_page(page: Page) -> Page:
            lines = (replace(line, glyphs=tuple(map(unread.of_glyph, line.glyphs))) for line in page.lines)
            return replace(page, lines=tuple(lines))

        return replace(self, pages=tuple(map(of_page, self.pages)))


def _mean_confidence(glyphs: Iterable[Glyph]) -> float:
    values = [glyph.confidence for glyph in glyphs]
    return sum(values) / len(values) if values else 0.0
