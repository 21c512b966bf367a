"""The best one-label-a-symbol reading near a solution: descent on J over hard labellings.

A text under a substitution has one label a symbol. Soft posteriors can hedge between two labels to please a language
model of another domain; hard ones cannot. J is coverage-seeking over hard labellings too, so rare symbols are not sent
to common labels. Two moves: give one symbol another label, or swap two labels everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.solvers.problem import Problem

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]

_LEAST_GAIN = 1e-9


def harden(problem: Problem, labels: Labels) -> tuple[Labels, Floats]:
    """Lower J at N = 2 by single moves until none helps.

    Parameters
    ----------
    problem : Problem
        Over symbols or exact groups, of order 2 or more.
    labels : array of shape (K,)
        Where to begin: the label of each symbol.

    Returns
    -------
    labels : array of shape (K,)
        A labelling that no single move improves.
    evidence : array of shape (K, C)
        Log-odds, in nats over all the data, of each label of a symbol against the one it has.
    """
    pairs = problem.at_order(2)
    n_symbols, n_classes = len(problem.inputs), problem.n_classes
    joint = np.zeros((n_symbols, n_symbols))
    joint[tuple(pairs.windows.rows.numpy().T)] = pairs.windows.weight.numpy()
    cost = _Cost(np.asarray(problem.lm.joint(2)), pairs.windows.count, n_classes)
    labels = labels.copy()
    by_frequency = np.argsort(-joint.sum(1), kind="stable")
    current = np.inf
    evidence = np.zeros((n_symbols, n_classes))
    while True:
        labels, swapped = _swap_labels(cost, joint, labels)
        for symbol in by_frequency:
            costs = _costs_of_labels(cost, joint, labels, symbol)
            best = int(costs.argmin())
            if costs[best] < costs[labels[symbol]] - _LEAST_GAIN:
                labels[symbol] = best
            evidence[symbol] = -pairs.windows.count * (costs - costs[labels[symbol]])
            swapped = costs[labels[symbol]]
        if swapped > current - _LEAST_GAIN:
            return labels, evidence
        current = swapped


class _Cost:
    """J of pair frequencies, shrunk towards p_LM by a few pseudo-windows so that no pair costs infinitely much."""

    def __init__(self, target: Floats, n_windows: int, pseudo_windows: int) -> None:
        self.target = target
        self.share = n_windows / (n_windows + pseudo_windows)

    def __call__(self, pairs: Floats) -> Floats:
        smooth = self.share * pairs + (1 - self.share) * self.target
        cost: Floats = -(self.target * np.log(smooth)).sum((-2, -1))
        return cost


def _output_pairs(joint: Floats, labels: Labels, n_classes: int) -> Floats:
    one_hot = np.eye(n_classes)[labels]
    return one_hot.T @ joint @ one_hot


def _swap_labels(cost: _Cost, joint: Floats, labels: Labels) -> tuple[Labels, float]:
    """Swap pairs of labels while that lowers the cost, the best swap first."""
    n_classes = len(cost.target)
    first, second = np.triu_indices(n_classes, 1)
    swaps = np.tile(np.arange(n_classes), (len(first), 1))
    rows = np.arange(len(first))
    swaps[rows, first], swaps[rows, second] = second, first
    pairs = _output_pairs(joint, labels, n_classes)
    current = float(cost(pairs))
    while len(swaps):
        costs = np.array([float(cost(pairs[np.ix_(swap, swap)])) for swap in swaps])
        best = int(costs.argmin())
        if costs[best] > current - _LEAST_GAIN:
            break
        labels, current = swaps[best][labels], float(costs[best])
        pairs = pairs[np.ix_(swaps[best], swaps[best])]
    return labels, current


def _costs_of_labels(cost: _Cost, joint: Floats, labels: Labels, symbol: int) -> Floats:
    """The cost with each label for one symbol, all others as they are."""
    n_classes = len(cost.target)
    one_hot = np.eye(n_classes)[labels]
    one_hot[symbol] = 0
    pairs = np.repeat((one_hot.T @ joint @ one_hot)[None], n_classes, axis=0)  # (label, c, c)
    every = np.arange(n_classes)
    pairs[every, every, :] += joint[symbol] @ one_hot
    pairs[every, :, every] += joint[:, symbol] @ one_hot
    pairs[every, every, every] += joint[symbol, symbol]
    return cost(pairs)
