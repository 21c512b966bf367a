"""What freedom costs: labels that follow from the rows are cheap, labels bent to noise cost what they save."""

import math

import numpy as np
import pytest

from labelfree.verdict import price_of_key
from labelfree.verdict.price import price_of_labels


def test_a_key_costs_the_log_of_the_number_of_keys():
    assert price_of_key(3, 5, one_to_one=True) == pytest.approx(math.log(5 * 4 * 3))
    assert price_of_key(3, 5, one_to_one=False) == pytest.approx(math.log(5**3))


@pytest.mark.parametrize("seed", range(3))
def test_labels_that_have_nothing_to_do_with_the_rows_cost_their_entropy(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(6, size=600)
    price = price_of_labels(rng.normal(size=(600, 20)), labels, 6)
    assert 0.97 * 600 * math.log(6) < price < 1.1 * 600 * math.log(6)


def test_a_rule_is_told_once_whatever_the_number_of_rows():
    rng = np.random.default_rng(0)
    points = 4 * rng.normal(size=(6, 20))
    prices = []
    for n in (600, 2_400):
        labels = rng.integers(6, size=n)
        prices.append(price_of_labels(points[labels] + rng.normal(size=(n, 20)), labels, 6))
    assert prices[0] < 0.2 * 600 * math.log(6)
    assert prices[1] < prices[0] + 30


def test_equal_rows_cost_what_a_key_does_at_most():
    labels = np.random.default_rng(0).integers(8, size=2_000)
    key = np.random.default_rng(1).permutation(8)
    assert price_of_labels(np.eye(8)[labels], key[labels], 8) <= price_of_key(8, 8, one_to_one=False)


def test_what_another_source_says_is_not_paid_for():
    rng = np.random.default_rng(0)
    labels, rows = rng.integers(6, size=600), rng.normal(size=(600, 5))
    evidence = 6.0 * np.eye(6)[labels]
    assert price_of_labels(rows, labels, 6, evidence) < 0.2 * price_of_labels(rows, labels, 6)
