"""A book as a value: its lines and characters, measured once, and what they are read as.

Lines are worked on in pieces of a fixed size, the same however many workers there are and whether a book is learned or
read: sums come out in the same order, and so in the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from labelfree import progress
from labelfree.errors import InputError
from labelfree.notebook import bars, card, line_picture
from labelfree.ocr.glyphs.capitals import are_capitals, are_of_one_height, enlarged, tall_letter
from labelfree.ocr.glyphs.features import TileFeatures
from labelfree.ocr.glyphs.settings import GlyphSettings
from labelfree.ocr.glyphs.shape_prior import ShapePrior, ShapePriorSettings
from labelfree.ocr.glyphs.tiles import Tiles, cut_tiles, stack
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.segment import BookStyle, measure_book, sample_of, segment_line
from labelfree.ocr.segment.baseline import find_band
from labelfree.ocr.segment.settings import SegmentSettings
from labelfree.ocr.types import TextLine
from labelfree.workers import in_order, in_processes

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

PIECE = 64  # lines that are worked on together
LEAST_TILES = 1_000  # characters without which nothing can be learned
_MEASURED = 50  # lines that tell the size of the type
_SHOWN, _TENTHS = 3, 10  # lines, and bars of confidence, in a notebook


@dataclass(frozen=True, eq=False)
class TypeModel:
    """What was measured of a book's type, by which other pages of it are cut in the same way."""

    style: BookStyle  # size of the type, its gaps and shapes; settings by which lines are cut
    tall: float  # x-heights of a tall letter
    shrinking: int  # pixels of a scan to one that is looked at: finer scans take longer and tell no more
    features: TileFeatures  # fitted to the book's characters, with the settings of how they are described


