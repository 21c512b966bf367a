"""EM on the emissions of a hidden Markov model with the language's transitions."""

import math

import numpy as np
import pytest
import torch
from hmmlearn.hmm import CategoricalHMM

from labelfree.errors import InputError
from labelfree.progress import History, observed_by
from labelfree.solvers.em import EM, starting_emissions

from .substitution import substitution


@pytest.fixture(scope="module")
def small():
    return substitution(n_symbols=4, n_positions=1_000, length=50)


@pytest.mark.parametrize("order", [2, 3])
def test_log_likelihood_never_falls(small, order):
    history = History()
    with observed_by(history):
        EM(order=order, steps=30, tol=-math.inf, smoothing=0.0).solve(small.problem())
    rise = -np.diff([record.best for record in history.records])
    assert len(rise) == 29
    assert rise.min() > -1e-9
    assert rise.sum() > 0.05


def test_smoothed_steps_never_lower_the_smoothed_objective(small):
    problem = small.problem()
    method = EM(steps=1, tol=-math.inf, smoothing=2.0)
    emissions, objective = starting_emissions(problem, np.random.default_rng(0)), []
    for _ in range(20):
        before = emissions
        emissions, log_likelihood, _ = method.climb(problem, before)
        objective.append(log_likelihood * len(small.x) + 2.0 * np.log(before).sum())
    assert np.diff(objective).min() > -1e-6


def test_every_step_agrees_with_hmmlearn(small):
    problem, history = small.problem(), History()
    began = starting_emissions(problem, np.random.default_rng(1))
    peer = CategoricalHMM(4, params="e", init_params="", n_iter=5, tol=-math.inf)
    peer.startprob_, peer.transmat_, peer.emissionprob_ = small.lm.joint(1), small.lm.conditional(2), began.copy()
    peer.fit(small.x[:, None], small.lengths)
    with observed_by(history):
        emissions, _, steps = EM(steps=5, tol=-math.inf, smoothing=0.0).climb(problem, began)
    assert steps == 5
    np.testing.assert_allclose(emissions, peer.emissionprob_, rtol=1e-6, atol=1e-9)
    found = [-record.best * len(small.x) for record in history.records]
    np.testing.assert_allclose(found, list(peer.monitor_.history), rtol=1e-9)
    assert np.abs(emissions - began).max() > 0.05


@pytest.mark.parametrize(("order", "starts"), [(2, 6), (3, 4)])
def test_a_substitution_is_solved(order, starts):
    task = substitution(n_symbols=8, n_positions=5_000)
    solution = EM(order=order).solve(task.problem(), starts=starts)
    assert task.error(solution) == 0
    assert solution.kl < 0.05


def test_the_likeliest_start_wins_and_every_start_is_scored(small):
    problem, history = small.problem(), History()
    with observed_by(history):
        solution = EM().solve(problem, starts=5)
    ends = [
        r
        for r, after in zip(history.records, [*history.records[1:], None], strict=True)
        if not after or after.step == 1
    ]
    assert len(ends) == len(solution.restarts) == 5
    winner = int(np.argmin([record.best for record in ends]))
    assert solution.kl == solution.restarts[winner]
    assert solution.n_steps == ends[winner].step < 100
    assert solution.kl == pytest.approx(problem.kl(solution.model).item(), rel=1e-4)
    assert f"{-ends[winner].best:.4f}" in solution.notes[0]


def test_the_table_holds_the_posterior_of_emissions_and_the_languages_frequencies(small):
    problem = small.problem()
    method = EM(steps=3, tol=-math.inf)
    emissions, _, _ = method.climb(problem, starting_emissions(problem, np.random.default_rng(7)))
    joint = emissions.T * small.lm.joint(1)
    found = method.solve(problem, seed=7).model(problem.inputs)[0].exp().detach().numpy()
    np.testing.assert_allclose(found, joint / joint.sum(1, keepdims=True), rtol=1e-4, atol=1e-7)


def test_features_and_other_classifiers_are_refused_with_the_next_step(small):
    with pytest.raises(InputError, match=r"found 4 features a position: group .* problem\.compressed"):
        EM().solve(small.feature_problem())
    with pytest.raises(InputError, match="found a linear classifier"):
        EM().solve(small.problem(), kind="linear")


def test_groups_of_features_are_accepted(small):
    solution = EM(steps=3).solve(small.feature_problem().compressed(small.x, 4))
    assert solution.model(torch.arange(4)).shape == (1, 4, 4)
