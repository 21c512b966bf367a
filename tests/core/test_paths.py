"""Following likely symbols alone against multiplying everything out."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import labelfree.core.expected as expected_module
import labelfree.core.paths as paths_module
from labelfree.core import Target, expected_ngrams
from labelfree.core.paths import followed_ngrams

from .oracle import Case, cases, close, enumerated_ngrams, every_size, on_support, quick


@quick
@given(case=cases())
@every_size()
def test_all_paths_together_are_the_expected_count_over_all_label_sequences(case):
    target = case.sparse()
    posteriors = case.posteriors()
    wanted = on_support(enumerated_ngrams(posteriors, case.lengths, case.order), target)
    close(followed_ngrams(posteriors, case.windows.rows, case.windows.weight, target), wanted)


@pytest.mark.parametrize("merged", [False, True], ids=["plain", "merged"])
@quick
@given(case=cases(), starts=st.sampled_from([(), (3,), (2, 2)]))
def test_many_windows_are_followed_with_the_same_value_and_gradient(merged, case, starts):
    target = case.sparse()
    windows = case.merged(3) if merged else case.windows
    whole, parts = (case.posteriors(*starts, n_rows=windows.n_rows).requires_grad_() for _ in range(2))
    pull = torch.from_numpy(case.rng(8).standard_normal((*starts, *target.probability.shape)))
    multiplied = expected_ngrams(whole, windows, target)
    (multiplied * pull).sum().backward()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expected_module, "_PRODUCTS", 0)
        followed = expected_ngrams(parts, windows, target)
    (followed * pull).sum().backward()
    close(followed, multiplied)
    close(parts.grad, whole.grad)


@quick
@given(case=cases(), most=st.integers(1, 60))
def test_what_is_passed_over_leaves_a_lower_bound_and_no_more_paths_than_wanted(case, most):
    target, posteriors, windows = case.sparse(), case.posteriors(), case.windows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths_module, "_MOST_PATHS", most)
        kept = paths_module._kept(posteriors, windows.rows)
        found = followed_ngrams(posteriors, windows.rows, windows.weight, target)
    assert int(kept.sum(1)[windows.rows].prod(1).sum()) <= max(most, len(windows))
    assert (kept.sum(1) >= 1).all()
    passed_over = float((1 - (posteriors * kept).sum(1)[windows.rows].prod(1)) @ windows.weight)
    assert (found is None) == (passed_over > 0.5)
    if found is not None:
        missed = expected_ngrams(posteriors, windows, target) - found
        assert missed.min() > -1e-12
        assert float(missed.sum()) <= passed_over + 1e-12


def test_what_cannot_be_followed_is_multiplied_out(monkeypatch):
    case = Case(order=3, n_classes=4, lengths=(9,), seed=0)
    target, posteriors = case.sparse(), torch.full((9, 4), 0.25, dtype=torch.float64)
    monkeypatch.setattr(expected_module, "_PRODUCTS", 0)
    monkeypatch.setattr(paths_module, "_MOST_PATHS", 1)
    assert followed_ngrams(posteriors, case.windows.rows, case.windows.weight, target) is None
    close(expected_ngrams(posteriors, case.windows, target), torch.full_like(target.probability, 0.25**3))


@quick
@given(cases())
def test_certain_posteriors_are_followed_exactly_however_few_paths_there_may_be(case):
    target, windows = case.sparse(), case.windows
    labels = case.rng(7).integers(case.n_classes, size=case.n_positions)
    certain = torch.eye(case.n_classes, dtype=torch.float64)[labels]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths_module, "_MOST_PATHS", 1)
        found = followed_ngrams(certain, windows.rows, windows.weight, target)
    close(found, expected_ngrams(certain, windows, target))


def test_only_a_sparse_target_has_codes():
    with pytest.raises(TypeError, match="no list of codes"):
        _ = Target(torch.full((2, 2), 0.25), n_classes=2).codes
