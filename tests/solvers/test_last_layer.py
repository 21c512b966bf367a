"""Networks from random weights: the last layer is learned as a linear classifier, put back, and all layers go on."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from labelfree.models import make_model
from labelfree.solvers import SPDG
from labelfree.solvers.last_layer import LastLayer
from labelfree.solvers.method import initial_model

from .substitution import substitution


@pytest.fixture(scope="module")
def task():
    return substitution(n_symbols=6, n_positions=6_000)


@pytest.mark.parametrize(("kind", "columns"), [("mlp", 12), ("cnn", 8 * 8 + 3)])
def test_a_network_does_what_was_learned_on_its_last_layer(task, kind, columns):
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(len(task.x), columns, generator=generator)
    problem = replace(task.feature_problem(noise=0.1), inputs=inputs, n_inputs=columns)
    network = make_model(kind, 1, columns, 6, noise=1.0, generator=generator)
    last_layer = LastLayer.of(network, inputs)
    top = last_layer.problem(network, problem)
    learned = make_model("linear", 1, top.n_inputs, 6, noise=1.0, generator=generator)
    learned.bias.data.normal_(generator=generator)
    last_layer.put_back(learned, network)
    with torch.no_grad():
        torch.testing.assert_close(network(inputs), learned(top.inputs), atol=2e-3, rtol=1e-3)


def test_rows_of_a_last_layer_are_centred_as_long_as_features_and_no_direction_outweighs_all_others(task):
    inputs = task.feature_problem(noise=0.3).inputs
    network = make_model("mlp", 1, inputs.shape[1], 6, generator=torch.Generator().manual_seed(0))
    problem = replace(task.feature_problem(noise=0.3), inputs=inputs)
    rows = LastLayer.of(network, inputs).problem(network, problem).inputs.numpy()
    assert np.abs(rows.mean(0)).max() < 1e-2
    assert np.square(rows).sum(1).mean() == pytest.approx(200, rel=0.05)
    spread = rows.std(0)
    assert spread.max() < 12 * np.median(spread)


def test_a_network_learns_from_random_weights_by_the_cost_alone(task):
    problem = task.feature_problem(noise=0.2)
    problem = replace(problem, inputs=problem.inputs * 200**0.5)
    found = SPDG(steps=500).solve(problem, kind="mlp", starts=8, seed=0)
    with torch.no_grad():
        read = found.model(problem.inputs)[0].argmax(-1).numpy()
    assert (read != task.y).mean() < 0.02
    assert len(found.restarts) == 8
    assert found.n_steps == 500
    first = initial_model(problem, "mlp", 1, 0)
    assert not torch.equal(found.model.weight_in, first.weight_in)  # all layers were learned
