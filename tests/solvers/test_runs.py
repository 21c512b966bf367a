"""What all gradient methods share: starts that do not touch, thinning out, finite numbers."""

import copy

import pytest
import torch

from labelfree.core import expected_ngrams, odm_cost
from labelfree.errors import NonFiniteError
from labelfree.models import make_model
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.likelihood import Likelihood
from labelfree.solvers.method import initial_model
from labelfree.solvers.sgd import SGD
from labelfree.solvers.spdg import SPDG

from .substitution import substitution

EXACT = {
    "full batch": FullBatch(),
    "spdg": SPDG(batch_size=None),
    "paper": SPDG(batch_size=None, dual="paper", rate=0.005, dual_rate=0.05),
    "likelihood": Likelihood(batch_size=None),
}
exact_methods = pytest.mark.parametrize("method", EXACT.values(), ids=EXACT.keys())


@pytest.fixture(scope="module")
def small():
    return substitution(n_symbols=5, n_positions=2_000)


@pytest.mark.parametrize("name", ["full batch", "spdg", "likelihood"])  # the paper's dual starts at random
def test_a_start_runs_alone_as_it_runs_among_others(small, name):
    problem = small.problem()
    together = initial_model(problem, None, starts=3, seed=1)
    alone = copy.deepcopy(together)
    alone.keep(torch.tensor([1]))
    before = alone.weight.detach().clone()
    for model in (together, alone):
        EXACT[name].start(problem, model).advance(60)
    assert not torch.allclose(alone.weight, before, atol=0.01)
    torch.testing.assert_close(alone.weight[0], together.weight[1], rtol=1e-3, atol=1e-4)


@exact_methods
def test_a_kept_start_goes_on_as_if_none_had_been_dropped(small, method):
    problem = small.problem()
    thinned, whole = (method.start(problem, initial_model(problem, None, starts=3, seed=1), seed=2) for _ in range(2))
    thinned.advance(40)
    thinned.keep(torch.tensor([2, 0]))
    thinned.advance(40)
    whole.advance(80)
    assert thinned.scores().shape == (2,)
    torch.testing.assert_close(thinned.model.weight, whole.model.weight[[2, 0]], rtol=1e-3, atol=1e-4)
    assert not torch.allclose(whole.model.weight[2], whole.model.weight[1], atol=1e-4)


def test_a_penalty_of_its_own_goes_with_a_kept_start(small):
    problem = small.feature_problem(noise=0.1)
    model = make_model("linear", 3, problem.n_inputs, problem.n_classes)
    run = FullBatch(l2=torch.tensor([0.0, 0.1, 10.0])).start(problem, model)
    run.keep(torch.tensor([2, 1]))
    assert run.l2.tolist() == pytest.approx([10.0, 0.1])


@pytest.mark.parametrize(
    "method", [SPDG(steps=50), SPDG(steps=50, dual="paper"), SGD(steps=50), Likelihood(steps=50)], ids=repr
)
def test_the_same_seed_gives_the_same_bits_and_another_seed_others(small, method):
    problem = small.problem()
    first, again, other = (method.solve(problem, starts=2, seed=seed) for seed in (3, 3, 4))
    assert torch.equal(first.model.weight, again.model.weight)
    assert first.restarts == again.restarts
    assert first.restarts != other.restarts


def test_full_batch_lowers_the_cost_at_every_step(small):
    problem = small.problem()
    run = FullBatch(rate=0.001).start(problem, initial_model(problem, None, starts=2, seed=0))
    costs = []
    for _ in range(100):
        run.advance(1)
        with torch.no_grad():
            posteriors = run.model(problem.inputs).double().exp()
            costs.append(odm_cost(expected_ngrams(posteriors, problem.windows), problem.target))
    change = torch.stack(costs).diff(dim=0)
    assert (change < 1e-9).all()
    assert (change.sum(0) < -0.01).all()


@pytest.mark.parametrize("batch_size", [1, 7, 5_000, None])
def test_sgd_takes_any_batch_size(small, batch_size):
    solution = SGD(steps=20, batch_size=batch_size).solve(small.problem(), starts=2)
    assert solution.n_steps == 20
    assert 0 <= solution.kl < 100


def test_sgd_over_all_windows_is_full_batch_descent(small):
    biased, exact = (method(steps=30, batch_size=None).solve(small.problem()) for method in (SGD, FullBatch))
    assert torch.equal(biased.model.weight, exact.model.weight)


@exact_methods
def test_an_infinite_feature_stops_the_run_with_step_and_tensor(small, method):
    problem = small.feature_problem()
    problem.inputs[7, 1] = torch.inf
    run = method.start(problem, initial_model(problem, None, starts=2, seed=0))
    with pytest.raises(NonFiniteError, match=r"^loss is no longer finite at step 1 of \w+Run: 2 of 2 values; .*rate$"):
        run.advance(12)


def test_a_rate_too_large_for_the_features_stops_the_run(small):
    problem = small.feature_problem()
    problem.inputs.mul_(1e3)
    with pytest.raises(NonFiniteError, match=r"loss is no longer finite at step 2 of ODMRun: .*lower the rate"):
        FullBatch(rate=1e36).solve(problem)


@pytest.mark.parametrize(("kind", "rate"), [("linear", 0.02), ("mlp", 0.003)])
def test_features_are_solved_by_every_classifier(kind, rate):
    clean = substitution(n_symbols=6, n_positions=4_000, seed=1)
    problem = clean.feature_problem(noise=0.1)
    solution = SPDG(steps=500, rate=rate).solve(problem, kind=kind, starts=6)
    assert clean.error(solution, problem.inputs) < 0.01
