"""Labels that a person gave: how they reach the cost, and what one of them decides."""

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from labelfree.alphabet import Alphabet
from labelfree.decode import forward_backward
from labelfree.fitting import harden, search
from labelfree.fitting.auto import Auto
from labelfree.fitting.refine import read
from labelfree.lm import NGramLM
from labelfree.lm.counting import NGramCounts
from labelfree.models import make_model
from labelfree.solvers import SPDG, FullBatch, Problem
from labelfree.solvers.supervised import KNOWN_WEIGHT, with_known_labels

from .substitution import Substitution, substitution


def alike(n_positions: int = 6000, seed: int = 0) -> Substitution:
    """Text in which the last two symbols stand in for each other at random: no statistic tells them apart."""
    task = substitution(5, n_positions, seed)
    rng = np.random.default_rng(seed)
    y = np.where((task.y == 4) & (rng.random(n_positions) < 0.5), 5, task.y)
    both = np.concatenate([y, np.where(y >= 4, 9 - y, y)])  # and so it stays where the two are swapped
    counts = NGramCounts.from_ids(both, np.tile(task.lengths, 2), size=6, order=3)
    return Substitution(rng.permutation(6)[y], y, task.lengths, NGramLM.from_counts(counts, Alphabet("abcdef")))


def hinted(problem: Problem, labels: np.ndarray, positions: list[int]) -> Problem:
    known = np.full(len(problem.positions), -1)
    known[positions] = labels[positions]
    return replace(problem, known=known)


def first_of(labels: np.ndarray, label: int) -> int:
    return int(np.flatnonzero(labels == label)[0])


@pytest.fixture(scope="module")
def twins():
    return alike()


def test_rows_bear_the_labels_known_of_them_by_their_share_of_the_positions():
    lm = NGramLM.from_text("abcab" * 20, order=2)
    problem = Problem.from_sequences(torch.tensor([0, 1, 0, 2, 0, 1, 1, 0]), [8], lm, order=2)
    problem = replace(problem, known=np.array([0, 2, 1, -1, 0, 2, 2, -1]))
    rows, soft_labels = problem.known_rows
    assert rows.tolist() == [0, 1]
    half = 4 / 8 / (3 + 1)  # of four positions three are known
    all_known = 3 / 8 / 3
    torch.testing.assert_close(soft_labels, torch.tensor([[2 * half, half, 0.0], [0.0, 0.0, 3 * all_known]]))


def test_each_known_row_of_features_is_one_observation():
    task = substitution(4, 400)
    problem = hinted(task.feature_problem(), task.y, [3, 7])
    rows, soft_labels = problem.known_rows
    assert rows.tolist() == [3, 7]
    assert soft_labels.sum(1).tolist() == pytest.approx([1 / 400, 1 / 400])
    assert soft_labels.argmax(1).tolist() == task.y[[3, 7]].tolist()


def test_parts_samples_and_groups_of_a_problem_keep_what_is_known(twins):
    problem = hinted(twins.feature_problem(), twins.y, [5, 205, 1105])
    chosen = np.arange(len(problem.lengths)) == 2
    assert problem.part(chosen).known[5] == twins.y[205]
    assert (problem.part(chosen).known >= 0).sum() == 1
    sampled, taken = problem.sample(3000, seed=1)
    assert sampled.known.tolist() == problem.known[taken].tolist()
    compressed = problem.compressed(twins.x, 6)
    assert compressed.at_order(3).known_rows[0].tolist() == sorted(set(twins.x[[5, 205, 1105]].tolist()))


@pytest.mark.parametrize("method", [FullBatch(), SPDG(batch_size=None)], ids=["full batch", "spdg"])
def test_a_step_follows_the_sum_of_both_costs(twins, method):
    problem = hinted(twins.problem(), twins.y, [1, 2, 3])
    generator = torch.Generator().manual_seed(3)
    model = make_model("table", 2, 6, 6, noise=0.1, generator=generator).double()
    run = method.start(problem, copy.deepcopy(model), seed=0)
    run.advance(1)
    stepped = run.state()["optimizer.0.exp_avg"] / 0.1  # Adam's first mean is a tenth of the gradient

    def cost(weight):
        model.weight.data = weight
        plain = method.start(replace(problem, known=None), model, seed=0)
        with torch.no_grad():
            return float((plain.loss(plain.expected()) + problem.label_cost(model)).sum())

    before, reach = model.weight.data.clone(), 1e-5
    for place in ((0, 0, 0), (0, int(twins.x[1]), int(twins.y[1])), (1, 5, 3)):
        step = torch.zeros_like(before)
        step[place] = reach
        slope = (cost(before + step) - cost(before - step)) / (2 * reach)
        assert float(stepped[place]) == pytest.approx(slope, rel=1e-3, abs=1e-7)


