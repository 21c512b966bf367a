"""What else a doubtful character might be: what its picture says to the reader that read it, without the language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.book import PIECE, Book
from labelfree.ocr.line_reader.ctc import align
from labelfree.ocr.reader import Reader
from labelfree.ocr.types import Alternative, Glyph, Line, Page, PageLines, TextLine

DOUBTFUL = 0.9
"""Confidence below which a character is doubtful."""

_MOST = 3
_LEAST_SHARE = 0.02

Asked = tuple[int, int, TextLine, Line]  # a doubtful line: its page, its number there, its picture, what was read
Scores = tuple[int, NDArray[np.float64]]  # a doubtful glyph's place from the left; every symbol's log-likelihood


def with_alternatives(reader: Reader, found: Iterable[PageLines], pages: Iterable[Page]) -> Iterator[Page]:
    """Pages whose doubtful glyphs tell what else they might be, read once more from the lines they were read from."""
    waiting: list[Page] = []
    asked: list[Asked] = []
    for page_lines, page in zip(found, pages, strict=True):
        both = enumerate(zip(page_lines.lines, page.lines, strict=True))
        asked += [(len(waiting), i, *lines) for i, lines in both if any(map(_is_doubtful, lines[1].glyphs))]
        waiting.append(page)
        if len(asked) >= PIECE:
            yield from _told(reader, waiting, asked)
            waiting, asked = [], []
    yield from _told(reader, waiting, asked)


def _told(reader: Reader, pages: Sequence[Page], asked: Sequence[Asked]) -> list[Page]:
    symbols = reader.language.lm.alphabet.symbols
    lines = [list(page.lines) for page in pages]
    for first in range(0, len(asked), PIECE):
        piece = asked[first : first + PIECE]
        orders = [reader.language.script.other_order([glyph.text for glyph in line.glyphs]) for *_, line in piece]
        standing = [
            [replace(line.glyphs[g], text=symbol) for g, symbol in order]
            for (*_, line), order in zip(piece, orders, strict=True)
        ]
        heard = _heard(reader, [line for *_, line, _ in piece], standing)
        for (p, i, _, line), order, scores in zip(piece, orders, heard, strict=True):
            glyphs = list(line.glyphs)
            for place, said in scores:
                g, symbol = order[place]
                others = _likeliest(said, symbol, glyphs[g].confidence, symbols)
                glyphs[g] = replace(glyphs[g], alternatives=others)
            lines[p][i] = replace(line, glyphs=tuple(glyphs))
    return [replace(page, lines=tuple(told)) for page, told in zip(pages, lines, strict=True)]


def _is_doubtful(glyph: Glyph) -> bool:
    return glyph.confidence < DOUBTFUL


def _heard(reader: Reader, text_lines: list[TextLine], lines: list[list[Glyph]]) -> Iterator[list[Scores]]:
    """The scores of the doubtful glyphs of each line, whose glyphs are given as they stand from the left."""
    if reader.recogniser is not None:
        shrunk = [line.shrunk(reader.type.shrinking) for line in text_lines]
        strips = [image.strip for image in reader.line_images(shrunk)]
        frames = reader.recogniser.log_posteriors(strips)
        alphabet = reader.language.lm.alphabet
        labels = [np.array([alphabet.index(glyph.text) for glyph in line], np.int64) for line in lines]
        for said, places, line in zip(frames, align(frames, labels), lines, strict=True):
            yield [
                (g, said[first : last + 1, :-1].max(0).astype(np.float64))
                for g, (first, last) in enumerate(places.tolist())
                if _is_doubtful(line[g])
            ]
        return
    book = Book.cut(text_lines, reader.language, reader.type)
    book = book.with_shapes(reader.settings.shape_prior) if reader.has_shape_prior else book
    if not len(book.rows):
        yield from ([] for _ in lines)
        return
    scores = np.log(np.maximum(reader.classifier.predict_proba(book.rows), 1e-9))
    scores = scores + book.log_fit(reader.language.lm.alphabet.symbols)
    for start, n_tiles, line in zip(book.starts.tolist(), book.lengths.tolist(), lines, strict=True):
        is_read_so = n_tiles == len(line)  # a line that a person transcribed has other glyphs than tiles
        yield [(g, scores[start + g]) for g, glyph in enumerate(line) if is_read_so and _is_doubtful(glyph)]


def _likeliest(
    scores: NDArray[np.float64], read: str, confidence: float, symbols: Sequence[str]
) -> tuple[Alternative, ...]:
    """The likeliest symbols but the one that was read, which share the doubt of that as their pictures say."""
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    ranked = np.argsort(-shares, kind="stable")[: _MOST + 1].tolist()
    others = [(symbols[i], float(shares[i])) for i in ranked if symbols[i] != read and shares[i] >= _LEAST_SHARE]
    total = sum(share for _, share in others[:_MOST])
    return tuple(Alternative(text, round((1 - confidence) * share / total, 4)) for text, share in others[:_MOST])
