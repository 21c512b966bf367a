"""Letters that a reader of lines takes for one symbol are told apart by the language and by how they look."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import Reading
from labelfree.ocr.correct.revision import revise

from ..books import book_of, reading_of
from .drawn import as_it_is, drawn

FAR = np.array([100_000, 0, 100_000, 0])


def out_of_sight(reading: Reading, lines: range) -> Reading:
    """The same with some lines where no tile is."""
    found = [replace(line, boxes=line.boxes + FAR) if i in lines else line for i, line in enumerate(reading)]
    return Reading.of_lines(found)


@pytest.mark.parametrize(
    "wrong",
    [{"T": [("T", "S")]}, {"w": [("w begins", "'"), ("w", "v")]}, {",": [(",", ".")]}],
    ids=["two capitals read as one", "a letter read as two", "a comma read as a stop"],
)
def test_letters_read_as_one_symbol_are_told_apart(sentences, lm, wrong) -> None:
    made = drawn(sentences, lm, lambda symbol: wrong.get(symbol, [(symbol, symbol)]))
    assert made.errors_of(revise(made.book, made.reading)) < 0.4 * made.errors


def test_a_right_reading_is_left_alone(sentences, lm) -> None:
    made = drawn(sentences, lm, as_it_is)
    assert made.errors_of(revise(made.book, made.reading)) < 0.003


def test_characters_that_no_tile_shows_stay(sentences, lm) -> None:
    made = drawn(sentences, lm, lambda symbol: [(symbol, symbol.lower())])
    book, read = made.book, made.reading.line_labels
    unseen = revise(book, out_of_sight(made.reading, range(len(read))))
    assert all((a == b).all() for a, b in zip(unseen, read, strict=True))
    found = revise(book, out_of_sight(made.reading, range(1, len(read), 2)))
    assert all((a == b).all() for a, b in zip(found[1::2], read[1::2], strict=True))
    assert any((a != b).any() for a, b in zip(found[::2], read[::2], strict=True) if len(a) == len(b))
    nothing = revise(book_of(np.empty((0, 12)), [0], lm), reading_of([np.empty(0, np.int64)]))
    assert [line.tolist() for line in nothing] == [[]]


def test_what_is_settled_stays(sentences, lm) -> None:
    made = drawn(sentences, lm, lambda symbol: [(symbol, {",": "."}.get(symbol, symbol))])
    settled = made.reading.labels == lm.alphabet.index(".")
    text = [lm.alphabet.decode(line) for line in revise(made.book, made.reading, settled=settled)]
    assert sum(line.count(".") for line in text) == settled.sum()
    assert not any("," in line for line in text)


def test_what_the_language_cannot_tell_the_look_of_type_does(sentences) -> None:
    figures = np.random.default_rng(0).choice(["0", "8"], (len(sentences), 6)).tolist()
    numbered = [f"{''.join(number)} {sentence}" for sentence, number in zip(sentences, figures, strict=True)]
    lm = NGramLM.from_text("\n".join(numbered), order=3)
    other = {"0": "8", "8": "0"}
    made = drawn(numbered, lm, lambda symbol: [(symbol, other.get(symbol, symbol))])
    shown = [symbol for line in made.truth for symbol in line]

    def log_fit(symbols, script):
        return np.array([[-3.0 * (symbol == other.get(tile)) for symbol in symbols] for tile in shown], np.float32)

    seen = replace(made.book, shapes=SimpleNamespace(log_fit=log_fit))
    assert made.errors_of(revise(seen, made.reading)) < 0.2 * made.errors
    assert made.errors_of(revise(made.book, made.reading)) > 0.8 * made.errors


def test_the_same_seed_revises_the_same(sentences, lm) -> None:
    made = drawn(sentences, lm, lambda symbol: [(symbol, {"T": "S"}.get(symbol, symbol))])
    one, other = (revise(made.book, made.reading, seed=3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("text", ["ab ba aab bba ab a b ba " * 9, "abba" * 30], ids=["spaces", "no spaces"])
def test_few_characters_and_lines_without_any_are_revised_to_themselves(text: str) -> None:
    lm = NGramLM.from_text(text, order=2)
    read = [np.array([0, 1]), np.empty(0, np.int64), np.array([0])]
    found = revise(book_of(np.zeros((3, 4)), [2, 0, 1], lm), reading_of(read))
    assert [line.tolist() for line in found] == [[0, 1], [], [0]]


def test_a_form_whose_letters_are_likely_is_read_as_in_the_words_that_the_language_has() -> None:
    text = "the last tale, a lens tells, one lip is tin, lost tools, a lump of tuff, lynx type, and the sea. "
    lm = NGramLM.from_text(text * 20, order=2, outside="break")
    plain = ["a tale tells the sea", "one tin is type", "and tools of tuff"] * 6
    true = [*plain, *["the last lens", "a lost lip", "a lump of lynx"] * 3]
    read = [re.sub(r"\bl", "t", line) for line in true]
    looks = np.random.default_rng(0).normal(0, 4, (len(lm.alphabet), 10))
    is_read_wrong = np.array([a != b for a, b in zip("".join(true), "".join(read), strict=True)])
    rows = looks[np.concatenate([lm.alphabet.encode(line) for line in true])]
    rows[is_read_wrong] += 9.0  # an l unlike those within words
    rows += np.random.default_rng(1).normal(0, 0.2, rows.shape)
    reading, lengths = reading_of([lm.alphabet.encode(line) for line in read]), [len(line) for line in true]
    found, without = (
        revise(book_of(rows, lengths, lm, words=words), reading) for words in (WordList.from_text(text * 20), None)
    )
    assert [lm.alphabet.decode(line) for line in found] == true
    assert [lm.alphabet.decode(line) for line in without] == read
