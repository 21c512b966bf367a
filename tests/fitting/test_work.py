"""How much work a fit is, counted and not timed: passes over the data, and products of matrices.

Bounds are what was counted, and a fifth more.
"""

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from labelfree.core import Target, expected_ngrams, odm_cost, subsequences
from labelfree.estimator import SequenceClassifier
from labelfree.fitting.search import search
from labelfree.scale.rows import Rows
from labelfree.solvers import Problem

from ..english import english


class Products(TorchDispatchMode):
    """Adds up multiplications of matrices, in millions, and notes how many numbers the largest result had."""

    def __init__(self) -> None:
        super().__init__()
        self.millions, self.largest = 0.0, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        if function._schema.name in ("aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm"):
            left, right = [one for one in args if isinstance(one, torch.Tensor)][-2:]
            self.millions += left.numel() * right.shape[-1] / 1e6
        if isinstance(found, torch.Tensor):
            self.largest = max(self.largest, found.numel())
        return found


class Watched(Rows):
    """Notes how many rows were read."""

    read = 0

    def __getitem__(self, which):
        found = super().__getitem__(which)
        self.read += len(found)
        return found


@pytest.fixture(scope="module")
def task():
    return english(n_positions=4_000, noise=0.4)


def test_the_exact_gradient_is_three_products_and_holds_no_more_than_a_chunk():
    n, c = 5_000, 12
    windows = subsequences([n], 3)
    target = Target(torch.full((c,) * 3, 1 / c**3), c)
    posteriors = torch.softmax(torch.randn(n, c, generator=torch.Generator().manual_seed(0)), -1).requires_grad_()
    with Products() as forward:
        odm_cost(expected_ngrams(posteriors, windows, target), target)
    assert forward.millions == pytest.approx(n * c**3 / 1e6, rel=0.01)
    assert forward.largest <= 2**19


def test_a_fit_of_features_takes_so_many_passes_and_products(task):
    rows = Watched([task.features])
    with Products() as counted:
        SequenceClassifier(task.lm, n_init=3, random_state=1).fit(rows, lengths=task.lengths)
    assert rows.read / len(rows) < 12.6
    assert counted.millions / len(rows) < 0.55


def test_a_fit_of_symbols_multiplies_no_more_for_more_of_them(task):
    counts = []
    for times in (1, 4):
        with Products() as counted:
            symbols, lengths = torch.from_numpy(np.tile(task.y, times)), np.tile(task.lengths, times)
            search(Problem.from_sequences(symbols, lengths, task.lm, 2), starts=3)
        counts.append(counted.millions)
    assert counts[1] == counts[0]
