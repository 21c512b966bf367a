"""What was read: a book of pages, a page of lines, a line of glyphs, each with its place and how sure it is.

Boxes are in pixels of the page as its file holds it, counted from the upper left corner; the right and the lower edge
are excluded. Confidences run from 0 to 1 and are the expected share of right characters, so a word's and a line's are
the mean of its glyphs'.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from labelfree.errors import InputError


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle.

    Examples
    --------
    >>> Box(3, 4, 10, 20).width, Box.around([Box(3, 4, 10, 20), Box(0, 6, 5, 21)])
    (7, Box(x0=0, y0=4, x1=10, y1=21))
    """

    x0: int
    y0: int
    x1: int
    y1: int

    def __post_init__(self) -> None:
        if self.x1 < self.x0 or self.y1 < self.y0:
            raise InputError(
                f"box ({self.x0}, {self.y0}, {self.x1}, {self.y1}) ends before it begins; "
                "left, upper, right and lower edge wanted, in that order"
            )

    @property
    def width(self) -> int:
        """Pixels across."""
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        """Pixels down."""
        return self.y1 - self.y0

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        """The smallest box that holds some others."""
        held = tuple(boxes)
        return cls(
            min(box.x0 for box in held),
            min(box.y0 for box in held),
            max(box.x1 for box in held),
            max(box.y1 for box in held),
        )

    def within(self, width: int, height: int) -> Box:
        """What of the box lies on a page of this size; a box beside the page shrinks to its edge."""
        x0, x1 = (min(max(x, 0), width) for x in (self.x0, self.x1))
        y0, y1 = (min(max(y, 0), height) for y in (self.y0, self.y1))
        return Box(x0, y0, x1, y1)


@dataclass(frozen=True, slots=True)
class Glyph:
    """One piece of type: a character, a ligature of several (``ch``), or the space between words (``" "``)."""

    text: str
    box: Box
    confidence: float

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise InputError(f"confidence of {self.text!r} is {self.confidence}; a share from 0 to 1 wanted: clip it")

    @property
    def is_space(self) -> bool:
        """Whether it parts words."""
        return not self.text or self.text.isspace()

    def characters(self) -> tuple[Glyph, ...]:
        """One glyph for each character, side by side in equal shares of the box.

        Examples
        --------
        >>> [(part.text, part.box.x0, part.box.x1) for part in Glyph("ch", Box(10, 0, 20, 9), 1.0).characters()]
        [('c', 10, 15), ('h', 15, 20)]
        """
        if len(self.text) == 1:
            return (self,)
        n, box = len(self.text), self.box
        edges = [box.x0 + box.width * i // n for i in range(n + 1)] if n else []
        boxes = (Box(left, box.y0, right, box.y1) for left, right in pairwise(edges))
        return tuple(
            Glyph(character, place, self.confidence) for character, place in zip(self.text, boxes, strict=True)
        )


@dataclass(frozen=True)
class Word:
    """Glyphs with no space among them."""

    glyphs: tuple[Glyph, ...]

    @cached_property
    def text(self) -> str:
        """What is read, in NFC."""
        return unicodedata.normalize("NFC", "".join(glyph.text for glyph in self.glyphs))

    @cached_property
    def box(self) -> Box:
        """Around all glyphs."""
        return Box.around(glyph.box for glyph in self.glyphs)

    @property
    def confidence(self) -> float:
        """Mean over the glyphs."""
        return _mean_confidence(self.glyphs)


@dataclass(frozen=True)
class Line:
    """One line of text.

    Attributes
    ----------
    box : Box
    glyphs : tuple of Glyph
        In reading order, spaces among them.
    id : str
        A name for the line, where it came with one.
    image : Path or None
        The file, where the line is a picture of its own.

    Examples
    --------
    >>> at = Box(0, 0, 4, 9)
    >>> line = Line(at, (Glyph("a", at, 1.0), Glyph(" ", at, 0.5), Glyph("ch", at, 0.9)))
    >>> line.text, line.words[1].text, round(line.confidence, 3)
    ('a ch', 'ch', 0.8)
    """

    box: Box
    glyphs: tuple[Glyph, ...]
    id: str = ""
    image: Path | None = None

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
    """One page, or a picture of a single line.

    Attributes
    ----------
    source : Path
        The file.
    index : int
        Place of the page in the file, from 0.
    width, height : int
        In pixels of the file.
    lines : tuple of Line
        In reading order.
    angle : float
        Degrees by which the lines run downhill.
    """

    source: Path
    index: int
    width: int
    height: int
    lines: tuple[Line, ...]
    angle: float = 0.0

    @property
    def text(self) -> str:
        """The lines, each ended."""
        return "".join(line.text + "\n" for line in self.lines)

    @property
    def confidence(self) -> float:
        """Mean over all glyphs; 0 where nothing was read."""
        return _mean_confidence(glyph for line in self.lines for glyph in line.glyphs)


@dataclass(frozen=True)
class Document:
    """All that was read in one go.

    Attributes
    ----------
    pages : tuple of Page
    language : str
        Code such as ``de``; empty where none is known.
    model : mapping
        What is worth noting of the model that read it.
    """

    pages: tuple[Page, ...]
    language: str = ""
    model: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All pages; an empty line parts them, unless each is a picture of a single line."""
        parting = "" if all(len(page.lines) == 1 for page in self.pages) else "\n"
        return parting.join(page.text for page in self.pages)


def _mean_confidence(glyphs: Iterable[Glyph]) -> float:
    values = [glyph.confidence for glyph in glyphs]
    return sum(values) / len(values) if values else 0.0
