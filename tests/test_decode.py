"""Decoding against brute-force enumeration of every labelling, and against hmmlearn."""

from itertools import product
from pydoc_data.topics import topics
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hmmlearn.hmm import CategoricalHMM
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.decode import blocks, dense, forward_backward, lattice, path_score, viterbi
from labelfree.decode.checks import as_transitions
from labelfree.lengths import as_lengths
from labelfree.lm import NGramLM


def random_lm(n_labels, order, seed=0, concentration=0.5):
    """A model whose orders are unrelated tables, so that using the wrong one shows."""
    rng = np.random.default_rng(seed)

    def table(n):
        return rng.dirichlet(np.full(n_labels, concentration), size=(n_labels,) * (n - 1)) * 0.99 + 0.01 / n_labels

    tables = {n: table(n).reshape((n_labels,) * n) for n in range(1, order + 1)}
    return SimpleNamespace(
        alphabet=range(n_labels),
        order=order,
        joint=lambda n: {1: tables[1]}[n],
        conditional=lambda n: tables[n],
        log_conditional=lambda contexts: np.log(tables[contexts.shape[1] + 1][tuple(contexts.T)]),
    )


def enumerate_paths(scores, lm, order, weight):
    """Every labelling of one sequence and its score, by the definition."""
    for path in product(range(scores.shape[1]), repeat=len(scores)):
        total = 0.0
        for t, label in enumerate(path):
            context = path[max(0, t - order + 1) : t]
            given_context = lm.conditional(len(context) + 1) if context else lm.joint(1)
            total += scores[t, label] + weight * np.log(given_context[(*context, label)])
        yield path, total


def brute_force(scores, lm, lengths, order, weight):
    """Best score and log-likelihood of each sequence, and all posteriors."""
    best, likelihood, marginals = [], [], np.zeros(scores.shape)
    for start, length in zip(np.cumsum(lengths) - lengths, lengths, strict=True):
        paths = list(enumerate_paths(scores[start : start + length], lm, order, weight))
        totals = np.array([total for _, total in paths])
        best.append(totals.max())
        likelihood.append(np.logaddexp.reduce(totals))
        for path, total in paths:
            marginals[start + np.arange(length), list(path)] += np.exp(total - likelihood[-1])
    return np.array(best), np.array(likelihood), marginals


@st.composite
def cases(draw):
    n_labels, order = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(0, 6), max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.normal(scale=2.0, size=(sum(lengths), n_labels))
    if draw(st.booleans()):  # forbid some labels, never all of a position
        forbidden = rng.random(scores.shape) < 0.3
        forbidden[np.arange(len(scores)), rng.integers(n_labels, size=len(scores))] = False
        scores[forbidden] = -np.inf
    lm = random_lm(n_labels, order + draw(st.integers(0, 1)), seed=int(rng.integers(1000)))
    return scores, lm, np.array(lengths, dtype=int), order, draw(st.sampled_from([0.0, 0.5, 1.0]))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_equal_to_enumeration_of_all_labellings(case):
    scores, lm, lengths, order, weight = case
    best, likelihood, marginals = brute_force(scores, lm, lengths, order, weight)
    options = {"lengths": lengths, "order": order, "weight": weight}
    labels = viterbi(scores, lm, **options)
    assert labels.shape == (len(scores),)
    np.testing.assert_allclose(path_score(labels, scores, lm, **options), best, rtol=1e-9, atol=1e-9)
    found = forward_backward(scores, lm, **options)
    np.testing.assert_allclose(found.marginals, marginals, atol=1e-9)
    np.testing.assert_allclose(found.log_likelihood, likelihood, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.marginals.sum(axis=1), 1.0)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_beam_as_wide_as_all_states_is_exact(case):
    scores, lm, lengths, order, weight = case
    transitions = as_transitions(lm, order, weight)
    best, likelihood, marginals = brute_force(scores, lm, lengths, order, weight)
    labels = lattice.viterbi(scores, lengths, transitions, transitions.n_states)
    reached = path_score(labels, scores, lm, lengths=lengths, order=order, weight=weight)
    np.testing.assert_allclose(reached, best, rtol=1e-9, atol=1e-9)
    found = lattice.forward_backward(scores, lengths, transitions, transitions.n_states)
    np.testing.assert_allclose(found[0], marginals, atol=1e-9)
    np.testing.assert_allclose(found[1], likelihood, rtol=1e-9, atol=1e-9)


