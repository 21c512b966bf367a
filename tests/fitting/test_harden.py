"""One label a symbol: costs against brute force, local minima, and what J does that a likelihood does not."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.fitting.harden import _HardCost, harden
from labelfree.lm import NGramLM
from labelfree.repro.tasks.spelling import spelling_task
from labelfree.solvers.problem import Problem

from ..solvers.substitution import substitution


def direct_cost(problem: Problem, labels: np.ndarray) -> float:
    """J of a labelling, counted window by window and shrunk towards p_LM."""
    order, share = problem.order, _HardCost(problem).share
    read = labels[problem.positions]
    target = np.asarray(problem.lm.joint(order))
    counts = np.zeros(target.shape)
    ends = np.cumsum(problem.lengths)
    for start, end in zip(ends - problem.lengths, ends, strict=True):
        for t in range(start, end - order + 1):
            counts[tuple(read[t : t + order])] += 1
    return float(-(target * np.log(share * counts / problem.windows.count + (1 - share) * target)).sum())


@st.composite
def tiny_problems(draw):
    order = draw(st.integers(2, 3))
    n_symbols, n_classes = draw(st.integers(2, 5)), draw(st.integers(2, 4))
    x = draw(st.lists(st.integers(0, n_symbols - 1), min_size=6, max_size=40))
    first = draw(st.integers(3, len(x) - 1))
    text = draw(st.text("abcd"[:n_classes], min_size=4, max_size=40))
    lm = NGramLM.from_text(text, Alphabet("abcd"[:n_classes]), order=order)
    problem = Problem.from_sequences(torch.tensor(x), [first, len(x) - first], lm, order)
    labels = draw(st.lists(st.integers(0, n_classes - 1), min_size=problem.n_inputs, max_size=problem.n_inputs))
    return problem, np.array(labels)


def with_label(labels: np.ndarray, symbol: int, label: int) -> np.ndarray:
    changed = labels.copy()
    changed[symbol] = label
    return changed


@settings(deadline=None, max_examples=40)
@given(tiny_problems())
def test_the_cost_of_each_label_is_j_counted_afresh(drawn):
    problem, labels = drawn
    for symbol in range(problem.n_inputs):
        found = _HardCost(problem).costs_of_labels(labels, symbol)
        wanted = [direct_cost(problem, with_label(labels, symbol, label)) for label in range(problem.n_classes)]
        np.testing.assert_allclose(found - found[0], np.array(wanted) - wanted[0], atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(tiny_problems())
def test_no_single_move_or_swap_improves_the_result_and_the_evidence_says_so(drawn):
    problem, begun = drawn
    before = begun.copy()
    labels, evidence = harden(problem, begun)
    np.testing.assert_array_equal(begun, before)
    current = direct_cost(problem, labels)
    for symbol in range(problem.n_inputs):
        for label in range(problem.n_classes):
            gain = current - direct_cost(problem, with_label(labels, symbol, label))
            assert gain <= 2e-9
            assert evidence[symbol, label] == pytest.approx(problem.windows.count * gain, abs=1e-6)
        assert evidence[symbol, labels[symbol]] == 0
    for one, other in itertools.combinations(range(problem.n_classes), 2):
        swap = np.arange(problem.n_classes)
        swap[[one, other]] = other, one
        assert direct_cost(problem, swap[labels]) >= current - 2e-9


@settings(deadline=None, max_examples=40)
@given(tiny_problems())
def test_at_one_order_the_descent_never_ends_above_its_beginning(drawn):
    problem, begun = drawn
    labels, _ = _HardCost(problem).descend(begun)
    assert direct_cost(problem, labels) <= direct_cost(problem, begun) + 1e-9


def test_sequences_too_short_for_three_symbols_are_hardened_on_pairs():
    lm = NGramLM.from_text("abac" * 30, Alphabet("abc"), order=3)
    problem = Problem.from_sequences(torch.tensor([0, 1, 0, 2] * 30), [2] * 60, lm, 2)
    assert harden(problem, np.array([0, 1, 1]))[0].tolist() == [0, 1, 2]


@pytest.fixture(scope="module", params=[2, 3], ids="order {}".format)
def spelling(english_segments, request):
    """The spelling task with an out-of-domain language model, and its key."""
    task = spelling_task(english_segments, seed=1)
    lm = NGramLM.from_language("en", PAPER_ALPHABET, order=request.param)
    key = np.zeros(29, dtype=np.int64)
    key[task.train.x] = task.train.y
    return Problem.from_sequences(torch.from_numpy(task.train.x), task.train.lengths, lm, 2), key


@pytest.mark.parametrize("n_wrong", [2, 4])
@pytest.mark.parametrize("kind", ["moved", "cycled"])
def test_a_spoiled_key_is_mended_with_a_language_model_of_another_domain(spelling, n_wrong, kind):
    problem, key = spelling
    rng = np.random.default_rng(n_wrong)
    wrong = rng.choice(29, n_wrong, replace=False)
    spoiled = key.copy()
    spoiled[wrong] = np.roll(key[wrong], 1) if kind == "cycled" else (key[wrong] + rng.integers(1, 29, n_wrong)) % 29
    assert (spoiled != key).sum() == n_wrong
    mended, evidence = harden(problem, spoiled)
    np.testing.assert_array_equal(mended, key)
    others = evidence[np.arange(29) != key[:, None]]
    assert (others < 0).all()


def test_the_right_key_is_left_alone(spelling):
    problem, key = spelling
    np.testing.assert_array_equal(harden(problem, key)[0], key)


def test_several_symbols_may_share_a_label():
    task = substitution(n_symbols=6, n_positions=6_000)
    rng = np.random.default_rng(0)
    homophones = task.x + 6 * rng.integers(0, 2, len(task.x))  # every symbol written in two ways, at random
    problem = Problem.from_sequences(torch.from_numpy(homophones), task.lengths, task.lm, 2)
    key = np.zeros(12, dtype=np.int64)
    key[homophones] = task.y
    spoiled = key.copy()
    spoiled[[0, 7]] = (key[[0, 7]] + 1) % 6
    np.testing.assert_array_equal(harden(problem, spoiled)[0], key)


def test_a_rare_symbol_keeps_its_rare_label_where_likelihood_would_give_it_the_commonest():
    text = ("ab" * 9 + "ac") * 100 + "qb" * 3  # q stands three times in two thousand, where a could stand
    alphabet = Alphabet("abcq")
    lm = NGramLM.from_text(text, alphabet, order=2)
    symbols = torch.from_numpy(alphabet.encode(text))
    problem = Problem.from_sequences(symbols, [len(symbols)], lm, 2)
    labels, evidence = harden(problem, np.array([0, 1, 2, 0]))
    assert labels.tolist() == [0, 1, 2, 3]
    conditional = np.log(np.asarray(lm.conditional(2)))

    def likelihood(key: list[int]) -> float:
        read = np.array(key)[symbols.numpy()]
        return float(conditional[read[:-1], read[1:]].sum())

    assert likelihood([0, 1, 2, 0]) > likelihood([0, 1, 2, 3])
    assert evidence[3].argmax() == 3
