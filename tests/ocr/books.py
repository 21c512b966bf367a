"""Books and readings put together from features, boxes and labels, for the tests of what works on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import Book, LineReading, Reading, TypeModel
from labelfree.ocr.glyphs.features import DESCRIBED, TileFeatures
from labelfree.ocr.glyphs.shape_prior import ShapePrior
from labelfree.ocr.glyphs.tiles import N_MEASURES, SIDE, Tiles
from labelfree.ocr.language import unknown_language
from labelfree.ocr.segment import BookStyle

PITCH, WIDTH, HEIGHT = 10, 8, 12


def boxes_of(n: int) -> NDArray[np.int64]:
    """Boxes of one size, all as far from the one before."""
    return np.array([[PITCH * i, 0, PITCH * i + WIDTH, HEIGHT] for i in range(n)], np.int64).reshape(-1, 4)


def book_of(
    rows: NDArray[np.floating],
    lengths: ArrayLike,
    lm: NGramLM,
    *,
    boxes: Sequence[NDArray[np.int64]] | None = None,
    words: WordList | None = None,
    in_capitals: ArrayLike | None = None,
    shapes: ShapePrior | None = None,
) -> Book:
    """A book whose tiles have these features; all of them are ink, side by side unless `boxes` of each line are given.

    It has no lines to look at, and what was measured of its type is made up.
    """
    lengths = np.asarray(lengths, np.int64)
    n, width = int(lengths.sum()), DESCRIBED["hog"]
    features = TileFeatures("hog", np.zeros(width, np.float32), np.zeros((1, width), np.float32))
    return Book(
        (),
        replace(unknown_language(), lm=lm, words=words),
        TypeModel(BookStyle(10.0), 1.4, 1, features),
        Tiles(np.full((n, SIDE, SIDE), 255, np.uint8), np.ones((n, N_MEASURES), np.float32)),
        np.concatenate([np.empty((0, 4), np.int64), *(boxes or map(boxes_of, lengths))]),
        lengths,
        np.zeros(len(lengths), np.bool_) if in_capitals is None else np.asarray(in_capitals, np.bool_),
        np.asarray(rows, np.float32),
        shapes,
    )


def reading_of(
    lines: Sequence[NDArray[np.int64]], boxes: Sequence[NDArray[np.int64]] | None = None, confidence: float = 0.9
) -> Reading:
    """Lines that were read, each symbol in its tile unless `boxes` of each line are given."""
    places = boxes or [boxes_of(len(labels)) for labels in lines]
    return Reading.of_lines(
        [
            LineReading(np.asarray(labels, np.int64), np.full(len(labels), confidence), place)
            for labels, place in zip(lines, places, strict=True)
        ]
    )