@settings(max_examples=100, deadline=None)
@given(cases(), st.integers(1, 3))
def test_narrow_beam_gives_real_paths_and_proper_posteriors(case, beam):
    scores, lm, lengths, order, weight = case
    best, likelihood, _ = brute_force(scores, lm, lengths, order, weight)
    options = {"lengths": lengths, "order": order, "weight": weight}
    labels = viterbi(scores, lm, beam=beam, **options)
    reached = path_score(labels, scores, lm, **options)
    assert np.isfinite(reached).all()
    assert (reached <= best + 1e-9).all()
    found = forward_backward(scores, lm, beam=beam, **options)
    np.testing.assert_allclose(found.marginals.sum(axis=1), 1.0)
    assert (found.log_likelihood <= likelihood + 1e-9).all()


def noisy_data(n_labels, lengths, seed=1, scale=1.0):
    return np.random.default_rng(seed).normal(scale=scale, size=(int(np.sum(lengths)), n_labels))


@pytest.mark.parametrize("order", [2, 3, 4])
def test_wide_beam_agrees_with_dense_on_longer_sequences(order):
    lm, lengths = random_lm(5, order), np.array([40, 0, 3, 77, 1])
    scores, transitions = noisy_data(5, lengths), as_transitions(lm, order, 1.0)
    np.testing.assert_array_equal(
        lattice.viterbi(scores, lengths, transitions, 10_000), dense.viterbi(scores, lengths, transitions)
    )
    for a, b in zip(
        lattice.forward_backward(scores, lengths, transitions, 10_000),
        dense.forward_backward(scores, lengths, transitions),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, atol=1e-9)


def test_agrees_with_hmmlearn_at_order_2():
    rng, lm, lengths = np.random.default_rng(3), random_lm(6, 2), np.array([50, 1, 200, 7])
    model = CategoricalHMM(n_components=6, n_features=9)
    model.startprob_, model.transmat_ = lm.joint(1), lm.conditional(2)
    model.emissionprob_ = rng.dirichlet(np.ones(9), size=6)
    seen = rng.integers(9, size=lengths.sum())
    scores = np.log(model.emissionprob_[:, seen].T)
    score, labels = model.decode(seen[:, None], lengths)
    np.testing.assert_array_equal(viterbi(scores, lm, lengths=lengths), labels)
    assert path_score(labels, scores, lm, lengths=lengths).sum() == pytest.approx(score)
    found = forward_backward(scores, lm, lengths=lengths)
    np.testing.assert_allclose(found.marginals, model.predict_proba(seen[:, None], lengths), atol=1e-9)
    assert found.log_likelihood.sum() == pytest.approx(model.score(seen[:, None], lengths))


@pytest.mark.parametrize("beam", [None, 6])
def test_a_sequence_alone_equals_itself_in_a_batch(beam):
    lengths = np.array([9, 30, 0, 2, 1, 17, 30])
    lm, scores = random_lm(4, 3), noisy_data(4, lengths)
    labels = viterbi(scores, lm, lengths=lengths, beam=beam)
    found = forward_backward(scores, lm, lengths=lengths, beam=beam)
    for i, (start, length) in enumerate(zip(np.cumsum(lengths) - lengths, lengths, strict=True)):
        own = slice(start, start + length)
        np.testing.assert_array_equal(labels[own], viterbi(scores[own], lm, beam=beam))
        alone = forward_backward(scores[own], lm, beam=beam)
        np.testing.assert_allclose(found.marginals[own], alone.marginals, atol=1e-12)
        assert found.log_likelihood[i] == pytest.approx(alone.log_likelihood[0])


