"""The neural language model: what it learns, what it says of many rows at once, and how it is kept."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.counting import NGramCounts
from labelfree.lm.neural import NeuralLM, read_text
from labelfree.progress import History, observed_by

# What a bracket closes with was said more than four symbols before: no N-gram of order 4 can know.
RNG = np.random.default_rng(0)
WORDS = [f"{left}{'xy'[RNG.integers(2)] * 4}{right}" for left, right in ("()", "[]", "<>") * 400]
BRACKETED = " ".join(RNG.permutation(WORDS).tolist())
ALPHABET = Alphabet("()[]<>xy ")


@pytest.fixture(scope="module")
def lm() -> NeuralLM:
    return NeuralLM.from_text(BRACKETED, ALPHABET, symbols=100_000, hidden=32)


def one_by_one(lm: NeuralLM, before: np.ndarray, line: np.ndarray) -> float:
    """The log probability from a single pass over a single row."""
    if not len(line):
        return 0.0
    whole = torch.from_numpy(np.concatenate([[len(lm.alphabet)], before, line]).astype(np.int64))
    with torch.inference_mode():
        logs = torch.log_softmax(lm.network(whole[:-1, None])[0][:, 0], -1)
    return float(logs[torch.arange(len(before), len(whole) - 1), whole[1 + len(before) :]].sum())


def test_it_remembers_further_back_than_an_ngram(lm):
    ngrams = NGramLM.from_text(BRACKETED, ALPHABET, order=4)
    text = "(yyyy) <xxxx> [yyyy] <yyyy>"
    assert lm.perplexity(text) < 0.95 * ngrams.perplexity(text)
    right, wrong = lm.log_probabilities([ALPHABET.encode("(yyyy)"), ALPHABET.encode("(yyyy>")])
    assert right > wrong + 0.5


def test_rows_together_say_what_each_says_alone(lm):
    texts = ["(xxxx)", "(xxxx>", "(xx", "", "[yyyy] <x", "(xxxx) <", "(xxxx)"]
    contexts = ["", "", "<yyyy> ", "(xx", "", "<yyyy> ", "[xxxx] "]
    lines, before = ([ALPHABET.encode(text) for text in given] for given in (texts, contexts))
    found = lm.log_probabilities(lines, before)
    wanted = [one_by_one(lm, one, line) for one, line in zip(before, lines, strict=True)]
    assert found == pytest.approx(wanted, abs=1e-4)
    assert lm.log_probabilities(lines) == pytest.approx([one_by_one(lm, line[:0], line) for line in lines], abs=1e-4)


def test_probabilities_of_what_may_follow_sum_to_one(lm):
    context = ALPHABET.encode("(xxx")
    found = lm.log_probabilities([np.array([i]) for i in range(len(ALPHABET))], [context] * len(ALPHABET))
    assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-5)


def test_ligatures_are_symbols_like_any_other():
    alphabet = Alphabet(["a", "o", "ff", "f", " "])
    ids, lengths = read_text("off  a f1offa", alphabet)
    assert [alphabet.decode(part) for part in np.split(ids, np.cumsum(lengths)[:-1])] == ["off a f", "offa"]
    lm = NeuralLM.from_text("off a of " * 400, alphabet, symbols=8_000, hidden=8)
    ligature, letters = lm.log_probabilities([np.array([1, 2]), np.array([1, 3, 3])])
    assert ligature > letters


def test_the_same_seed_gives_the_same_model_and_its_progress_is_told():
    history = History()
    text = BRACKETED[:6_000]
    with observed_by(history):
        one, same, other = (
            NeuralLM.from_text(text, ALPHABET, symbols=5_000, hidden=8, seed=seed).state()[0] for seed in (1, 1, 2)
        )
    assert all(np.array_equal(one[name], same[name]) for name in one)
    assert not all(np.array_equal(one[name], other[name]) for name in one)
    heard = [record.best for record in history.records[: len(history.records) // 3]]
    assert heard[-1] < heard[0]


def test_training_leaves_the_random_numbers_of_others_alone():
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    NeuralLM.from_text(BRACKETED[:3_000], ALPHABET, symbols=2_000, hidden=4)
    assert torch.equal(before, torch.random.get_rng_state())


def test_what_was_kept_says_the_same(lm):
    again = NeuralLM.from_state(*lm.state())
    lines = [ALPHABET.encode("(xxxx) ["), ALPHABET.encode("<y")]
    assert again.alphabet == lm.alphabet
    assert np.array_equal(again.log_probabilities(lines), lm.log_probabilities(lines))


@pytest.mark.parametrize(
    ("tensors", "settings", "message"),
    [
        ({}, {"hidden": 7}, "memory.weight_ih_l0 has shape"),
        ({}, {"hidden": "many"}, "hidden is 'many', a whole number from 1 to"),
        ({}, {"hidden": 10**9}, "hidden is 1000000000"),
        ({}, {"symbols": None}, "its alphabet is missing"),
        ({}, {"symbols": ["a", 3]}, "symbols holds 3"),
        ({"strange": np.zeros(1, np.float32)}, {}, "'strange' is missing or strange"),
        ({"following.bias": np.full(9, np.nan, np.float32)}, {}, "following.bias .* finite numbers"),
    ],
)
def test_what_was_kept_badly_is_refused(lm, tensors, settings, message):
    good_tensors, good_settings = lm.state()
    with pytest.raises(InputError, match=message):
        NeuralLM.from_state(good_tensors | tensors, good_settings | settings)


@pytest.mark.parametrize(
    ("ids", "lengths", "settings", "message"),
    [
        ([0] * 5_000, [4_999], {}, "lengths sum to 4999, 5000 wanted"),
        ([9] * 5_000, [5_000], {}, "found the symbol index 9"),
        ([0] * 10, [10], {}, "10 symbols to learn from, 2000 or more wanted"),
        ([0] * 5_000, [5_000], {"symbols": 0}, "symbols is 0"),
        ([0] * 5_000, [5_000], {"hidden": 0}, "hidden 0"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(ids, lengths, settings, message):
    with pytest.raises(InputError, match=message):
        NeuralLM.train(ids, lengths, ALPHABET, **settings)


def test_a_question_that_makes_no_sense_is_refused(lm):
    with pytest.raises(InputError, match="1 beginnings for 2 lines"):
        lm.log_probabilities([np.array([0]), np.array([1])], [np.array([0])])
    with pytest.raises(InputError, match="found the symbol index -1"):
        lm.log_probabilities([np.array([-1])])


def test_text_is_drawn_as_often_as_the_model_says(lm):
    n_rows, n_symbols = 20_000, len(ALPHABET)
    ids, lengths = lm.sample(3 * n_rows, rows=n_rows, seed=1)
    assert lengths.tolist() == [3] * n_rows
    drawn = np.bincount(ids.reshape(n_rows, 3) @ n_symbols ** np.arange(3), minlength=n_symbols**3)
    every = np.stack(np.unravel_index(np.arange(n_symbols**3), (n_symbols,) * 3))[::-1].T
    probability = np.exp(lm.log_probabilities(list(every)))
    spread = np.sqrt(n_rows * probability) + 1
    assert (np.abs(drawn - n_rows * probability) < 5 * spread).all()
    assert np.array_equal(ids, lm.sample(3 * n_rows, rows=n_rows, seed=1)[0])
    assert not np.array_equal(ids, lm.sample(3 * n_rows, rows=n_rows, seed=2)[0])


def test_counts_of_drawn_text_make_ngrams_of_any_order(lm):
    ids, lengths = lm.sample(30_000, seed=0)
    counts = NGramCounts.from_ids(ids, lengths.tolist(), len(ALPHABET), 5)
    ngrams = NGramLM.from_counts(counts, ALPHABET)
    text = "(yyyy) <xxxx> [yyyy] <yyyy>"
    assert ngrams.perplexity(text) < 1.2 * NGramLM.from_text(BRACKETED, ALPHABET, order=5).perplexity(text)


@pytest.mark.parametrize(("symbols", "rows"), [(0, 5), (10, 0), (-3, 1)])
def test_refuses_to_draw_nothing(lm, symbols, rows):
    with pytest.raises(InputError, match="1 or more of each wanted"):
        lm.sample(symbols, rows=rows)
