"""Error rates and their intervals, against counts by hand and against repeated draws."""

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.evaluate import bootstrap_rates, evaluate


def test_counts_by_hand():
    truth = [0, 0, 1, 1, 2, 3]
    read = [0, 1, 1, 1, 0, 2]
    found = evaluate(truth, read, [4, 2], n_classes=3, n_symbols=4)
    assert found.confusion.tolist() == [[1, 1, 0], [0, 2, 0], [1, 0, 0], [0, 0, 1]]
    assert found.error.share == pytest.approx(3 / 6)
    assert found.by_symbol.share.tolist() == [0.5, 0.0, 1.0, 1.0]
    assert found.errors_by_symbol.tolist() == [1, 0, 1, 1]
    assert found.worst_symbols(9).tolist() == [0, 2, 3]
    assert found.top_confusions(2) == [(0, 1, 1), (2, 0, 1)]
    assert (found.n_positions, found.n_sequences) == (6, 2)


def test_a_symbol_that_never_occurs_has_no_rate():
    found = evaluate([0, 0], [0, 1], [2], n_classes=3)
    assert np.isnan(found.by_symbol.share[[1, 2]]).all()
    assert np.isnan(found.by_symbol.low[[1, 2]]).all()
    assert found.worst_symbols(5).tolist() == [0]


def test_a_perfect_reading_has_nothing_to_list():
    labels = np.arange(4).repeat(30)
    found = evaluate(labels, labels, [3] * 40, n_classes=4)
    assert (found.error.share, found.error.low, found.error.high) == (0, 0, 0)
    assert found.worst_symbols(9).size == 0
    assert found.top_confusions(9) == []


def test_the_vectorised_bootstrap_agrees_with_a_loop():
    rng = np.random.default_rng(0)
    totals = rng.integers(1, 30, size=(40, 2))
    errors = rng.binomial(totals, 0.2)
    found = bootstrap_rates(errors, totals, level=0.9, n_draws=20_000, seed=1)
    loop = []
    for _ in range(5_000):
        drawn = rng.integers(40, size=40)
        loop.append(errors[drawn].sum(0) / totals[drawn].sum(0))
    low, high = np.quantile(loop, [0.05, 0.95], axis=0)
    np.testing.assert_allclose(found.share, errors.sum(0) / totals.sum(0))
    np.testing.assert_allclose(found.low, low, atol=0.004)
    np.testing.assert_allclose(found.high, high, atol=0.004)


def test_draws_in_several_blocks_are_as_many(monkeypatch):
    monkeypatch.setattr("labelfree.evaluate._DRAWN_AT_ONCE", 130)
    errors, totals = np.array([[1], [0], [2], [0]] * 10), np.full((40, 1), 4)
    found = bootstrap_rates(errors, totals, level=0.95, n_draws=3000, seed=0)
    monkeypatch.undo()
    whole = bootstrap_rates(errors, totals, level=0.95, n_draws=3000, seed=0)
    np.testing.assert_allclose(found.low, whole.low, atol=0.01)
    np.testing.assert_allclose(found.high, whole.high, atol=0.01)


def test_errors_that_cluster_in_sequences_widen_the_interval():
    rng = np.random.default_rng(6)
    truth = np.zeros(10_000, int)
    scattered = (rng.random(10_000) < 0.1).astype(int)
    clustered = np.repeat((rng.random(100) < 0.1).astype(int), 100)
    lengths = [100] * 100
    narrow, wide = (evaluate(truth, read, lengths, 2).error for read in (scattered, clustered))
    assert (wide.high - wide.low) > 4 * (narrow.high - narrow.low)
    assert narrow.low < 0.1 < narrow.high


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    rng = np.random.default_rng(4)
    held = 0
    for seed in range(200):
        read = (rng.random(2000) < 0.2).astype(int)
        error = evaluate(np.zeros(2000, int), read, [40] * 50, 2, n_draws=300, seed=seed).error
        held += bool(error.low <= 0.2 <= error.high)
    assert 0.87 < held / 200 <= 0.99


def test_one_long_sequence_is_resampled_in_pieces():
    rng = np.random.default_rng(5)
    found = evaluate(np.zeros(5000, int), (rng.random(5000) < 0.3).astype(int), [5000], 2)
    assert "pieces of 100" in found.resampled
    assert found.error.low < found.error.share < found.error.high
    assert evaluate([0] * 40, [0] * 40, [2] * 20, 2).resampled == "sequences"


def test_the_same_seed_gives_the_same_interval():
    read = np.random.default_rng(0).integers(2, size=400)
    one, again, other = (evaluate(np.zeros(400, int), read, [10] * 40, 2, seed=seed).error for seed in (1, 1, 2))
    assert (one.low, one.high) == (again.low, again.high)
    assert (one.low, one.high) != (other.low, other.high)


def test_labels_of_other_data_are_refused():
    with pytest.raises(InputError, match="3 true labels and 2 read"):
        evaluate([0, 1, 0], [0, 1], [3], 2)
    with pytest.raises(InputError, match="lengths sum to 4, 3 wanted"):
        evaluate([0, 1, 0], [0, 1, 1], [4], 2)