def forgetful_and_not():
    forgetful = random_lm(4, 3)
    # After any label comes the next one: flat evidence never tells where in the cycle we are.
    cycle = np.roll(np.eye(4), 1, axis=1) * (1 - 4e-9) + 1e-9
    tables = {1: np.array([0.4, 0.3, 0.2, 0.1]), 2: cycle, 3: np.broadcast_to(cycle, (4, 4, 4))}
    long_memory = SimpleNamespace(
        alphabet="abcd", order=3, joint=lambda n: tables[n], conditional=lambda n: tables[n], log_conditional=None
    )
    return [(forgetful, 1.0), (long_memory, 0.01)]


@pytest.mark.parametrize(("lm", "noise"), forgetful_and_not())
def test_cutting_long_sequences_changes_nothing(lm, noise, monkeypatch):
    lengths = np.array([5000, 10, 0, 1200, 3])
    scores, transitions = noisy_data(4, lengths, scale=noise), as_transitions(lm, 3, 1.0)
    cut = dense.viterbi(scores, lengths, transitions), *dense.forward_backward(scores, lengths, transitions)
    monkeypatch.setattr(blocks.Blocks, "cut", lambda lengths, cut=blocks.Blocks.cut: cut(lengths, 10**6))
    whole = dense.viterbi(scores, lengths, transitions), *dense.forward_backward(scores, lengths, transitions)
    np.testing.assert_array_equal(cut[0], whole[0])
    np.testing.assert_allclose(cut[1], whole[1], atol=1e-8)
    np.testing.assert_allclose(cut[2], whole[2], rtol=1e-10)


def test_small_memory_means_more_groups_not_other_results(monkeypatch):
    lengths = np.array([2000, 30, 30, 45, 0, 1100])
    lm, scores = random_lm(4, 3), noisy_data(4, lengths)
    labels, found = viterbi(scores, lm, lengths=lengths), forward_backward(scores, lm, lengths=lengths)
    monkeypatch.setattr(dense, "KEPT_NUMBERS", 2**14)
    np.testing.assert_array_equal(viterbi(scores, lm, lengths=lengths), labels)
    np.testing.assert_allclose(forward_backward(scores, lm, lengths=lengths).marginals, found.marginals, atol=1e-8)


def test_blocks_cover_every_position_once():
    lengths = np.array([0, 5, 1024, 1025, 0, 9999])
    cut = blocks.Blocks.cut(lengths)
    covered = np.concatenate([np.arange(a, b) for a, b in zip(cut.start, cut.stop, strict=True)])
    np.testing.assert_array_equal(covered, np.arange(lengths.sum()))
    assert (cut.stop - cut.start).max() <= blocks.LONGEST
    assert cut.opens.sum() == cut.ends.sum() == 4


def test_scores_far_beyond_the_range_of_floats():
    # 900 nats a label underflow as probabilities; a weight of 80 makes the model's own range as large.
    lm, lengths = random_lm(3, 3), np.array([5, 4])
    scores = noisy_data(3, lengths, scale=900.0)
    for weight in (1.0, 80.0):
        best, likelihood, marginals = brute_force(scores, lm, lengths, 3, weight)
        found = forward_backward(scores, lm, lengths=lengths, weight=weight)
        np.testing.assert_allclose(found.marginals, marginals, atol=1e-9)
        np.testing.assert_allclose(found.log_likelihood, likelihood)
        labels = viterbi(scores, lm, lengths=lengths, weight=weight)
        np.testing.assert_allclose(path_score(labels, scores, lm, lengths=lengths, weight=weight), best)


def test_constant_a_position_moves_only_the_likelihood():
    lm, lengths = random_lm(4, 3), np.array([20, 11])
    scores = noisy_data(4, lengths)
    shift = np.random.default_rng(5).normal(scale=100.0, size=(31, 1))
    a, b = (forward_backward(s, lm, lengths=lengths) for s in (scores, scores + shift))
    np.testing.assert_allclose(a.marginals, b.marginals, atol=1e-9)
    np.testing.assert_allclose(b.log_likelihood - a.log_likelihood, [shift[:20].sum(), shift[20:].sum()])
    np.testing.assert_array_equal(viterbi(scores, lm, lengths=lengths), viterbi(scores + shift, lm, lengths=lengths))


