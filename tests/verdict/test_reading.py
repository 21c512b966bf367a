"""The verdict on text that was read: letters in the right order are believed, whatever else looks like them is not."""

import math
from functools import cache

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.repro.tasks.book import book_text
from labelfree.verdict import TextNorm
from labelfree.verdict.reading import nats_against_chance

BOOK = book_text(6_000)


@cache
def norm() -> TextNorm:
    text = "\n".join(BOOK.other)
    return TextNorm(NGramLM.from_text(text, order=4, outside="break"), WordList.from_text(text))


def spoiled(lines, share, rng):
    """Lines with so many of their symbols replaced by others."""
    found = []
    for line in lines:
        wrong = rng.random(len(line)) < share
        found.append(np.where(wrong, rng.permutation(line), line))
    return found


def encoded(lines=BOOK.lines):
    return [norm().lm.alphabet.encode(line) for line in lines]


def judge(lines, expected_error=0.05):
    return norm().judge(lines, expected_error=expected_error, most_error=0.2)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1])
def test_text_is_believed_with_the_mistakes_of_a_reader(share):
    verdict = judge(spoiled(encoded(), share, np.random.default_rng(0)))
    assert verdict.converged
    assert verdict.chance < 0.01
    assert verdict.known_words > verdict.drawn_words


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["backwards", "shuffled", "another key", "letters at random", "drawn from the model"])
def test_what_is_no_text_is_not_believed(kind, seed):
    from labelfree.verdict.language import drawn_text

    rng = np.random.default_rng(seed)
    lines, size = encoded(), len(norm().lm.alphabet)
    key = rng.permutation(size)
    made = {
        "backwards": lambda: [line[::-1] for line in lines],
        "shuffled": lambda: [rng.permutation(line) for line in lines],
        "another key": lambda: [key[line] for line in lines],
        "letters at random": lambda: [rng.choice(size, len(line), p=norm().lm.joint(1)) for line in lines],
        "drawn from the model": lambda: list(drawn_text(norm().lm)[40 * seed : 40 * seed + 40]),
    }
    verdict = judge(made[kind](), expected_error=0.01)
    assert not verdict.converged
    assert verdict.remedies


def test_a_few_lines_are_too_little_and_many_mistakes_too_many():
    assert judge(encoded()[:2]).outcome == "too little to know"
    verdict = judge(encoded(), expected_error=0.3)
    assert verdict.outcome == "stuck"
    assert "30% of the characters are expected to be wrong, at most 20% wanted" in verdict.reason


def test_text_without_words_is_judged_by_its_letters():
    text = "".join(BOOK.other).replace(" ", "")[:40_000]
    bare = TextNorm(NGramLM.from_text(text, order=3))
    lines = [bare.lm.alphabet.encode("".join(BOOK.lines).replace(" ", ""))]
    assert bare.judge(lines, expected_error=0.01, most_error=0.2).converged
    assert not bare.judge([lines[0][::-1]], expected_error=0.01, most_error=0.2).converged


def test_the_share_of_odd_symbols_grows_with_the_mistakes():
    odd = [norm().odd_share(spoiled(encoded(), share, np.random.default_rng(1))) for share in (0.0, 0.1, 0.2)]
    assert odd[0] < 0.03
    assert odd[0] + 0.03 < odd[1] < odd[2]


def test_chance_knows_so_many_words_no_more_often_than_is_said():
    rng = np.random.default_rng(0)
    n, share = 40, 0.3
    nats = np.array([nats_against_chance(k, n, share) for k in rng.binomial(n, share, 50_000).tolist()])
    for told in (1.0, 2.0, 4.0):
        assert (nats >= told).mean() <= math.exp(-told)
