"""What whole words say of their letters, against the formula written out."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.correct.context import list_spellings
from labelfree.ocr.correct.lexicon import Vocabulary, WholeWords

TEXT = "the last mast of the fast ship, a lost sailor - and the vast sea at last. "
LM = NGramLM.from_text(TEXT * 20 + TEXT.upper() * 20, order=3, outside="break")
WORDS = WordList.from_text(TEXT * 20)
SYMBOLS = LM.alphabet.symbols
SPELLINGS = list_spellings(LM)
CANDIDATES = np.arange(len(SPELLINGS))
ENDS = {LM.alphabet.symbols[SPELLINGS.symbols[i]]: i for i in np.flatnonzero(SPELLINGS.joins).tolist()}


def say(lines: list[str], characters: list[int]) -> np.ndarray:
    read = [LM.alphabet.encode(line) for line in lines]
    whole = WholeWords(read, LM, Vocabulary(WORDS), SPELLINGS, CANDIDATES)
    return whole.say(np.concatenate(read), np.array(characters))


def gain(word: str, new: float) -> float:
    letters = LM.alphabet.encode(f" {word} ")
    by_characters = LM.log_probabilities(letters, np.array([len(letters)]))[1:].sum()
    share = WORDS.counts.get(word, 0) / sum(WORDS.counts.values())
    return float(np.log((1 - new) * share / np.exp(by_characters) + new))


@pytest.mark.parametrize("word", ["last", "LAST", "Last"])
def test_each_letter_is_told_by_the_word_that_it_makes(word: str) -> None:
    found = say([f"the {word} ship, a lxst sailor at sea"], [4, 5])
    new = 1 / 7  # words of two letters and more that the language has not
    first, second = found
    for letter, other in {"l": "last", "m": "mast", "f": "fast", "v": "vast", "t": "tast"}.items():
        assert first[SYMBOLS.index(letter)] == pytest.approx(gain(other, new))
        assert first[SYMBOLS.index(letter.upper())] == pytest.approx(gain(other, new))
    assert second[SYMBOLS.index("o")] == pytest.approx(gain("lost", new))
    as_read = gain("last", new)
    for other in (SYMBOLS.index(","), SYMBOLS.index(" ")):
        assert found[:, other] == pytest.approx(as_read)


def test_nothing_is_said_of_marks_and_of_words_that_a_line_may_have_cut_short() -> None:
    lines = ["the la-", "st ship, at", ""]
    text = "".join(lines)
    told = np.flatnonzero(np.abs(say(lines, list(range(len(text))))).sum(1)).tolist()
    assert "".join(text[i] for i in told) == "theshipat"


def test_the_end_of_a_letter_takes_the_place_of_the_one_before() -> None:
    found = say(["the lvvst ship of the lost"], [6, 7])
    new = 1 / 6
    assert found[0][ENDS["o"]] == found[0][ENDS["O"]] == pytest.approx(gain("lost", new))
    assert found[1][ENDS["v"]] == pytest.approx(gain("lvvt", new))
    found = say(["the mvast ship of the lost"], [5])
    assert found[0][ENDS["v"]] == pytest.approx(gain("vast", new))


def test_a_word_is_what_its_characters_are_spelled_as_for_now() -> None:
    read = [LM.alphabet.encode("the mvast ship of the lost")]
    spelled = read[0].copy()
    spelled[5] = ENDS["m"]
    found = WholeWords(read, LM, Vocabulary(WORDS), SPELLINGS, CANDIDATES).say(spelled, np.array([4, 6]))
    new = 1 / 6
    assert found[0][SYMBOLS.index("m")] == found[0][SYMBOLS.index("h")] == pytest.approx(gain("mast", new))
    assert found[1][SYMBOLS.index("o")] == pytest.approx(gain("most", new))


def test_a_language_without_spaces_has_no_words() -> None:
    lm = NGramLM.from_text("abba" * 20, order=2)
    read = [lm.alphabet.encode("abab")]
    found = WholeWords(read, lm, Vocabulary(WordList({"abba": 3})), list_spellings(lm), np.arange(2)).say(
        read[0], np.array([0, 3])
    )
    assert np.ptp(found) == 0


def test_characters_of_no_word_are_told_nothing() -> None:
    assert not say(["- , the"], [0, 2]).any()
