"""Section 3 and appendix C: the saddle's stochastic gradients are unbiased, those of J are not."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labelfree.core import (
    Target,
    Windows,
    barrier,
    expected_ngrams,
    odm_cost,
    saddle,
    sampled_ngrams,
    subsequences,
    window_terms,
)

from .oracle import cases, close, quick

kinds = pytest.mark.parametrize("kind", ["dense", "sparse"])


def linear(inputs: torch.Tensor, theta: torch.Tensor) -> torch.Tensor:
    return torch.softmax(inputs @ theta, -1)


@kinds
@quick
@given(case=cases(max_order=3, max_classes=3))
def test_the_mean_of_all_window_gradients_is_the_full_gradient_of_the_saddle(kind, case):
    target = case.target(kind)
    inputs = torch.from_numpy(case.rng(6).standard_normal((case.n_positions, 2)))
    theta = torch.from_numpy(case.rng(7).standard_normal((2, case.n_classes))).requires_grad_()
    dual = case.dual(target).requires_grad_()
    full = torch.autograd.grad(
        saddle(expected_ngrams(linear(inputs, theta), case.windows, target), dual, target), (theta, dual)
    )
    each = []
    for rows in case.windows.rows:
        term = window_terms(linear(inputs[rows], theta)[None], dual, target)[0]
        each.append(torch.autograd.grad(term + barrier(dual, target), (theta, dual)))
    for mean, wanted in zip(map(torch.stack, zip(*each, strict=True)), full, strict=True):
        close(mean.mean(0), wanted, 1e-10)


@kinds
@quick
@given(case=cases(max_order=3, max_classes=3), n_groups=st.integers(1, 3))
def test_merged_window_gradients_weighted_by_their_shares_are_the_full_gradient(kind, case, n_groups):
    target = case.target(kind)
    windows = case.merged(n_groups)
    logits = case.logits(n_rows=n_groups).requires_grad_()
    dual = case.dual(target)
    full = torch.autograd.grad(
        saddle(expected_ngrams(torch.softmax(logits, -1), windows, target), dual, target), logits
    )
    mean = torch.zeros_like(logits)
    for rows, share in zip(windows.rows, windows.weight, strict=True):
        term = window_terms(torch.softmax(logits, -1)[rows][None], dual, target)[0]
        mean += share * torch.autograd.grad(term, logits)[0]
    close(mean, full[0], 1e-10)


class Example:
    """64 windows over three classes, a linear classifier of three inputs, and V somewhere."""

    def __init__(self, order: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        lengths = [40 + order - 1, 24 + order - 1]
        self.windows = subsequences(lengths, order)
        self.inputs = torch.from_numpy(rng.standard_normal((sum(lengths), 3)))
        self.theta = torch.from_numpy(rng.standard_normal((3, 3))).requires_grad_()
        self.target = Target(torch.from_numpy(rng.dirichlet(np.ones(3**order)).reshape((3,) * order)), 3)
        self.dual = -torch.from_numpy(rng.exponential(size=(3,) * order) + 0.1)
        self.shuffles = [torch.from_numpy(rng.permutation(64)) for _ in range(8)]

    def gradient(self, cost, windows: Windows | torch.Tensor) -> torch.Tensor:
        posteriors = linear(self.inputs, self.theta)
        if isinstance(windows, Windows):
            expected = expected_ngrams(posteriors, windows, self.target)
        else:
            expected = sampled_ngrams(posteriors[windows], self.target)
        return torch.autograd.grad(cost(expected), self.theta)[0]

    def bias(self, cost, batch: int) -> float:
        """Distance of the mean mini-batch gradient from the full one, over the full one's length.

        Each shuffle deals all windows out into batches; a mean over shuffles is a mean over batches drawn at random.
        """
        full = self.gradient(cost, self.windows)
        drawn = [rows for order in self.shuffles for rows in self.windows.rows[order].split(batch)]
        mean = torch.stack([self.gradient(cost, rows) for rows in drawn]).mean(0)
        return ((mean - full).norm() / full.norm()).item()


examples = pytest.mark.parametrize(("order", "seed"), [(1, 0), (2, 1), (2, 2), (3, 3)])


@examples
def test_mini_batches_of_the_saddle_are_unbiased_at_any_size(order, seed):
    example = Example(order, seed)
    for batch in (1, 4, 16):
        assert example.bias(lambda expected: saddle(expected, example.dual, example.target), batch) < 1e-10


@examples
def test_mini_batches_of_the_cost_are_biased_and_less_so_the_larger_they_are(order, seed):
    example = Example(order, seed)
    bias = [example.bias(lambda expected: odm_cost(expected, example.target), batch) for batch in (1, 4, 16, 64)]
    assert bias[0] > 0.2
    assert bias[0] > 2 * bias[1] > 4 * bias[2] > 1e-3
    assert bias[3] < 1e-10  # the batch is the data
