"""Counts of runs of symbols: against brute force, and added up."""

from collections import Counter

import numpy as np
import pytest
import torch

from labelfree.errors import InputError
from labelfree.solvers.symbol_counts import SymbolCounts

from .substitution import substitution


def brute_force(sequences, n):
    return Counter(tuple(one[i : i + n]) for one in sequences for i in range(len(one) - n + 1))


def counted(sequences, order=3):
    return SymbolCounts.of(np.concatenate(sequences), [len(one) for one in sequences], order)


@pytest.fixture(scope="module")
def sequences():
    rng = np.random.default_rng(0)
    return [rng.choice([-3, 7, 8, 900], size).tolist() for size in (1, 2, 9, 40, 3)]


def test_every_run_inside_a_sequence_is_counted_and_none_across(sequences):
    found = counted(sequences)
    for n in (1, 2, 3):
        runs = [tuple(run) for run in found.runs[n - 1].tolist()]
        assert dict(zip(runs, found.counts[n - 1].tolist(), strict=True)) == brute_force(sequences, n)
        assert runs == sorted(runs)


@pytest.mark.parametrize("cut", [1, 2, 4])
def test_counts_of_two_streams_add_up_to_those_of_both(sequences, cut):
    both, whole = counted(sequences[:cut]) + counted(sequences[cut:]), counted(sequences)
    for n in range(3):
        np.testing.assert_array_equal(both.runs[n], whole.runs[n])
        np.testing.assert_array_equal(both.counts[n], whole.counts[n])


@pytest.mark.parametrize("order", [1, 2, 3])
def test_windows_are_those_of_the_sequences_themselves_to_the_bit(order):
    task = substitution(n_symbols=5, n_positions=700)
    problem = task.problem().at_order(order)
    windows = SymbolCounts.of(task.x, problem.lengths, 3).windows(order)
    assert torch.equal(windows.rows, problem.windows.rows)
    assert torch.equal(windows.weight, problem.windows.weight)
    assert (windows.count, windows.n_rows) == (problem.windows.count, problem.windows.n_rows)


def test_sequences_too_short_for_a_window_are_named():
    with pytest.raises(InputError, match=r"no window of 3 positions fits: the longest .* has 2"):
        counted([[1, 2], [3]]).windows(3)


def test_counts_of_other_lengths_do_not_add_up(sequences):
    with pytest.raises(InputError, match="up to 2 symbols found, up to 3 wanted"):
        counted(sequences) + counted(sequences, order=2)