@dataclass(frozen=True, eq=False)
class Book:
    """The lines of a book and the characters they were cut into; tiles of all lines stand one after the other.

    Attributes
    ----------
    lines : tuple of TextLine
        Shrunk to the size at which they are looked at.
    language : BookLanguage
    type : TypeModel
    tiles : Tiles
    boxes : array of shape (tiles, 4)
        ``x0, y0, x1, y1`` of each tile in pixels of its line.
    lengths : array of shape (lines,)
        Tiles of each line.
    in_capitals : array of shape (lines,), bool
        Whether each line seems to be set in capitals.
    rows : array of shape (tiles, d), float32
        Features of each tile.
    shapes : ShapePrior or None
        What all typefaces of the script say of the tiles; None where that is not asked.
    """

    lines: tuple[TextLine, ...]
    language: BookLanguage
    type: TypeModel
    tiles: Tiles
    boxes: Ints
    lengths: Ints
    in_capitals: NDArray[np.bool_]
    rows: NDArray[np.float32]
    shapes: ShapePrior | None = None

    @classmethod
    def measure(
        cls,
        lines: Sequence[TextLine],
        language: BookLanguage,
        *,
        seed: int = 0,
        segment: SegmentSettings | None = None,
        glyphs: GlyphSettings | None = None,
    ) -> Book:
        """Measure the type of a book's lines and cut them.

        Parameters
        ----------
        lines : sequence of TextLine
            As they were found.
        language : BookLanguage
        seed : int
            Of the sample that features are fitted to.
        segment : SegmentSettings, optional
            How lines are cut.
        glyphs : GlyphSettings, optional
            How characters are described.
        """
        progress.stage("measuring the type")
        segment, glyphs = segment or SegmentSettings(), glyphs or GlyphSettings()
        shrinking = _shrinking(lines, segment)
        shrunk = tuple(line.shrunk(shrinking) for line in lines)
        inked = [line for line in shrunk if line.pixels.any()]
        style = measure_book([line.ink for line in sample_of(inked)], segment)
        cut = list(_cut(shrunk, style)) if style else []
        n_tiles = sum(len(part.tiles) for part in cut)
        if style is None or n_tiles < LEAST_TILES:
            raise InputError(
                f"{n_tiles} characters found on {len(lines)} lines, at least {LEAST_TILES} wanted to learn from; "
                "give more pages of the same book, or read with a model that is learned already"
            )
        tall = tall_letter([part.tiles for part in cut], glyphs)
        sized = [part.sized(tall, glyphs) for part in cut] if language.script.ascenders else cut
        features = TileFeatures.fit(stack([part.tiles for part in sized]), "hog", seed=seed, settings=glyphs)
        return cls._of_parts(shrunk, sized, language, TypeModel(style, tall, shrinking, features))

    @classmethod
    def cut(cls, lines: Sequence[TextLine], language: BookLanguage, type_model: TypeModel) -> Book:
        """Cut lines of a book whose type is measured already."""
        shrunk = tuple(line.shrunk(type_model.shrinking) for line in lines)
        cut = _cut(shrunk, type_model.style)
        parts = list(cut)
        if language.script.ascenders:
            parts = [part.sized(type_model.tall, type_model.features.settings) for part in parts]
        return cls._of_parts(shrunk, parts, language, type_model)

    @classmethod
    def _of_parts(
        cls, lines: tuple[TextLine, ...], parts: Sequence[_CutLine], language: BookLanguage, type_model: TypeModel
    ) -> Book:
        stacked = (stack([part.tiles for part in parts[piece]]) for piece in pieces(len(parts)))
        rows = in_order(type_model.features.transform, stacked, travels=True)
        width = len(type_model.features.components)
        return cls(
            lines,
            language,
            type_model,
            stack([part.tiles for part in parts]),
            np.concatenate([np.empty((0, 4), np.int64), *(part.boxes for part in parts)]),
            np.array([len(part.tiles) for part in parts], np.int64),
            np.array([are_capitals(part.tiles, type_model.features.settings) for part in parts], np.bool_),
            np.concatenate([np.empty((0, width), np.float32), *rows]),
        )

    def with_shapes(self, settings: ShapePriorSettings | None = None) -> Book:
        """The same with what all typefaces of the script say of its tiles."""
        return replace(self, shapes=ShapePrior.measure(self.tiles, settings or ShapePriorSettings()))

    def _repr_html_(self) -> str:
        """Show it in a notebook: its size and some of its lines."""
        facts = [
            ("lines", f"{len(self.lines):,}"),
            ("tiles", f"{len(self.rows):,}"),
            ("x-height", f"{self.type.style.x_height:.1f} pixels"),
            ("language", f"{self.language.code or '-'}, {len(self.language.lm.alphabet)} symbols"),
            ("script", self.language.script.name),
        ]
        some = self.lines[:: max(1, len(self.lines) // _SHOWN)][:_SHOWN]
        return card("Book", facts, *(line_picture(line.pixels) for line in some if line.pixels.size))

    @cached_property
    def starts(self) -> Ints:
        """The first tile of each line."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def line_of_tile(self) -> Ints:
        """The line that each tile stands on."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def is_tile_in_capitals(self) -> NDArray[np.bool_]:
        """Which tiles stand on a line in capitals."""
        return np.repeat(self.in_capitals, self.lengths)

    @cached_property
    def line_boxes(self) -> list[Ints]:
        """The boxes of each line's tiles."""
        return np.split(self.boxes, self.starts[1:]) if len(self.lengths) else []

    def log_fit(self, symbols: Sequence[str]) -> NDArray[np.float32]:
        """How well each tile fits each of some symbols in any typeface, in nats; 0 where nothing is known."""
        if self.shapes is None:
            return np.zeros((len(self.tiles), len(symbols)), np.float32)
        return self.shapes.log_fit(symbols, self.language.script)


@dataclass(frozen=True, eq=False)
class LineReading:
    """What a line of n symbols says."""

    labels: Ints  # (n,), numbers of the symbols
    confidence: Floats  # (n,), from 0 to 1
    boxes: Ints  # (n, 4): x0, y0, x1, y1 in the line's pixels

    def relabelled(self, labels: Ints) -> LineReading:
        """The same line said to be other symbols: those that stay keep their place, others share that of what was.

        Examples
        --------
        >>> boxes = np.array([[0, 0, 4, 9], [4, 2, 8, 9], [8, 0, 9, 9]])
        >>> line = LineReading(np.array([7, 8, 9]), np.array([0.9, 0.5, 0.8]), boxes)
        >>> other = line.relabelled(np.array([1, 9]))
        >>> other.confidence.tolist(), other.boxes.tolist()
        ([0.7, 0.8], [[0, 0, 8, 9], [8, 0, 9, 9]])
        """
        if not len(self.labels) or not len(labels):
            return NOTHING
        confidence, boxes, old, new = [], [], 0, 0
        for same in Levenshtein.opcodes(self.labels.tolist(), labels.tolist()).as_matching_blocks():
            if same.b > new:
                was = slice(old, same.a) if same.a > old else slice(max(old - 1, 0), max(old, 1))
                confidence.append(np.full(same.b - new, self.confidence[was].mean()))
                boxes.append(_shared(self.boxes[was], same.b - new))
            old, new = same.a + same.size, same.b + same.size
            confidence.append(self.confidence[same.a : old])
            boxes.append(self.boxes[same.a : old])
        return LineReading(labels, np.concatenate(confidence), np.concatenate(boxes))

    def transcribed(self, labels: Ints, extent: Ints) -> LineReading:
        """The line as a person read it; where nothing else was, symbols share `extent`, a box of shape (1, 4)."""
        boxes = self.relabelled(labels).boxes if len(self.labels) else _shared(extent, len(labels))
        return LineReading(labels, np.ones(len(labels)), boxes)


NOTHING = LineReading(np.empty(0, np.int64), np.empty(0), np.empty((0, 4), np.int64))
"""What a line without letters says."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What the lines of a book say, those of all lines one after the other; `lengths` says how many each line has.

    Examples
    --------
    >>> reading = Reading.of_lines([LineReading(np.array([4]), np.array([0.9]), np.array([[0, 0, 5, 9]])), NOTHING])
    >>> reading.lengths.tolist(), [line.labels.tolist() for line in reading]
    ([1, 0], [[4], []])
    """

    labels: Ints
    confidence: Floats
    boxes: Ints
    lengths: Ints

    @classmethod
    def of_lines(cls, lines: Sequence[LineReading]) -> Reading:
        """Put lines one after the other."""
        every = [NOTHING, *lines]
        return cls(
            np.concatenate([line.labels for line in every]),
            np.concatenate([line.confidence for line in every]),
            np.concatenate([line.boxes for line in every]),
            np.array([len(line.labels) for line in lines], np.int64),
        )

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[LineReading]:
        return iter(self.lines)

    @cached_property
    def lines(self) -> tuple[LineReading, ...]:
        """Each line by itself."""
        ends = np.cumsum(self.lengths)[:-1]
        parts = (np.split(values, ends) for values in (self.labels, self.confidence, self.boxes))
        return tuple(LineReading(*line) for line in zip(*parts, strict=True)) if len(self.lengths) else ()

    def _repr_html_(self) -> str:
        """Show it in a notebook: its size and how sure it is."""
        facts = [
            ("lines", f"{len(self.lengths):,}"),
            ("symbols read", f"{len(self.labels):,}"),
            ("confidence", f"{self.confidence.mean():.1%} on average" if len(self.labels) else "-"),
        ]
        counts = np.histogram(self.confidence, _TENTHS, (0.0, 1.0))[0].tolist()
        return card("Reading", facts, bars([(f".{i}", n) for i, n in enumerate(counts)], "symbols by confidence"))

    @property
    def line_labels(self) -> list[Ints]:
        """The labels of each line."""
        return [line.labels for line in self.lines]

    def with_labels(self, labels: Ints) -> Reading:
        """The same places read as other symbols, one for one."""
        return replace(self, labels=labels)

    def relabelled(self, labels: Sequence[Ints]) -> Reading:
        """Lines said to be other symbols, more or fewer than before."""
        return Reading.of_lines([line.relabelled(said) for line, said in zip(self, labels, strict=True)])


def pieces(n_lines: int) -> list[slice]:
    """Lines in pieces of a fixed size.

    Examples
    --------
    >>> pieces(150)
    [slice(0, 64, None), slice(64, 128, None), slice(128, 150, None)]
    """
    return [slice(start, min(start + PIECE, n_lines)) for start in range(0, n_lines, PIECE)]


@dataclass(frozen=True, eq=False)
class _CutLine:
    """The tiles of a line, where they are, and whether its letters are larger than the book's."""

    tiles: Tiles
    boxes: Ints
    is_large: bool

    def sized(self, tall: float, settings: GlyphSettings) -> _CutLine:
        """The same, measured against small letters where it is set in capitals that were taken for such."""
        if not are_of_one_height(self.tiles, is_large=self.is_large, settings=settings):
            return self
        return replace(self, tiles=enlarged(self.tiles, tall))


def _cut(lines: Sequence[TextLine], style: BookStyle) -> Iterator[_CutLine]:
    """Cut lines into tiles."""
    done = 0
    work = [(lines[piece], style) for piece in pieces(len(lines))]
    for found in in_processes(_cut_piece, work):
        yield from found
        done += len(found)
        progress.stage("cutting lines", done, len(lines))


def _cut_piece(piece: tuple[Sequence[TextLine], BookStyle]) -> list[_CutLine]:
    lines, style = piece
    found = []
    for line in lines:
        cut = segment_line(line.ink, style)
        tiles = cut_tiles(cut.ink, cut.boxes, baseline=cut.baseline, x_height=cut.x_height, owner=cut.owner)
        tiles.geometry[cut.is_space] = 0.0  # one space is like another, however wide
        found.append(_CutLine(tiles, cut.boxes, cut.x_height > (1 + style.settings.reach) * style.x_height))
    return found


def _shrinking(lines: Sequence[TextLine], settings: SegmentSettings) -> int:
    """By how much lines can be shrunk with all strokes of their letters still there."""
    inked = [line.strokes for line in lines[:: max(1, len(lines) // _MEASURED)]]
    inked = [ink for ink in inked if ink.any()]
    if not inked:
        return 1
    return max(1, int(np.median([find_band(ink, settings=settings).x_height for ink in inked]) // settings.plenty))


def _shared(boxes: Ints, n: int) -> Ints:
    """What some boxes take up in `n` parts side by side, each a column wide at least."""
    x0, y0 = boxes[:, :2].min(0)
    x1, y1 = boxes[:, 2:].max(0)
    edges = np.linspace(x0, x1, n + 1).round().astype(np.int64)
    return np.stack([edges[:-1], np.full(n, y0), np.maximum(edges[1:], edges[:-1] + 1), np.full(n, y1)], 1)
