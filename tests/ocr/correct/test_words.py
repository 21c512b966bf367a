"""Words that the language does not have are corrected to those that it has."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import Book, Reading
from labelfree.ocr.correct.words import correct_words

from ..books import book_of, reading_of

TEXT = (
    "the last voyage of a great ship and a sailor with no fear of the grey sea or a towed brig - VOYAGE OF THE SHIP. "
)
LM = NGramLM.from_text(TEXT * 20 + TEXT.upper() * 20, order=4, outside="break")
WORDS = WordList.from_text(TEXT * 20)


def printed(true: list[str], read: list[str]) -> tuple[Book, Reading]:
    """Lines as they were read, with tiles that show what they are: a capital looks like its small letter, taller."""
    rng = np.random.default_rng(0)
    letters = sorted({symbol.lower() for symbol in LM.alphabet})
    look = dict(zip(letters, rng.normal(0, 4, (len(letters), 10)), strict=True))
    rows = np.array([np.append(look[c.lower()], c.isupper()) for line in true for c in line])
    rows = rows + rng.normal(0, 0.2, rows.shape)
    book = book_of(rows, [len(line) for line in true], LM, words=WORDS)
    return book, reading_of([LM.alphabet.encode(line) for line in read])


def corrected(true: list[str], read: list[str]) -> list[str]:
    return [LM.alphabet.decode(line.labels) for line in correct_words(*printed(true, read))]


BODY = ["the last voyage of a great ship", "a sailor with no fear of the grey sea", "or a towed brig"] * 15


def test_a_head_learned_by_heart_with_two_wrong_letters_is_corrected_by_small_letters_that_look_like_its_own() -> None:
    true = ["THE LAST VOYAGE"] * 8 + BODY
    read = ["THE LAST TOWAGE"] * 8 + BODY
    assert corrected(true, read) == true


@pytest.mark.parametrize(("times", "is_corrected"), [(8, True), (3, False)])
def test_only_a_word_read_again_and_again_may_have_every_second_letter_wrong(times: int, is_corrected: bool) -> None:
    true = ["THE LAST VOYAGE"] * times + BODY
    read = ["THE LAST TOWIGE"] * times + BODY
    assert corrected(true, read) == (true if is_corrected else read)


@pytest.mark.parametrize(("name", "times"), [("Gervon", 1), ("shippy", 1), ("vorage", 16)])
def test_a_new_word_whose_tiles_are_like_those_of_other_words_stays(name: str, times: int) -> None:
    true = [f"the {name} of a great ship"] * times + BODY
    assert corrected(true, true) == true


def test_words_that_go_on_in_the_next_line_and_lines_without_a_word_stay() -> None:
    lines = ["a great voy-", "aga of the sea", ". . .", *BODY]
    assert corrected(lines, lines) == lines
    assert len(correct_words(book_of(np.empty((0, 3)), [], LM, words=WORDS), reading_of([]))) == 0
