"""Figures are learned from the numbers of pages."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.ocr.correct import page_numbers
from labelfree.ocr.correct.corrections import with_figures
from labelfree.ocr.correct.page_numbers import Figures, find_page_numbers
from labelfree.ocr.line_reader.self_training import LineReading
from labelfree.progress import Observer, observed_by

ALPHABET = Alphabet(" .0123456789AEHLNORSTVYabcdehilmnorstuwy")
BODY = "the sea was calm and blue that day in 1847."


class Stages(Observer):
    """Keeps how far it was each time."""

    def __init__(self) -> None:
        self.heard: list[float] = []

    def stage(self, name: str, done: int, total: int) -> None:
        self.heard.append(done / total)


def book(numbers: list[int], *, is_alone: bool = False) -> list[str]:
    """Pages of five lines, their numbers beside a head to the left and the right in turn, or alone."""
    lines = []
    for number in numbers:
        head = f"{number} THE SEA" if number % 2 else f"THE SEA {number}"
        lines += [str(number) if is_alone else head, *[BODY] * 20]
    return lines


def set_in_type(lines: list[str], seed: int = 0) -> tuple[list[np.ndarray], np.ndarray, list[bool]]:
    """What the lines are read as, by one who takes every figure for a 1, with features of the tiles."""
    rng = np.random.default_rng(seed)
    looks = rng.normal(0, 4, (len(ALPHABET), 12))
    rows = np.concatenate([looks[ALPHABET.encode(line)] for line in lines])
    read = [ALPHABET.encode("".join("1" if letter.isdigit() else letter for letter in line)) for line in lines]
    return read, rows + rng.normal(0, 0.3, rows.shape), [line.isupper() for line in lines]


def true_figures(lines: list[str]) -> np.ndarray:
    return np.array([ALPHABET.index(letter) if letter.isdigit() else -1 for line in lines for letter in line])


@pytest.mark.parametrize("is_alone", [False, True])
def test_figures_are_found_in_heads_and_by_their_look_elsewhere(is_alone: bool) -> None:
    lines = book(list(range(12, 52)), is_alone=is_alone)
    read, rows, in_capitals = set_in_type(lines)
    figures = find_page_numbers(read, rows, ALPHABET, in_capitals)
    true = true_figures(lines)
    in_heads = np.repeat([line != BODY for line in lines], [len(line) for line in lines])
    assert figures
    assert np.array_equal(figures.of_tile, np.where(in_heads, true, -1))
    elsewhere = np.flatnonzero((true >= 0) & ~in_heads)
    assert np.array_equal(figures.look_like(elsewhere), true[elsewhere])
    letters = np.flatnonzero(np.concatenate(read) == ALPHABET.index("T"))
    assert (figures.look_like(letters) == -1).all()


def test_a_book_with_more_heads_than_are_looked_at_has_the_other_figures_by_their_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page_numbers, "_PLACES", (8, 30))
    lines = book(list(range(12, 52)))
    read, rows, in_capitals = set_in_type(lines)
    stages = Stages()
    with observed_by(stages):
        figures = find_page_numbers(read, rows, ALPHABET, in_capitals)
    true = true_figures(lines)
    assert (figures.of_tile >= 0).sum() == 60
    unknown = np.flatnonzero((true >= 0) & (figures.of_tile < 0))
    assert np.array_equal(figures.look_like(unknown), true[unknown])
    assert stages.heard == sorted(stages.heard)


def test_pages_in_no_order_tell_nothing() -> None:
    numbers = np.random.default_rng(0).permutation(np.arange(12, 52)).tolist()
    read, rows, in_capitals = set_in_type(book(numbers))
    assert not find_page_numbers(read, rows, ALPHABET, in_capitals)


def test_a_book_without_numbers_and_an_alphabet_without_figures_tell_nothing() -> None:
    lines = ["THE SEA", *[BODY] * 4] * 20
    read, rows, in_capitals = set_in_type(lines)
    assert not find_page_numbers(read, rows, ALPHABET, in_capitals)
    letters = Alphabet("".join(symbol for symbol in ALPHABET if symbol not in "23"))
    assert not find_page_numbers([letters.encode("THE SEA")] * 9, rows[:63], letters, [True] * 9)


def test_a_number_replaces_what_was_read_in_its_place_and_nothing_else() -> None:
    lm = NGramLM.from_text("THE SEA 0123456789 the sea", ALPHABET, order=2)
    boxes = np.array([[10 * i, 0, 10 * i + 8, 12] for i in range(len("THE SEA 47"))])
    of_tile = np.full(len(boxes), -1)
    of_tile[-2:] = ALPHABET.encode("47")
    labels = ALPHABET.encode("THE SEA s")
    found = LineReading(labels, np.full(9, 0.5), np.concatenate([boxes[:8], [[83, 0, 97, 12]]]))
    cut = [SimpleNamespace(tiles=boxes, boxes=boxes)]
    (line,) = with_figures(cut, [found], lm, Figures(np.zeros((len(boxes), 3)), of_tile))
    assert ALPHABET.decode(line.labels) == "THE SEA 47"
    assert np.array_equal(line.boxes, boxes)
    assert line.sure.tolist() == [0.5] * 8 + [1.0] * 2
