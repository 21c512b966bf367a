"""What else a doubtful character might be: what its picture says to the reader that read it, without the language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.book import PIECE, Book
from labelfree.ocr.line_reader.ctc import align
from labelfree.ocr.line_reader.lines import line_images
from labelfree.ocr.reader import Reader
from labelfree.ocr.types import Document, Line, PageLines, TextLine

DOUBTFUL = 0.9  # confidence below which a character is shown as doubtful
_MOST = 3
_LEAST_SHARE = 0.02

Place = tuple[int, int, int]  # of a glyph: its page, line and number there
Alternatives = Mapping[Place, tuple[tuple[str, float], ...]]  # the likeliest first, each with its share


def alternatives(reader: Reader, pages: Sequence[PageLines], document: Document) -> Alternatives:
    """What doubtful glyphs of a document might be, read once more from the lines that it was read from."""
    asked = [
        (p, i, text_line, line)
        for p, (found, page) in enumerate(zip(pages, document.pages, strict=True))
        for i, (text_line, line) in enumerate(zip(found.lines, page.lines, strict=True))
        if any(glyph.confidence < DOUBTFUL for glyph in line.glyphs)
    ]
    symbols = reader.language.lm.alphabet.symbols
    found: dict[Place, tuple[tuple[str, float], ...]] = {}
    for first in range(0, len(asked), PIECE):
        piece = asked[first : first + PIECE]
        heard = _heard(reader, [line for *_, line, _ in piece], [line for *_, line in piece])
        for (p, i, _, line), scores in zip(piece, heard, strict=True):
            for g, said in scores:
                others = _likeliest(said, line.glyphs[g].text, symbols)
                if others:
                    found[p, i, g] = others
    return found


def _heard(
    reader: Reader, text_lines: list[TextLine], lines: list[Line]
) -> Iterator[list[tuple[int, NDArray[np.float64]]]]:
    """For each doubtful glyph of each line its number and the log-likelihood of every symbol."""
    if reader.recogniser is not None:
        shrunk = [line.shrunk(reader.type.shrinking) for line in text_lines]
        strips = [image.strip for image in line_images(shrunk, reader.type.style)]
        frames = reader.recogniser.log_posteriors(strips)
        alphabet = reader.language.lm.alphabet
        labels = [np.array([alphabet.index(glyph.text) for glyph in line.glyphs], np.int64) for line in lines]
        for said, places, line in zip(frames, align(frames, labels), lines, strict=True):
            yield [
                (g, said[first : last + 1, :-1].max(0).astype(np.float64))
                for g, (first, last) in enumerate(places.tolist())
                if line.glyphs[g].confidence < DOUBTFUL
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
        is_read_so = n_tiles == len(line.glyphs)  # a line that a person transcribed has other glyphs than tiles
        yield [
            (g, scores[start + g]) for g, glyph in enumerate(line.glyphs) if is_read_so and glyph.confidence < DOUBTFUL
        ]


def _likeliest(scores: NDArray[np.float64], read: str, symbols: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """The likeliest symbols but the one that was read."""
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    ranked = np.argsort(-shares, kind="stable")[: _MOST + 1].tolist()
    others = [(symbols[i], round(float(shares[i]), 2)) for i in ranked if symbols[i] != read]
    return tuple(each for each in others[:_MOST] if each[1] >= _LEAST_SHARE)
