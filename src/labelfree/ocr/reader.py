"""Learning to read a book's type from its own lines and a language, and reading with what was learned.

Two readers, each taught without a label. One sees tiles: a classifier learns from the language what each shows. Its
reading then teaches the other, which sees whole lines and so no wrong cut (`selftrain`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from labelfree.estimator import SequenceClassifier
from labelfree.ocr.correct.calibration import disagreement, doubt_power, tempered
from labelfree.ocr.correct.corrections import respelled, revised
from labelfree.ocr.correct.page_numbers import find_page_numbers
from labelfree.ocr.cutting import CutLine, Segmenter, cut_book, cut_lines, of_each_tile
from labelfree.ocr.glyphs.capitals import capital_of
from labelfree.ocr.glyphs.features import TileFeatures
from labelfree.ocr.glyphs.repeats import are_repeats
from labelfree.ocr.glyphs.shape_prior import fit
from labelfree.ocr.glyphs.tiles import stack
from labelfree.ocr.hints import Hints
from labelfree.ocr.known import KnownLabels
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.line_reader.self_training import NOTHING, LineReading, book_strips, read_strips, train_on_own_reading
from labelfree.ocr.lines import PageLines, TextLine
from labelfree.ocr.segment import BookStyle
from labelfree.ocr.types import Book, Box, Glyph, Line, Page
from labelfree.progress import Monitor

_LM_WEIGHT = 0.2  # wrong cuts lead a language model astray, so that it advises and does not overrule
_DECODING_ORDER = 3  # longer N-grams take longer and, with so little weight, change nothing
_L2 = 5e-4
_ROUNDS = 4  # of refinement at most: more make the classifier surer and no better
_UNREAD = 0.5  # of the characters, taken to be wrong at least where nothing was understood
_ATTEMPTS = ((None, 10), (1.6, 20), (0.6, 20))  # groups a class against the usual number, and starts


@dataclass(frozen=True, eq=False)
class Reader:
    """A reader of one book's type.

    Attributes
    ----------
    classifier : SequenceClassifier
        Fitted to the tiles.
    features : TileFeatures
        Fitted to the same.
    language : BookLanguage
    style : BookStyle
        How the book is cut into characters.
    segmenter : {"builtin", "tesseract"}
        Who cuts it.
    recogniser : Recogniser, optional
        What reads whole lines; without one the classifier reads tiles.
    doubt_power : float
        Makes its confidence right on average (`calibration`).
    shrinking : int
        Pixels of a scan to one that is looked at: finer scans take longer and tell no more.
    """

    classifier: SequenceClassifier
    features: TileFeatures
    language: BookLanguage
    style: BookStyle
    segmenter: Segmenter = "builtin"
    recogniser: Recogniser | None = None
    doubt_power: float = 1.0
    shrinking: int = 1

    @property
    def converged(self) -> bool:
        """Whether the label-free score says that it learned to read."""
        return bool(self.classifier.converged_)

    def read(self, pages: Iterable[PageLines], monitor: Monitor | None = None) -> Book:
        """Read pages of lines."""
        pages = list(pages)
        lines = [line.shrunk(self.shrinking) for page in pages for line in page.lines]
        if self.recogniser is not None:
            strips = book_strips(lines, self.style.x_height)
            found = read_strips(self.recogniser, strips, self.language.lm, monitor, self.language.rescorer)
        else:
            found, _ = self.read_tiles(cut_lines(lines, self.style, self.segmenter, monitor))
        return self._book(pages, lines, found)

    def _book(self, pages: Sequence[PageLines], lines: Sequence[TextLine], found: Sequence[LineReading]) -> Book:
        read = iter(zip(lines, found, strict=True))
        about = {
            "converged": self.converged,
            "kl": float(self.classifier.kl_),
            "symbols": len(self.language.lm.alphabet),
        }
        return Book(tuple(self._page(page, read) for page in pages), self.language.code, about)

    def read_tiles(self, lines: Sequence[CutLine]) -> tuple[list[LineReading], list[NDArray[np.int64]]]:
        """Read lines tile by tile; the second reading is the classifier's alone, without the language model."""
        lengths = np.array([len(line.tiles) for line in lines], dtype=np.int64)
        if not lengths.sum():
            return [NOTHING for _ in lines], [NOTHING.labels for _ in lines]
        rows = self.features.transform(stack([line.tiles for line in lines]))
        alone = self.classifier.predict(rows)
        order = min(self.language.lm.order, _DECODING_ORDER)
        together = self.classifier.decode_proba(
            rows, lengths=lengths, lm_weight=_LM_WEIGHT, order=order, evidence=_fit(lines, self.language)
        )
        in_capitals = of_each_tile([line.in_capitals for line in lines], lines)
        together[in_capitals] = _as_capitals(together[in_capitals], self.language)
        ends = np.cumsum(lengths)[:-1]
        labels, sure = np.split(together.argmax(1), ends), np.split(together.max(1), ends)
        read = [LineReading(*each) for each in zip(labels, sure, [line.boxes for line in lines], strict=True)]
        return read, np.split(alone, ends)

    def _page(self, page: PageLines, read: Iterator[tuple[TextLine, LineReading]]) -> Page:
        lines = [self._line(*next(read), page, number) for number in range(1, len(page.lines) + 1)]
        return Page(page.source, page.page, page.width, page.height, tuple(lines), page.angle)

    def _line(self, line: TextLine, found: LineReading, page: PageLines, number: int) -> Line:
        symbols = self.language.lm.alphabet.symbols
        glyphs = [
            Glyph(symbols[label], Box(*line.page_box((x0, y0, x1, y1))).within(page.width, page.height), float(sure))
            for label, sure, (x0, y0, x1, y1) in zip(
                found.labels, tempered(found.sure, self.doubt_power), found.boxes.tolist(), strict=True
            )
        ]
        return Line(Box(*line.box).within(page.width, page.height), tuple(glyphs), f"line{number}")


