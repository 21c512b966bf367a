"""What a person knows of a book: the text of a few of its lines, and the symbol that a group of characters shows.

A file of hints is text in UTF-8, one hint a line::

    # a line that begins so is passed over
    0007: The ferry was late, and the lamps
    page_3:12: of the harbour had been lit.
    group 17 = æ
    group 2 = space
    page_3:14 at 120,310,138,342 = æ

A line is named as the files that are written for its image are, without their ending; on a page of several lines its
number, from 1, follows. A tab may stand instead of the colon and the space. Groups are numbered as
`labelfree.ocr.glyphs.clusters` draws them. A single character is named by its line and its box, in pixels of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from labelfree.alphabet import nfc
from labelfree.errors import InputError, asked
from labelfree.limits import read_bounded
from labelfree.ocr.book import Book
from labelfree.ocr.glyphs.clusters import cluster_tiles
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.sources.names import output_stems
from labelfree.ocr.types import Box, PageLines

SPACE = "space"
UNKNOWN = -1
_GROUP = re.compile(r"group\s+([0-9]{1,9})\s*=(.*)")
_MARK = re.compile(r"(.+) at ([0-9]{1,7}),([0-9]{1,7}),([0-9]{1,7}),([0-9]{1,7})\s*=(.*)")
_NUMBERED = re.compile(r"(.+):([0-9]{1,9})")
_WANTED = "'NAME: text of the line' or 'group 17 = æ' wanted"
_MOST_SHOWN = 60  # characters


@dataclass(frozen=True)
class LineHint:
    """The text of a line."""

    place: str  # file and line where that is said
    name: str
    text: str


@dataclass(frozen=True)
class GroupHint:
    """The symbol of a group."""

    place: str  # file and line where that is said
    group: int  # from 1
    symbol: str


@dataclass(frozen=True)
class MarkHint:
    """The symbol of a single character."""

    place: str  # file and line where that is said
    name: str  # of its line
    box: Box
    symbol: str


Marks = Mapping[int, Sequence[tuple[Box, int]]]  # for lines, counted through all pages, boxes with their labels


@dataclass(frozen=True)
class Hints:
    """All that a person said of a book."""

    lines: tuple[LineHint, ...] = ()
    groups: tuple[GroupHint, ...] = ()
    marks: tuple[MarkHint, ...] = ()

    def line_labels(self, pages: Sequence[PageLines], language: BookLanguage) -> dict[int, NDArray[np.int64]]:
        """The labels of each line that a hint names; lines are counted from 0 through all pages."""
        places = _lines_by_name(pages)
        found: dict[int, NDArray[np.int64]] = {}
        for hint in self.lines:
            line = _line_of(hint.place, hint.name, places)
            if line in found:
                raise InputError(f"{hint.place}: {hint.name!r} is named twice, once wanted; remove one of the two")
            found[line] = _labels(hint.place, hint.text, language)
        return found

    def mark_labels(self, pages: Sequence[PageLines], language: BookLanguage) -> Marks:
        """The boxes that hints name and their labels, for each line that has some."""
        places = _lines_by_name(pages)
        found: dict[int, list[tuple[Box, int]]] = {}
        for hint in self.marks:
            label = _label(hint.place, hint.symbol, language)
            found.setdefault(_line_of(hint.place, hint.name, places), []).append((hint.box, label))
        return found

    def group_labels(self, n_groups: int, language: BookLanguage) -> dict[int, int]:
        """The label of each group that a hint names; groups are counted from 0."""
        found: dict[int, int] = {}
        for hint in self.groups:
            if not 1 <= hint.group <= n_groups:
                raise InputError(
                    f"{hint.place}: group {hint.group} found, 1 to {n_groups} wanted; draw the groups anew with "
                    "labelfree ocr groups, from the same scans"
                )
            if hint.group - 1 in found:
                raise InputError(f"{hint.place}: group {hint.group} is named twice, once wanted; remove one of the two")
            found[hint.group - 1] = _label(hint.place, hint.symbol, language)
        return found


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """What hints say of a book that was cut.

    A line may be cut wrongly, so that its tiles and its symbols do not count the same. But spaces part both into words,
    and a word with as many tiles as symbols is hardly ever cut wrongly twice. Tiles of other words have no label.
    """

    lines: dict[int, NDArray[np.int64]]  # the labels of a line, by its place in the book
    tiles: NDArray[np.int64]  # the label of each tile, `UNKNOWN` where there is none

    @classmethod
    def of(
        cls, hints: Hints, lines: Mapping[int, NDArray[np.int64]], book: Book, marks: Marks | None = None
    ) -> KnownLabels:
        """Bring hints to a book; `lines` and `marks` are what they say of its lines and of single characters."""
        symbols = book.language.lm.alphabet
        space = symbols.index(" ") if " " in symbols else UNKNOWN
        is_blank = np.split(~book.tiles.images.any((1, 2)), book.starts[1:])
        parts = [
            align_words(blank, lines[i], space) if i in lines else np.full(len(blank), UNKNOWN)
            for i, blank in enumerate(is_blank)
        ]
        tiles = np.concatenate(parts)
        if hints.groups:
            groups = cluster_tiles(book.tiles)
            for group, label in hints.group_labels(groups.n_groups, book.language).items():
                tiles[(groups.labels == group) & (tiles == UNKNOWN)] = label
        for line, boxes in (marks or {}).items():
            for box, label in boxes:
                tile = _tile_at(book, line, box)
                if tile is not None:
                    tiles[tile] = label
        return cls(dict(lines), tiles)


def read_hints(path: Path) -> Hints:
    """Read a file of hints."""
    content = read_bounded(path, "text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}, line {number}: byte {content[error.start]:#04x} found, text in UTF-8 wanted; save it as such"
        ) from None
    return parse_hints(text, str(path))


def parse_hints(text: str, source: str) -> Hints:
    """Read hints from text; `source` names it in messages."""
    lines: list[LineHint] = []
    groups: list[GroupHint] = []
    marks: list[MarkHint] = []
    for number, written in enumerate(text.split("\n"), 1):
        said = written.strip()
        if not said or said.startswith("#"):
            continue
        place = f"{source}, line {number}"
        name, _, transcribed = said.partition("\t" if "\t" in said else ": ")
        if group := _GROUP.fullmatch(said):
            symbol = group[2].strip()
            if not symbol:
                raise InputError(f"{place}: {_shown(said)} has no symbol, one wanted; write it, or {SPACE} for a space")
            groups.append(GroupHint(place, int(group[1]), symbol))
        elif mark := _MARK.fullmatch(said):
            symbol = mark[6].strip()
            if not symbol:
                raise InputError(f"{place}: {_shown(said)} has no symbol, one wanted; write it, or {SPACE} for a space")
            marks.append(MarkHint(place, mark[1].strip(), _box(place, mark.groups()[1:5]), symbol))
        elif transcribed.strip():
            lines.append(LineHint(place, name.strip(), " ".join(transcribed.split())))
        else:
            raise InputError(f"{place}: {_shown(said)} found, {_WANTED}; write one hint a line")
    if not lines and not groups and not marks:
        raise InputError(f"{source} holds no hint, {_WANTED}; write some, or leave {asked('--hints', 'hints')} out")
    return Hints(tuple(lines), tuple(groups), tuple(marks))


def _box(place: str, edges: Sequence[str]) -> Box:
    try:
        return Box(*map(int, edges))
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _tile_at(book: Book, line: int, box: Box) -> int | None:
    """The tile of a line that has most of a box on the page, where that is at least half of it."""
    start, text_line = int(book.starts[line]), book.lines[line]
    best, most = None, 0.5 * max(box.width, 1)
    for number, tile in enumerate(book.line_boxes[line].tolist()):
        found = text_line.page_box(tuple(tile))
        shared = min(found.x1, box.x1) - max(found.x0, box.x0)
        if shared >= most:
            best, most = start + number, shared
    return best


def _lines_by_name(pages: Sequence[PageLines]) -> dict[str, range]:
    """Which lines of the book are on each page, by the page's name."""
    stems = output_stems([page.key for page in pages])
    names = [nfc(stem.as_posix()) for stem in stems]
    edges = pairwise(accumulate((len(page.lines) for page in pages), initial=0))
    return {name: range(*lines) for name, lines in zip(names, edges, strict=True)}


