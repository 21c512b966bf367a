"""Equation (2) against the enumeration of all label sequences."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import labelfree.core.expected as expected_module
from labelfree.core import Target, Windows, expected_ngrams, sampled_ngrams, subsequences

from .oracle import Case, cases, chunks_of, close, enumerated_ngrams, every_size, on_support, quick

kinds = pytest.mark.parametrize("kind", ["dense", "sparse"])


@kinds
@quick
@given(case=cases())
@every_size()
def test_equals_the_expected_count_over_all_label_sequences(kind, case):
    target = case.target(kind)
    posteriors = case.posteriors()
    wanted = enumerated_ngrams(posteriors, case.lengths, case.order)
    close(expected_ngrams(posteriors, case.windows, target), on_support(wanted, target))


@kinds
@quick
@given(case=cases(), n_groups=st.integers(1, 3))
@every_size(n_groups=3)
def test_merged_windows_stand_for_the_label_sequences_of_their_members(kind, case, n_groups):
    target = case.target(kind)
    per_group = case.posteriors(n_rows=n_groups)
    wanted = enumerated_ngrams(per_group[case.groups(n_groups)], case.lengths, case.order)
    close(expected_ngrams(per_group, case.merged(n_groups), target), on_support(wanted, target))


@quick
@given(cases())
def test_without_a_target_all_ngrams_come_out_and_sum_to_one(case):
    expected = expected_ngrams(case.posteriors(), case.windows)
    assert expected.shape == case.shape
    close(expected.sum(), torch.tensor(1.0, dtype=torch.float64))
    close(expected, expected_ngrams(case.posteriors(), case.windows, case.dense()))


@quick
@given(cases())
def test_certain_posteriors_count_the_ngrams_of_the_text(case):
    labels = case.rng(7).integers(case.n_classes, size=case.n_positions)
    counts = torch.zeros(case.shape, dtype=torch.float64)
    for window in case.windows.rows.tolist():
        counts[tuple(labels[window])] += 1 / len(case.windows)
    close(expected_ngrams(torch.eye(case.n_classes, dtype=torch.float64)[labels], case.windows), counts)


@kinds
@pytest.mark.parametrize("merged", [False, True], ids=["plain", "merged"])
@quick
@given(case=cases(), starts=st.sampled_from([(1,), (3,), (2, 2)]))
def test_starts_do_not_mix(kind, merged, case, starts):
    target = case.target(kind)
    windows = case.merged(3) if merged else case.windows
    posteriors = case.posteriors(*starts, n_rows=windows.n_rows)
    together = expected_ngrams(posteriors, windows, target)
    assert together.shape == (*starts, *target.probability.shape)
    alone = [expected_ngrams(start, windows, target) for start in posteriors.flatten(0, -3)]
    close(together, torch.stack(alone).reshape(together.shape))


@kinds
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@quick
@given(case=cases())
def test_the_result_has_the_precision_of_the_posteriors(kind, dtype, case):
    target = case.target(kind)
    posteriors = case.posteriors().to(dtype)
    wanted = on_support(enumerated_ngrams(posteriors, case.lengths, case.order), target)
    close(
        expected_ngrams(posteriors, case.windows, target), wanted.to(dtype), 1e-14 if dtype == torch.float64 else 1e-6
    )


@kinds
@pytest.mark.parametrize("merged", [False, True], ids=["plain", "merged"])
@quick
@given(case=cases(), numbers=st.integers(1, 40), starts=st.sampled_from([(), (2,)]))
def test_chunks_change_neither_value_nor_gradient(kind, merged, case, numbers, starts):
    target = case.target(kind)
    windows = case.merged(3) if merged else case.windows
    whole, parts = (case.posteriors(*starts, n_rows=windows.n_rows).requires_grad_() for _ in range(2))
    pull = torch.from_numpy(case.rng(8).standard_normal((*starts, *target.probability.shape)))
    unchunked = expected_ngrams(whole, windows, target)
    (unchunked * pull).sum().backward()
    fresh = Windows(windows.rows, windows.weight, windows.n_rows, windows.count)  # pair_table is cached
    with chunks_of(numbers):
        chunked = expected_ngrams(parts, fresh, target)
        (chunked * pull).sum().backward()
    close(chunked, unchunked)
    close(parts.grad, whole.grad)


@pytest.mark.parametrize("needs_gradient", [False, True])
def test_chunks_are_computed_again_for_the_gradient_and_only_for_it(monkeypatch, needs_gradient):
    calls = []
    original = expected_module._factors

    def spy(*args):
        calls.append(args[1].shape[0])
        return original(*args)

    monkeypatch.setattr(expected_module, "_factors", spy)
    monkeypatch.setattr(expected_module, "_CHUNK_NUMBERS", 2 * 2**2)  # two windows of order 3 over two classes
    posteriors = torch.full((7, 2), 0.5, requires_grad=needs_gradient)
    expected = expected_ngrams(posteriors, subsequences([7], order=3))
    assert calls == [2, 2, 1]
    if needs_gradient:
        expected.square().sum().backward()
        assert sorted(calls) == [1, 1, 2, 2, 2, 2]


@quick
@given(cases(min_order=2, max_order=2), st.booleans())
def test_the_table_of_pairs_equals_the_list_of_pairs(case, is_merged):
    windows = case.merged(3) if is_merged else case.windows
    with_table, without = (Windows(windows.rows, windows.weight, windows.n_rows, windows.count) for _ in range(2))
    posteriors = case.posteriors(2, n_rows=windows.n_rows)
    assert with_table.pair_table is not None
    with chunks_of(2**20):
        assert without.pair_table is None
        close(expected_ngrams(posteriors, with_table), expected_ngrams(posteriors, without))


def test_only_pairs_in_a_small_table_are_kept_as_a_table():
    assert subsequences([3], order=3).pair_table is None
    assert subsequences([2] + [1] * 7, order=2).pair_table is None  # 81 cells for a single window
    table = subsequences([3], order=2).pair_table
    assert table.tolist() == [[0, 0.5, 0], [0, 0, 0.5], [0, 0, 0]]


@kinds
@quick
@given(case=cases(), starts=st.sampled_from([(), (2,)]), size=st.integers(1, 5))
def test_a_mini_batch_is_the_mean_over_its_windows(kind, case, starts, size):
    target = case.target(kind)
    posteriors = case.posteriors(*starts)
    rows = case.windows.sample((size,), torch.Generator().manual_seed(case.seed))
    sampled = sampled_ngrams(posteriors[..., rows, :], target)
    one = torch.tensor([1.0], dtype=torch.float64)
    each = [
        expected_ngrams(posteriors, Windows(row[None], one, n_rows=case.n_positions, count=1), target) for row in rows
    ]
    close(sampled, torch.stack(each).mean(0))


@quick
@given(cases())
def test_a_mini_batch_of_every_window_is_the_whole(case):
    posteriors = case.posteriors()
    close(sampled_ngrams(posteriors[case.windows.rows]), expected_ngrams(posteriors, case.windows))


def test_a_sparse_target_of_single_symbols_is_a_selection():
    target = Target(torch.tensor([0.2, 0.3]), n_classes=3, ids=torch.tensor([[0], [2]]))
    posteriors = torch.tensor([[0.2, 0.7, 0.1], [0.4, 0.3, 0.3]])
    close(expected_ngrams(posteriors, subsequences([2], order=1), target), torch.tensor([0.3, 0.2]), 1e-6)


def test_only_a_sparse_target_has_prefixes():
    with pytest.raises(TypeError, match="dense"):
        _ = Case(2, 2, (3,), 0).dense().prefixes
