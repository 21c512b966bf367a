"""Heads that stand on every page are told before anything is read."""

from __future__ import annotations

import numpy as np

from labelfree.ocr.glyphs.repeats import are_repeats

RNG = np.random.default_rng(0)
FORMS = RNG.normal(size=(120, 12))


def line_of(shapes: list[int]) -> np.ndarray:
    """Rows of a line's tiles, no two of a shape quite alike."""
    return FORMS[shapes] + 0.05 * RNG.normal(size=(len(shapes), 12))


def test_of_lines_that_say_the_same_the_first_is_new() -> None:
    head, other = list(range(12)), list(range(20, 32))
    text = [RNG.integers(0, len(FORMS), 60).tolist() for _ in range(30)]
    lines = [head, other, [*head[:-1], 35], head, *text, text[0]]
    rows, lengths = np.concatenate([line_of(line) for line in lines]), np.array([len(line) for line in lines])
    asked = np.arange(len(lines)) < 4
    assert np.flatnonzero(are_repeats(rows, lengths, asked)).tolist() == [2, 3]


def test_lines_not_asked_about_are_no_repeats() -> None:
    rows = np.concatenate([line_of(list(range(40)))] * 4)
    assert not are_repeats(rows, np.full(4, 40), np.zeros(4, np.bool_)).any()


def test_few_tiles_tell_nothing() -> None:
    assert not are_repeats(line_of([1, 2, 1, 2]), np.array([2, 2]), np.ones(2, np.bool_)).any()
