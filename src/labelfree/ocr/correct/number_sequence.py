"""Numbers that rise from place to place, found by the shapes of their figures alone.

Which figure a shape stands for is not known, and at most places stands a number or nothing. A sequence of numbers
explains the shapes the better, the more often one shape is the same figure. With k shapes for the figure d so far and
f the share of a shape among all, a place that is taken for a number gains

    log (1 / k) - log f    for a shape that stands for d already,
    log (1 / 10) - log f   and a little less for one that now does, as one more of d's,
    - mistake              for one that stands for another figure.

The sequences that explain most so far are kept from place to place (a beam).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.correct.settings import PageNumberSettings

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LONGEST = 3
"""Figures of a number."""

DEFAULT = PageNumberSettings()
_LAST = 10**LONGEST // 2  # number after which a sequence may begin
_EVEN = -np.log(2.0)  # a number or none, either of two words, a step off by one or not


@dataclass(frozen=True, eq=False)
class Place:
    """Where a number may stand.

    Attributes
    ----------
    line : int
        The line of the book, which tells how far apart two places are.
    words : tuple of arrays of int
        The shapes of each word that may be the number.
    costs : tuple of float
        What each word loses by being a number: it is none where it is as good as any other word.
    """

    line: int
    words: tuple[Ints, ...]
    costs: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Rise:
    """A rising sequence.

    Attributes
    ----------
    score : float
        Nats by which it explains the places.
    numbers : list of int
        The number at each place, 0 for none.
    words : list of int
        Which of the place's words it is.
    figure : array of shape (shapes,)
        What each shape stands for, or -1.
    """

    score: float
    numbers: list[int]
    words: list[int]
    figure: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class _Beam:
    number: Ints  # the last one
    line: Ints  # of the last one, or -1
    figure: NDArray[np.int8]  # (n, shapes): what each stands for, or -1
    n_shapes: NDArray[np.int8]  # (n, 10): of each figure
    key: NDArray[np.uint64]  # of what the shapes stand for
    score: Floats

    def __getitem__(self, chosen: Ints) -> _Beam:
        return _Beam(
            self.number[chosen],
            self.line[chosen],
            self.figure[chosen],
            self.n_shapes[chosen],
            self.key[chosen],
            self.score[chosen],
        )


def find_rise(
    places: Sequence[Place],
    share: Floats,
    lines_a_page: float,
    known: NDArray[np.int8] | None = None,
    settings: PageNumberSettings = DEFAULT,
) -> Rise:
    """Find the sequence that explains the most.

    Parameters
    ----------
    places : sequence of Place
        In the order of the book.
    share : array of shape (shapes,)
        How many of all characters have each shape.
    lines_a_page : float
        Lines after which the next number is expected.
    known : array of shape (shapes,), optional
        The figure that each shape stands for, or -1; by default nothing is known.
    settings : PageNumberSettings
    """
    keys = np.random.default_rng(0).integers(1, 2**63, (len(share), 10)).astype(np.uint64)
    shapes = _Shapes(-np.log(share), keys)
    beam = _beginnings(np.full(len(share), -1, np.int8) if known is None else known)
    trail = []
    for place in places:
        beam, came_from, number, word = _at_place(beam, place, shapes, lines_a_page, settings)
        trail.append((came_from, number, word))
    best = at = int(beam.score.argmax())
    numbers, words = [], []
    for came_from, number, word in reversed(trail):
        numbers.append(int(number[at]))
        words.append(int(word[at]))
        at = int(came_from[at])
    return Rise(float(beam.score[best]), numbers[::-1], words[::-1], beam.figure[best])


def _beginnings(figure: NDArray[np.int8]) -> _Beam:
    """A sequence that begins after each number, where shapes stand for some figures, or -1."""
    number = np.arange(_LAST)
    n_shapes = np.bincount(figure[figure >= 0], minlength=10).astype(np.int8)
    return _Beam(
        number,
        np.full(_LAST, -1),
        np.tile(figure, (_LAST, 1)),
        np.tile(n_shapes, (_LAST, 1)),
        np.zeros(_LAST, np.uint64),
        -np.log(number + 1.0),
    )


@dataclass(frozen=True, eq=False)
class _Shapes:
    """How rare each shape is, in nats, and a key for each figure that it may stand for."""

    surprise: Floats
    keys: NDArray[np.uint64]


def _at_place(
    beam: _Beam, place: Place, known_shapes: _Shapes, lines_a_page: float, settings: PageNumberSettings
) -> tuple[_Beam, Ints, Ints, Ints]:
    """The best sequences up to a place, of which each was made, and the number and word that were added."""
    every = np.arange(len(beam.score))
    nothing = np.zeros_like(every)
    came_from, number, word, score = [every], [nothing], [nothing], [beam.score + _EVEN]
    expected = np.maximum(1.0, (place.line - beam.line) / lines_a_page)
    for which, (shapes, cost) in enumerate(zip(place.words, place.costs, strict=True)):
        for step in range(1, settings.steps + 1):
            next_number = beam.number + step
            fits = np.flatnonzero((next_number >= 10 ** (len(shapes) - 1)) & (next_number < 10 ** len(shapes)))
            off = np.where(beam.line[fits] < 0, step - 1.0, np.abs(step - expected[fits]))
            gain = _gain(beam, fits, shapes, next_number[fits], known_shapes.surprise, settings.mistake)
            came_from.append(fits)
            number.append(next_number[fits])
            word.append(np.full(len(fits), which))
            even = 1 + off + (len(place.words) > 1)
            score.append(beam.score[fits] + gain - cost + _EVEN * even)
    source, numbers, words = (np.concatenate(each) for each in (came_from, number, word))
    scores = np.concatenate(score)
    best = np.argsort(-scores, kind="stable")[: 3 * settings.beam]
    made = _extended(beam[source[best]], place, numbers[best], words[best], scores[best], known_shapes.keys)
    _, first = np.unique(made.key ^ (made.number.astype(np.uint64) << np.uint64(40)), return_index=True)
    kept = np.sort(first)[: settings.beam]
    return made[kept], source[best][kept], numbers[best][kept], words[best][kept]


def _figures(numbers: Ints, length: int) -> Ints:
    """The figures of numbers, shape (length, n)."""
    return np.stack([numbers // 10 ** (length - 1 - i) % 10 for i in range(length)])


def _gain(beam: _Beam, chosen: Ints, shapes: Ints, numbers: Ints, surprise: Floats, mistake: float) -> Floats:
    """What shapes tell for numbers that follow the chosen sequences."""
    found = np.zeros(len(chosen))
    figures = _figures(numbers, len(shapes))
    for i, shape in enumerate(shapes.tolist()):
        stands_for = beam.figure[chosen, shape].astype(np.int64)
        for before in np.flatnonzero(shapes[:i] == shape):
            stands_for = np.where(stands_for < 0, figures[before], stands_for)
        n_shapes = beam.n_shapes[chosen, figures[i]]
        known = surprise[shape] - np.log(np.maximum(n_shapes, 1.0))
        new = surprise[shape] - np.log(10.0) + _EVEN - np.log(n_shapes + 1.0)
        found += np.where(stands_for == figures[i], known, np.where(stands_for < 0, new, -mistake))
    return found


def _extended(beam: _Beam, place: Place, numbers: Ints, words: Ints, scores: Floats, keys: NDArray[np.uint64]) -> _Beam:
    """Sequences with one number more each, or where that is 0 none."""
    figure, n_shapes, key = beam.figure, beam.n_shapes, beam.key
    for which, shapes in enumerate(place.words):
        rows = np.flatnonzero((numbers > 0) & (words == which))
        for shape, figures in zip(shapes.tolist(), _figures(numbers[rows], len(shapes)), strict=True):
            is_new = figure[rows, shape] < 0
            row, new = rows[is_new], figures[is_new]
            figure[row, shape] = new
            n_shapes[row, new] += 1
            key[row] ^= keys[shape, new]
    is_number = numbers > 0
    return _Beam(
        np.where(is_number, numbers, beam.number),
        np.where(is_number, place.line, beam.line),
        figure,
        n_shapes,
        key,
        scores,
    )