def test_one_known_label_tells_twins_apart_that_statistics_cannot(twins):
    problem = twins.problem()
    told = hinted(problem, twins.y, [first_of(twins.y, 4)])
    without, with_hint = [], []
    for seed in (0, 1):
        without.append(twins.error(Auto(rounds=0).solve(problem, starts=2, seed=seed)))
        with_hint.append(twins.error(Auto(rounds=0).solve(told, starts=2, seed=seed)))
    assert with_hint == [0.0, 0.0]
    assert max(without) > 0.05  # the coin fell the other way


def test_the_search_prefers_the_start_that_agrees_with_what_is_known(twins):
    told = hinted(twins.problem(), twins.y, [first_of(twins.y, 4)])
    found = search(told, starts=4, seed=0)
    assert twins.error(found) == 0.0
    assert found.kl == min(found.restarts)


def test_hard_labels_keep_what_is_known(twins):
    problem = twins.problem()
    truth = np.zeros(6, np.int64)
    truth[twins.x] = twins.y
    swapped = np.where(truth >= 4, 9 - truth, truth)
    assert harden(problem, swapped)[0].tolist() == swapped.tolist()
    told = hinted(problem, twins.y, [first_of(twins.y, 4), first_of(twins.y, 5)])
    assert harden(told, swapped)[0].tolist() == truth.tolist()


def test_a_reading_says_what_is_known_and_still_counts_where_the_classifier_differs(twins):
    problem = hinted(twins.feature_problem(), twins.y, [10])
    wrong = make_model("linear", 1, problem.n_inputs, problem.n_classes)
    found = read(problem, wrong)
    assert found.marginals[10].argmax() == twins.y[10]
    assert found.marginals[10].max() > 0.99
    assert found.disagreement > 0


def test_known_labels_take_the_place_of_believed_ones_and_count_for_more(twins):
    problem = hinted(twins.feature_problem(), twins.y, [4])
    believed = torch.full((len(twins.y), 6), 1 / 6)
    found = with_known_labels(problem, believed)
    assert found[4, twins.y[4]] == found[4].sum() == KNOWN_WEIGHT > 1
    assert torch.equal(found[5:], believed[5:])
    assert torch.all(believed == 1 / 6)
    assert with_known_labels(replace(problem, known=None), believed) is believed


def test_parts_and_samples_of_a_problem_keep_the_evidence(twins):
    evidence = np.random.default_rng(0).normal(size=(len(twins.y), 6)).astype(np.float32)
    problem = replace(twins.feature_problem(), evidence=evidence)
    sampled, taken = problem.sample(3000, seed=1)
    assert (sampled.evidence == evidence[taken]).all()


def test_a_reading_weighs_evidence_as_the_likelihood_of_labels(twins):
    problem = twins.feature_problem()
    evidence = np.random.default_rng(0).normal(size=(len(twins.y), 6)).astype(np.float32)
    model = make_model("linear", 1, problem.n_inputs, problem.n_classes)
    marginals = read(replace(problem, evidence=evidence), model).marginals
    told = np.log(np.full(6, 1 / 6)) + evidence
    expected = forward_backward(told - np.log(1 / 6), problem.lm, lengths=problem.lengths).marginals
    np.testing.assert_allclose(marginals, expected, atol=1e-4)


def test_features_learn_from_evidence_which_twin_is_which(twins):
    evidence = np.zeros((len(twins.y), 6), np.float32)
    for twin, other in ((4, 5), (5, 4)):
        evidence[first_of(twins.y, twin) :: 7, other] -= np.where(twins.y[first_of(twins.y, twin) :: 7] == twin, 1.0, 0)
    told = replace(twins.feature_problem(noise=0.1), evidence=evidence)
    found = Auto(n_groups=30, l2=1e-3, rounds=2).solve(told, starts=4, seed=1)
    assert (found.model(told.inputs)[0].argmax(-1).numpy() != twins.y).mean() < 0.02


def test_features_learn_which_twin_is_which(twins):
    told = hinted(twins.feature_problem(noise=0.1), twins.y, [first_of(twins.y, 4), first_of(twins.y, 5)])
    found = Auto(n_groups=30, l2=1e-3, rounds=2).solve(told, starts=4, seed=1)
    assert twins.error(found, told.inputs) < 0.01
