"""Words as a say in what a line reads."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList

TEXT = (
    "The miller rose early and the miller’s wife rose late. Early rain had filled the pond, and late rain would fill "
    "it again. So the miller said to Anna: the wheel turns, the stones grind, and the flour is grey-white. "
) * 8 + "Anna grumbled."
LM = NGramLM.from_text(TEXT, order=1)
WORDS = WordList.from_text(TEXT)


def gain(line: str, before: str = "") -> float:
    encode = LM.alphabet.encode
    return float(WORDS.gains([encode(line)], LM, [encode(before)])[0])


def test_a_known_word_gains_and_a_misspelled_one_loses():
    assert gain("miller") > 0 > gain("mirell")
    assert gain("the mirell said") < gain("the miller said") - 3


def test_a_word_nobody_has_seen_costs_the_share_of_new_words():
    assert gain("rille") == pytest.approx(np.log(WORDS.new))


def test_a_known_word_has_its_share_and_that_of_the_mark_behind_it():
    logs = LM.log_probabilities(LM.alphabet.encode(" rain,"))[1:]
    alone = dict(zip(LM.alphabet.symbols, LM.joint(1), strict=True))
    comma = alone[","] / sum(share for symbol, share in alone.items() if not symbol.isalpha())
    by_word = (1 - WORDS.new) * WORDS.share("rain") * comma
    wanted = np.log(by_word + WORDS.new * np.exp(logs.sum())) - logs.sum()
    assert gain("rain,") == pytest.approx(wanted)


def test_capitals_of_a_known_word_are_known():
    assert WORDS.share("Pond") > 0
    assert WORDS.share("POND") > 0
    assert WORDS.share("PoND") == 0
    assert WORDS.share("pond") > WORDS.share("Pond") > WORDS.share("POND")


def test_a_word_broken_at_the_end_of_a_line_is_forgiven():
    assert gain("the wife of the mill-") > gain("the wife of the mlli-") + 1
    assert gain("er said", "the wife of the mill- ") > gain("er said", "the wife of the pond ") + 1
    assert gain("ler said", "the wife of the mill- ") < gain("er said", "the wife of the mill- ") - 1


def test_a_hyphen_at_the_end_of_a_line_of_text_parts_no_word():
    assert WordList.from_text("the flou-\nrishing mill").share("flourishing") == pytest.approx(1 / 3)


def test_a_ligature_is_its_letters():
    text = "a stiff cliff, a stiff wind. " * 30
    lm = NGramLM.from_text(text, order=2)
    joined = Alphabet([*lm.alphabet.symbols, "ff"])
    joined_lm = NGramLM.from_text(text, joined, order=2)
    words = WordList.from_text(text)
    line = joined.encode("a stiff wind")
    assert len(line) == 11
    assert words.gains([line], joined_lm)[0] > words.gains([joined.encode("a sniff wind")], joined_lm)[0]


def test_lines_together_gain_what_each_gains_alone():
    lines = ["the pond", "", "7 . !", "rose late and", "late"]
    together = WORDS.gains([LM.alphabet.encode(line) for line in lines], LM)
    assert together == pytest.approx([gain(line) for line in lines])
    assert together[1] == together[2] == 0
    assert WORDS.gains([], LM).shape == (0,)


def test_what_was_kept_knows_the_same_words():
    again = WordList.from_state(WORDS.state())
    assert len(again) == len(WORDS)
    assert all(again.share(word) == WORDS.share(word) for word in ("the", "miller’s", "Anna", "nobody"))


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"words": np.frombuffer(b"one\ntwo", np.uint8), "counts": np.array([3])}, "2 words and 1 counts"),
        ({"words": np.frombuffer(b"one\none", np.uint8), "counts": np.array([3, 1])}, "as many wanted"),
        ({"words": np.frombuffer(b"\xff\xfe", np.uint8), "counts": np.array([3])}, "words in UTF-8"),
        ({"words": np.frombuffer(b"one", np.uint8)}, "'counts'"),
        ({"words": np.frombuffer(b"one", np.uint8), "counts": np.array([-3])}, "1 words, some that occur wanted"),
    ],
)
def test_what_was_kept_badly_is_refused(state, message):
    with pytest.raises(InputError, match=message):
        WordList.from_state(state)


def test_a_text_without_words_is_refused():
    with pytest.raises(InputError, match="0 words"):
        WordList.from_text("1914 -- 1918.")


def test_contexts_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="2 lines before 1"):
        WORDS.gains([np.array([0])], LM, [np.array([0])] * 2)
