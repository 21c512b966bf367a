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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.book import Floats, Ints
from labelfree.ocr.correct.settings import DEFAULT, PageNumberSettings

LONGEST = 3
"""Figures of a number."""

_LAST = 10**LONGEST // 2  # number after which a sequence may begin
_EVEN = -np.log(2.0)  # a number or none, either of two words, a step off by one or not


@dataclass(frozen=True, eq=False)
class Place:
    """Where a number may stand."""

    line: int  # of the book, which tells how far apart two places are
    words: tuple[Ints, ...]  # shapes of each word that may be the number
    costs: tuple[float, ...]  # what each word loses by being a number; 0 where it is as good as any other word


@dataclass(frozen=True, eq=False)
class Rise:
    """A rising sequence."""

    score: float  # nats by which it explains the places
    numbers: list[int]  # at each place, 0 for none
    words: list[int]  # which of the place's words it is
    figure: NDArray[np.int8]  # what each shape stands for, or -1


@dataclass(frozen=True, eq=False)
class _Beam:
    number: Ints  # the last one
    line: Ints  # of the last one, or -1
    figure: NDArray[np.int8]  # (n, shapes): what each stands for, or -1
    n_shapes: NDArray[np.int8]  # (n, 10): of each figure
    key: NDArray[np.uint64]  # of what the shapes stand for
    score: Floats

    def __getitem__(self, chosen: Ints) -> _Beam:
        return _Beam(*(getattr(self, field.name)[chosen] for field in fields(self)))


def find_rise(
    places: Sequence[Place],
    share: Floats,
    lines_a_page: float,
    known: NDArray[np.int8] | None = None,
    settings: PageNumberSettings = DEFAULT.page_numbers,
) -> Rise:
    """Find the sequence that explains the most, of places in the order of the book.

    `share` has the share of each shape among all characters, `known` the figure that it stands for, or -1.
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


def settled_rise(
    places: Sequence[Place], share: Floats, lines_a_page: float, found: Rise, settings: PageNumberSettings
) -> Rise:
    """Search again with what a first search found, as nothing was known at its first numbers.

    Numbers in which every figure is taken for the next one rise as well, and leave one number in ten unexplained. A
    beam may hold many of these and lose the right one, so the search is also begun with figures one lower and higher.
    """
    tried = []
    for figure in (found.figure, *_neighbours(found.figure)):
        rise = find_rise(places, share, lines_a_page, figure, settings)
        tried.append(find_rise(places, share, lines_a_page, rise.figure, settings))
    return max(tried, key=lambda rise: rise.score)


def _neighbours(figure: NDArray[np.int8]) -> Iterator[NDArray[np.int8]]:
    """Figures one lower and one higher, with 0 among them and with 0 as it is; those at both ends are forgotten."""
    for first in (0, 1):
        for step in (-1, 1):
            moved = np.where((figure > first) & (figure < 9), figure + step, -1)
            yield np.where(figure < first, figure, moved).astype(np.int8)


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
    surprise: Floats  # how rare each is, in nats
    keys: NDArray[np.uint64]  # (shapes, 10): one for each figure that a shape may stand for


def _at_place(
    beam: _Beam, place: Place, known_shapes: _Shapes, lines_a_page: float, settings: PageNumberSettings
) -> tuple[_Beam, Ints, Ints, Ints]:
    """The best sequences up to a place, of which each was made, and the number and word that were added."""
    every = np.arange(len(beam.score))
    nothing = np.zeros_like(every)
    made = [(every, nothing, nothing, beam.score + _EVEN)]  # from which sequence, by which number and word; score
    expected = np.maximum(1.0, (place.line - beam.line) / lines_a_page)
    for which, (shapes, cost) in enumerate(zip(place.words, place.costs, strict=True)):
        for step in range(1, settings.steps + 1):
            next_number = beam.number + step
            fits = np.flatnonzero((next_number >= 10 ** (len(shapes) - 1)) & (next_number < 10 ** len(shapes)))
            off = np.where(beam.line[fits] < 0, step - 1.0, np.abs(step - expected[fits]))
            gain = _gain(beam, fits, shapes, next_number[fits], known_shapes.surprise, settings.mistake)
            even = 1 + off + (len(place.words) > 1)
            score = beam.score[fits] + gain - cost + _EVEN * even
            made.append((fits, next_number[fits], np.full(len(fits), which), score))
    sources, numbers, words, scores = map(np.concatenate, zip(*made, strict=True))
    best = np.argsort(-scores, kind="stable")[: 3 * settings.beam]
    found = _extended(beam[sources[best]], place, numbers[best], words[best], scores[best], known_shapes.keys)
    _, first = np.unique(found.key ^ (found.number.astype(np.uint64) << np.uint64(40)), return_index=True)
    kept = np.sort(first)[: settings.beam]
    return found[kept], sources[best][kept], numbers[best][kept], words[best][kept]


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
