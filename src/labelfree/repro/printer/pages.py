"""Pages of a book: running heads, text, footnotes, and where each line stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from labelfree.repro.printer.composition import Align, Column, ComposedLine, Compositor, PlacedWord
from labelfree.repro.printer.design import BookDesign
from labelfree.repro.printer.founts import Fount, Shape, settable
from labelfree.repro.printer.manuscript import Block, Word

_NOTE_SIZE = 0.8  # of the text's
_HEADING_SIZE = 1.2
_HEAD_SIZE = 0.9
_INDENT = 1.3  # of the size
_ROOM_FOR_RULE = 0.6  # of a line, above footnotes
_MARGIN = 0.4  # inches
_PATTERN = "etaoin shrdlu the quick brown fox jumps over a lazy dog and that is all of it"


@dataclass(frozen=True)
class PlacedLine:
    """A line on its page.

    Attributes
    ----------
    line : ComposedLine
    x, baseline : float
        Where it begins.
    """

    line: ComposedLine
    x: float
    baseline: float


@dataclass(frozen=True)
class Page:
    """A page before it is printed.

    Attributes
    ----------
    number : int
    lines : tuple of PlacedLine
        From top to bottom.
    rule : float, optional
        Height at which a short rule parts text and notes.
    width, height : int
        Pixels.
    """

    number: int
    lines: tuple[PlacedLine, ...]
    rule: float | None
    width: int
    height: int


@dataclass
class _Sheet:
    """A page while it is filled."""

    lines: list[tuple[ComposedLine, float]] = field(default_factory=list)  # and its place below the top, in lines
    notes: list[ComposedLine] = field(default_factory=list)
    used: float = 0.0


def pages(blocks: Iterable[Block], design: BookDesign) -> Iterator[Page]:
    """Set blocks and fill pages with them."""
    layout = _Layout(design)
    sheet = _Sheet()
    number = int(np.random.default_rng((design.seed, 2)).integers(1, 350))
    for line, above in layout.galley(blocks):
        notes = [each for note in line.notes for each in layout.note(note)]
        if sheet.lines and sheet.used + above + 1 + layout.room_for(sheet.notes + notes) > design.lines_a_page:
            yield layout.page(sheet, number)
            sheet, number = _Sheet(), number + 1
        sheet.used += (above if sheet.lines else 0.0) + 1
        sheet.lines.append((line, sheet.used))
        sheet.notes += notes
    if sheet.lines:
        yield layout.page(sheet, number)


class _Layout:
    """Sizes and places of all that stands on a page."""

    def __init__(self, design: BookDesign) -> None:
        self._design = design
        self._text = self._compositor(1.0)
        self._note = self._compositor(_NOTE_SIZE)
        self._heading = self._compositor(_HEADING_SIZE)
        self._head = self._compositor(_HEAD_SIZE)
        self._is_typed = design.face.style == "typewriter"
        self._is_blackletter = design.face.style == "blackletter"
        words = _PATTERN.split()
        width = sum(map(self._text.fount.width, words)) + self._text.fount.space * (len(words) - 1)
        self.width = width / len(_PATTERN) * design.measure
        self._line_height = design.leading * design.pixels
        self._title: tuple[Word, ...] = ()
        rng = np.random.default_rng((design.seed, 3))
        shapes: tuple[Shape, ...] = ("roman", "italic", "small capitals")
        self._head_shape = shapes[int(rng.integers(3))]
        self._may_have_title = not self._is_blackletter and rng.random() < 0.8

    def galley(self, blocks: Iterable[Block]) -> Iterator[tuple[ComposedLine, float]]:
        """All lines of text, and how many lines of space stand above each."""
        indent = _INDENT * self._design.pixels
        body: Align = "left" if self._is_typed else "justified"
        former = ""
        for block in blocks:
            above = 1.0 if block.kind == "heading" or (block.kind == "entry") != (former == "entry") else 0.0
            if block.kind in ("heading", "title"):
                setter = self._heading if block.kind == "heading" else self._text
                lines = setter.lines(block.words, Column(self.width, align="centre"))
                above = 1.5 if block.kind == "heading" else 0.3
            elif block.kind == "entry":
                lines = self._text.lines(block.words, Column(self.width, 0.0, indent, body))
            else:
                if not self._title:
                    bare = (word.text.strip(".,;:!?*†—-“”„«»‘’()'\"") for word in block.words[:4])
                    self._title = tuple(Word(text) for text in bare if text)
                lines = self._text.lines(block.words, Column(self.width, indent, 0.0, body))
            if former in ("heading", "title") and block.kind not in ("heading", "title"):
                above = 0.5
            for line in lines:
                yield line, above
                above = 0.0
            former = block.kind

    def note(self, words: tuple[Word, ...]) -> list[ComposedLine]:
        """Lines of a footnote."""
        align: Align = "left" if self._is_typed else "justified"
        return list(self._note.lines(words, Column(self.width, _INDENT * self._note.fount.pixels, 0.0, align)))

    def room_for(self, notes: list[ComposedLine]) -> float:
        """Lines of text that notes take up."""
        return _ROOM_FOR_RULE + _NOTE_SIZE * len(notes) if notes else 0.0

    def page(self, sheet: _Sheet, number: int) -> Page:
        """A filled page, with its head."""
        margin = _MARGIN * self._design.dpi
        top = margin + self._line_height
        placed = [PlacedLine(ComposedLine(self._running_head(number)), margin, top)]
        top += 0.6 * self._line_height
        placed += [PlacedLine(line, margin, top + place * self._line_height) for line, place in sheet.lines]
        bottom, rule = placed[-1].baseline, None
        if sheet.notes:
            rule = bottom + _ROOM_FOR_RULE * self._line_height
            bottom = rule
            for line in sheet.notes:
                bottom += _NOTE_SIZE * self._line_height
                placed.append(PlacedLine(line, margin, bottom))
        height = int(bottom + 0.4 * self._line_height + margin)
        return Page(number, tuple(placed), rule, int(self.width + 2 * margin), height)

    def _running_head(self, number: int) -> tuple[PlacedWord, ...]:
        head = self._head
        figure = (Word(str(number)),)
        if not (self._may_have_title and self._title):
            dash = tuple(Word(each) for each in settable("—", self._design.face))
            words = (*dash, *figure, *dash) if self._is_blackletter else figure
            return head.row(words, (self.width - head.row_width(words)) / 2)
        shape = self._head_shape
        words = (
            self._title if shape != "roman" else tuple(replace(word, text=word.text.upper()) for word in self._title)
        )
        words = tuple(Word(settable(word.text, self._design.face), shape) for word in words)
        title = head.row(words, (self.width - head.row_width(words)) / 2)
        if number % 2:
            return (*title, *head.row(figure, self.width - head.row_width(figure)))
        return (*head.row(figure, 0.0), *title)

    def _compositor(self, share: float) -> Compositor:
        design = self._design
        pixels = design.pixels * (1.0 if design.face.style == "typewriter" else share)
        fount = Fount(design.face, pixels, old_figures=design.old_figures, loose_points=design.loose_points)
        return Compositor(fount, loose_points=design.loose_points)
