"""How much of a text a language model explains: the nats a symbol that it saves over symbols drawn one by one."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM

_CHAINS, _LENGTH, _SETTLING = 200, 60, 6
_OWN: WeakKeyDictionary[NGramLM, float] = WeakKeyDictionary()  # of models that are in use

Ints = NDArray[np.int64]


def drawn_text(lm: NGramLM, chains: int = _CHAINS, length: int = _LENGTH) -> Ints:
    """Texts drawn from a model, always the same ones, (chains, length)."""
    rng = np.random.default_rng(0)
    texts = np.zeros((chains, 0), np.int64)
    for place in range(length):
        ladder = np.exp(lm.log_conditional(texts[:, max(place - lm.order + 1, 0) :])).cumsum(1)
        drawn = (ladder < rng.random(chains)[:, None] * ladder[:, -1:]).sum(1).clip(0, len(lm.alphabet) - 1)
        texts = np.concatenate([texts, drawn[:, None]], 1)
    return texts


def own_gain(lm: NGramLM) -> float:
    """Nats a symbol that a model saves on text of its own.

    Examples
    --------
    >>> round(own_gain(NGramLM.from_text("ab" * 200, order=2, smoothing="additive", weight=0.01)), 1)
    0.7
    """
    if lm not in _OWN:
        _OWN[lm] = _own_gain(lm)
    return _OWN[lm]


def _own_gain(lm: NGramLM) -> float:
    texts = drawn_text(lm)
    logs = lm.log_probabilities(texts.ravel(), np.full(len(texts), texts.shape[1])).reshape(texts.shape)
    single = np.asarray(lm.joint(1), np.float64)
    return max(1e-9, float(logs[:, _SETTLING:].mean() + entropy(single)))


def own_gain_of_lengths(lm: NGramLM, lengths: Ints) -> float:
    """The same of sequences of these lengths: nothing comes before a first symbol, and one symbol before a second.

    Examples
    --------
    >>> lm = NGramLM.from_text("ab" * 200, order=2, smoothing="additive", weight=0.01)
    >>> round(own_gain_of_lengths(lm, np.array([2, 2, 2])) / own_gain(lm), 2)
    0.5
    """
    whole, seconds = max(1, int(lengths.sum())), int((lengths > 1).sum())
    pairs = np.asarray(lm.joint(2), np.float64) if lm.order > 1 else np.ones((1, 1))
    of_pairs = entropy(pairs.sum(1)) + entropy(pairs.sum(0)) - entropy(pairs)
    later = whole - int((lengths > 0).sum()) - seconds
    return max(1e-9, (seconds * of_pairs + later * own_gain(lm)) / whole)


def gain(lm: NGramLM, labels: Ints, lengths: Ints) -> float:
    """Nats a symbol that a model saves on a text over the symbols' own frequencies, which are the best for it.

    Examples
    --------
    >>> lm = NGramLM.from_text("ab" * 200, order=2, smoothing="additive", weight=0.01)
    >>> round(gain(lm, np.array([0, 1] * 50), np.array([100])), 1)
    0.7
    """
    if not len(labels):
        return 0.0
    return float(lm.log_probabilities(labels, lengths).mean()) + entropy(np.bincount(labels) / len(labels))


def gain_of_windows(lm: NGramLM, windows: Ints, shares: NDArray[np.float64], singles: NDArray[np.float64]) -> float:
    """The same of text of which only windows of N symbols are known, (W, N), their shares, and those of symbols.

    Examples
    --------
    >>> lm = NGramLM.from_text("ab" * 200, order=2, smoothing="additive", weight=0.01)
    >>> round(gain_of_windows(lm, np.array([[0, 1], [1, 0]]), np.full(2, 0.5), np.full(2, 0.5)), 1)
    0.7
    """
    lengths = np.full(len(windows), windows.shape[1])
    logs = lm.log_probabilities(windows.ravel(), lengths).reshape(windows.shape)[:, -1]
    return float(shares @ logs) + entropy(singles)


def own_gain_of_windows(lm: NGramLM, order: int) -> float:
    """Nats a symbol that a model saves on windows of text of its own."""
    texts = drawn_text(lm)[:, _SETTLING:]
    windows = np.lib.stride_tricks.sliding_window_view(texts, order, axis=1).reshape(-1, order)
    singles = np.asarray(lm.joint(1), np.float64)
    return max(1e-9, gain_of_windows(lm, windows, np.full(len(windows), 1 / len(windows)), singles))


def entropy(shares: NDArray[np.float64]) -> float:
    """The entropy of a distribution, in nats."""
    seen = shares[shares > 0]
    return float(-(seen * np.log(seen)).sum())
