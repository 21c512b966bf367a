"""Numbers that rise from place to place are found by the shapes of their figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.ocr.correct import number_sequence as rising
from labelfree.ocr.correct.number_sequence import Place, Rise, find_rise, settled_rise
from labelfree.ocr.correct.settings import PageNumberSettings


def places_of(numbers: list[int], shape_of: np.ndarray, lines: int = 25) -> list[Place]:
    words = [(np.array([shape_of[int(figure)] for figure in str(number)]),) for number in numbers]
    return [Place(lines * i, word, (0.0,)) for i, word in enumerate(words)]


@pytest.mark.parametrize("first", [1, 7, 38, 94, 215])
def test_pages_that_are_counted_are_found_whatever_the_shapes_are_called(first: int) -> None:
    shape_of = np.random.default_rng(first).permutation(10)
    numbers = list(range(first, first + 30))
    places = places_of(numbers, shape_of)
    shapes = np.concatenate([place.words[0] for place in places])
    share = np.bincount(shapes, minlength=10) / len(shapes)
    rise = find_rise(places, np.maximum(share, 1e-3), 25.0)
    assert find_rise(places, np.maximum(share, 1e-3), 25.0, rise.figure).numbers == numbers
    stands_for = {shape: figure for figure, shape in enumerate(shape_of)}
    assert all(figure in (-1, stands_for[shape]) for shape, figure in enumerate(rise.figure))


def test_words_between_the_numbers_and_pages_without_one_are_passed_over() -> None:
    rng = np.random.default_rng(0)
    shape_of = rng.permutation(10)
    numbers = [n for n in range(12, 60) if n % 7]
    places = [Place(25 * n, (np.array([shape_of[int(f)] for f in str(n)]),), (0.0,)) for n in numbers]
    title = Place(25 * 30 + 3, (np.array([10, 11, 12]), np.array([13])), (0.0, 0.0))
    places = sorted([*places, title], key=lambda place: place.line)
    shapes = np.concatenate([word for place in places for word in place.words])
    share = np.bincount(shapes) / len(shapes)
    rise = find_rise(places, share, 25.0, find_rise(places, share, 25.0).figure)
    assert rise.numbers == [0 if place is title else place.line // 25 for place in places]


def explanations(places: list[Place], share: np.ndarray, lines_a_page: float, at: int, state: tuple) -> Iterator[float]:
    """The score of every sequence of numbers, by the formulas alone."""
    number, line, figure_of, score = state
    if at == len(places):
        yield score
        return
    place = places[at]
    yield from explanations(places, share, lines_a_page, at + 1, (number, line, figure_of, score - np.log(2.0)))
    for shapes, cost in zip(place.words, place.costs, strict=True):
        for step in range(1, 13):
            figures = str(number + step)
            if len(figures) != len(shapes):
                continue
            off = step - 1 if line < 0 else abs(step - max(1.0, (place.line - line) / lines_a_page))
            gain, known = -np.log(2.0) * (1 + off + (len(place.words) > 1)) - cost, dict(figure_of)
            n_shapes = {figure: list(figure_of.values()).count(figure) for figure in figures}
            for shape, figure in zip(shapes.tolist(), figures, strict=True):
                surprise = -np.log(share[shape])
                if shape not in known:
                    gain += surprise - np.log(10.0) - np.log(2.0) - np.log(n_shapes[figure] + 1.0)
                    known[shape] = figure
                elif known[shape] == figure:
                    gain += surprise - np.log(max(1, n_shapes[figure]))
                else:
                    gain -= 4.0
            yield from explanations(
                places, share, lines_a_page, at + 1, (number + step, place.line, known, score + gain)
            )


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(1, 60), st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=2), min_size=1, max_size=2)
        ),
        min_size=1,
        max_size=3,
    )
)
def test_the_best_sequence_is_that_of_all_sequences(drawn: list[tuple[int, list[list[int]]]]) -> None:
    last = rising._LAST
    rising._LAST = 12  # first numbers to try, so that all can be listed
    try:
        line, places = 0, []
        for distance, words in drawn:
            line += distance
            places.append(Place(line, tuple(map(np.array, words)), (0.5,) * len(words)))
        share = np.array([0.4, 0.3, 0.2, 0.1])
        starts = [(n, -1, {}, -np.log(n + 1.0)) for n in range(12)]
        best = max(max(explanations(places, share, 25.0, 0, start)) for start in starts)
        assert find_rise(places, share, 25.0).score == pytest.approx(best)
    finally:
        rising._LAST = last


@pytest.mark.parametrize("step", [-1, 1])
def test_figures_that_were_all_taken_for_their_neighbours_are_found_right(step: int) -> None:
    numbers = list(range(12, 71))
    places = places_of(numbers, np.arange(10))
    shapes = np.concatenate([place.words[0] for place in places])
    share = np.bincount(shapes, minlength=10) / len(shapes)
    wrong = np.clip(np.arange(10) + step, 1, 9).astype(np.int8)
    wrong[0] = 0
    begun = Rise(0.0, [], [], wrong)
    assert find_rise(places, share, 25.0, wrong).numbers != numbers
    assert settled_rise(places, share, 25.0, begun, PageNumberSettings()).numbers == numbers
