"""Readings of lines are corrected by the tiles of the same lines."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import Book, Reading
from labelfree.ocr.correct.corrections import CORRECTIONS, correct
from labelfree.ocr.correct.page_numbers import Figures

from ..books import book_of, boxes_of, reading_of

LINES = ["the cat sat on the tin hat", "a tin cat ate that oat", "the hat that sat on a cat"] * 12
LM = NGramLM.from_text("\n".join(LINES), order=4, outside="break")
NAMES = {correction.name for correction in CORRECTIONS}


def printed(true: list[str], read: list[str], words: WordList | None = None) -> tuple[Book, Reading]:
    """Tiles that show lines as they are, with a speck after each, and what they were read as."""
    rng = np.random.default_rng(0)
    looks = dict(zip(LM.alphabet.symbols, rng.normal(0, 4, (len(LM.alphabet), 10)), strict=True))
    rows, boxes = [], []
    for line in true:
        speck = np.array([[10 * len(line) + 40, 0, 10 * len(line) + 42, 3]])  # far from every character
        boxes.append(np.concatenate([boxes_of(len(line)), speck]))
        rows += [looks[symbol] + rng.normal(0, 0.2, 10) for symbol in line] + [rng.normal(0, 4, 10)]
    book = book_of(np.array(rows), [len(line) + 1 for line in true], LM, boxes=boxes, words=words)
    return book, reading_of([LM.alphabet.encode(said) for said in read])


def corrected(book: Book, reading: Reading, without: set[str] = frozenset()) -> Reading:
    return correct(book, reading, Figures.none(book), without=without)


def texts(reading: Reading) -> list[str]:
    return [LM.alphabet.decode(line.labels) for line in reading]


def test_a_letter_read_as_another_is_found_by_its_tiles_though_some_tiles_show_nothing() -> None:
    wrong = [line.replace("c", "s") for line in LINES]
    book, reading = printed(LINES, wrong)
    assert texts(corrected(book, reading)) == LINES
    assert texts(corrected(book, reading, without={"forms"})) == wrong


def test_words_of_a_finished_reading_are_corrected_and_stand_where_they_stood() -> None:
    true = ["the cat sat on that tin hat", *LINES]
    wrong = ["the cat sat on thac tin hat", *LINES]
    book, reading = printed(true, wrong, WordList.from_text(" ".join(LINES)))
    found = corrected(book, reading, without=NAMES - {"words"})
    assert texts(found) == true
    assert (found.boxes == reading.boxes).all()
    assert (found.confidence == reading.confidence).all()
    assert texts(corrected(book, reading, without={"words", "forms"})) == wrong
    no_words, reading = printed(true, wrong)
    assert texts(corrected(no_words, reading, without={"forms"})) == wrong


def test_room_beside_a_mark_is_left_out_throughout_unless_that_is_left_out() -> None:
    lm = NGramLM.from_text("He said, «no,» and «yes,» and «oh,» and no more. " * 9, order=3)
    said = "He said, « no,» and « yes,» and « oh,» and"
    reading = reading_of([lm.alphabet.encode(said)] * 2)
    book = book_of(np.zeros((2 * len(said), 3)), [len(said)] * 2, lm)
    found = {
        name: {lm.alphabet.decode(line.labels) for line in correct(book, reading, Figures.none(book), without=without)}
        for name, without in (("with", NAMES - {"punctuation"}), ("without", NAMES))
    }
    assert found == {"with": {"He said, «no,» and «yes,» and «oh,» and"}, "without": {said}}


@pytest.mark.parametrize(("without", "said"), [(NAMES - {"figures"}, "THE SEA 47"), (NAMES, "THE SEA s")])
def test_a_number_replaces_what_was_read_in_its_place_and_nothing_else(without: set[str], said: str) -> None:
    alphabet = Alphabet(" .0123456789AEHLNORSTVYabcdehilmnorstuwy")
    lm = NGramLM.from_text("THE SEA 0123456789 the sea", alphabet, order=2)
    boxes = boxes_of(len("THE SEA 47"))
    of_tile = np.full(len(boxes), -1)
    of_tile[-2:] = alphabet.encode("47")
    book = book_of(np.zeros((len(boxes), 3)), [len(boxes)], lm)
    reading = reading_of([alphabet.encode("THE SEA s")], [np.concatenate([boxes[:8], [[83, 0, 97, 12]]])], 0.5)
    (line,) = correct(book, reading, Figures(book.rows, of_tile), without=without)
    assert alphabet.decode(line.labels) == said
    if said == "THE SEA 47":
        assert np.array_equal(line.boxes, boxes)
        assert line.confidence.tolist() == [0.5] * 8 + [1.0] * 2
    else:
        assert np.array_equal(line.boxes, reading.boxes)
