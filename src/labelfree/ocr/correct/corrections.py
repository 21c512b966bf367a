"""The corrections of a reading of whole lines, in the order in which they are made.

A network repeats its teacher where that took one letter for another throughout. So what it reads is corrected, by all
places of the book at once, before it learns from that again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.book import Book, Ints, LineReading, Reading
from labelfree.ocr.correct.page_numbers import Figures
from labelfree.ocr.correct.places import tiles_of
from labelfree.ocr.correct.punctuation import close_up, join_quotes
from labelfree.ocr.correct.revision import revise
from labelfree.ocr.correct.settings import DEFAULT, CorrectSettings
from labelfree.ocr.correct.words import correct_words


@dataclass(frozen=True)
class Correction:
    """One of the corrections, by the name that leaves it out."""

    name: str
    about: str
    make: Callable[[Book, Reading, Figures, int, CorrectSettings], Reading]


def correct(
    book: Book,
    reading: Reading,
    figures: Figures,
    *,
    without: Collection[str] = (),
    seed: int = 0,
    settings: CorrectSettings = DEFAULT,
) -> Reading:
    """Correct a reading of whole lines, by all corrections but those named in `without`."""
    for correction in CORRECTIONS:
        if correction.name not in without:
            reading = correction.make(book, reading, figures, seed, settings)
    return reading


def _figures(book: Book, reading: Reading, figures: Figures, seed: int, settings: CorrectSettings) -> Reading:
    """Lines with the numbers that pages have, and with the figures elsewhere that look like theirs."""
    if not figures:
        return reading
    is_space = np.array([symbol.isspace() for symbol in book.language.lm.alphabet.symbols])
    of_lines = np.split(figures.of_tile, book.starts[1:])
    lines = zip(reading, book.line_boxes, of_lines, strict=True)
    reading = Reading.of_lines([_with_number(*line, is_space) for line in lines])
    tile_of = tiles_of(book, reading)
    asked = np.flatnonzero(_is_figure(book)[reading.labels] & (tile_of >= 0) & (figures.of_tile[tile_of] < 0))
    looks = figures.look_like(tile_of[asked])
    labels = reading.labels.copy()
    labels[asked] = np.where(looks >= 0, looks, labels[asked])
    return reading.with_labels(labels)


def _words(book: Book, reading: Reading, figures: Figures, seed: int, settings: CorrectSettings) -> Reading:
    return correct_words(book, reading, seed=seed, settings=settings.words)


def _forms(book: Book, reading: Reading, figures: Figures, seed: int, settings: CorrectSettings) -> Reading:
    settled = (tiles_of(book, reading) >= 0) & _is_figure(book)[reading.labels] if figures else None
    return reading.relabelled(revise(book, reading, settled=settled, seed=seed, settings=settings))


def _punctuation(book: Book, reading: Reading, figures: Figures, seed: int, settings: CorrectSettings) -> Reading:
    lm = book.language.lm
    return reading.relabelled(close_up(join_quotes(reading.line_labels, lm.alphabet), lm, settings.forms))


CORRECTIONS = (
    Correction("figures", "figures that look like those of the page numbers are what those are", _figures),
    Correction("words", "words that the language does not have become words that it has, where the ink allows", _words),
    Correction("forms", "characters that look different but were read as one symbol are told apart", _forms),
    Correction(
        "punctuation", "two single quotes are a double one, room beside a mark is a space or none", _punctuation
    ),
)
"""All corrections, in order."""


def _is_figure(book: Book) -> NDArray[np.bool_]:
    return np.array([symbol.isdecimal() for symbol in book.language.lm.alphabet.symbols])


def _with_number(read: LineReading, boxes: Ints, figure_of: Ints, is_space: NDArray[np.bool_]) -> LineReading:
    """A line with the figures of its number, in `boxes` of tiles, in place of what was read there."""
    number = np.flatnonzero(figure_of >= 0)
    if not len(number):
        return read
    middle, middle_of_tile = read.boxes[:, ::2].mean(1), boxes[:, ::2].mean(1)
    around = np.concatenate([[-np.inf], middle_of_tile, [np.inf]])[[number[0], number[-1] + 2]]
    kept = is_space[read.labels] | (middle < around[0]) | (middle > around[1])
    is_left = middle < middle_of_tile[number].mean()
    left, right = kept & is_left, kept & ~is_left
    return LineReading(
        np.concatenate([read.labels[left], figure_of[number], read.labels[right]]),
        np.concatenate([read.confidence[left], np.ones(len(number)), read.confidence[right]]),
        np.concatenate([read.boxes[left], boxes[number], read.boxes[right]]),
    )
