"""Equation (1), its divergence, and the 2016 cost, each against its sum written out."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labelfree.core import Target, expected_likelihood_cost, expected_ngrams, kl_divergence, odm_cost

from .oracle import Case, cases, close, labellings, on_support, quick

kinds = pytest.mark.parametrize("kind", ["dense", "sparse"])


def conditional(joint: torch.Tensor) -> torch.Tensor:
    """p_LM of the last symbol given those before it."""
    return joint / joint.sum(-1, keepdim=True)


def positive_joint(case: Case) -> torch.Tensor:
    raw = torch.from_numpy(case.rng(9).exponential(size=case.shape) + 0.01)
    return raw / raw.sum()


@kinds
@quick
@given(case=cases(), starts=st.sampled_from([(), (3,)]))
def test_odm_cost_is_the_cross_entropy_from_the_language_to_the_output(kind, case, starts):
    target = case.target(kind)
    expected = expected_ngrams(case.posteriors(*starts), case.windows, target)
    cost = odm_cost(expected, target)
    assert cost.shape == starts
    wanted = target.probability.flatten().tolist()
    for row, value in zip(expected.reshape(-1, len(wanted)).tolist(), cost.flatten().tolist(), strict=True):
        direct = -sum(p * math.log(q) for p, q in zip(wanted, row, strict=True) if p > 0)
        assert value == pytest.approx(direct, rel=1e-12, abs=1e-12)


@quick
@given(cases())
def test_divergence_is_at_least_pinskers_bound_and_differs_from_the_cost_by_a_constant(case):
    target = case.dense()
    expected = expected_ngrams(case.posteriors(2), case.windows)
    kl = kl_divergence(expected, target)
    distance = (expected - target.probability).abs().flatten(1).sum(1)
    assert torch.all(kl >= distance**2 / 2 - 1e-12)
    close(odm_cost(expected, target) - kl, -target.neg_entropy.expand(2))


@quick
@given(cases())
def test_sparse_divergence_is_the_divergence_with_the_rest_as_one_cell(case):
    target = case.sparse()
    expected = expected_ngrams(case.posteriors(2), case.windows, target)
    wanted = torch.cat([target.probability, (1 - target.probability.sum()).clamp_min(0)[None]])
    found = torch.cat([expected, (1 - expected.sum(-1, keepdim=True)).clamp_min(0)], -1)
    kl = kl_divergence(expected, target)
    distance = (found - wanted).abs().sum(-1)
    assert torch.all(kl >= distance**2 / 2 - 1e-12)
    if wanted[-1] > 1e-9:  # less is rounding
        close(kl, torch.special.xlogy(wanted, wanted / found).sum(-1), 1e-9)


@kinds
@quick
@given(case=cases())
def test_divergence_is_zero_where_output_and_language_are_equal(kind, case):
    target = case.target(kind)
    kl = kl_divergence(target.probability, target)
    assert abs(kl.item()) < 1e-12


@kinds
@quick
@given(case=cases(), starts=st.sampled_from([(), (3,)]))
def test_2016_cost_is_the_double_loop_over_histories_and_symbols(kind, case, starts):
    target = case.target(kind)
    log_conditional = conditional(positive_joint(case)).log()
    expected = expected_ngrams(case.posteriors(*starts), case.windows, target)
    cost = expected_likelihood_cost(expected, on_support(log_conditional, target))
    assert cost.shape == starts
    kept = None if target.ids is None else {tuple(gram) for gram in target.ids.tolist()}
    dense = expected_ngrams(case.posteriors(*starts), case.windows).reshape(-1, *case.shape)
    for p_bar, value in zip(dense, cost.flatten().tolist(), strict=True):
        direct = 0.0
        for history in itertools.product(range(case.n_classes), repeat=case.order - 1):
            for symbol in range(case.n_classes):
                if kept is None or (*history, symbol) in kept:
                    direct -= p_bar[(*history, symbol)].item() * log_conditional[(*history, symbol)].item()
        assert value == pytest.approx(direct, rel=1e-11, abs=1e-12)


@quick
@given(cases())
def test_2016_cost_is_the_expected_log_likelihood_of_the_output_less_its_first_symbols(case):
    """Appendix A, where the first N - 1 symbols of a sequence, having no whole history, are outside the sum."""
    joint = positive_joint(case).numpy()
    log_conditional = np.log(joint / joint.sum(-1, keepdims=True))
    log_first = np.log(joint.sum(-1))  # of N - 1 symbols

    def log_lm(labels: tuple[int, ...]) -> float:
        runs = [labels[t : t + case.order] for t in range(len(labels) - case.order + 1)]
        return float(log_first[labels[: case.order - 1]] + sum(log_conditional[run] for run in runs))

    assert sum(
        math.exp(log_lm(labels)) for labels in itertools.product(range(case.n_classes), repeat=case.order)
    ) == pytest.approx(1.0)
    posteriors = case.posteriors()
    whole = boundary = 0.0
    for labels, probability in labellings(posteriors.numpy(), case.lengths):
        if len(labels) >= case.order:
            whole -= probability * log_lm(labels)
            boundary -= probability * float(log_first[labels[: case.order - 1]])
    cost = expected_likelihood_cost(expected_ngrams(posteriors, case.windows), torch.from_numpy(log_conditional))
    assert case.windows.count * cost.item() == pytest.approx(whole - boundary, rel=1e-10, abs=1e-10)


def logits_that_never_say(symbol: int) -> torch.Tensor:
    """Three positions over three classes, whose posterior of one class is exactly 0 in float64."""
    logits = torch.tensor([[0.3, -0.2, 0.1], [0.5, 0.4, -0.6], [-0.1, 0.2, 0.7]], dtype=torch.float64)
    logits[:, symbol] = -2000.0
    return logits.requires_grad_()


@pytest.mark.parametrize("order", [1, 2, 3])
@kinds
def test_what_neither_language_nor_output_has_costs_nothing_and_has_a_finite_gradient(kind, order):
    case = Case(order, 3, (3,), 0)
    joint = positive_joint(case)
    for axis in range(order):
        joint.index_fill_(axis, torch.tensor(2), 0.0)
    joint = joint / joint.sum()
    ids = None if kind == "dense" else torch.cartesian_prod(*[torch.arange(3)] * order).reshape(-1, order)
    target = Target(joint if ids is None else joint.flatten(), 3, ids)
    log_conditional = torch.where(target.probability > 0, -0.7, -torch.inf)
    costs = {
        "J": lambda expected: odm_cost(expected, target),
        "KL": lambda expected: kl_divergence(expected, target),
        "2016": lambda expected: expected_likelihood_cost(expected, log_conditional),
    }
    for name, cost in costs.items():
        logits = logits_that_never_say(2)
        expected = expected_ngrams(torch.softmax(logits, -1), case.windows, target)
        assert (expected == 0).any()
        value = cost(expected)
        value.backward()
        assert value.isfinite(), name
        assert logits.grad.isfinite().all(), name
        if name == "2016":
            assert value.item() == pytest.approx(0.7)
        else:
            assert logits.grad.abs().max() > 1e-3


def test_what_the_language_has_and_the_output_lacks_costs_infinitely_much():
    target = Target(torch.tensor([0.5, 0.5]), n_classes=2)
    assert odm_cost(torch.tensor([1.0, 0.0]), target) == torch.inf


def test_2016_gradient_sees_ngrams_that_do_not_come_out_yet():
    expected = torch.tensor([1.0, 0.0], requires_grad=True)
    expected_likelihood_cost(expected, torch.tensor([-1.0, -2.0])).backward()
    assert expected.grad.tolist() == [1.0, 2.0]