@pytest.fixture(scope="module")
def english():
    text = topics["assignment"] + topics["class"] + topics["import"]
    return NGramLM.from_text("".join(c for c in text.lower() if c in "abcdefghijklmnopqrstuvwxyz "), order=5)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_a_real_language_model_mends_noisy_text(english, order):
    text = "the value of an expression is assigned to the name of the class " * 3
    truth = english.alphabet.encode(text)
    rng = np.random.default_rng(0)
    seen = rng.normal(size=(len(truth), len(english.alphabet)))
    seen[np.arange(len(truth)), truth] += 3.0
    scores = 3.0 * seen  # the log ratio of a normal around 3 to one around 0, up to a constant
    lengths = [len(truth) - 40, 0, 40]
    labels = viterbi(scores, english, lengths=lengths, order=order)
    found = forward_backward(scores, english, lengths=lengths, order=order)
    np.testing.assert_allclose(found.marginals.sum(axis=1), 1.0)
    wrong = [(guess != truth).mean() for guess in (scores.argmax(1), labels, found.marginals.argmax(1))]
    assert max(wrong[1:]) < (wrong[0] if order < 3 else 0.6 * wrong[0])
    if order == 5:
        score = path_score(labels, scores, english, lengths=lengths)
        by_model = english.log_probabilities(labels, lengths)
        firsts = [first + k for first in (0, len(truth) - 40) for k in range(4)]
        agreed = by_model.sum() - by_model[firsts].sum()  # all but the positions whose context is still short
        starts = sum(
            np.log(english.conditional(k + 1)[tuple(labels[first : first + k + 1])])
            for first in (0, len(truth) - 40)
            for k in range(4)
        )
        assert score.sum() == pytest.approx(scores[np.arange(len(truth)), labels].sum() + agreed + starts)


def test_tensors_are_taken_and_float32_is_enough():
    lm, scores = random_lm(4, 2), noisy_data(4, [12])
    tensor = torch.tensor(scores, dtype=torch.float32, requires_grad=True)
    np.testing.assert_array_equal(viterbi(tensor, lm), viterbi(scores, lm))
    expected = forward_backward(scores, lm).marginals
    np.testing.assert_allclose(forward_backward(tensor, lm).marginals, expected, atol=1e-5)


@pytest.mark.parametrize("lengths", [[], [0], [0, 0], None])
@pytest.mark.parametrize("beam", [None, 1])
def test_nothing_to_decode(lengths, beam):
    lm, nothing = random_lm(3, 3), np.empty((0, 3))
    assert viterbi(nothing, lm, lengths=lengths, beam=beam).shape == (0,)
    found = forward_backward(nothing, lm, lengths=lengths, beam=beam)
    assert found.marginals.shape == (0, 3)
    np.testing.assert_array_equal(found.log_likelihood, np.zeros(len(as_lengths(lengths, 0))))
    np.testing.assert_array_equal(path_score([], nothing, lm, lengths=lengths), found.log_likelihood)


def test_states_too_many_for_dense_use_the_beam(monkeypatch):
    lm, lengths = random_lm(4, 4), np.array([60, 25])
    scores = noisy_data(4, lengths, scale=2.0)
    exact = viterbi(scores, lm, lengths=lengths), forward_backward(scores, lm, lengths=lengths).marginals
    monkeypatch.setattr(dense, "MAX_STATES", 10)
    monkeypatch.setattr("labelfree.decode.transitions.CACHED_NUMBERS", 4 * 7)  # 7 rows: some share a slot
    np.testing.assert_array_equal(viterbi(scores, lm, lengths=lengths), exact[0])
    found = forward_backward(scores, lm, lengths=lengths).marginals
    np.testing.assert_allclose(found, exact[1], atol=1e-9)
