"""One model out of several: p(w | h) = sum over i of weight_i p_i(w | h), the paper's Fused-LM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from labelfree.lm.backoff import BackOff, Floats, Ints, Level

LIST_ALL = 1 << 16
"""Up to how many possible N-grams a mixture lists them all, which makes it exact for those never seen, too."""


def mixed(models: Sequence[BackOff], weights: Floats) -> BackOff:
    """Mix models over the same symbols; what none of them lists backs off, and every context sums to 1.

    Examples
    --------
    >>> one, two = (BackOff(2, (Level(np.arange(2), np.log(p), np.zeros(2)),)) for p in ([0.5, 0.5], [0.1, 0.9]))
    >>> np.exp(mixed([one, two], np.array([0.5, 0.5])).table(1))
    array([[0.3, 0.7]])
    """
    size = models[0].size
    result: BackOff | None = None
    for n in range(1, max(model.order for model in models) + 1):
        if size**n <= LIST_ALL:
            codes = np.arange(size**n)
        else:
            codes = np.unique(np.concatenate([model.levels[n - 1].codes for model in models if n <= model.order]))
        log_prob = _mixed_scores(models, weights, n, codes)
        level = Level(codes, log_prob, np.zeros(codes.size))
        result = BackOff(size, (level,)) if result is None else _stacked(result, level)
    assert result is not None  # noqa: S101 - there is at least one model of order 1 or more
    return result


def _mixed_scores(models: Sequence[BackOff], weights: Floats, n: int, codes: Ints) -> Floats:
    total = np.zeros(codes.size)
    for model, weight in zip(models, weights.tolist(), strict=True):
        order = min(n, model.order)
        total += weight * np.exp(model.score(order, codes % model.size**order))
    return np.log(total)


def _stacked(model: BackOff, level: Level) -> BackOff:
    """Put a level on top, with the back-off weights that make its contexts sum to 1."""
    size, n = model.size, model.order + 1
    below = model.levels[-1]
    contexts, starts, many = np.unique(level.codes // size, return_index=True, return_counts=True)
    log_backoff = np.zeros(below.codes.size)
    if contexts.size:
        lower = np.exp(model.score(n - 1, level.codes % size ** (n - 1)))
        left = 1 - np.add.reduceat(np.exp(level.log_prob), starts)
        left_lower = 1 - np.add.reduceat(lower, starts)
        weight = np.where((many < size) & (left_lower > 1e-12), left / np.maximum(left_lower, 1e-12), 1.0)
        log_backoff[np.searchsorted(below.codes, contexts)] = np.log(np.maximum(weight, 1e-12))
    complete = Level(below.codes, below.log_prob, log_backoff)
    return BackOff(size, (*model.levels[:-1], complete, level))


def fitted_weights(scores: Floats, steps: int = 200, tolerance: float = 1e-8) -> Floats:
    """Find by expectation maximisation the weights under which held-out text is likeliest.

    Parameters
    ----------
    scores : (M, T) float64 array
        Log probability of every symbol under every model.
    steps, tolerance
        When to stop: after so many steps, or when no weight moves by more.

    Examples
    --------
    >>> fitted_weights(np.log([[0.9, 0.9, 0.1], [0.1, 0.1, 0.9]])).round(2)
    array([0.71, 0.29])
    """
    shifted = np.exp(scores - scores.max(axis=0))
    weights = np.full(scores.shape[0], 1 / scores.shape[0])
    for _ in range(steps):
        shares = weights[:, None] * shifted
        new = (shares / shares.sum(axis=0)).mean(axis=1)
        moved = float(np.abs(new - weights).max())
        weights = new
        if moved < tolerance:
            break
    weights /= weights.sum()
    return weights
