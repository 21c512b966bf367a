"""The saddle function: its maximum over V is J, and its windows add up to it."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labelfree.core import (
    Target,
    barrier,
    best_dual,
    expected_ngrams,
    odm_cost,
    primal_term,
    saddle,
    window_terms,
)

from .oracle import cases, close, every_size, on_support, quick

kinds = pytest.mark.parametrize("kind", ["dense", "sparse"])
some_starts = st.sampled_from([(), (3,)])


@kinds
@quick
@given(case=cases(), starts=some_starts)
def test_the_maximum_over_the_dual_is_the_cost(kind, case, starts):
    target = case.target(kind)
    expected = expected_ngrams(case.posteriors(*starts), case.windows, target)
    dual = best_dual(expected).requires_grad_()
    value = saddle(expected, dual, target)
    assert value.shape == starts
    close(value, odm_cost(expected, target))
    value.sum().backward()
    # In units of V, where the slope is p (p_bar + 1 / v): relative to each of the two terms that cancel.
    close(dual.grad * dual.detach(), torch.zeros_like(dual))


@kinds
@quick
@given(case=cases(), starts=some_starts)
def test_any_other_dual_gives_less_by_the_convex_gap(kind, case, starts):
    target = case.target(kind)
    expected = expected_ngrams(case.posteriors(*starts), case.windows, target)
    dual = case.dual(target, *starts)
    ratio = dual / best_dual(expected)
    axes = tuple(range(len(starts), dual.ndim))
    gap = (target.probability * (ratio - 1 - ratio.log())).sum(axes)
    value = saddle(expected, dual, target)
    close(odm_cost(expected, target) - value, gap, 1e-10)
    assert torch.all((value < odm_cost(expected, target)) | (gap < 1e-9))


@pytest.mark.parametrize("factor", [0.5, 0.99, 1.01, 2.0])
def test_moving_one_dual_variable_off_its_best_lowers_the_saddle(factor):
    target = Target(torch.tensor([[0.1, 0.2], [0.3, 0.4]], dtype=torch.float64), n_classes=2)
    expected = torch.tensor([[0.25, 0.15], [0.35, 0.25]], dtype=torch.float64)
    for cell in itertools.product(range(2), repeat=2):
        dual = best_dual(expected)
        dual[cell] *= factor
        assert saddle(expected, dual, target) < odm_cost(expected, target) - 1e-6


@kinds
@quick
@given(case=cases(), starts=some_starts)
@every_size(starts=(2,))
def test_a_window_term_is_the_papers_sum_over_ngrams(kind, case, starts):
    target = case.target(kind)
    posteriors = case.posteriors(*starts)
    dual = case.dual(target, *starts)
    terms = window_terms(posteriors[..., case.windows.rows, :], dual, target)
    assert terms.shape == (*starts, len(case.windows))
    grams = (
        list(itertools.product(range(case.n_classes), repeat=case.order)) if kind == "dense" else target.ids.tolist()
    )
    for start in itertools.product(*map(range, starts)):
        weight = (target.probability * dual[start]).flatten().tolist()
        table = posteriors[start].tolist()
        for rows, term in zip(case.windows.rows.tolist(), terms[start].tolist(), strict=True):
            direct = sum(
                w * math.prod(table[row][symbol] for row, symbol in zip(rows, gram, strict=True))
                for w, gram in zip(weight, grams, strict=True)
            )
            assert term == pytest.approx(direct, rel=1e-11, abs=1e-13)


@kinds
@quick
@given(case=cases(), starts=some_starts)
def test_the_mean_window_term_and_the_barrier_make_the_saddle(kind, case, starts):
    target = case.target(kind)
    posteriors = case.posteriors(*starts)
    dual = case.dual(target, *starts)
    expected = expected_ngrams(posteriors, case.windows, target)
    mean = window_terms(posteriors[..., case.windows.rows, :], dual, target).mean(-1)
    close(mean, primal_term(expected, dual, target))
    close(mean + barrier(dual, target), saddle(expected, dual, target))


@quick
@given(cases(), st.integers(1, 3))
def test_merged_window_terms_weighted_by_their_shares_make_the_saddle(case, n_groups):
    target = case.dense()
    windows = case.merged(n_groups)
    posteriors = case.posteriors(n_rows=n_groups)
    dual = case.dual(target)
    weighted = windows.weight @ window_terms(posteriors[windows.rows], dual, target)
    close(weighted, primal_term(expected_ngrams(posteriors, windows), dual, target))


@quick
@given(cases())
def test_one_dual_serves_many_starts(case):
    target = case.dense()
    dual = case.dual(target)
    posteriors = case.posteriors(3)[..., case.windows.rows, :]
    close(window_terms(posteriors, dual, target), torch.stack([window_terms(p, dual, target) for p in posteriors]))


@quick
@given(cases())
def test_a_list_of_all_ngrams_equals_the_dense_table(case):
    dense = case.dense()
    ids = torch.tensor(list(itertools.product(range(case.n_classes), repeat=case.order)))
    listed = Target(on_support(dense.probability, Target(dense.probability, case.n_classes, ids)), case.n_classes, ids)
    posteriors, dual = case.posteriors(), case.dual(dense)
    rows = posteriors[case.windows.rows]
    close(window_terms(rows, dual.flatten(), listed), window_terms(rows, dual, dense))
    close(barrier(dual.flatten(), listed), barrier(dual, dense))


@kinds
def test_ngrams_that_neither_side_has_leave_the_saddle_and_its_gradients_finite(kind):
    ids = None if kind == "dense" else torch.tensor([[0], [1], [2]])
    target = Target(torch.tensor([0.25, 0.75, 0.0], dtype=torch.float64), n_classes=3, ids=ids)
    rows = torch.tensor([[[0.5, 0.5, 0.0]]], dtype=torch.float64, requires_grad=True)
    expected = rows[0, 0]
    dual = best_dual(expected.detach()).requires_grad_()
    assert dual[2] == -torch.inf
    close(saddle(expected, dual, target), odm_cost(expected, target))
    (saddle(expected, dual, target) + window_terms(rows, dual, target).sum()).backward()
    assert rows.grad.isfinite().all()
    assert dual.grad.isfinite().all()
