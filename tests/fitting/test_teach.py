"""Networks that begin where a linear classifier ended: by the cost alone, and by decoding and retraining."""

import numpy as np
import pytest
import torch

from labelfree.core import expected_ngrams
from labelfree.fitting.auto import Auto
from labelfree.fitting.refine import read
from labelfree.fitting.teach import descend, teach
from labelfree.models import MLP, TileCNN
from labelfree.progress import History, observed_by
from labelfree.solvers import SPDG, Problem, Supervised
from labelfree.solvers.method import initial_model

from ..english import english
from ..solvers.substitution import substitution


class TwoStyles:
    """English in which every letter has two shapes, so that no linear classifier reads it well."""

    def __init__(self) -> None:
        task, rng = english(n_positions=5_000), np.random.default_rng(3)
        shapes = rng.normal(size=(2, 12, 6))
        X = shapes[rng.integers(0, 2, len(task.y)), task.y] + 0.25 * rng.normal(size=(len(task.y), 6))
        X -= X.mean(0)
        X *= np.sqrt(200 / np.square(X).sum(1).mean())
        self.y = task.y
        self.inputs = torch.from_numpy(X.astype(np.float32))
        self.problem = Problem.from_sequences(self.inputs, task.lengths, task.lm, 2)
        self.linear = Auto(rounds=0).solve(self.problem, seed=0, starts=6).model
        with torch.no_grad():
            self.posteriors = self.linear(self.inputs)[0].exp()
        self.reading = torch.from_numpy(read(self.problem, self.linear).marginals).float()
        self.linear_error = self.error(self.linear)
        self.supervised_error = self.error(Supervised(self.y, steps=60).solve(self.problem).model)

    def error(self, model) -> float:
        with torch.no_grad():
            return float((model(self.inputs)[0].argmax(-1).numpy() != self.y).mean())


@pytest.fixture(scope="module")
def styles():
    return TwoStyles()


def test_the_cost_alone_brings_a_network_below_the_linear_classifier_it_copies(styles):
    network = descend(styles.problem, styles.posteriors, "mlp", seed=0)
    assert isinstance(network, MLP)
    assert 0.03 < styles.linear_error < 0.1
    assert styles.error(network) < 0.5 * styles.linear_error
    assert float(styles.problem.kl(network)) < float(styles.problem.kl(styles.linear))


def test_decoding_and_retraining_bring_a_network_below_supervised_linear_training(styles):
    network, disagreements = teach(styles.problem, styles.reading, "mlp", rounds=3, seed=0)
    assert styles.error(network) < 0.5 * styles.supervised_error
    assert read(styles.problem, network).disagreement == pytest.approx(min(disagreements))
    assert min(disagreements) < disagreements[0]


def test_a_descent_that_only_climbs_gives_the_copy_back(styles, monkeypatch):
    monkeypatch.setattr("labelfree.fitting.teach._COST_STEPS", 30)
    monkeypatch.setattr("labelfree.fitting.teach._COST_RATE", 1.0)
    monkeypatch.setattr("labelfree.fitting.teach._MOST_COST_RATE", 1.0)
    found = descend(styles.problem, styles.posteriors, "mlp", seed=0)
    assert styles.error(found) < 1.2 * styles.linear_error


def test_the_same_seed_gives_the_same_network(styles):
    one, two = (teach(styles.problem, styles.reading, "mlp", rounds=0, seed=1)[0] for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


@pytest.mark.parametrize(("rounds", "stage"), [(0, "spdg"), (1, "refine")])
def test_the_whole_road_ends_in_the_network_asked_for(monkeypatch, rounds, stage):
    monkeypatch.setattr("labelfree.fitting.teach._COST_STEPS", 5)
    monkeypatch.setattr("labelfree.solvers.network._LEAST_STEPS", 20)
    task = english(n_positions=2_000, n_noise=56)
    history = History()
    with observed_by(history):
        found = Auto(rounds=rounds, l2=0.003).solve(task.problem(), kind="cnn", starts=4, seed=1)
    assert isinstance(found.model, TileCNN)
    assert "a network learned from the linear classifier" in found.notes
    assert history.records[-1].stage == stage
    assert found.kl == pytest.approx(float(task.problem().kl(found.model)))


def test_a_network_learns_from_scratch_what_no_linear_classifier_could():
    task, rng = substitution(n_symbols=6, n_positions=4_000, seed=1), np.random.default_rng(0)
    X = rng.normal(size=(6, 8))[task.y] * rng.choice([-1, 1], (len(task.y), 1)) + 0.15 * rng.normal(
        size=(len(task.y), 8)
    )
    inputs = torch.from_numpy((X * np.sqrt(200 / np.square(X).sum(1).mean())).astype(np.float32))
    problem = Problem.from_sequences(inputs, task.lengths, task.lm, 2)
    assert task.error(Supervised(task.y, steps=40).solve(problem), inputs) > 0.6
    assert task.error(SPDG(steps=700).solve(problem, kind="mlp", starts=6, seed=0), inputs) < 0.15


def test_the_fitted_dual_is_the_one_over_all_the_data():
    task = substitution(n_symbols=5, n_positions=1_000)
    problem = task.feature_problem(noise=0.3)
    model = initial_model(problem, "mlp", 2, 0)
    model.weight.data.normal_(generator=torch.Generator().manual_seed(0))
    run = SPDG().start(problem, model)
    run.catch_up()
    expected = expected_ngrams(model(problem.inputs).exp(), problem.windows, problem.target)
    wanted = -1 / expected.detach().clamp_min(1 / problem.windows.count)
    torch.testing.assert_close(-run.dual.exp(), wanted, rtol=1e-4, atol=0)
