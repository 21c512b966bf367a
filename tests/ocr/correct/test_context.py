"""What the language says of a tile is the probability of the whole text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.lm import NGramLM
from labelfree.ocr.correct.context import Text, list_spellings, novelty

TINY = NGramLM.from_text("ab ba aab bba ab a b ba " * 9, order=3)
SPELLINGS = list_spellings(TINY)


def log_probability(labels: np.ndarray) -> float:
    """Of a line that follows a space, symbol by symbol."""
    before, total = [TINY.alphabet.index(" ")], 0.0
    for label in labels.tolist():
        context = before[-(TINY.order - 1) :]
        total += float(np.log(TINY.conditional(len(context) + 1)[(*context, label)]))
        before.append(label)
    return total


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, len(SPELLINGS) - 1), max_size=5), min_size=1, max_size=3).filter(any), st.data()
)
def test_evidence_is_the_probability_of_the_whole_text(lines, data) -> None:
    lengths = np.array([len(line) for line in lines])
    spelled = np.concatenate([np.array(line, np.int64) for line in lines])
    tile = data.draw(st.integers(0, len(spelled) - 1))
    text = Text(TINY, SPELLINGS, lengths)
    is_taken = tile + 1 < len(spelled) and not text.is_first[tile + 1] and SPELLINGS.joins[spelled[tile + 1]]
    if is_taken or (text.is_first[tile] and SPELLINGS.joins[spelled[tile]]):
        return
    candidates = np.flatnonzero(~SPELLINGS.joins | (not text.is_first[tile]))
    found = text.evidence(spelled, np.array([tile]), candidates)[0]
    whole = []
    for candidate in candidates:
        changed = spelled.copy()
        changed[tile] = candidate
        whole.append(sum(log_probability(line) for line in text.labels(changed)))
    assert np.asarray(whole) - whole[0] == pytest.approx(found - found[0], abs=1e-6)


def test_the_end_of_a_letter_takes_the_place_of_its_beginning() -> None:
    text = Text(TINY, SPELLINGS, np.array([2, 1]))
    a, b = TINY.alphabet.index("a"), TINY.alphabet.index("b")
    ending = int(np.flatnonzero(SPELLINGS.joins & (SPELLINGS.symbols == b))[0])
    assert [line.tolist() for line in text.labels(np.array([a, ending, a]))] == [[b], [a]]


def test_a_word_that_occurs_again_and_again_counts_for_little_more_than_once() -> None:
    line = TINY.alphabet.encode("ab ba")
    once, often = (novelty(np.tile(line, n), Text(TINY, SPELLINGS, np.full(n, len(line))), TINY) for n in (1, 16))
    assert once.tolist() == [1.0] * len(line)
    assert often.sum() == pytest.approx(2 * len(line))  # the fourth root of 16


def test_a_word_of_one_letter_counts_by_the_words_around_it() -> None:
    lines = [TINY.alphabet.encode(line) for line in ("ab a ba", "bb a ab", "ab a ba", "ab a ba")]
    text = Text(TINY, SPELLINGS, np.array([len(line) for line in lines]))
    alone = novelty(np.concatenate(lines), text, TINY)[3::7]
    assert alone == pytest.approx([3**-0.75, 1.0, 3**-0.75, 3**-0.75])
