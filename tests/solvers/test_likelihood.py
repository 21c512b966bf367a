"""The 2016 cost collapses; its generative term holds it up."""

import pytest
import torch

from labelfree.core import Target, expected_ngrams
from labelfree.errors import InputError
from labelfree.solvers.likelihood import Likelihood, log_conditionals
from labelfree.solvers.method import initial_model

from .substitution import substitution


def classes_used(solution, problem) -> int:
    return solution.model(problem.inputs).argmax(-1).unique().numel()


@pytest.mark.parametrize("batch_size", [None, 200])
@pytest.mark.parametrize("seed", [0, 1])
def test_without_reconstruction_the_output_collapses(seed, batch_size):
    task = substitution(n_symbols=10, seed=seed)
    problem = task.problem()
    solution = Likelihood(steps=500, batch_size=batch_size, reconstruction=0.0).solve(problem, starts=4)
    assert classes_used(solution, problem) <= 3
    assert task.error(solution) > 0.6
    assert min(solution.restarts) > 1


def test_the_more_reconstruction_weighs_the_more_classes_stay_in_use():
    problem = substitution(n_symbols=10).problem()
    bare, held = (
        classes_used(Likelihood(steps=500, batch_size=200, reconstruction=weight).solve(problem, starts=4), problem)
        for weight in (0.0, 30.0)
    )
    assert held >= 2 * bare


def test_the_categorical_term_is_its_sum_written_out():
    problem = substitution(n_symbols=3, n_positions=300).problem()
    run = Likelihood(batch_size=None).start(problem, initial_model(problem, None, starts=2, seed=0))
    with torch.no_grad():
        run.decoder.copy_(torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(0)))
        run.model.weight.copy_(torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(1)))
    posteriors = run.model(problem.inputs).exp()
    run.expected()
    log_emissions = torch.log_softmax(10 * run.decoder, -1)
    for s in range(2):
        total = sum(posteriors[s, x, y] * log_emissions[s, y, x] for x in problem.positions for y in range(3))
        assert run.unexplained[s].item() == pytest.approx(-total.item() / 300, rel=1e-4)


def test_the_gaussian_term_is_its_sum_written_out_and_a_share_of_variance():
    task = substitution(n_symbols=3, n_positions=300)
    problem = task.feature_problem(noise=0.3)
    run = Likelihood(batch_size=None).start(problem, initial_model(problem, None, starts=2, seed=0))
    run.expected()
    torch.testing.assert_close(run.unexplained, torch.ones(2))  # nothing explained yet
    with torch.no_grad():
        run.decoder.copy_(torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(0)))
        run.model.weight.copy_(torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(1)))
    run.expected()
    posteriors = run.model(problem.inputs).exp()
    mean, variance = problem.inputs.mean(0), problem.inputs.var(0, correction=0).mean()
    for s in range(2):
        centres = mean + variance.sqrt() * run.decoder[s]
        squares = (problem.inputs[:, None] - centres).square().sum(-1)
        wanted = (posteriors[s] * squares).sum() / (300 * 3 * variance)
        assert run.unexplained[s].item() == pytest.approx(wanted.item(), rel=1e-4)


@pytest.mark.parametrize("features", [False, True])
def test_a_large_mini_batch_estimates_what_the_full_batch_computes(features):
    task = substitution(n_symbols=4, n_positions=1_000)
    problem = task.feature_problem(noise=0.3) if features else task.problem()
    exact, drawn = (
        Likelihood(batch_size=size).start(problem, initial_model(problem, None, starts=2, seed=0))
        for size in (None, 20_000)
    )
    for run in (exact, drawn):
        with torch.no_grad():
            run.model.weight.copy_(torch.eye(4).expand(2, 4, 4))
            run.decoder.copy_(0.1 * torch.eye(4).expand(2, 4, 4))
    torch.testing.assert_close(drawn.expected(), exact.expected(), rtol=0.2, atol=0.003)
    torch.testing.assert_close(drawn.unexplained, exact.unexplained, rtol=0.02, atol=0.0)


def test_a_sparse_target_that_lists_every_n_gram_costs_as_the_dense_one():
    joint = torch.rand(3, 3, generator=torch.Generator().manual_seed(0))
    joint /= joint.sum()
    ids = torch.cartesian_prod(torch.arange(3), torch.arange(3))
    dense, _ = log_conditionals(Target(joint, 3))
    sparse, lowest = log_conditionals(Target(joint.flatten(), 3, ids))
    torch.testing.assert_close(sparse, dense.flatten())
    torch.testing.assert_close(dense.exp().sum(-1), torch.ones(3))
    assert lowest == dense.min()


def test_output_outside_a_sparse_target_costs_as_much_as_its_dearest_n_gram(monkeypatch):
    monkeypatch.setattr("labelfree.solvers.problem._DENSE_NGRAMS", 10)
    problem = substitution(n_symbols=4, n_positions=1_000).problem()
    run = Likelihood(batch_size=None, reconstruction=0.0).start(problem, initial_model(problem, None, 1, 0))
    inside = expected_ngrams(run.model(problem.inputs).exp(), problem.windows, problem.target).detach()
    assert inside.sum() < 0.9
    lost = inside * 0.5
    extra = (run.loss(lost) - 0.5 * run.loss(inside) + 0.5 * run.log_rest).item()
    assert extra == pytest.approx(0.0, abs=1e-5)
    assert run.loss(torch.zeros_like(inside)).item() == pytest.approx(-run.log_rest.item())


def test_a_negative_weight_is_refused():
    with pytest.raises(InputError, match="reconstruction is -1, wanted 0 or more"):
        Likelihood(reconstruction=-1).solve(substitution(n_symbols=3, n_positions=300).problem())
