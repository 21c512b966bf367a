"""A reading with what a person said laid over it: that is never overwritten, however often the book is read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from labelfree.ocr.sources.names import output_stems
from labelfree.ocr.types import Box, Document, Glyph, Line
from labelfree.report.alternatives import Place
from labelfree.studio.state import State, box_of, line_key

_SAME = 0.5  # share of two boxes together that they have in common where both are of the same line or character

LinePlace = tuple[int, int]  # of a line: its page, and its number there


@dataclass(frozen=True, eq=False)
class Index:
    """The lines of a document by their keys, and where a line is that was known by a key of another reading."""

    document: Document
    stems: tuple[Path, ...]
    keys: tuple[tuple[str, ...], ...]  # of each line of each page
    places: Mapping[str, LinePlace]

    @classmethod
    def of(cls, document: Document) -> Index:
        """Name the lines of a document."""
        stems = tuple(output_stems([page.key for page in document.pages]))
        keys = tuple(
            tuple(line_key(stem, line) for line in page.lines) for stem, page in zip(stems, document.pages, strict=True)
        )
        places = {key: (p, i) for p, of_page in enumerate(keys) for i, key in enumerate(of_page)}
        return cls(document, stems, keys, places)

    def find(self, key: str) -> LinePlace | None:
        """The line of a key, also where layout finds it a little larger or smaller now."""
        if key in self.places:
            return self.places[key]
        stem, _, box = key.rpartition("|")
        for p, known in enumerate(self.stems):
            if known.as_posix() == stem:
                i = nearest(box_of(box), [line.box for line in self.document.pages[p].lines])
                return None if i is None else (p, i)
        return None

    def name(self, place: LinePlace) -> str:
        """The name by which hints speak of a line."""
        p, i = place
        stem = self.stems[p].as_posix()
        return stem if len(self.document.pages[p].lines) == 1 else f"{stem}:{i + 1}"


@dataclass(frozen=True, eq=False)
class Corrections:
    """What a person said, by the places of one reading.

    Attributes
    ----------
    lines : mapping
        The text of lines.
    marks : mapping
        The symbols of single characters.
    """

    lines: Mapping[LinePlace, str]
    marks: Mapping[Place, str]

    @classmethod
    def of(cls, index: Index, state: State) -> Corrections:
        """Find the lines and characters that a person spoke of; what is on no page of the reading is left aside."""
        lines = {place: text for key, text in state.said.items() if (place := index.find(key)) is not None}
        marks = {}
        for (key, box), symbol in state.marks.items():
            place = index.find(key)
            if place is not None:
                p, i = place
                g = nearest(box_of(box), [glyph.box for glyph in index.document.pages[p].lines[i].glyphs])
                if g is not None:
                    marks[p, i, g] = symbol
        return cls(lines, marks)

    def line(self, place: LinePlace, line: Line) -> Line:
        """A line with what was said of it; of that a person is sure."""
        if place in self.lines:
            return transcribed(line, self.lines[place])
        named = {g: symbol for (p, i, g), symbol in self.marks.items() if (p, i) == place}
        return relabelled(line, named)

    def document(self, read: Document) -> Document:
        """All of a reading with what was said of it."""
        marked: dict[LinePlace, dict[int, str]] = {}
        for (p, i, g), symbol in self.marks.items():
            marked.setdefault((p, i), {})[g] = symbol
        pages = []
        for p, page in enumerate(read.pages):
            lines = tuple(
                transcribed(line, self.lines[p, i])
                if (p, i) in self.lines
                else relabelled(line, marked.get((p, i), {}))
                for i, line in enumerate(page.lines)
            )
            pages.append(page if lines == page.lines else replace(page, lines=lines))
        return replace(read, pages=tuple(pages))


def relabelled(line: Line, named: Mapping[int, str]) -> Line:
    """A line with some of its characters named by a person."""
    if not named:
        return line
    glyphs = (
        replace(glyph, text=named[g], confidence=1.0, alternatives=()) if g in named else glyph
        for g, glyph in enumerate(line.glyphs)
    )
    return replace(line, glyphs=tuple(glyphs))


def transcribed(line: Line, text: str) -> Line:
    """A line as a person read it: what stays keeps its box, what is new shares that of what was there.

    Examples
    --------
    >>> read = tuple(Glyph(c, Box(10 * i, 0, 10 * i + 10, 9), 0.5) for i, c in enumerate("tlie"))
    >>> [(glyph.text, glyph.box.x0, glyph.box.x1) for glyph in transcribed(Line(Box(0, 0, 40, 9), read), "the").glyphs]
    [('t', 0, 10), ('h', 10, 30), ('e', 30, 40)]
    """
    was = [glyph.text for glyph in line.glyphs]
    now = _symbols(text, was)
    glyphs: list[Glyph] = []
    old = new = 0
    for same in Levenshtein.opcodes(was, now).as_matching_blocks():
        if same.b > new:
            glyphs += _shared(_between(line, old, same.a), now[new : same.b])
        glyphs += [
            replace(glyph, confidence=1.0, alternatives=()) for glyph in line.glyphs[same.a : same.a + same.size]
        ]
        old, new = same.a + same.size, same.b + same.size
    return replace(line, glyphs=tuple(glyphs))


def _symbols(text: str, known: Sequence[str]) -> list[str]:
    """Text in characters, and in such ligatures as the line had."""
    ligatures = sorted({symbol for symbol in known if len(symbol) > 1}, key=len, reverse=True)
    found, at = [], 0
    while at < len(text):
        symbol = next((each for each in ligatures if text.startswith(each, at)), text[at])
        found.append(symbol)
        at += len(symbol)
    return found


def _between(line: Line, first: int, end: int) -> Box:
    """Where some glyphs of a line are; where they are none, the gap between their neighbours."""
    if end > first:
        return Box.around(glyph.box for glyph in line.glyphs[first:end])
    left = line.glyphs[first - 1].box.x1 if first > 0 else line.box.x0
    right = line.glyphs[first].box.x0 if first < len(line.glyphs) else line.box.x1
    return Box(min(left, right), line.box.y0, max(left, right), line.box.y1)


def _shared(box: Box, symbols: Sequence[str]) -> Iterator[Glyph]:
    edges = pairwise(box.x0 + box.width * i // len(symbols) for i in range(len(symbols) + 1))
    return (Glyph(symbol, Box(x0, box.y0, x1, box.y1), 1.0) for symbol, (x0, x1) in zip(symbols, edges, strict=True))


def nearest(box: Box, others: Sequence[Box]) -> int | None:
    """Which box has most in common with another, where that is enough."""
    best, most = None, _SAME
    for i, other in enumerate(others):
        width = min(box.x1, other.x1) - max(box.x0, other.x0)
        height = min(box.y1, other.y1) - max(box.y0, other.y0)
        if box == other:
            return i
        if width > 0 and height > 0:
            shared = width * height
            share = shared / max(box.width * box.height + other.width * other.height - shared, 1)
            if share > most:
                best, most = i, share
    return best


def changed_lines(before: Document, after: Document) -> dict[LinePlace, int]:
    """How many characters of each line read otherwise than before; both as a person corrected them."""
    known, found = Index.of(before), {}
    for key, (p, i) in Index.of(after).places.items():
        was = known.find(key)
        if was is not None:
            old, new = before.pages[was[0]].lines[was[1]].text, after.pages[p].lines[i].text
            if old != new:
                found[p, i] = int(Levenshtein.distance(old, new))
    return found
