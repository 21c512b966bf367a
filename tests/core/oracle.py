"""Tiny problems, and the paper's sums written out one label sequence at a time."""

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
import torch
from hypothesis import example, settings
from hypothesis import strategies as st

import labelfree.core.expected as expected_module
import labelfree.core.windows as windows_module
from labelfree.core import Target, Windows, merge_windows, subsequences

quick = settings(max_examples=30, deadline=None, derandomize=True)


@dataclass(frozen=True)
class Case:
    """Sizes and a seed; everything else follows from them. Shown whole when hypothesis finds a failure."""

    order: int
    n_classes: int
    lengths: tuple[int, ...]
    seed: int

    @property
    def n_positions(self) -> int:
        return sum(self.lengths)

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n_classes,) * self.order

    @cached_property
    def windows(self) -> Windows:
        return subsequences(self.lengths, self.order)

    def rng(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, purpose])

    def logits(self, *starts: int, n_rows: int | None = None) -> torch.Tensor:
        rows = self.n_positions if n_rows is None else n_rows
        return torch.from_numpy(2.0 * self.rng(0).standard_normal((*starts, rows, self.n_classes)))

    def posteriors(self, *starts: int, n_rows: int | None = None) -> torch.Tensor:
        return torch.softmax(self.logits(*starts, n_rows=n_rows), -1)

    def dense(self) -> Target:
        """All N-grams; some have probability 0 when the seed is odd."""
        rng = self.rng(1)
        raw = rng.exponential(size=self.shape)
        if self.seed % 2 and raw.size > 1:
            raw.flat[rng.integers(raw.size)] = 0.0
        return Target(torch.from_numpy(raw / raw.sum()), self.n_classes)

    def sparse(self) -> Target:
        """A list of some of the N-grams of `dense`, sorted, at least one."""
        dense = self.dense().probability
        kept = self.rng(2).random(self.shape) < 0.5
        kept.flat[self.rng(3).integers(kept.size)] = True
        ids = torch.from_numpy(np.argwhere(kept))
        return Target(dense[tuple(ids.T)], self.n_classes, ids)

    def target(self, kind: str) -> Target:
        return self.dense() if kind == "dense" else self.sparse()

    def dual(self, target: Target, *starts: int) -> torch.Tensor:
        return -torch.from_numpy(self.rng(4).exponential(size=(*starts, *target.probability.shape)) + 0.1)

    def groups(self, n_groups: int) -> np.ndarray:
        return self.rng(5).integers(n_groups, size=self.n_positions)

    def merged(self, n_groups: int) -> Windows:
        return merge_windows(self.windows, self.groups(n_groups), n_groups)


@st.composite
def cases(draw: st.DrawFn, *, min_order: int = 1, max_order: int = 4, max_classes: int = 4) -> Case:
    """Uneven lengths, with sequences shorter than N and empty ones, in any order; one at least holds a window."""
    # Not st.integers, which is drawn to its least: one class or windows of one position have little to get wrong.
    order = draw(st.sampled_from(sorted(range(min_order, max_order + 1), key=lambda n: n == 1)))
    long_enough = draw(st.integers(order, order + 2 if order < 4 else 5))
    others = draw(st.lists(st.integers(0, 4), max_size=3))
    lengths = draw(st.permutations([long_enough, *others]))
    n_classes = draw(st.sampled_from([*range(2, max_classes + 1), 1]))
    return Case(order, n_classes, tuple(lengths), draw(st.integers(0, 2**16)))


def every_size(**others):
    """Besides what hypothesis draws, each of N = 1..4 with each of C = 1..4."""

    def decorate(test):
        for order, n_classes in itertools.product(range(1, 5), range(1, 5)):
            test = example(case=Case(order, n_classes, (2, 5, 0, order), seed=order + n_classes), **others)(test)
        return test

    return decorate


def labellings(posteriors: np.ndarray, lengths):
    """Every label sequence of every input sequence, with the probability that the classifier gives it."""
    first = 0
    for length in lengths:
        rows = posteriors[first : first + length]
        first += length
        for labels in itertools.product(range(posteriors.shape[1]), repeat=length):
            yield labels, math.prod(rows[t, label] for t, label in enumerate(labels))


def enumerated_ngrams(posteriors: torch.Tensor, lengths, order: int) -> torch.Tensor:
    """Appendix B.1: the expected count of each N-gram in the output, over the number of whole windows."""
    rows = posteriors.double().numpy()
    counts = np.zeros((rows.shape[1],) * order)
    for labels, probability in labellings(rows, lengths):
        for t in range(len(labels) - order + 1):
            counts[labels[t : t + order]] += probability
    return torch.from_numpy(counts / sum(max(0, length - order + 1) for length in lengths))


def on_support(dense: torch.Tensor, target: Target) -> torch.Tensor:
    """The cells of a dense table that a target sums over."""
    return dense if target.ids is None else dense[tuple(target.ids.T)]


@contextmanager
def chunks_of(numbers: int) -> Iterator[None]:
    """Add expected N-grams up in chunks of that many numbers, and never by the pair table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expected_module, "_CHUNK_NUMBERS", numbers)
        patch.setattr(windows_module, "_DENSE_PAIRS", -1)
        yield


def close(actual: torch.Tensor, wanted: torch.Tensor, tolerance: float = 1e-12) -> None:
    torch.testing.assert_close(actual, wanted, rtol=tolerance, atol=tolerance)
