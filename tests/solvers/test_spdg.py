"""Algorithm 1 with either dual."""

import math
import subprocess
import sys

import pytest
import torch

from labelfree.core import best_dual, expected_ngrams
from labelfree.solvers.method import initial_model
from labelfree.solvers.spdg import SPDG

from .substitution import substitution


@pytest.fixture(scope="module")
def ten():
    return substitution(n_symbols=10)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_log_dual_solves_a_substitution(seed):
    task = substitution(n_symbols=10, seed=seed)
    solution = SPDG(steps=500).solve(task.problem(), starts=8)
    assert task.error(solution) == 0
    assert solution.kl < 0.05


def test_stuck_starts_score_clearly_worse_than_solved_ones(ten):
    scores = sorted(SPDG(steps=500).solve(ten.problem(), starts=16).restarts)
    assert scores[0] < 0.05
    assert scores[-1] > 0.2


def test_the_log_dual_begins_at_the_best_dual_of_a_uniform_output(ten):
    problem = ten.problem()
    run = SPDG().start(problem, initial_model(problem, None, starts=2, seed=0))
    assert run.dual.shape == (2, 10, 10)
    torch.testing.assert_close(-run.dual.exp(), torch.full_like(run.dual, -100.0))


def test_the_papers_dual_and_theta_begin_as_in_its_appendix(ten):
    problem = ten.problem()
    run = SPDG(dual="paper").start(problem, initial_model(problem, None, starts=2, seed=0))
    assert -1 <= run.dual.min() < -0.9
    assert -0.1 < run.dual.max() < 0
    assert run.model.weight.unique().tolist() == pytest.approx([1 / 10])


def test_the_papers_rates_bound_how_far_theta_and_dual_move(ten):
    problem = ten.problem()
    run = SPDG(dual="paper").start(problem, initial_model(problem, None, starts=2, seed=0))
    dual, theta = run.dual.detach().clone(), run.model.weight.detach().clone()
    run.advance(50)
    moved = (run.dual.detach() - dual).abs()
    assert 40 * 1e-4 < moved.median() < 51 * 1e-4
    assert 0 < (run.model.weight - theta).abs().max() < 51 * 1e-6


def test_the_papers_dual_is_far_from_solving_in_the_budget_that_the_log_dual_needs(ten):
    log, paper = (SPDG(steps=500, dual=dual).solve(ten.problem(), starts=8) for dual in ("log", "paper"))
    assert ten.error(log) == 0
    assert ten.error(paper) > 0.5
    assert paper.kl > 10 * log.kl


def test_the_papers_dual_stays_negative_at_a_rate_that_would_carry_it_across(ten):
    problem = ten.problem()
    run = SPDG(dual="paper", dual_rate=600.0).start(problem, initial_model(problem, None, starts=2, seed=0))
    run.dual.data.fill_(-500.0)  # beyond its optimum near -100, so that it turns back
    run.advance(1)
    assert run.dual.max() > -500
    assert run.dual.max() < 0


@pytest.mark.parametrize(("dual", "dual_rate", "steps"), [("mean", 0.2, 200), ("log", 0.5, 200), ("paper", 0.5, 2500)])
def test_with_theta_frozen_the_dual_climbs_to_its_optimum(dual, dual_rate, steps):
    problem = substitution(n_symbols=3, n_positions=1_000).problem()
    model = initial_model(problem, None, starts=2, seed=0)
    run = SPDG(dual=dual, batch_size=None, rate=0.0, dual_rate=dual_rate).start(problem, model)
    with torch.no_grad():
        model.weight.copy_(0.1 * torch.randn(model.weight.shape, generator=torch.Generator().manual_seed(1)))
        wanted = best_dual(expected_ngrams(model(problem.inputs).exp(), problem.windows))
    run.advance(steps)
    found = run.dual.detach() if dual == "paper" else -run.dual.exp()
    assert wanted.std() > 1  # not the uniform output's
    torch.testing.assert_close(found, wanted, rtol=0.01, atol=0.0)


def test_the_mean_dual_has_no_bias_on_ngrams_that_most_batches_lack():
    problem = substitution(n_symbols=10).problem()
    model = initial_model(problem, None, starts=2, seed=0)
    with torch.no_grad():
        model.weight.copy_(0.3 * torch.randn(model.weight.shape, generator=torch.Generator().manual_seed(1)))
        wanted = expected_ngrams(model(problem.inputs).exp(), problem.windows)
    rare = (wanted > 1e-5) & (wanted < 1 / 50)  # in less than half of the batches of 20 windows
    ratios = {}
    for dual in ("mean", "log"):
        run = SPDG(dual=dual, batch_size=20, rate=0.0, dual_rate=0.005).start(problem, model)
        run.catch_up()
        means = torch.zeros_like(wanted)
        for _ in range(2_000):
            run.advance(1)
            means += (-run.dual).exp() / 2_000
        ratios[dual] = float((means[rare] / wanted[rare]).mean())
    assert ratios["mean"] == pytest.approx(1.0, abs=0.1)
    assert ratios["log"] < 0.8


def test_features_and_symbols_have_a_dual_of_their_own_by_default():
    task = substitution(n_symbols=4, n_positions=400)
    duals = {}
    for name, problem in (("symbols", task.problem()), ("features", task.feature_problem())):
        run = SPDG().start(problem, initial_model(problem, None, starts=1, seed=0))
        duals[name] = type(run).__name__
    assert duals == {"symbols": "LogDualRun", "features": "MeanDualRun"}


def test_large_alphabets_fit_in_memory_at_orders_three_and_four():
    script = """
import pathlib, re, torch
from pydoc_data import topics
from labelfree.alphabet import PAPER_ALPHABET
from labelfree.lm import NGramLM
from labelfree.solvers.problem import Problem
from labelfree.solvers.spdg import SPDG
torch.set_num_threads(1)
text = " ".join(topics.topics.values())
lm = NGramLM.from_text(text, PAPER_ALPHABET, order=4)
ids = torch.from_numpy(PAPER_ALPHABET.encode(text[:30000], outside="drop")).long()
for order in (3, 4):
    problem = Problem.from_sequences(ids, [len(ids)], lm, order)
    solution = SPDG(steps=5).solve(problem, starts=4)
    print(order, problem.n_classes, len(problem.windows), solution.kl)
status = pathlib.Path("/proc/self/status").read_text()  # its own peak; getrusage keeps that of the process before
print(re.search(r"VmHWM:\\s*(\\d+)", status)[1])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    third, fourth, peak = done.stdout.splitlines()
    for order, line in ((3, third), (4, fourth)):
        found_order, n_classes, n_windows, kl = line.split()
        assert (int(found_order), int(n_classes)) == (order, 29)
        assert int(n_windows) > 2_000
        assert math.isfinite(float(kl))
    assert int(peak) < 2_000_000  # kilobytes
