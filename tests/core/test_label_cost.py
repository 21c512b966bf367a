"""The cost of known labels: against its sum written out and against finite differences."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck

from labelfree.core import label_cost

from .oracle import quick


def drawn(seed: int, *shape: int) -> torch.Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@quick
@given(seed=st.integers(0, 999), starts=st.sampled_from([(), (3,)]), k=st.integers(1, 4), c=st.integers(1, 4))
def test_it_is_the_sum_over_rows_and_labels(seed, starts, k, c):
    log_posteriors = torch.log_softmax(5 * drawn(seed, *starts, k, c), -1)
    soft_labels = drawn(seed + 1, k, c)
    cost = label_cost(log_posteriors, soft_labels)
    assert cost.shape == starts
    for start, value in zip(log_posteriors.reshape(-1, k, c).tolist(), cost.flatten().tolist(), strict=True):
        direct = -sum(soft_labels[i, y].item() * start[i][y] for i in range(k) for y in range(c))
        assert value == pytest.approx(direct, abs=1e-12)


def test_it_is_lowest_where_the_classifier_says_what_is_known():
    soft_labels = torch.tensor([[0.25, 0.75]], dtype=torch.float64)
    costs = [float(label_cost(torch.tensor([[p, 1 - p]]).log(), soft_labels)) for p in (0.1, 0.25, 0.5)]
    assert min(costs) == costs[1] == pytest.approx(-0.25 * math.log(0.25) - 0.75 * math.log(0.75), rel=1e-6)


def test_its_slopes_are_those_of_its_finite_differences():
    logits = drawn(1, 2, 3, 4).requires_grad_()
    soft_labels = drawn(2, 3, 4)
    assert gradcheck(lambda values: label_cost(torch.log_softmax(values, -1), soft_labels), (logits,))
