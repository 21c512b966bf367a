"""Every cost's gradient with respect to the logits, against finite differences."""

from contextlib import nullcontext
from dataclasses import replace

import pytest
import torch
from torch.autograd import gradcheck

from labelfree.core import expected_likelihood_cost, expected_ngrams, kl_divergence, odm_cost, saddle, window_terms

from .oracle import Case, chunks_of

CASES = {
    1: Case(1, 3, (2, 0, 3), seed=11),
    2: Case(2, 3, (4, 1, 2), seed=12),
    3: Case(3, 2, (2, 4, 3), seed=13),
    4: Case(4, 2, (5, 3), seed=14),
}

orders = pytest.mark.parametrize("order", CASES)
kinds = pytest.mark.parametrize("kind", ["dense", "sparse"])
merging = pytest.mark.parametrize("merged", [False, True], ids=["plain", "merged"])
paths = pytest.mark.parametrize("path", [nullcontext, lambda: chunks_of(1)], ids=["at once", "in checkpointed chunks"])


@orders
@kinds
@merging
@paths
def test_costs_of_the_logits_have_the_slopes_of_their_finite_differences(order, kind, merged, path):
    case = replace(CASES[order])  # a copy: what is cached on one path must not serve the other
    target = case.target(kind)
    windows = case.merged(3) if merged else case.windows
    logits = case.logits(n_rows=windows.n_rows).requires_grad_()
    dual = case.dual(target).requires_grad_()
    log_conditional = torch.from_numpy(case.rng(6).random(target.probability.shape) + 0.05).log()

    def costs(values, nu):
        p_bar = expected_ngrams(torch.softmax(values, -1), windows, target)
        return (
            odm_cost(p_bar, target),
            kl_divergence(p_bar, target),
            expected_likelihood_cost(p_bar, log_conditional),
            saddle(p_bar, nu, target),
        )

    assert len(windows) > 1  # or there would be no chunks
    with path():
        assert gradcheck(costs, (logits, dual))


@orders
@kinds
def test_window_terms_have_the_slopes_of_their_finite_differences(order, kind):
    case = CASES[order]
    target = case.target(kind)
    logits = case.logits().requires_grad_()
    dual = case.dual(target).requires_grad_()

    def terms(values, nu):
        return window_terms(torch.softmax(values, -1)[case.windows.rows], nu, target)

    assert gradcheck(terms, (logits, dual))
