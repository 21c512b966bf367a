"""A problem cut, compressed or raised to another order is the problem stated that way from the start."""

import numpy as np
import pytest
import torch

from labelfree.errors import InputError
from labelfree.models import make_model
from labelfree.solvers.problem import Problem, language_target

from .substitution import substitution


@pytest.fixture(scope="module")
def task():
    return substitution(n_symbols=6, n_positions=1_200, length=40)


def assert_same(found: Problem, wanted: Problem) -> None:
    torch.testing.assert_close(found.inputs, wanted.inputs, rtol=0, atol=0)
    np.testing.assert_array_equal(found.positions, wanted.positions)
    np.testing.assert_array_equal(found.lengths, wanted.lengths)
    assert torch.equal(found.windows.rows, wanted.windows.rows)
    torch.testing.assert_close(found.windows.weight, wanted.windows.weight)
    assert (found.windows.n_rows, found.windows.count) == (wanted.windows.n_rows, wanted.windows.count)
    assert torch.equal(found.target.probability, wanted.target.probability)
    assert (found.n_inputs, found.n_classes, found.order) == (wanted.n_inputs, wanted.n_classes, wanted.order)


@pytest.mark.parametrize("build", ["problem", "feature_problem"])
def test_another_order_is_the_problem_stated_at_that_order(task, build):
    make = getattr(task, build)
    assert_same(make(order=2).at_order(3), make(order=3))
    assert_same(make(order=3).at_order(1), make(order=1))


@pytest.mark.parametrize("features", [False, True])
def test_a_part_is_the_problem_over_those_sequences(task, features):
    chosen = np.arange(len(task.lengths)) % 3 == 1
    inputs = task.features() if features else torch.from_numpy(task.x)
    kept = inputs[torch.from_numpy(np.repeat(chosen, task.lengths))]
    whole = Problem.from_sequences(inputs, task.lengths, task.lm, 2)
    assert_same(whole.part(chosen), Problem.from_sequences(kept, task.lengths[chosen], task.lm, 2))


def test_compressing_features_by_their_symbols_is_the_problem_over_symbols(task):
    assert_same(task.feature_problem().compressed(task.x, 6), task.problem())


def test_compressing_symbols_further_merges_them(task):
    merge = np.array([0, 1, 2, 0, 1, 2])
    merged = Problem.from_sequences(torch.from_numpy(merge[task.x]), task.lengths, task.lm, 2)
    assert_same(task.problem().compressed(merge, 3), merged)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_the_score_is_the_same_over_symbols_and_over_the_features_they_stand_for(task, order):
    table = make_model("table", 3, 6, 6, noise=0.2, generator=torch.Generator().manual_seed(0))
    linear = make_model("linear", 3, 6, 6)
    linear.weight.data = table.gamma * table.weight.data
    over_symbols, over_features = task.problem(order).kl(table), task.feature_problem(order).kl(linear)
    torch.testing.assert_close(over_symbols, over_features, rtol=1e-4, atol=1e-5)
    assert over_symbols.unique().numel() == 3


def test_the_score_of_the_right_key_is_close_to_zero(task):
    model = make_model("table", 1, 6, 6)
    model.weight.data[0, torch.from_numpy(task.x), torch.from_numpy(task.y)] = 2.0
    assert 0 <= task.problem().kl(model).item() < 0.01


def test_an_order_that_the_language_does_not_have_is_named(task):
    with pytest.raises(InputError, match=r"order 4 asked of a language model of order 3; use an order from 1 to 3"):
        task.problem().at_order(4)


def test_a_large_target_lists_n_grams_in_order(monkeypatch, task):
    monkeypatch.setattr("labelfree.solvers.problem._DENSE_NGRAMS", 100)
    sparse, dense = language_target(task.lm, 3), torch.from_numpy(task.lm.joint(3))
    assert sparse.ids is not None
    assert sparse.ids.shape == (100, 3)
    codes = sparse.ids @ torch.tensor([36, 6, 1])
    assert (codes.diff() > 0).all()
    torch.testing.assert_close(sparse.probability.double(), dense.flatten()[codes], rtol=1e-5, atol=1e-9)
    assert sparse.probability.min() >= dense.flatten().sort().values[-101]