def _line_of(place: str, named: str, places: dict[str, range]) -> int:
    """The line of the book that a hint names."""
    name = nfc(named)
    if name in places:
        lines = places[name]
        if len(lines) != 1:
            raise InputError(
                f"{place}: {name!r} shows {len(lines)} lines, one wanted; "
                + (f"write {name}:1 for the first" if lines else "name another image")
            )
        return lines[0]
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None or numbered[1] not in places:
        example = next(iter(places), "0001")
        raise InputError(
            f"{place}: {_shown(name)} found, the name of a scan without its ending wanted, such as {example}; "
            "name one that is read"
        )
    lines, number = places[numbered[1]], int(numbered[2])
    if not 1 <= number <= len(lines):
        raise InputError(
            f"{place}: line {number} of {numbered[1]!r} found, 1 to {len(lines)} wanted; count the lines that "
            "were read there"
        )
    return lines[number - 1]


def _label(place: str, symbol: str, language: BookLanguage) -> int:
    """The label of one symbol."""
    labels = _labels(place, " " if symbol == SPACE else symbol, language)
    if len(labels) != 1:
        raise InputError(
            f"{place}: {_shown(symbol)} is {len(labels)} symbols, one wanted; where they are one piece of type, name "
            f"it with {asked('--symbols', 'symbols=')}"
        )
    return int(labels[0])


def _labels(place: str, text: str, language: BookLanguage) -> NDArray[np.int64]:
    alphabet = language.lm.alphabet
    printed = language.script.from_left(language.script.as_printed(text))
    labels = alphabet.encode(printed, outside="break")
    if (labels < 0).any():
        unknown = next(each for each in printed if (alphabet.encode(each, outside="break") < 0).any())
        raise InputError(
            f"{place}: {unknown!r} found, one of the {len(alphabet)} symbols of the language wanted; leave the hint "
            f"out, or give {asked('--text', 'text')} that holds the symbol"
        )
    return labels


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "...")


def align_words(is_blank: NDArray[np.bool_], labels: NDArray[np.int64], space: int) -> NDArray[np.int64]:
    """The label of each tile of a line, in words that have as many tiles as symbols; `UNKNOWN` in others.

    `is_blank` tells which tiles are spaces, `labels` what the line says.

    Examples
    --------
    >>> align_words(np.array([0, 0, 1, 0, 1, 0, 0], bool), np.array([3, 4, 0, 5, 6, 0, 7, 8]), space=0)
    array([ 3,  4,  0, -1,  0,  7,  8])
    """
    found = np.full(len(is_blank), UNKNOWN)
    if (labels == space).any():
        found[is_blank] = space
    tile_words, label_words = _words(is_blank), _words(labels == space)
    blocks = LCSseq.opcodes(list(map(len, tile_words)), list(map(len, label_words)))
    for block in blocks:
        if block.tag == "equal":
            pairs = zip(tile_words[block.src_start : block.src_end], label_words[block.dest_start :], strict=False)
            for tiles, symbols in pairs:
                found[tiles] = labels[symbols]
    return found


def _words(is_space: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The places of each run without a space."""
    places = np.flatnonzero(~is_space)
    return [run for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(run)]
