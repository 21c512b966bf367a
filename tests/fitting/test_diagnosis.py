"""The verdict on a fit, and that no label had a part in it."""

import dataclasses
import importlib
import inspect
import math

import numpy as np
import pytest
import torch

import labelfree.fitting.auto
import labelfree.solvers
from labelfree.core import Target
from labelfree.fitting.diagnosis import dependence, diagnose
from labelfree.models import Table, make_model
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.problem import Problem

from ..solvers.substitution import substitution


def table_of(key: np.ndarray, n_classes: int) -> Table:
    """A table that is sure of a key."""
    table = Table(1, len(key), n_classes)
    table.weight.data[0, torch.arange(len(key)), torch.from_numpy(key)] = 1.5
    return table


@pytest.fixture(scope="module")
def task():
    return substitution(n_symbols=8, n_positions=6_000)


@pytest.fixture(scope="module")
def key(task):
    key = np.zeros(8, dtype=np.int64)
    key[task.x] = task.y
    return key


@pytest.mark.parametrize("order", [1, 2, 3])
def test_independent_symbols_do_not_depend(order):
    single = torch.tensor([0.5, 0.3, 0.2])
    joint = single
    for _ in range(order - 1):
        joint = joint[..., None] * single
    assert dependence(Target(joint, n_classes=3)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_cycle_depends_by_all_of_its_entropy_at_every_further_symbol(order, sparse):
    n = 5
    ids = (torch.arange(n)[:, None] + torch.arange(order)) % n
    if sparse:
        target = Target(torch.full((n,), 1 / n), n, ids)
    else:
        dense = torch.zeros((n,) * order)
        dense[tuple(ids.T)] = 1 / n
        target = Target(dense, n)
    assert dependence(target) == pytest.approx((order - 1) * math.log(n), abs=1e-5)


def test_the_right_key_is_believed_without_a_word(task, key):
    for order in (2, 3):
        verdict = diagnose(task.problem(order), table_of(key, 8))
        assert verdict.converged
        assert verdict.message == ""
        assert verdict.coverage == 1.0
        assert verdict.kl < 0.2 * verdict.wanted_kl


def test_the_divergence_is_judged_on_pairs_whatever_the_order(task, key):
    spoiled = table_of(np.roll(key, 1), 8)
    assert diagnose(task.problem(3), spoiled) == diagnose(task.problem(2), spoiled)


def test_a_constant_output_is_called_collapsed_with_advice(task):
    verdict = diagnose(task.problem(), table_of(np.full(8, 2), 8))
    assert not verdict.converged
    assert verdict.coverage < 0.9
    assert verdict.message.startswith("the output collapsed: 1 of 8 symbols come out")
    assert "try more starts (n_init)" in verdict.message


def test_an_output_with_the_right_frequencies_in_no_order_is_called_stuck_with_advice():
    n = 6
    lm = substitution(n_symbols=n, n_positions=6_000, seed=2).lm
    shuffled = np.random.default_rng(0).choice(n, 6_000, p=np.asarray(lm.joint(1)))
    problem = Problem.from_sequences(torch.from_numpy(shuffled), [6_000], lm, 2)
    verdict = diagnose(problem, table_of(np.arange(n), n))
    assert verdict.coverage == 1.0
    assert not verdict.converged
    assert verdict.kl > verdict.wanted_kl
    assert verdict.message.startswith(f"stuck: KL {verdict.kl:.3f}")
    assert "language model of nearer text" in verdict.message


def test_single_symbols_are_never_believed(task, key):
    verdict = diagnose(task.problem(order=1), table_of(key, 8))
    assert verdict.kl < 0.01
    assert not verdict.converged
    assert "order=1" in verdict.message


def test_a_divergence_far_below_the_noise_of_the_counts_is_warned_of_over_features_alone(task):
    generator = torch.Generator().manual_seed(0)
    few = np.arange(len(task.lengths)) < 4
    problem = Problem.from_sequences(torch.randn(400, 300, generator=generator), task.lengths[few], task.lm, 2)
    free, held = (make_model("linear", 1, 300, 8, noise=1e-3, generator=generator) for _ in range(2))
    FullBatch(rate=0.03, l2=0.0).start(problem, free).advance(200)  # noise in, a perfect divergence out
    verdict = diagnose(problem, free)
    assert verdict.converged
    assert "the classifier fits the noise; give a larger l2" in verdict.message
    FullBatch(rate=0.03, l2=0.003).start(problem, held).advance(200)
    assert "noise" not in diagnose(problem, held).message
    as_symbols = problem.compressed(np.arange(400), 400)
    rows = Table(1, 400, 8)
    with torch.no_grad():
        rows.weight[0] = free(problem.inputs)[0] / rows.gamma
    assert diagnose(as_symbols, rows).message == ""


def test_no_label_can_reach_a_label_free_solver():
    fields = {field.name: field.default for field in dataclasses.fields(Problem)}
    seen = {"inputs", "n_inputs", "positions", "lengths", "windows", "lm", "target", "counted"}
    assert set(fields) == seen | {"known", "evidence"}
    assert fields["known"] is None, "labels are there only where a person gave them"
    assert fields["evidence"] is None
    assert set(inspect.signature(Problem.from_sequences).parameters) == {"inputs", "lengths", "lm", "order"}
    solvers = [labelfree.fitting.auto.Auto, *(getattr(labelfree.solvers, name) for name in labelfree.solvers.__all__)]
    solvers = [solver for solver in solvers if hasattr(solver, "solve")]
    assert len(solvers) >= 8
    allowed = {"self", "problem", "kind", "starts", "seed"}
    takes_labels = []
    for solver in solvers:
        assert set(inspect.signature(solver.solve).parameters) == allowed, solver
        if {"labels", "y"} & {field.name for field in dataclasses.fields(solver)}:
            takes_labels.append(solver.__name__)
    assert takes_labels == ["Supervised"]


@pytest.mark.parametrize("name", ["spdg", "full_batch", "sgd", "likelihood", "em", "majority", "run"])
def test_a_label_free_method_does_not_know_the_one_with_labels(name):
    source = inspect.getsource(importlib.import_module(f"labelfree.solvers.{name}"))
    assert "solvers.supervised" not in source
