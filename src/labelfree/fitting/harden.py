"""The best one-label-a-symbol reading near a solution: descent on J over hard labellings.

A text under a substitution has one label a symbol. Soft posteriors can hedge between two labels to please a language
model of another domain; hard ones cannot. J is coverage-seeking over hard labellings too, so rare symbols are not sent
to common labels. Two moves: give one symbol another label, or swap two labels everywhere.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from labelfree.solvers.problem import Problem

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

HIGHEST_ORDER = 3  # beyond it most N-grams of a text are seen once
_MOST_NGRAMS = 2**15  # a step costs that many times the number of labels
_LEAST_GAIN = 1e-9


def harden(problem: Problem, labels: Labels) -> tuple[Labels, Floats]:
    """Lower J by single moves until none helps: at N = 2, then at N = 3 where the language model has that.

    Symbols whose label is known have it from the beginning and keep it.

    Parameters
    ----------
    problem : Problem
        Over symbols or exact groups.
    labels : array of shape (K,)
        Where to begin: the label of each symbol.

    Returns
    -------
    labels : array of shape (K,)
        A labelling that no single move improves.
    evidence : array of shape (K, C)
        Log-odds, in nats over all the data, of each label of a symbol against the one it has.
    """
    highest = min(problem.lm.order, HIGHEST_ORDER, problem.longest)
    orders = [n for n in range(2, highest + 1) if n == 2 or problem.n_classes**n <= _MOST_NGRAMS]
    evidence = np.zeros((len(problem.inputs), problem.n_classes))
    rows, soft_labels = (found.numpy() for found in problem.known_rows)
    labels = labels.copy()
    labels[rows] = soft_labels.argmax(1)
    for order in orders:
        labels, evidence = _HardCost(problem.at_order(order)).descend(labels)
    return labels, evidence


class _HardCost:
    """J over hard labellings.

    The output's frequencies are shrunk towards p_LM by a pseudo-window for every context of N - 1 labels, so that what
    never comes out costs a finite amount; many more and a rare label may be left out for nothing.
    """

    def __init__(self, problem: Problem) -> None:
        self.n_classes, self.order = problem.n_classes, problem.order
        self.rows = problem.windows.rows.numpy()  # (W, N)
        self.weight = problem.windows.weight.numpy()
        self.n_windows = problem.windows.count
        self.target = np.asarray(problem.lm.joint(problem.order)).reshape(-1)  # an N-gram is one number, base C
        self.place_values = problem.n_classes ** np.arange(problem.order - 1, -1, -1)
        self.share = self.n_windows / (self.n_windows + problem.n_classes ** (problem.order - 1))
        n_symbols = len(problem.inputs)
        self.known = problem.known_rows[0].numpy()
        self.windows_of = [np.flatnonzero((self.rows == symbol).any(1)) for symbol in range(n_symbols)]
        self.by_frequency = np.argsort([-self.weight[windows].sum() for windows in self.windows_of], kind="stable")
        self.digits = np.arange(len(self.target))[:, None] // self.place_values % self.n_classes  # (C ** N, N)
        self.holds = np.stack([(self.digits == label).any(1) for label in range(self.n_classes)])  # (C, C ** N)

    def descend(self, labels: Labels) -> tuple[Labels, Floats]:
        """Take the best swap or reassignment again and again; returns where it ends and the log-odds there."""
        labels = labels.copy()
        evidence = np.zeros((len(self.windows_of), self.n_classes))
        moved = True
        while moved:
            moved = self._swap(labels)
            for symbol in self.by_frequency:
                costs = self.costs_of_labels(labels, symbol)
                if symbol in self.known:
                    costs[np.arange(self.n_classes) != labels[symbol]] = np.inf
                if costs.min() < costs[labels[symbol]] - _LEAST_GAIN:
                    labels[symbol] = costs.argmin()
                    moved = True
                evidence[symbol] = self.n_windows * (costs[labels[symbol]] - costs)
        return labels, evidence

    def frequencies(self, labels: Labels) -> Floats:
        """How often each N-gram comes out, (C ** N,)."""
        ngrams = labels[self.rows] @ self.place_values
        return np.bincount(ngrams, self.weight, len(self.target)).astype(np.float64)

    def costs_of_labels(self, labels: Labels, symbol: int) -> Floats:
        """J with each label for one symbol, all others as they are, (C,), up to a constant."""
        windows = self.windows_of[symbol]
        weight = self.weight[windows]
        is_symbol = self.rows[windows] == symbol
        others = np.where(is_symbol, 0, labels[self.rows[windows]]) @ self.place_values
        per_label = is_symbol @ self.place_values
        without = self.frequencies(labels)
        np.subtract.at(without, others + per_label * labels[symbol], weight)
        ngrams = others + per_label * np.arange(self.n_classes)[:, None]  # (C, windows)
        cells = ngrams + len(self.target) * np.arange(self.n_classes)[:, None]
        added = np.bincount(cells.ravel(), np.tile(weight, self.n_classes), self.n_classes * len(self.target))
        touched = np.flatnonzero(added)
        ngram = touched % len(self.target)
        gain = self._terms(without[ngram] + added[touched], ngram) - self._terms(without[ngram], ngram)
        return np.bincount(touched // len(self.target), gain, self.n_classes).astype(np.float64)

    def _swap(self, labels: Labels) -> bool:
        """Swap two labels everywhere, in place, while that lowers J, the best swap first."""
        frequencies = self.frequencies(labels)
        free = [label for label in range(self.n_classes) if label not in labels[self.known]]
        moved = False
        while True:
            best_gain, best = _LEAST_GAIN, (0, 0)
            for first, second in combinations(free, 2):
                gain = self._gain_of_swap(frequencies, first, second)
                if gain > best_gain:
                    best_gain, best = gain, (first, second)
            if best == (0, 0):
                return moved
            labels[:] = _swapped(labels, *best)
            frequencies = frequencies[_swapped(self.digits, *best) @ self.place_values]
            moved = True

    def _gain_of_swap(self, frequencies: Floats, first: int, second: int) -> float:
        ngrams = np.flatnonzero(self.holds[first] | self.holds[second])
        swapped = _swapped(self.digits[ngrams], first, second) @ self.place_values
        return float((self._terms(frequencies[ngrams], ngrams) - self._terms(frequencies[swapped], ngrams)).sum())

    def _terms(self, frequencies: Floats, ngrams: Labels) -> Floats:
        """What these N-grams, coming out so often, add to J."""
        wanted = self.target[ngrams]
        terms: Floats = -wanted * np.log(self.share * np.maximum(frequencies, 0.0) + (1 - self.share) * wanted)
        return terms


def _swapped(values: Labels, first: int, second: int) -> Labels:
    return np.where(values == first, second, np.where(values == second, first, values))
