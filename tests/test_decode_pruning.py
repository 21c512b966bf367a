"""Decoding that passes over unlikely labels and contexts, against decoding that keeps them."""

from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.alphabet import Alphabet
from labelfree.decode import (
    DEFAULT_MARGIN,
    forward_backward,
    lattice,
    likelihoods_from_posteriors,
    path_score,
    viterbi,
    windows,
)
from labelfree.decode.candidates import Candidates
from labelfree.decode.checks import as_transitions
from labelfree.lm import NGramLM
from labelfree.repro.tasks.spelling import standard_library_english

N_SYMBOLS, N_LINES, WIDTH = 82, 14, 42


def uniform_lm(n_labels, order):
    return SimpleNamespace(
        alphabet=range(n_labels),
        order=order,
        joint=lambda n: np.full((n_labels,) * n, n_labels**-n),
        conditional=lambda n: np.full((n_labels,) * n, 1 / n_labels),
        log_conditional=lambda contexts: np.full((len(contexts), n_labels), -np.log(n_labels)),
    )


@pytest.fixture(scope="module")
def text():
    return " ".join(" ".join(islice(standard_library_english(), 1500)).split())


@pytest.fixture(scope="module")
def english(text):
    symbols, counts = np.unique(list(text), return_counts=True)
    return NGramLM.from_text(
        text, Alphabet(sorted(symbols[np.argsort(-counts)[:N_SYMBOLS]])), order=3, smoothing="witten-bell", weight=2.0
    )


@pytest.fixture(scope="module")
def read(text, english):
    """The labels of some lines, and what a classifier would say: sure of most, unsure of some, blind for a few."""
    rng = np.random.default_rng(0)
    truth = english.alphabet.encode(text[100_000:], outside="drop")[: N_LINES * WIDTH].astype(int)
    each = np.arange(len(truth))
    logits = rng.normal(scale=2.0, size=(len(truth), N_SYMBOLS))
    logits[each, truth] += rng.normal(20.0, 3.0, size=len(truth))
    confused = rng.permuted(np.tile(np.arange(N_SYMBOLS), (N_SYMBOLS, 1)), axis=1)[truth, :8].T
    for other in confused:
        logits[each, other] += np.maximum(rng.normal(4.0, 5.0, size=len(truth)), 0.0)
    logits[rng.random(len(truth)) < 0.15] *= 0.6
    logits[:, np.argsort(english.joint(1))[:6]] -= 30.0
    log_posteriors = np.maximum(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True), -15.0)
    prior = np.exp(log_posteriors).mean(axis=0)
    return truth, likelihoods_from_posteriors(log_posteriors, np.log(prior / prior.sum()))


def test_passing_over_the_unlikely_changes_next_to_nothing(english, read):
    truth, scores = read
    options = {"lengths": [WIDTH] * N_LINES}
    wide = {"beam": 200, "margin": np.inf}
    labels, all_labels = viterbi(scores, english, **options), viterbi(scores, english, **options, **wide)
    assert (labels == all_labels).mean() >= 0.999
    found, all_found = (
        forward_backward(scores, english, **options),
        forward_backward(scores, english, **options, **wide),
    )
    assert (found.marginals.argmax(axis=1) == all_found.marginals.argmax(axis=1)).mean() >= 0.998
    assert np.abs(found.marginals - all_found.marginals).sum(axis=1).mean() / 2 < 1e-3
    assert (all_found.log_likelihood - found.log_likelihood).sum() / len(scores) == pytest.approx(0, abs=1e-3)
    np.testing.assert_allclose(found.marginals.sum(axis=1), 1.0)
    assert (labels != truth).mean() < (scores.argmax(axis=1) != truth).mean()


