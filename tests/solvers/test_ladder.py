"""The driver that all gradient methods share: growth, penalties that change, starts that are dropped."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from labelfree.solvers import SGD, SPDG, FullBatch, Likelihood
from labelfree.solvers.ladder import Halving, Rung, at_batch, shortened
from labelfree.solvers.method import LADDER, initial_model
from labelfree.solvers.run import Companion, accompanied_by

from .substitution import substitution


@pytest.fixture(scope="module")
def task():
    return substitution(n_symbols=6, n_positions=4_000)


def scaled(task, noise):
    """The problem over features of the length that penalties are set for."""
    problem = task.feature_problem(noise=noise)
    return replace(problem, inputs=problem.inputs * 200**0.5)


class Watch(Companion):
    """Notes what a run is told at every step."""

    def __init__(self):
        self.seen = []

    def stepped(self, run, remaining):
        self.seen.append((run.model.n_starts, run.batch_size, run.optimizer.rate, float(run.l2[0]), run.entropy))


@pytest.mark.parametrize(
    "method", [SPDG(), SGD(), Likelihood(), SGD(batch_size="grow")], ids=lambda m: type(m).__name__
)
def test_every_method_goes_down_the_rungs_with_their_starts_batches_rates_and_penalties(task, method):
    ladder = (Rung(2, 50, 1 / 2), Rung(2, 80, 1 / 2, l2=0.5, rate=2.0, entropy=1.0, falls=True))
    asked = type(method)(rate=0.01, l2=0.02, entropy=0.3, batch_size="grow", ladder=ladder)
    with accompanied_by(watch := Watch()):
        solution = asked.solve(task.feature_problem(noise=0.1), starts=5)
    assert [one[:2] for one in watch.seen] == [(5, 50), (5, 50), (3, 80), (3, 80)]
    assert np.array([one[2:] for one in watch.seen]) == pytest.approx(
        np.array([(0.01, 0.02, 0.0)] * 2 + [(0.02, 0.01, 0.3), (0.01, 0.01, 0.3)])
    )
    assert solution.n_steps == 4
    assert len(solution.restarts) == 5


def test_a_fixed_batch_keeps_to_the_budget_of_the_growing_one():
    ladder = (Rung(100, 200), Rung(50, 1_000))
    assert [rung.steps for rung in at_batch(ladder, 400, n_windows=10_000)] == [50, 50]
    assert [rung.steps for rung in at_batch(ladder, 10, n_windows=10_000)] == [100, 50]
    whole = at_batch(ladder, None, n_windows=10_000, generosity=2.0)
    assert [(rung.steps, rung.batch_size) for rung in whole] == [(4, None), (10, None)]


@pytest.mark.parametrize("steps", [1, 7, 100, 10_000])
def test_a_ladder_of_so_many_steps_has_so_many(steps):
    assert sum(rung.steps for rung in shortened(LADDER, steps)) == steps


def test_the_lowest_scores_go_on_and_all_have_one(task):
    problem = task.problem()
    model = initial_model(problem, None, 6, 0)
    run = SPDG().start(problem, model)
    halving = Halving(6)
    halving.descend(run, (Rung(60, 200, 1 / 3),))
    assert halving.alive.tolist() == halving.last_scores.argsort()[:2].tolist()
    torch.testing.assert_close(run.scores(), halving.last_scores[halving.alive])
    assert int(halving.winner()) == 0


def test_the_penalty_on_entropy_sharpens_what_the_cost_leaves_open(task):
    problem = scaled(task, noise=0.2)
    ladder = (Rung(300, 200), Rung(100, 200, entropy=1.0))
    soft, sharp = (SPDG(ladder=ladder, entropy=weight).solve(problem, starts=4, seed=0).model for weight in (0.0, 3.0))
    with torch.no_grad():
        entropies = [float(-(m(problem.inputs).exp() * m(problem.inputs)).sum(-1).mean()) for m in (soft, sharp)]
    assert entropies[1] < 0.5 * entropies[0]


def test_pairs_are_matched_first_and_longer_ngrams_from_there(task):
    problem = scaled(task, noise=0.1).at_order(3)
    ladder = (Rung(200, 200, 1 / 4, order=2), Rung(100, 400, order=3))
    found = SPDG(ladder=ladder).solve(problem, starts=4, seed=0)
    assert task.error(found, problem.inputs) == 0


def test_the_score_of_the_winner_is_over_all_the_data(task):
    problem = scaled(task, noise=0.2)
    found = SPDG(steps=100).solve(problem, starts=4, seed=0)
    assert found.kl == pytest.approx(float(problem.kl(found.model)))
    assert found.kl in [pytest.approx(score) for score in found.restarts]


def test_few_data_keep_their_penalty_and_many_let_it_fall(task):
    few, many = scaled(task, noise=0.1), scaled(substitution(n_symbols=6, n_positions=48_000), noise=0.1)
    last = [SPDG().plan(problem, initial_model(problem, None, 1, 0))[-1].l2 for problem in (few, many)]
    assert last == [1.0, pytest.approx(0.25, rel=0.02)]


def test_a_full_batch_has_few_steps_and_a_table_one_rung(task):
    features = task.feature_problem(noise=0.1)
    steps = sum(rung.steps for rung in FullBatch().plan(features, initial_model(features, None, 2, 0)))
    assert steps < sum(rung.steps for rung in LADDER)
    (rung,) = SPDG().plan(task.problem(), initial_model(task.problem(), None, 2, 0))
    assert (rung.steps, rung.batch_size) == (1000, 200)
