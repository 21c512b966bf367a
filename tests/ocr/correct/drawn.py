"""Sentences as the tiles of a book whose reading is wrong throughout in some way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from labelfree.lm import NGramLM
from labelfree.ocr.book import Book, Reading

from ..books import book_of, reading_of


@dataclass(frozen=True, eq=False)
class Drawn:
    """A book, what its tiles are read as one by one, and what its lines say."""

    book: Book
    reading: Reading
    truth: list[str]

    @property
    def errors(self) -> float:
        """The share of wrong characters of the reading."""
        return self.errors_of(self.reading.line_labels)

    def errors_of(self, lines: Sequence[NDArray[np.int64]]) -> float:
        """The share of wrong characters of any lines."""
        decode = self.book.language.lm.alphabet.decode
        edits = sum(Levenshtein.distance(decode(a), b) for a, b in zip(lines, self.truth, strict=True))
        return edits / sum(map(len, self.truth))


def drawn(
    sentences: Sequence[str], lm: NGramLM, cut: Callable[[str], list[tuple[str, str]]], n_lines: int = 200, **about
) -> Drawn:
    """Lines as tiles: `cut` gives for a character the shapes that it shows and what each is read as.

    What else is told of the book goes to `book_of`.
    """
    rng = np.random.default_rng(0)
    known = set(lm.alphabet.symbols)
    truth = [line for each in sentences[1::2] for line in [each[:60].strip()] if set(line) <= known][:n_lines]
    pieces = [[piece for character in line for piece in cut(character)] for line in truth]
    shapes = sorted({shape for line in pieces for shape, _ in line})
    centres = dict(zip(shapes, rng.normal(0, 4, (len(shapes), 12)), strict=True))
    rows = np.array([centres[shape] for line in pieces for shape, _ in line])
    labels = [np.array([lm.alphabet.index(symbol) for _, symbol in line]) for line in pieces]
    rows = rows + rng.normal(0, 0.3, rows.shape)
    return Drawn(book_of(rows, [len(line) for line in pieces], lm, **about), reading_of(labels), truth)


def as_it_is(symbol: str) -> list[tuple[str, str]]:
    """Every character is one tile, and read right."""
    return [(symbol, symbol)]
