"""The costs on lines and planes against the core's equations."""

import numpy as np
import pytest
import torch

from labelfree.core import best_dual, expected_ngrams, odm_cost, saddle
from labelfree.errors import InputError
from labelfree.models import Linear, make_model
from labelfree.repro.paper.surfaces import Surface, catching_up, climb, complete_cost, line, planes, rise, saddle_plane
from labelfree.repro.tasks.plane import plane_task
from labelfree.solvers import Problem


def cost_at(problem, model):
    with torch.no_grad():
        return float(odm_cost(expected_ngrams(model(problem.inputs).exp(), problem.windows), problem.target)[0])


def test_every_profile_has_j_of_the_optimum_at_its_mark(solved):
    problem, _, optimum = solved
    wanted = cost_at(problem, optimum)
    cost, fixed_dual = planes(problem, optimum, 0, points=11)
    for surface in (
        cost,
        fixed_dual,
        saddle_plane(problem, optimum, 0, points=11),
        catching_up(problem, optimum, 0, points=11),
    ):
        assert surface.z.shape == (11, 11)
        assert np.isfinite(surface.z).all()
        assert surface.mark_height == pytest.approx(wanted, rel=1e-5)


def test_a_point_of_the_plane_is_the_classifier_between_the_corners(solved):
    problem, _, optimum = solved
    cost, fixed_dual = planes(problem, optimum, 5, points=6)  # -1, -0.5, 0, 0.5, 1, 1.5
    generator = torch.Generator().manual_seed(5)
    corners = [torch.randn(problem.n_inputs, problem.n_classes, generator=generator) for _ in range(2)]

    def spread(logits):
        return (logits - logits.mean(-1, keepdim=True)).square().mean().sqrt()

    with torch.no_grad():
        own = optimum.scores(problem.inputs)[0]
        corners = [corner * spread(own) / spread(problem.inputs @ corner) for corner in corners]
        for i, j in ((0, 5), (3, 3), (4, 2), (5, 1)):
            model = Linear(1, problem.n_inputs, problem.n_classes)
            a, b = cost.x[i], cost.y[j]
            model.weight[0] = (1 - a - b) * optimum.weight[0] + a * corners[0] + b * corners[1]
            model.bias[0] = (1 - a - b) * optimum.bias[0]
            expected = expected_ngrams(model(problem.inputs).exp(), problem.windows)[0]
            dual = best_dual(expected_ngrams(optimum(problem.inputs).exp(), problem.windows)[0])
            assert cost.z[i, j] == pytest.approx(float(odm_cost(expected, problem.target)), rel=1e-4)
            assert fixed_dual.z[i, j] == pytest.approx(float(saddle(expected, dual, problem.target)), rel=1e-3)


def test_l_lies_below_j_and_touches_it_at_the_optimum(solved):
    problem, _, optimum = solved
    profile = line(problem, optimum, 1, points=26)
    at = int(np.abs(profile.x).argmin())
    assert profile.x[at] == pytest.approx(0.0, abs=1e-6)
    assert profile.saddle[at] == pytest.approx(profile.cost[at], rel=1e-5)
    assert (profile.saddle <= profile.cost + 1e-4).all()
    assert (profile.cost - profile.saddle).max() > 0.1


def test_the_dual_that_catches_up_turns_l_into_j(solved):
    problem, _, optimum = solved
    between, ends = catching_up(problem, optimum, 1, points=26), line(problem, optimum, 1, points=26)
    np.testing.assert_allclose(between.z[:, 0], ends.saddle, rtol=1e-4)
    np.testing.assert_allclose(between.z[:, -1], ends.cost, rtol=1e-4)
    assert (np.diff(between.z, axis=1) > -1e-3).all()


def test_v_is_best_at_the_saddle_point(solved):
    problem, _, optimum = solved
    surface = saddle_plane(problem, optimum, 2, points=21)
    along_dual = surface.z[np.abs(surface.x).argmin()]
    assert along_dual.argmax() == np.abs(surface.y).argmin()
    assert along_dual.max() - along_dual.min() > 0.01


def test_a_seed_gives_the_same_plane_and_another_seed_another(solved):
    problem, _, optimum = solved
    one, again, other = (planes(problem, optimum, seed, points=5)[0].z for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.allclose(one, other)


def test_the_complete_cost_has_a_valley_for_the_truth_and_a_higher_one_for_swapped_states():
    task = plane_task(seed=0, n_sequences=10, length=100)
    surface = complete_cost(task, points=31)
    w_1, w_2 = surface.mark
    assert w_1 > 0  # towards the mean of state 1
    assert w_2 > 0
    assert surface.at(0.0, 0.0) == pytest.approx(np.log(4), abs=1e-4)  # all four pairs alike
    assert surface.at(w_1, w_2) < surface.at(-w_1, -w_2) - 0.05 < surface.at(0.0, 0.0) - 0.1
    problem = Problem.from_sequences(torch.from_numpy(task.train.x), task.train.lengths, task.lm, order=2)
    model = Linear(1, 2, 2)
    with torch.no_grad():
        model.weight[0, :, 1] = torch.tensor([surface.x[20], surface.y[7]])
    assert surface.z[20, 7] == pytest.approx(cost_at(problem, model), rel=1e-4)


def test_barriers_are_measured_on_both_sides():
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0])
    values = np.array([1.0, 6.0, 1.5, 2.0, 1.0, 4.0])
    assert climb(x, values) == 5.0
    assert rise(x, values) == 4.5
    assert climb(x, np.abs(x)) == 0.0


def test_local_minima_are_counted_inside():
    x = np.linspace(-1, 1, 41)
    z = np.cos(2 * np.pi * x)[:, None] * np.cos(2 * np.pi * x)[None]
    assert Surface(x, x, z, (0.0, 0.0), ("x", "y", "z")).local_minima == 4  # four of eight lie on the edge


def test_the_open_side_is_the_lowest_quarter():
    x = np.linspace(0, 1, 4)
    for azimuth, z in (
        (45.0, -x[:, None] - x),
        (-135.0, x[:, None] + x),
        (-45.0, x - x[:, None]),
        (135.0, x[:, None] - x),
    ):
        assert Surface(x, x, z, (0.0, 0.0), ("x", "y", "z")).open_side == azimuth


def test_other_classifiers_and_orders_are_refused(solved):
    problem, _, optimum = solved
    with pytest.raises(InputError, match="a MLP over features at order 2 found"):
        line(problem, make_model("mlp", 1, problem.n_inputs, problem.n_classes), 0)
    with pytest.raises(InputError, match="a Linear over features at order 1 found"):
        line(problem.at_order(1), optimum, 0)
