"""Figures are learned from the numbers of pages."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.ocr.book import Book, Reading
from labelfree.ocr.correct.page_numbers import find_page_numbers
from labelfree.ocr.correct.settings import PageNumberSettings
from labelfree.progress import Observer, observed_by

from ..books import book_of, reading_of

ALPHABET = Alphabet(" .0123456789AEHLNORSTVYabcdehilmnorstuwy")
BODY = "the sea was calm and blue that day in 1847."


class Stages(Observer):
    """Keeps how far it was each time."""

    def __init__(self) -> None:
        self.heard: list[float] = []

    def stage(self, name: str, done: int, total: int) -> None:
        self.heard.append(done / total)


def pages(numbers: list[int], *, is_alone: bool = False) -> list[str]:
    """Pages of five lines, their numbers beside a head to the left and the right in turn, or alone."""
    lines = []
    for number in numbers:
        head = f"{number} THE SEA" if number % 2 else f"THE SEA {number}"
        lines += [str(number) if is_alone else head, *[BODY] * 20]
    return lines


def set_in_type(lines: list[str], alphabet: Alphabet = ALPHABET, seed: int = 0) -> tuple[Book, Reading]:
    """A book of the lines, and what one reads who takes every figure for a 1."""
    rng = np.random.default_rng(seed)
    looks = rng.normal(0, 4, (len(alphabet), 12))
    rows = np.concatenate([looks[alphabet.encode(line)] for line in lines])
    read = [alphabet.encode("".join("1" if letter.isdigit() else letter for letter in line)) for line in lines]
    lm = NGramLM.from_text("".join(alphabet.symbols) * 2, alphabet, order=2)
    in_capitals = [line.isupper() for line in lines]
    book = book_of(rows + rng.normal(0, 0.3, rows.shape), [len(line) for line in lines], lm, in_capitals=in_capitals)
    return book, reading_of(read)


def true_figures(lines: list[str]) -> np.ndarray:
    return np.array([ALPHABET.index(letter) if letter.isdigit() else -1 for line in lines for letter in line])


@pytest.mark.parametrize("is_alone", [False, True])
def test_figures_are_found_in_heads_and_by_their_look_elsewhere(is_alone: bool) -> None:
    lines = pages(list(range(12, 52)), is_alone=is_alone)
    book, reading = set_in_type(lines)
    figures = find_page_numbers(book, reading)
    true = true_figures(lines)
    in_heads = np.repeat([line != BODY for line in lines], [len(line) for line in lines])
    assert figures
    assert np.array_equal(figures.of_tile, np.where(in_heads, true, -1))
    elsewhere = np.flatnonzero((true >= 0) & ~in_heads)
    assert np.array_equal(figures.look_like(elsewhere), true[elsewhere])
    letters = np.flatnonzero(reading.labels == ALPHABET.index("T"))
    assert (figures.look_like(letters) == -1).all()


def test_a_book_with_more_heads_than_are_looked_at_has_the_other_figures_by_their_look() -> None:
    few = PageNumberSettings(places=(8, 30))
    lines = pages(list(range(12, 52)))
    book, reading = set_in_type(lines)
    stages = Stages()
    with observed_by(stages):
        figures = find_page_numbers(book, reading, settings=few)
    true = true_figures(lines)
    assert (figures.of_tile >= 0).sum() == 60
    unknown = np.flatnonzero((true >= 0) & (figures.of_tile < 0))
    assert np.array_equal(figures.look_like(unknown), true[unknown])
    assert stages.heard == sorted(stages.heard)


def test_pages_in_no_order_tell_nothing() -> None:
    numbers = np.random.default_rng(0).permutation(np.arange(12, 52)).tolist()
    assert not find_page_numbers(*set_in_type(pages(numbers)))


def test_a_book_without_numbers_and_an_alphabet_without_figures_tell_nothing() -> None:
    assert not find_page_numbers(*set_in_type(["THE SEA", *[BODY] * 4] * 20))
    letters = Alphabet("".join(symbol for symbol in ALPHABET if symbol not in "23"))
    assert not find_page_numbers(*set_in_type(["THE SEA"] * 9, letters))
