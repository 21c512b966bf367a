import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from labelfree.core import Windows, expected_ngrams, merge_windows, subsequences
from labelfree.errors import InputError

from .oracle import cases, quick


@quick
@given(cases())
def test_subsequences_are_all_runs_inside_one_sequence(case):
    sequence_of = np.repeat(np.arange(len(case.lengths)), case.lengths)
    runs = [range(t, t + case.order) for t in range(case.n_positions - case.order + 1)]
    wanted = [list(run) for run in runs if len({sequence_of[row] for row in run}) == 1]
    windows = case.windows
    assert windows.rows.tolist() == wanted
    assert windows.weight.tolist() == [1 / len(wanted)] * len(wanted)
    assert (len(windows), windows.count, windows.order, windows.n_rows) == (
        len(wanted),
        len(wanted),
        case.order,
        case.n_positions,
    )


@quick
@given(cases(), st.integers(1, 3))
def test_merged_windows_are_the_distinct_group_tuples_with_their_shares(case, n_groups):
    groups = case.groups(n_groups)
    tuples = [tuple(groups[row] for row in window) for window in case.windows.rows.tolist()]
    merged = case.merged(n_groups)
    assert [tuple(row) for row in merged.rows.tolist()] == sorted(set(tuples))
    shares = [tuples.count(tuple(row)) / len(tuples) for row in merged.rows.tolist()]
    np.testing.assert_allclose(merged.weight, shares, rtol=1e-14)
    assert (merged.count, merged.n_rows) == (len(tuples), n_groups)


@quick
@given(cases(), st.integers(1, 4), st.integers(1, 3))
def test_merging_twice_is_merging_by_the_composed_groups(case, n_first, n_second):
    first = case.groups(n_first)
    second = case.rng(6).integers(n_second, size=n_first)
    twice = merge_windows(merge_windows(case.windows, first, n_first), second, n_second)
    once = merge_windows(case.windows, second[first], n_second)
    assert twice.rows.tolist() == once.rows.tolist()
    np.testing.assert_allclose(twice.weight, once.weight, rtol=1e-14)
    assert (twice.count, twice.n_rows) == (once.count, once.n_rows)


@pytest.mark.parametrize(
    "windows",
    [
        subsequences([6, 1, 5], order=2),
        merge_windows(subsequences([13], order=2), [0, 0, 0, 0, 1, 0, 0, 2, 2, 0, 1, 1, 0], n_groups=3),
        merge_windows(subsequences([9], order=1), [0, 1, 1, 2, 2, 2, 2, 0, 2], n_groups=3),
    ],
    ids=["plain", "merged pairs", "merged singles"],
)
def test_windows_are_drawn_as_often_as_they_weigh(windows):
    drawn = windows.sample((100, 200), torch.Generator().manual_seed(0))
    assert drawn.shape == (100, 200, windows.order)
    distinct, counts = torch.unique(drawn.flatten(0, 1), dim=0, return_counts=True)
    assert distinct.tolist() == windows.rows.tolist()
    assert chisquare(counts.numpy(), windows.weight.numpy() * 20_000).pvalue > 0.01


def test_weightless_windows_are_never_drawn():
    windows = Windows(torch.arange(4)[:, None], torch.tensor([0.0, 0.5, 0.0, 0.5]), n_rows=4, count=9)
    assert set(windows.sample((500,), torch.Generator().manual_seed(0)).flatten().tolist()) == {1, 3}


@pytest.mark.parametrize("n_groups", [3, 12])
def test_equal_generators_draw_equal_windows_and_others_do_not(n_groups):
    windows = merge_windows(subsequences([12], order=2), np.arange(12) % n_groups, n_groups)
    first, again, other = (windows.sample((50,), torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("lengths", [[], [0], [2, 1, 2]])
def test_sequences_all_shorter_than_a_window_are_refused_with_the_numbers(lengths):
    with pytest.raises(InputError, match=rf"3 positions.*{len(lengths)} sequences has {max(lengths, default=0)}"):
        subsequences(lengths, order=3)


def test_the_expected_ngrams_of_no_windows_are_refused():
    none = Windows(torch.empty(0, 2, dtype=torch.long), torch.empty(0), n_rows=2, count=0)
    with pytest.raises(InputError, match="no windows"):
        expected_ngrams(torch.eye(2), none)


@pytest.mark.parametrize("groups", [[0, 2, 0], [0, -1, 0]])
def test_groups_outside_their_range_are_refused(groups):
    with pytest.raises(InputError, match="2 groups"):
        merge_windows(subsequences([3], order=2), groups, n_groups=2)


def test_more_group_tuples_than_integers_are_refused():
    with pytest.raises(InputError, match="fewer groups"):
        merge_windows(subsequences([4], order=4), [0, 1, 2, 3], n_groups=2**16)


@pytest.mark.parametrize("merged", [False, True])
def test_sampled_pair_tables_sum_to_one_and_average_to_the_shares(merged):
    windows = subsequences([5, 1, 4], order=2)
    if merged:
        windows = merge_windows(windows, [0, 1, 0, 1, 0, 2, 1, 1, 0, 2], n_groups=3)
    tables = windows.sample_pair_tables(300, 200, torch.Generator().manual_seed(0))
    wanted = torch.zeros(windows.n_rows, windows.n_rows, dtype=torch.float64)
    wanted[windows.rows[:, 0], windows.rows[:, 1]] = windows.weight
    torch.testing.assert_close(tables.sum((1, 2)), torch.ones(300))
    torch.testing.assert_close(tables.double().mean(0), wanted, atol=0.01, rtol=0)
    assert (tables.mean(0)[wanted == 0] == 0).all()
