"""The constant answer."""

import math

import numpy as np
import pytest
import torch

from labelfree.solvers.majority import Majority

from .substitution import substitution


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("kind", ["table", "linear", "mlp"])
def test_every_input_is_read_as_the_languages_most_frequent_symbol(kind, order):
    task = substitution(n_symbols=5, n_positions=1_000)
    problem = task.problem(order) if kind == "table" else task.feature_problem(order)
    solution = Majority().solve(problem, kind=kind)
    posteriors = solution.model(problem.inputs)[0].exp()
    winner = int(np.argmax(task.lm.joint(1)))
    assert (posteriors[:, winner] > 0.999).all()
    assert math.isfinite(solution.kl)
    assert solution.kl > 5
    assert task.error(solution, problem.inputs[torch.from_numpy(problem.positions)]) == (task.y != winner).mean()
