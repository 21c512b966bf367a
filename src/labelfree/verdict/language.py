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


def entropy(shares: NDArray[np.float64]) -> float:
    """The entropy of a distribution, in nats."""
    seen = shares[shares > 0]
    return float(-(seen * np.log(seen)).sum())
