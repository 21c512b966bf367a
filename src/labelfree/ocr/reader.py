"""A reader of one book's type: learned from unlabelled lines and a language, and applied to pages."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from labelfree.estimator import SequenceClassifier
from labelfree.ocr.book import PIECE, Book, Floats, Ints, LineReading, Reading, TypeModel
from labelfree.ocr.correct.calibration import tempered
from labelfree.ocr.hints import Hints
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.line_reader.lines import LineImage, line_images, read_piece
from labelfree.ocr.pipeline import FAST, Settings, State, run_pipeline
from labelfree.ocr.reader_folder import load_parts, save_parts
from labelfree.ocr.tile_reader import read_tiles
from labelfree.ocr.types import Document, Glyph, Line, Page, PageLines, TextLine
from labelfree.verdict import MOST_ERROR, Outcome, ReadingVerdict

MOST_ERROR_OF_TILES = 0.2
"""Share of the characters that may be expected wrong in what is called read, where characters are read one by one."""


class PieceKeeper:
    """Keeps what pieces of lines are read as, and gives it back; this one keeps nothing."""

    def restore_piece(self, number: int) -> list[LineReading] | None:
        """What a piece was read as, or None where it has to be read."""
        return None

    def keep_piece(self, number: int, lines: list[LineReading]) -> None:
        """Keep what a piece was read as."""


@dataclass(frozen=True, eq=False)
class Reader:
    """A reader of one book's type.

    Attributes
    ----------
    classifier : SequenceClassifier
        Of tiles.
    type : TypeModel
        How the book is cut into tiles, and their features.
    language : BookLanguage
    recogniser : Recogniser, optional
        What reads whole lines; without one the classifier reads tiles.
    doubt_power : float
        Makes its confidence right on average.
    has_shape_prior : bool
        Whether tiles are read with what all typefaces of the script share.
    transcribed : mapping
        The labels of lines that a person has read, by the picture of the line (`picture_key`).
    settings : Settings
        With which it was learned, and reads.
    verdict : ReadingVerdict, optional
        On what it read when it was learned; readers of former versions have none, and are not believed.
    """

    classifier: SequenceClassifier
    type: TypeModel
    language: BookLanguage
    recogniser: Recogniser | None = None
    doubt_power: float = 1.0
    has_shape_prior: bool = True
    transcribed: Mapping[str, Ints] = field(default_factory=lambda: MappingProxyType({}))
    settings: Settings = field(default_factory=Settings)
    verdict: ReadingVerdict | None = None

    @classmethod
    def of(cls, state: State) -> Reader:
        """What all stages of the pipeline have learned."""
        assert state.classifier is not None  # noqa: S101 - the first stage leaves one
        known = {picture_key(state.book.lines[i]): labels for i, labels in state.known_lines.items()}
        reader = cls(
            state.classifier,
            state.book.type,
            state.book.language,
            state.recogniser,
            state.doubt_power,
            state.book.shapes is not None,
            MappingProxyType(known),
            state.settings,
        )
        assert state.reading is not None  # noqa: S101 - as above
        confidence = tempered(state.reading.confidence, state.doubt_power)
        return replace(reader, verdict=reader.judge(state.reading.line_labels, confidence))

    @property
    def converged(self) -> bool:
        """Whether what it read, when it was learned, is to be believed."""
        return self.verdict is not None and self.verdict.converged

    def judge(self, lines: Sequence[Ints], confidence: Floats) -> ReadingVerdict:
        """Judge lines of symbols that it read, and how sure it was of each, by what text of the language is like."""
        expected_error = 1.0 - float(confidence.mean()) if len(confidence) else 1.0
        most = MOST_ERROR if self.recogniser is not None else MOST_ERROR_OF_TILES
        return self.language.norm.judge(lines, expected_error=expected_error, most_error=most)

    def judge_pages(self, pages: Iterable[Page]) -> ReadingVerdict:
        """Judge pages that it read; where they are too few, what it was learned from speaks for them."""
        number = {symbol: i for i, symbol in enumerate(self.language.lm.alphabet.symbols)}
        lines = [line.glyphs for page in pages for line in page.lines]
        standing = [self.language.script.other_order([glyph.text for glyph in line]) for line in lines]
        labels = [np.array([number[symbol] for _, symbol in line], np.int64) for line in standing]
        found = self.judge(labels, np.array([glyph.confidence for line in lines for glyph in line]))
        is_too_few = found.outcome == Outcome.TOO_LITTLE and self.verdict is not None and self.verdict.converged
        return self.verdict if is_too_few and self.verdict is not None else found

    def save(self, folder: Path, *, force: bool = False) -> None:
        """Write it as a folder, which must not be there, or with `force` replaces a model folder."""
        save_parts(self, folder, force=force)

    @classmethod
    def load(cls, folder: Path) -> Reader:
        """Read a folder that `save` wrote, every part checked."""
        return cls(**load_parts(folder))

    def read(self, pages: Iterable[PageLines]) -> Document:
        """Read pages of lines."""
        return self.document(self.read_pages(pages))

    def document(self, pages: Iterable[Page]) -> Document:
        """Pages that were read, and by whom."""
        words = self.language.words.counts if self.language.words is not None else frozenset()
        read = frozenset(map(self.language.script.from_left, words))
        return Document(tuple(pages), self.language.code, self.about, read)

    @property
    def about(self) -> dict[str, Any]:
        """What is noted beside what is read."""
        return {
            "converged": self.converged,
            "verdict": None if self.verdict is None else self.verdict.as_dict(),
            "kl": float(self.classifier.kl_),
            "symbols": len(self.language.lm.alphabet),
        }

    def read_pages(self, pages: Iterable[PageLines], keeper: PieceKeeper | None = None) -> Iterator[Page]:
        """Read pages one after the other, each as soon as its lines are read.

        Parameters
        ----------
        pages : iterable of PageLines
        keeper : PieceKeeper, optional
            Keeps what lines are read as, for a run that is taken up again.
        """
        keeper, number = keeper or PieceKeeper(), 0
        waiting: list[PageLines] = []
        lines: list[TextLine] = []
        read: list[LineReading] = []
        for page in chain(pages, [None]):
            if page is not None:
                waiting.append(page)
                lines += page.lines
            while len(lines) >= (PIECE if page is not None else 1):
                found = keeper.restore_piece(number)
                if found is None:
                    found = self.read_lines(lines[:PIECE])
                    keeper.keep_piece(number, found)
                read += found
                number += 1
                del lines[:PIECE]
            yield from self._whole_pages(waiting, read)

    def pages_of(self, pages: Iterable[PageLines], reading: Reading) -> Iterator[Page]:
        """Pages whose lines were read while they were learned from."""
        pages = list(pages)
        shrunk = (line.shrunk(self.type.shrinking) for page in pages for line in page.lines)
        read = [self._transcribed(*each) for each in zip(shrunk, reading, strict=True)]
        yield from self._whole_pages(pages, read)

    def read_lines(self, lines: list[TextLine]) -> list[LineReading]:
        """Read lines that are worked on together; boxes are in pixels of the shrunk line."""
        if not lines:
            return []
        shrunk = [line.shrunk(self.type.shrinking) for line in lines]
        if self.recogniser is not None:
            images = self.line_images(shrunk)
            found = list(read_piece(self.recogniser, images, self.language, self.settings.line_reader))
        else:
            book = Book.cut(lines, self.language, self.type)
            book = book.with_shapes(self.settings.shape_prior) if self.has_shape_prior else book
            found = list(read_tiles(book, self.classifier, self.settings.tile_reader))
        return [self._transcribed(line, reading) for line, reading in zip(shrunk, found, strict=True)]

    def line_images(self, shrunk: Sequence[TextLine]) -> list[LineImage]:
        """Shrunk lines as the reader of whole lines sees them."""
        return line_images(shrunk, self.type.style, has_ascenders=self.language.script.ascenders)

    def _transcribed(self, line: TextLine, reading: LineReading) -> LineReading:
        labels = self.transcribed.get(picture_key(line)) if self.transcribed else None
        if labels is None:
            return reading
        return reading.transcribed(labels, np.array([[0, 0, line.pixels.shape[1], line.pixels.shape[0]]]))

    def _whole_pages(self, waiting: list[PageLines], read: list[LineReading]) -> Iterator[Page]:
        """Take the pages off that all lines are read of."""
        while waiting and len(waiting[0].lines) <= len(read):
            page = waiting.pop(0)
            found, read[: len(page.lines)] = read[: len(page.lines)], []
            lines = [self._line(*each, page, i) for i, each in enumerate(zip(page.lines, found, strict=True), 1)]
            yield Page(page.source, page.page, page.width, page.height, tuple(lines), page.angle, page.regions)

    def _line(self, line: TextLine, found: LineReading, page: PageLines, number: int) -> Line:
        symbols = self.language.lm.alphabet.symbols
        placed = line.shrunk(self.type.shrinking)
        standing = [
            Glyph(symbols[label], placed.page_box((x0, y0, x1, y1)).within(page.width, page.height), float(sure))
            for label, sure, (x0, y0, x1, y1) in zip(
                found.labels, tempered(found.confidence, self.doubt_power), found.boxes.tolist(), strict=True
            )
        ]
        read = self.language.script.other_order([glyph.text for glyph in standing])
        glyphs = tuple(replace(standing[place], text=symbol) for place, symbol in read)
        return Line(line.box.within(page.width, page.height), glyphs, f"line{number}")


def learn(
    pages: Iterable[PageLines],
    language: BookLanguage,
    *,
    fast: bool = False,
    hints: Hints | None = None,
    without: Collection[str] = (),
    seed: int = 0,
    settings: Settings | None = None,
) -> Reader:
    """Learn to read from unlabelled lines.

    Parameters
    ----------
    pages : iterable of PageLines
        The lines of one book.
    language : BookLanguage
        What it is written in.
    fast : bool
        Learn to read character by character and leave it at that.
    hints : Hints, optional
        What a person knows of the book; by default nothing.
    without : collection of str
        Names of stages and corrections to leave out, see `labelfree ocr stages`.
    seed : int
    settings : Settings, optional

    Returns
    -------
    Reader
        Whose ``converged`` says whether it can be believed.
    """
    left_out = (*without, *FAST) if fast else without
    return Reader.of(run_pipeline(pages, language, hints=hints, without=left_out, seed=seed, settings=settings).state)


def picture_key(line: TextLine) -> str:
    """A key that only the very same picture of a line has."""
    digest = hashlib.sha256(repr(line.pixels.shape).encode())
    digest.update(np.packbits(line.strokes).tobytes())
    return digest.hexdigest()
