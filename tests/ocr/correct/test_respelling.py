"""Shapes that a reading takes for something else throughout are corrected by the language alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.ocr.correct.context import Text
from labelfree.ocr.correct.page_numbers import Figures
from labelfree.ocr.correct.respelling import _commonest, _group, _most_said, _told, respell
from labelfree.ocr.correct.spellings import list_spellings

from ..books import book_of, reading_of
from .drawn import Drawn, as_it_is, drawn

TINY = NGramLM.from_text("ab ba aab bba ab a b ba " * 9, order=3)
SPELLINGS = list_spellings(TINY)


def respelled(made: Drawn, seed: int = 0) -> list[np.ndarray]:
    """What the lines of a book without page numbers say."""
    return respell(made.book, made.reading, Figures.none(made.book), seed=seed)


@pytest.mark.parametrize(
    "wrong",
    [
        {"m": [("m begins", "n"), ("m ends", "i")]},
        {"T": [("T", "t")]},
        {"h": [("speck", "'"), ("h", "h")]},
        {",": [(",", ".")]},
    ],
    ids=["a letter in two pieces", "a capital read as a small letter", "a speck", "a comma read as a stop"],
)
def test_what_is_wrong_throughout_is_corrected(sentences, lm, wrong) -> None:
    made = drawn(sentences, lm, lambda symbol: wrong.get(symbol, [(symbol, symbol)]))
    assert made.errors_of(respelled(made)) < 0.4 * made.errors


def test_a_right_reading_stays(sentences, lm) -> None:
    made = drawn(sentences, lm, as_it_is)
    assert made.errors_of(respelled(made)) < 0.003


def test_lines_in_capitals_hold_no_small_letters(sentences, lm) -> None:
    made = drawn([each.upper() for each in sentences], lm, as_it_is, n_lines=30)
    shouted = replace(made, book=replace(made.book, in_capitals=np.ones(30, bool)))
    found = [lm.alphabet.decode(line) for line in respelled(shouted)]
    assert all(line.upper() == line for line in found)


def test_the_same_seed_spells_the_same(sentences, lm) -> None:
    made = drawn(sentences, lm, lambda symbol: [(symbol, symbol.lower())] if symbol != " " else [(" ", " ")])
    one, other = (respelled(made, seed=3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_no_tiles_spell_nothing(lm) -> None:
    book = book_of(np.empty((0, 4)), [0, 0], lm)
    none = np.empty(0, np.int64)
    assert [line.tolist() for line in respell(book, reading_of([none, none]), Figures.none(book))] == [[], []]


def test_what_page_numbers_tell_stays(sentences, lm) -> None:
    made = drawn(sentences, lm, lambda symbol: [(symbol, {",": "."}.get(symbol, symbol))])
    is_stop = made.reading.labels == lm.alphabet.index(".")
    figures = Figures(made.book.rows, np.where(is_stop, made.reading.labels, -1))
    text = [lm.alphabet.decode(line) for line in respell(made.book, made.reading, figures)]
    assert sum(line.count(".") for line in text) == is_stop.sum()
    assert not any("," in line for line in text)


def test_a_shape_is_told_by_the_text_and_by_how_well_its_tiles_fit() -> None:
    rng = np.random.default_rng(0)
    labels = TINY.alphabet.encode("ab a ba bb a ab" * 3)
    text = Text(TINY, SPELLINGS, np.array([len(labels)]))
    shapes = _group(rng.normal(size=(len(labels), 3)), np.ones(len(labels)), seed=0)
    fit = rng.normal(size=(len(labels), len(SPELLINGS))).astype(np.float32)
    spelled, every = _commonest(shapes, labels, len(TINY.alphabet)), np.arange(len(shapes.size))
    alone, together = (_told(text, SPELLINGS, shapes, part, spelled, every) for part in (0 * fit, fit))
    expected = np.zeros_like(alone)
    np.add.at(expected, shapes.of_tile, shapes.speaks_for[:, None] * fit)
    assert together - alone == pytest.approx(expected, abs=1e-4)


def test_a_tile_is_spelled_as_in_most_draws() -> None:
    assert _most_said(np.array([[1, 2, 3], [1, 4, 5], [6, 4, 7]])).tolist() == [1, 4, 3]
