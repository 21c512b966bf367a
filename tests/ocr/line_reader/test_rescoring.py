"""Rescoring: who has a say in which reading is chosen."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.neural import NeuralLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.line_reader.prefix_beam_search import Candidate
from labelfree.ocr.line_reader.rescoring import Rescorer, Weights

TEXT = "a red barn stood by a green field. " * 120
ALPHABET = Alphabet.from_text(TEXT + "-")
LM = NGramLM.from_text(TEXT, ALPHABET, order=2)
WORDS = WordList.from_text(TEXT)


class LongMemory:
    """A model of the language that likes a line to go on with the last symbol of the one before."""

    alphabet = ALPHABET

    def log_probabilities(self, lines, before):
        return np.array([4.0 * (context[-2:-1] == line[:1]).any() for line, context in zip(lines, before, strict=True)])


def candidates(*texts: tuple[str, float]) -> list[Candidate]:
    return [Candidate(ALPHABET.encode(text), network, 0.0) for text, network in texts]


def read(*lines: list[Candidate], **sources) -> list[str]:
    return [ALPHABET.decode(labels) for labels in Rescorer(**sources).choose(lines, LM)]


def test_with_no_other_source_the_frames_and_the_ngrams_decide():
    one = [Candidate(ALPHABET.encode("a"), -2.0, 1.0), Candidate(ALPHABET.encode("b"), -1.0, -8.0)]
    assert read(one, weights=Weights(ngrams=0.5)) == ["a"]
    assert read(one, weights=Weights(ngrams=0.0)) == ["b"]


def test_words_choose_the_word_that_is_one():
    line = candidates(("a rod barn", -1.0), ("a red barn", -1.3))
    assert read(line, words=WORDS) == ["a red barn"]
    assert read(line, words=WORDS, weights=Weights(words=0.0)) == ["a rod barn"]


def test_the_neural_model_chooses_what_is_likelier():
    neural = NeuralLM.from_text(TEXT, ALPHABET, symbols=12_000, hidden=16)
    line = candidates(("a gneer field", -1.0), ("a green field", -1.3))
    assert read(line, neural=neural) == ["a green field"]
    assert read(line, neural=neural, weights=Weights(neural=0.0)) == ["a gneer field"]


def test_a_sure_reading_stays():
    line = candidates(("a rod barn", -1.0), ("a red barn", -90.0))
    assert read(line, words=WORDS) == ["a rod barn"]


def test_a_line_goes_on_from_the_choice_made_before_it():
    first = candidates(("reo", -1.0), ("red", -1.2))
    second = candidates(("e", -1.0), ("d", -1.4))
    assert read(first, second, neural=LongMemory(), words=WORDS, weights=Weights(neural=0.3, words=0.3)) == ["red", "d"]
    assert read(second, second, neural=LongMemory(), weights=Weights(neural=0.3)) == ["e", "e"]


def test_a_broken_word_is_whole_again_on_the_next_line():
    first = candidates(("by a gre-", -1.0))
    second = candidates(("on field", -1.0), ("en field", -1.2))
    assert read(first, second, words=WORDS) == ["by a gre-", "en field"]


def test_no_lines_are_no_readings():
    assert Rescorer(words=WORDS).choose([], LM) == []


def test_what_does_not_fit_is_refused():
    other = NeuralLM.from_text("ab" * 1_500, Alphabet("ab"), symbols=200, hidden=2)
    with pytest.raises(InputError, match="other symbols"):
        Rescorer(other).choose([candidates(("a", -1.0))], LM)
