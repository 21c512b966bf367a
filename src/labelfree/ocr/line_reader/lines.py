"""Whole lines of a book as the recogniser sees them, learned from a reading that nobody checked, and read.

What a first reading gets wrong differs from line to line, while what it gets right recurs; and a line as a whole has no
wrong cuts. So a network trained on all lines reads better than its teacher. Lines read with little confidence are not
left out: they are the headings, of which nothing else would tell how their letters look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree import progress
from labelfree.ocr.book import PIECE, Ints, LineReading, Reading
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader.model import Recogniser
from labelfree.ocr.line_reader.rescoring import Rescorer
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip, line_strip
from labelfree.ocr.line_reader.training import train_recogniser
from labelfree.ocr.segment import BookStyle
from labelfree.ocr.segment.baseline import Band, find_band, type_band
from labelfree.ocr.types import TextLine


@dataclass(frozen=True, eq=False)
class LineImage:
    """A line, and what the recogniser sees of it."""

    line: TextLine
    strip: Strip


def line_images(lines: Sequence[TextLine], style: BookStyle, *, has_ascenders: bool = True) -> list[LineImage]:
    """Bring lines of a book to strips; where small letters rise, a line of which none does is one of capitals."""
    found, x_height = [], style.x_height
    for line in lines:
        ink = line.strokes
        if not ink.any():
            band = Band(0.75 * len(ink), 0.0, x_height)
        else:
            band = (type_band if has_ascenders else find_band)(ink, x_height, style.settings)
        found.append(LineImage(line, line_strip(line.pixels, band, x_height)))
    return found


def train(
    images: Sequence[LineImage],
    reading: Reading,
    known: Mapping[int, Ints],
    n_symbols: int,
    *,
    start: Recogniser | None,
    seed: int,
    settings: LineReaderSettings,
) -> Recogniser:
    """Train a fresh network, or a copy of `start`, on what lines are read as.

    `known` are the labels of lines that a person has read, by their place; they count for several of the others.
    """
    return train_recogniser(
        [image.strip for image in images],
        [known.get(i, labels) for i, labels in enumerate(reading.line_labels)],
        n_symbols,
        weights=np.where(np.isin(np.arange(len(images)), list(known)), settings.known_weight, 1.0),
        start=start,
        seed=seed,
        settings=settings,
    )


def read_images(
    recogniser: Recogniser,
    images: Sequence[LineImage],
    language: BookLanguage,
    settings: LineReaderSettings = DEFAULT,
) -> Reading:
    """Read lines with a recogniser and with what is known of the language."""
    found: list[LineReading] = []
    for start in range(0, len(images), PIECE):
        found += read_piece(recogniser, images[start : start + PIECE], language, settings)
        progress.stage("reading lines", len(found), len(images))
    return Reading.of_lines(found)


def read_alone(recogniser: Recogniser, images: Sequence[LineImage]) -> list[Ints]:
    """What the network alone reads, without the language model."""
    return [line.labels for line in recogniser.read([image.strip for image in images])]


def read_piece(
    recogniser: Recogniser,
    images: Sequence[LineImage],
    language: BookLanguage,
    settings: LineReaderSettings,
) -> Iterator[LineReading]:
    """Read lines that are worked on together."""
    strips = [image.strip for image in images]
    read = recogniser.read(strips, language.lm, rescorer=Rescorer.of(language), settings=settings)
    for image, line in zip(images, read, strict=True):
        yield LineReading(line.labels, line.confidence, _boxes(image.line.strokes, line.columns))


def _boxes(ink: NDArray[np.bool_], columns: NDArray[np.float64]) -> Ints:
    """Boxes of symbols that take up some columns of a line, each as tall as the ink there."""
    height, width = ink.shape
    boxes = np.zeros((len(columns), 4), np.int64)
    boxes[:, 0] = np.clip(np.floor(columns[:, 0]), 0, width - 1)
    boxes[:, 2] = np.clip(np.ceil(columns[:, 1]), boxes[:, 0] + 1, width)
    boxes[:, 3] = height
    for box in boxes:
        rows = np.flatnonzero(ink[:, box[0] : box[2]].any(1))
        if len(rows):
            box[1], box[3] = rows[0], rows[-1] + 1
    return boxes