def learn(
    pages: Iterable[PageLines],
    language: BookLanguage,
    *,
    fast: bool = False,
    segmenter: Segmenter = "builtin",
    hints: Hints | None = None,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Reader:
    """Learn to read from unlabelled lines; what does not converge is tried again in other ways.

    Parameters
    ----------
    pages : iterable of PageLines
        The lines of one book.
    language : BookLanguage
        What it is written in.
    fast : bool
        Learn to read tiles and leave it at that.
    segmenter : {"builtin", "tesseract"}
        Who cuts lines into characters.
    hints : Hints, optional
        What a person knows of the book; by default nothing.
    seed : int
    monitor : Monitor, optional
        Hears the progress.

    Returns
    -------
    Reader
        Whose ``converged`` says whether it can be believed.
    """
    return learn_and_read(pages, language, fast=fast, segmenter=segmenter, hints=hints, seed=seed, monitor=monitor)[0]


def learn_and_read(
    pages: Iterable[PageLines],
    language: BookLanguage,
    *,
    fast: bool = False,
    segmenter: Segmenter = "builtin",
    hints: Hints | None = None,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> tuple[Reader, Book]:
    """Learn as `learn` does, and give what was read on the way."""
    pages = list(pages)
    monitor = monitor or Monitor()
    transcribed = hints.line_labels(pages, language) if hints else {}
    book = cut_book([line for page in pages for line in page.lines], segmenter, monitor)
    cut, style = book.cut, book.style
    tiles = stack([line.tiles for line in cut])
    features = TileFeatures.fit(tiles, "hog", seed=seed)
    known = KnownLabels.of(hints, transcribed, book, language) if hints else None
    said = known.lines if known else {}
    rows = features.transform(tiles)
    classifier = _classifier(rows, cut, language, known, seed, monitor)
    reader = Reader(classifier, features, language, style, segmenter, shrinking=book.shrinking)
    read, otherwise = reader.read_tiles(cut)
    if reader.converged and not fast:
        strips = book_strips([line.line for line in cut], style.x_height)
        tile_labels = [line.labels for line in read]
        in_capitals = [line.in_capitals for line in cut]
        figures = find_page_numbers(tile_labels, rows, language.lm.alphabet, in_capitals, seed=seed, monitor=monitor)
        taught = respelled(
            rows, cut, tile_labels, language.lm, figures=figures, script=language.script, seed=seed, monitor=monitor
        )
        correct = partial(
            revised,
            rows,
            cut,
            lm=language.lm,
            figures=figures,
            words=language.words,
            script=language.script,
            seed=seed,
            monitor=monitor,
        )
        recogniser = train_on_own_reading(
            strips, taught, language.lm, known=said, put_right=correct, seed=seed, monitor=monitor
        )
        otherwise = taught
        read = correct(read_strips(recogniser, strips, language.lm, monitor, language.rescorer))
        reader = replace(reader, recogniser=recogniser)
    for i, labels in said.items():
        read[i] = read[i].transcribed(labels, cut[i].boxes)
    reader = _calibrated(reader, read, otherwise)
    found = {id(line.line): reading for line, reading in zip(cut, read, strict=True)}
    return reader, reader._book(pages, book.lines, [found.get(id(line), NOTHING) for line in book.lines])


def _calibrated(reader: Reader, read: Sequence[LineReading], otherwise: Sequence[NDArray[np.int64]]) -> Reader:
    """The reader with confidence that agrees with how much its reading differs from another."""
    sure = np.concatenate([line.sure for line in read])
    expected_error = disagreement(otherwise, [line.labels for line in read])
    if not reader.converged:
        expected_error = max(expected_error, _UNREAD)
    return replace(reader, doubt_power=doubt_power(sure, expected_error))


def _as_capitals(posteriors: NDArray[np.float64], language: BookLanguage) -> NDArray[np.float64]:
    """Posteriors with every small letter's share given to its capital."""
    found = np.zeros_like(posteriors)
    np.add.at(found.T, capital_of(language.lm.alphabet), posteriors.T)
    return found


def _fit(cut: Sequence[CutLine], language: BookLanguage) -> NDArray[np.float32]:
    """How well every tile fits each symbol."""
    return fit(stack([line.tiles for line in cut]), language.lm.alphabet.symbols, language.script)


def _classifier(
    rows: NDArray[np.float32],
    cut: Sequence[CutLine],
    language: BookLanguage,
    known: KnownLabels | None,
    seed: int,
    monitor: Monitor,
) -> SequenceClassifier:
    """The first attempt that converges, or else the one closest to the language.

    Of lines in capitals that say the same, as running heads do, one is learned from: a language model makes some text
    of letters that are rare elsewhere, and the classifier would learn that from every page.
    """
    lengths = np.array([len(line.tiles) for line in cut], np.int64)
    is_new = ~are_repeats(rows, lengths, np.array([line.in_capitals for line in cut], np.bool_), seed)
    chosen = np.repeat(is_new, lengths)
    evidence = _fit(cut, language)[chosen]
    rows, lengths, said = rows[chosen], lengths[is_new], known.tiles[chosen] if known else None
    attempts: list[SequenceClassifier] = []
    for attempt, (groups, starts) in enumerate(_ATTEMPTS):
        n_groups = None if groups is None else max(2, int(groups * 4 * len(language.lm.alphabet)))
        classifier = SequenceClassifier(
            language.lm, n_init=starts, n_groups=n_groups, l2=_L2, refine=_ROUNDS, random_state=seed + attempt
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(rows, lengths=lengths, known=said, evidence=evidence, monitor=monitor)
        if classifier.converged_:
            return classifier
        attempts.append(classifier)
    return min(attempts, key=lambda classifier: float(classifier.kl_))