def test_a_label_rare_in_model_and_classifier_is_no_candidate_everywhere():
    share = np.array([0.6, 0.4 - 1e-9, 1e-9])
    lm = uniform_lm(3, 3)
    lm.joint = lambda n: share
    posteriors = np.array([[0.9, 0.1 - 1e-9, 1e-9], [0.01, 0.01, 0.98]])
    scores = likelihoods_from_posteriors(np.log(posteriors), np.log(share))
    assert np.ptp(scores[0]) < DEFAULT_MARGIN  # the evidence alone would let it in
    found = Candidates.choose(scores, as_transitions(lm, 3, 1.0), DEFAULT_MARGIN)
    assert found.labels.tolist() == [0, 1, 0, 1, 2]
    assert found.many.tolist() == [2, 3]


def test_a_long_sequence_cut_in_windows_reads_the_same(english, read, monkeypatch):
    _, scores = read
    cut = viterbi(scores, english), forward_backward(scores, english)
    assert len(windows.Windows.cut(np.array([len(scores)]), windows.LONGEST).start) > 1
    monkeypatch.setattr(lattice, "LONGEST", len(scores))
    whole = viterbi(scores, english), forward_backward(scores, english)
    np.testing.assert_array_equal(cut[0], whole[0])
    np.testing.assert_allclose(cut[1].marginals, whole[1].marginals, atol=1e-6)
    np.testing.assert_allclose(cut[1].log_likelihood, whole[1].log_likelihood, rtol=1e-6)


def test_small_memory_means_more_groups_not_other_results(english, read, monkeypatch):
    _, scores = read
    options = {"lengths": [WIDTH] * (N_LINES - 2) + [0, 80, 4]}
    at_once = viterbi(scores, english, **options), forward_backward(scores, english, **options)
    monkeypatch.setattr(windows, "STEP_NUMBERS", 1)
    one_by_one = viterbi(scores, english, **options), forward_backward(scores, english, **options)
    np.testing.assert_array_equal(at_once[0], one_by_one[0])
    np.testing.assert_allclose(at_once[1].marginals, one_by_one[1].marginals, atol=1e-12)
    np.testing.assert_allclose(at_once[1].log_likelihood, one_by_one[1].log_likelihood)


@pytest.mark.parametrize(("lengths", "longest"), [([0, 5, 100, 101, 0, 999], 100), ([7], 1), ([], 3)])
def test_windows_own_every_position_once(lengths, longest):
    cut = windows.Windows.cut(np.array(lengths, dtype=int), longest)
    owned = [position for a, b in zip(cut.own, cut.end, strict=True) for position in range(a, b)]
    assert owned == list(range(sum(lengths)))
    assert (cut.end - cut.own <= longest).all()
    starts = (np.cumsum(lengths) - lengths).astype(int)[cut.sequence]
    assert (cut.start >= starts).all()


def test_equal_scores_do_not_widen_the_beam():
    # Every context ties with every other: 30**4 of them, were ties all kept.
    found = forward_backward(np.zeros((50, 30)), uniform_lm(30, 5), lengths=[25, 25])
    np.testing.assert_allclose(found.marginals.sum(axis=1), 1.0)
    kept = lattice._near_the_best(np.repeat([0, 1], [9, 3]), np.array([0.0] * 5 + [1.0] + [0.0] * 6), 2, 4, 14.0)
    assert kept.tolist() == [True, True, True, False, False, True, False, False, False, True, True, True]


def test_what_the_model_forbids_can_still_be_all_that_is_left():
    lm = uniform_lm(20, 4)
    lm.conditional = lambda n: np.broadcast_to(np.eye(20), (20,) * n)  # a label only follows itself
    with np.errstate(divide="ignore"):
        rows = np.log(np.eye(20))
    lm.log_conditional = lambda contexts: rows[contexts[:, -1]]
    scores = np.full((12, 20), -40.0)
    scores[np.arange(12), np.arange(12)] = 0.0
    assert viterbi(scores, lm).tolist() == list(range(12))
    found = forward_backward(scores, lm)
    np.testing.assert_allclose(found.marginals[np.arange(12), np.arange(12)], 1.0)
    assert np.isfinite(path_score(range(12), scores, lm)).all()
