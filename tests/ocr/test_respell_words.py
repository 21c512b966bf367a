"""Words that the language does not have are put right by those that it has."""

from __future__ import annotations

import re

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.correct.punctuation import close_up
from labelfree.ocr.correct.revision import revise
from labelfree.ocr.correct.words import put_words_right

TEXT = (
    "the last voyage of a great ship and a sailor with no fear of the grey sea or a towed brig - VOYAGE OF THE SHIP. "
)
LM = NGramLM.from_text(TEXT * 20 + TEXT.upper() * 20, order=4, outside="break")
WORDS = WordList.from_text(TEXT * 20)


def printed(true: list[str], read: list[str]) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """Lines as they were read, with tiles that show what they are: a capital looks like its small letter, taller."""
    rng = np.random.default_rng(0)
    letters = sorted({symbol.lower() for symbol in LM.alphabet})
    look = dict(zip(letters, rng.normal(0, 4, (len(letters), 10)), strict=True))
    rows = np.array([np.append(look[c.lower()], c.isupper()) for line in true for c in line])
    labels = [LM.alphabet.encode(line) for line in read]
    return labels, np.arange(len(rows)), rows + rng.normal(0, 0.2, rows.shape)


def put_right(true: list[str], read: list[str]) -> list[str]:
    found = put_words_right(*printed(true, read), LM, WORDS)
    return [LM.alphabet.decode(line) for line in found]


BODY = ["the last voyage of a great ship", "a sailor with no fear of the grey sea", "or a towed brig"] * 15


def test_a_head_learned_by_heart_with_two_wrong_letters_is_put_right_by_small_letters_that_look_like_its_own() -> None:
    true = ["THE LAST VOYAGE"] * 8 + BODY
    read = ["THE LAST TOWAGE"] * 8 + BODY
    assert put_right(true, read) == true


@pytest.mark.parametrize(("times", "is_put_right"), [(8, True), (3, False)])
def test_only_a_word_read_again_and_again_may_have_every_second_letter_wrong(times: int, is_put_right: bool) -> None:
    true = ["THE LAST VOYAGE"] * times + BODY
    read = ["THE LAST TOWIGE"] * times + BODY
    assert put_right(true, read) == (true if is_put_right else read)


@pytest.mark.parametrize(("name", "times"), [("Gervon", 1), ("shippy", 1), ("vorage", 16)])
def test_a_new_word_whose_tiles_are_like_those_of_other_words_stays(name: str, times: int) -> None:
    true = [f"the {name} of a great ship"] * times + BODY
    assert put_right(true, true) == true


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
    lines, tile_of = [lm.alphabet.encode(line) for line in read], np.arange(len(rows))
    found, without = (revise(lines, tile_of, rows, lm, words=words) for words in (WordList.from_text(text * 20), None))
    assert [lm.alphabet.decode(line) for line in found] == true
    assert [lm.alphabet.decode(line) for line in without] == read


def test_words_that_go_on_in_the_next_line_and_lines_without_a_word_stay() -> None:
    lines = ["a great voy-", "aga of the sea", ". . .", *BODY]
    assert put_right(lines, lines) == lines
    assert [line.tolist() for line in put_words_right([], np.empty(0, np.int64), np.empty((0, 3)), LM, WORDS)] == []


def test_spaces_stay_where_the_language_has_them_or_a_mark_is_rare() -> None:
    lm = NGramLM.from_text("He said, «no,» and «yes,» and «oh,» and no more. " * 9, order=3)
    lines = [lm.alphabet.encode(line) for line in ("He said, « no,» and", "«yes,» and no more.", "", " ")]
    assert [line.tolist() for line in close_up(lines, lm)] == [line.tolist() for line in lines]


def test_a_space_between_figures_is_left_out_where_the_language_has_none() -> None:
    lm = NGramLM.from_text("In 1786 he came, in 1791 he went, and 17 years on he was 11. " * 9, order=3)
    lines = [
        lm.alphabet.encode(line) for line in ("In 1 786 he", "in 1 791 he", "and 1 7 years", "he was 1 1.", "in 11 he")
    ]
    found = [lm.alphabet.decode(line) for line in close_up(lines, lm)]
    assert found == ["In 1786 he", "in 1791 he", "and 17 years", "he was 11.", "in 11 he"]
    spaced = NGramLM.from_text("at 1 7 and 1 8 and 1 9 and 1 7 and so on. " * 9, order=3)
    lines = [spaced.alphabet.encode(line) for line in ("at 1 7 and", "at 1 8 and", "and 1 9 and", "and 1 7 and")]
    assert [line.tolist() for line in close_up(lines, spaced)] == [line.tolist() for line in lines]
