"""Training on labels, hard and soft."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from labelfree.errors import InputError, NonFiniteError
from labelfree.models import make_model
from labelfree.solvers.supervised import Supervised, fit_soft_labels

from .substitution import substitution


@pytest.fixture(scope="module")
def task():
    return substitution(n_symbols=6, n_positions=3_000)


def test_error_is_within_a_tenth_of_a_point_of_scikit_learns(task):
    problem = task.feature_problem(noise=0.35)
    features = problem.inputs.numpy()
    solution = Supervised(task.y, l2=1 / (2 * 3_000)).solve(problem)  # C = 1 in scikit-learn's terms
    peer = LogisticRegression(max_iter=1000).fit(features, task.y)
    peer_error = (peer.predict(features) != task.y).mean()
    assert 0.01 < peer_error < 0.2
    assert task.error(solution, problem.inputs) <= peer_error + 0.001
    ours = solution.model(problem.inputs)[0].exp().detach().numpy()
    np.testing.assert_allclose(ours, peer.predict_proba(features), atol=0.01)


def test_a_table_learns_how_often_each_symbol_bears_each_label(task):
    problem = task.problem()
    labels = np.where(np.arange(len(task.y)) % 4, task.y, 0)
    found = Supervised(labels).solve(problem).model(problem.inputs)[0].exp().detach().numpy()
    for symbol in range(6):
        share = np.bincount(labels[task.x == symbol], minlength=6) / (task.x == symbol).sum()
        np.testing.assert_allclose(found[symbol], share, atol=0.005)


def test_a_network_learns_what_no_line_divides(task):
    rng = torch.Generator().manual_seed(0)
    inputs = torch.randn(len(task.y), 2, generator=rng)
    labels = (inputs[:, 0] * inputs[:, 1] > 0).long().numpy()
    problem = type(task.problem()).from_sequences(inputs, task.lengths, task.lm, 2)
    errors = {
        kind: (Supervised(labels).solve(problem, kind=kind).model(inputs)[0].argmax(-1).numpy() != labels).mean()
        for kind in ("linear", "mlp")
    }
    assert errors["linear"] > 0.3
    assert errors["mlp"] < 0.03


def test_labels_that_do_not_fit_are_refused(task):
    with pytest.raises(
        InputError, match=r"labels is a int64 array of shape \(2,\), wanted integers of shape \(3000,\)"
    ):
        Supervised([0, 1]).solve(task.problem())
    with pytest.raises(InputError, match=r"labels run from 1 to 6, wanted 0 to 5"):
        Supervised(task.y + 1).solve(task.problem())


@pytest.fixture
def soft():
    rng = torch.Generator().manual_seed(0)
    inputs = torch.randn(500, 4, generator=rng)
    return inputs, torch.softmax(3 * inputs @ torch.randn(4, 3, generator=rng), -1)


def test_soft_labels_that_a_line_gives_are_learned(soft):
    inputs, labels = soft
    model = make_model("linear", 2, 4, 3)
    fit_soft_labels(model, inputs, labels, steps=400, rate=0.1)
    torch.testing.assert_close(model(inputs).exp()[1], labels, rtol=0, atol=0.05)


def test_few_steps_from_the_answer_stay_there(soft):
    inputs, labels = soft
    model = make_model("linear", 1, 4, 3)
    fit_soft_labels(model, inputs, labels, steps=600, rate=0.1)
    before = model.weight.detach().clone()
    fit_soft_labels(model, inputs, labels, steps=5)
    torch.testing.assert_close(model.weight, before, rtol=0, atol=0.1)


@pytest.mark.parametrize("kind", ["linear", "mlp"])
def test_each_start_has_its_own_penalty_and_trains_as_if_alone(soft, kind):
    inputs, labels = soft
    penalties = torch.tensor([0.0, 0.05])
    model = make_model(kind, 2, 4, 3, generator=torch.Generator().manual_seed(1))
    alone = make_model(kind, 2, 4, 3, generator=torch.Generator().manual_seed(1))
    alone.keep(torch.tensor([1]))
    fit_soft_labels(model, inputs, labels, l2=penalties)
    fit_soft_labels(alone, inputs, labels, l2=0.05)
    torch.testing.assert_close(alone.weight[0], model.weight[1], rtol=1e-3, atol=1e-4)
    sizes = model.squared_weights()
    assert sizes[1] < 0.8 * sizes[0]


def test_chunks_change_nothing(soft, monkeypatch):
    inputs, labels = soft
    whole, parts = (make_model("linear", 2, 4, 3) for _ in range(2))
    fit_soft_labels(whole, inputs, labels, l2=0.01)
    monkeypatch.setattr("labelfree.solvers.supervised._CHUNK_NUMBERS", 7 * 2 * 3)
    fit_soft_labels(parts, inputs, labels, l2=0.01)
    torch.testing.assert_close(whole.weight, parts.weight, rtol=1e-3, atol=1e-4)


def test_a_row_that_sums_to_zero_counts_for_nothing(soft):
    inputs, labels = soft
    weight = (torch.arange(500) % 2).float()[:, None]
    masked, halved = (make_model("linear", 1, 4, 3) for _ in range(2))
    fit_soft_labels(masked, inputs, labels * weight)
    fit_soft_labels(halved, inputs[1::2], labels[1::2])
    torch.testing.assert_close(masked.weight, halved.weight, rtol=1e-3, atol=1e-4)


def test_soft_labels_of_another_shape_are_refused(soft):
    inputs, labels = soft
    with pytest.raises(InputError, match=r"shape \(500, 2\), wanted \(500, 3\)"):
        fit_soft_labels(make_model("linear", 1, 4, 3), inputs, labels[:, :2])


def test_infinite_features_stop_the_training(soft):
    inputs, labels = soft
    inputs[3, 0] = torch.inf
    with pytest.raises(NonFiniteError, match="loss is no longer finite at step 0 of training on labels: 1 of 1 starts"):
        fit_soft_labels(make_model("linear", 1, 4, 3), inputs, labels)
