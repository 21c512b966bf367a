"""Learning to read a book's type from its own lines and a language, and reading with what was learned."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from labelfree.decode import forward_backward, likelihoods_from_posteriors, viterbi
from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.ocr.document import Book, Box, Glyph, Line, Page
from labelfree.ocr.features import TileFeatures
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.lines import PageLines, TextLine
from labelfree.ocr.segment import BookStyle, LineTiles, measure_book, segment_line
from labelfree.ocr.tiles import Tiles, cut_tiles, stack
from labelfree.solvers.monitor import Monitor

LEAST_TILES = 1_000
_LEAST_LOG_POSTERIOR = -15.0
_LM_WEIGHT = 0.7
_ATTEMPTS = ((None, 10), (1.6, 20), (0.6, 20))  # groups a class against the usual number, and starts


@dataclass(frozen=True, eq=False)
class CutLine:
    """A line of print with its tiles."""

    line: TextLine
    cut: LineTiles
    tiles: Tiles


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
    """

    classifier: SequenceClassifier
    features: TileFeatures
    language: BookLanguage
    style: BookStyle

    @property
    def converged(self) -> bool:
        """Whether the label-free score says that it learned to read."""
        return bool(self.classifier.converged_)

    def read(self, pages: Iterable[PageLines]) -> Book:
        """Read pages of lines."""
        pages = list(pages)
        cut = [[cut_line(line, self.style) for line in page.lines] for page in pages]
        read = iter(self._read_lines([line for lines in cut for line in lines]))
        found = [
            Page(
                page.source,
                page.page,
                page.width,
                page.height,
                tuple(_document_line(line, next(read), page, number) for number, line in enumerate(lines, 1)),
                page.angle,
            )
            for page, lines in zip(pages, cut, strict=True)
        ]
        about = {
            "converged": self.converged,
            "kl": float(self.classifier.kl_),
            "symbols": len(self.language.lm.alphabet),
        }
        return Book(tuple(found), self.language.code, about)

    def _read_lines(self, lines: Sequence[CutLine]) -> Iterator[list[tuple[str, float]]]:
        """Symbols of every line, each with how sure it is."""
        lengths = np.array([len(line.tiles) for line in lines], dtype=np.int64)
        if not lengths.sum():
            yield from ([] for _ in lines)
            return
        labels, confidence = self._decoded(stack([line.tiles for line in lines]), lengths)
        symbols = self.language.lm.alphabet.symbols
        start = 0
        for length in lengths.tolist():
            part = slice(start, start + length)
            yield [(symbols[label], float(sure)) for label, sure in zip(labels[part], confidence[part], strict=True)]
            start += length

    def _decoded(self, tiles: Tiles, lengths: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        lm = self.language.lm
        posteriors = self.classifier.predict_proba(self.features.transform(tiles))
        log_posteriors = np.log(np.maximum(posteriors, np.exp(_LEAST_LOG_POSTERIOR)))
        prior = _LM_WEIGHT * np.log(np.maximum(self.classifier.prior_, 1e-9))
        evidence = likelihoods_from_posteriors(log_posteriors, prior)
        labels = viterbi(evidence, lm, lengths=lengths, weight=_LM_WEIGHT)
        marginals = forward_backward(evidence, lm, lengths=lengths, order=min(lm.order, 3), weight=_LM_WEIGHT).marginals
        confidence: NDArray[np.float64] = marginals[np.arange(len(labels)), labels].clip(0.0, 1.0)
        return labels, confidence


def learn(
    pages: Iterable[PageLines], language: BookLanguage, *, seed: int = 0, monitor: Monitor | None = None
) -> Reader:
    """Learn to read from unlabelled lines; what does not converge is tried again in other ways.

    Parameters
    ----------
    pages : iterable of PageLines
        The lines of one book.
    language : BookLanguage
        What it is written in.
    seed : int
    monitor : Monitor, optional
        Hears the progress.

    Returns
    -------
    Reader
        Whose ``converged`` says whether it can be believed.
    """
    lines = [line for page in pages for line in page.lines]
    style = measure_book([line.ink for line in lines])
    cut = [found for found in (cut_line(line, style) for line in lines) if len(found.tiles)] if style else []
    lengths = np.array([len(line.tiles) for line in cut], dtype=np.int64)
    if style is None or lengths.sum() < LEAST_TILES:
        raise InputError(
            f"{lengths.sum()} characters found on {len(lines)} lines, at least {LEAST_TILES} wanted to learn from; "
            "give more pages of the same book, or read with a model that is learned already"
        )
    tiles = stack([line.tiles for line in cut])
    features = TileFeatures("hog", seed=seed).fit(tiles)
    rows = features.transform(tiles)
    best: SequenceClassifier | None = None
    for attempt, (groups, starts) in enumerate(_ATTEMPTS):
        n_groups = None if groups is None else max(2, int(groups * 4 * len(language.lm.alphabet)))
        classifier = SequenceClassifier(language.lm, n_init=starts, n_groups=n_groups, random_state=seed + attempt)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(rows, lengths=lengths, monitor=monitor)
        if best is None or classifier.kl_ < best.kl_:
            best = classifier
        if classifier.converged_:
            best = classifier
            break
    assert best is not None  # noqa: S101 - there is an attempt
    return Reader(best, features, language, style)


def cut_line(line: TextLine, style: BookStyle | None) -> CutLine:
    """Cut a line into tiles."""
    cut = segment_line(line.ink, style)
    tiles = cut_tiles(cut.ink, cut.boxes, baseline=cut.baseline, x_height=cut.x_height, owner=cut.owner)
    return CutLine(line, cut, tiles)


def _document_line(line: CutLine, read: list[tuple[str, float]], page: PageLines, number: int) -> Line:
    boxes = [Box(*line.line.page_box(tuple(box))).within(page.width, page.height) for box in line.cut.boxes.tolist()]
    glyphs = tuple(Glyph(text, box, sure) for (text, sure), box in zip(read, boxes, strict=True))
    place = Box(*line.line.box).within(page.width, page.height)
    return Line(place, glyphs, f"line{number}")
