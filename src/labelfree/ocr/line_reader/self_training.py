"""A recogniser of whole lines that learns from a reading nobody checked, reads better, and learns from that.

What a first reading gets wrong differs from line to line, while what it gets right recurs; and a line as a whole has no
wrong cuts. So a network trained on all lines reads better than its teacher. Lines read with little confidence are not
left out: they are the headings, of which nothing else would tell how their letters look.

The label-free score of a round is the share of symbols at which the network alone and the network with the language
model differ. The rounds end when it no longer falls, and the last network is kept unless its score is clearly above the
lowest: where both are low, a few symbols make the difference.

What a round reads may be put right before the next learns from it: a network repeats its teacher where that took one
letter for another throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from labelfree.lm import NGramLM
from labelfree.ocr.correct.calibration import disagreement
from labelfree.ocr.correct.rescoring import N_BEST, Rescorer
from labelfree.ocr.line_reader import Recogniser, Strip, line_strip, train_recogniser
from labelfree.ocr.segment.baseline import Band, type_band
from labelfree.ocr.types import TextLine
from labelfree.progress import Monitor

ROUNDS = 3
_KNOWN_WEIGHT = 5.0  # strips read by the network that one read by a person outweighs
_GAIN = 0.95  # times the lowest score: a fall worth going on for
_NO_WORSE = 1.5  # times the lowest score, below which a later network, with a better teacher, is the better one


@dataclass(frozen=True, eq=False)
class LineReading:
    """What a line says.

    Attributes
    ----------
    labels : array of shape (n,), int64
        Numbers of the symbols.
    sure : array of shape (n,)
        How sure each is, from 0 to 1.
    boxes : array of shape (n, 4), int64
        ``x0, y0, x1, y1`` of each in the line's pixels.
    """

    labels: NDArray[np.int64]
    sure: NDArray[np.float64]
    boxes: NDArray[np.int64]

    def relabelled(self, labels: NDArray[np.int64]) -> LineReading:
        """The same line said to be other symbols: those that stay keep their place, others share that of what was.

        Examples
        --------
        >>> boxes = np.array([[0, 0, 4, 9], [4, 2, 8, 9], [8, 0, 9, 9]])
        >>> line = LineReading(np.array([7, 8, 9]), np.array([0.9, 0.5, 0.8]), boxes)
        >>> other = line.relabelled(np.array([1, 9]))
        >>> other.sure.tolist(), other.boxes.tolist()
        ([0.7, 0.8], [[0, 0, 8, 9], [8, 0, 9, 9]])
        """
        if not len(self.labels) or not len(labels):
            return NOTHING
        sure, boxes, old, new = [], [], 0, 0
        for same in Levenshtein.opcodes(self.labels.tolist(), labels.tolist()).as_matching_blocks():
            if same.b > new:
                was = slice(old, same.a) if same.a > old else slice(max(old - 1, 0), max(old, 1))
                sure.append(np.full(same.b - new, self.sure[was].mean()))
                boxes.append(_shared(self.boxes[was], same.b - new))
            old, new = same.a + same.size, same.b + same.size
            sure.append(self.sure[same.a : old])
            boxes.append(self.boxes[same.a : old])
        return LineReading(labels, np.concatenate(sure), np.concatenate(boxes))

    def transcribed(self, labels: NDArray[np.int64], tiles: NDArray[np.int64]) -> LineReading:
        """The line as a person read it; where nothing else was, symbols share the boxes of its `tiles`."""
        boxes = self.relabelled(labels).boxes if len(self.labels) else _shared(tiles, len(labels))
        return LineReading(labels, np.ones(len(labels)), boxes)


NOTHING = LineReading(np.empty(0, np.int64), np.empty(0), np.empty((0, 4), np.int64))
"""What a line without letters says."""


def _shared(boxes: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """What some boxes take up in `n` parts side by side, each a column wide at least."""
    x0, y0 = boxes[:, :2].min(0)
    x1, y1 = boxes[:, 2:].max(0)
    edges = np.linspace(x0, x1, n + 1).round().astype(np.int64)
    return np.stack([edges[:-1], np.full(n, y0), np.maximum(edges[1:], edges[:-1] + 1), np.full(n, y1)], 1)


@dataclass(frozen=True, eq=False)
class BookStrip:
    """A line as the recogniser sees it, and where its ink is."""

    strip: Strip
    ink: NDArray[np.bool_]


def book_strips(lines: Sequence[TextLine], x_height: float) -> list[BookStrip]:
    """Bring lines of a book to strips; `x_height` is the book's."""
    found = []
    for line in lines:
        ink = line.strokes
        band = type_band(ink, x_height) if ink.any() else Band(0.75 * len(ink), 0.0, x_height)
        found.append(BookStrip(line_strip(line.ink, band, x_height), ink))
    return found


def read_strips(
    recogniser: Recogniser,
    strips: Sequence[BookStrip],
    lm: NGramLM | None,
    monitor: Monitor | None = None,
    rescorer: Rescorer | None = None,
) -> list[LineReading]:
    """Read lines with a recogniser, and with what is known of the language."""
    choose = rescorer.choose if rescorer else None
    found = []
    for start in range(0, len(strips), 256):
        part = strips[start : start + 256]
        read = recogniser.read([each.strip for each in part], lm, choose=choose, n_best=N_BEST)
        found += [
            LineReading(line.labels, line.confidence, _boxes(each.ink, line.columns))
            for each, line in zip(part, read, strict=True)
        ]
        if monitor:
            monitor.stage("reading lines", len(found), len(strips))
    return found


def train_on_own_reading(
    strips: Sequence[BookStrip],
    first: Sequence[NDArray[np.int64]],
    lm: NGramLM,
    *,
    known: Mapping[int, NDArray[np.int64]] | None = None,
    put_right: Callable[[Sequence[LineReading]], Sequence[LineReading]] | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> Recogniser:
    """Train a recogniser on a first reading of strips, then on its own, until the label-free score stops falling.

    Parameters
    ----------
    strips : sequence of BookStrip
    first : sequence of arrays of int
        What each says, as far as is known.
    lm : NGramLM
        The language, over the symbols of the readings.
    known : mapping, optional
        The labels of strips that a person has read, by their place; they count for several of the others.
    put_right : callable, optional
        Makes of what was read of lines what they say; by default that is taken as it is.
    rounds : int
        At most so many.
    seed : int
    monitor : Monitor, optional
        Hears the score of every round.
    """
    monitor = monitor or Monitor()
    images = [each.strip for each in strips]
    known = known or {}
    weights = np.where(np.isin(np.arange(len(strips)), list(known)), _KNOWN_WEIGHT, 1.0)
    best, lowest, current, labels = None, np.inf, None, list(first)
    for number in range(rounds):
        current = train_recogniser(
            images,
            [known.get(i, said) for i, said in enumerate(labels)],
            len(lm.alphabet),
            weights=weights,
            seed=seed + number,
            start=current,
            monitor=monitor,
        )
        read = read_strips(current, strips, lm)
        score = disagreement([line.labels for line in current.read(images)], [line.labels for line in read])
        monitor.look("line reader", number + 1, [score])
        is_gain = score < _GAIN * lowest
        if score < _NO_WORSE * lowest:
            best = current
        lowest = min(score, lowest)
        if not is_gain or number + 1 == rounds:
            break
        labels = [line.labels for line in (put_right(read) if put_right else read)]
    assert best is not None  # noqa: S101 - the first score is finite
    return best


def _boxes(ink: NDArray[np.bool_], columns: NDArray[np.float64]) -> NDArray[np.int64]:
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
