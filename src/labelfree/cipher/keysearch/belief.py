"""How far a key is to be believed, from the cipher and the model alone.

A key is believed if three things hold.

* The text is language: read with the key, and the key itself written out first, it takes fewer nats than signs drawn
  one by one with the frequencies they have. For signs that were so drawn this happens by chance with a probability
  below exp(-saved), whatever search found the key.
* The key stands alone: other readings of its signs and the ends of other chains, each weighted by its likelihood
  (raised to a power below 1, as real text is never quite the model's), leave an expected share of letters read right.
* The search came to it more than once from different beginnings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from labelfree.cipher.keysearch.problem import Cipher, Ints

Floats64 = NDArray[np.float64]

TEMPER = 0.5
"""The power of a likelihood ratio between two keys."""

SAVED = 5.0
"""Nats that the key must save."""

RIGHT = 0.95
"""The share of letters that must be expected right."""

AGREEING = 2
"""How many chains must have come to the key."""


@dataclass(frozen=True, eq=False)
class Rivals:
    """Other keys: the signs that each reads otherwise, (A, n_sought), and its log-likelihood less the best's."""

    differs: NDArray[np.bool_]
    loss: Floats64


def confidences(rivals: Rivals) -> Floats64:
    """Give the probability that each sign is read right, (n_sought,).

    Examples
    --------
    >>> rivals = Rivals(np.array([[True, False]]), np.array([0.0]))
    >>> confidences(rivals)
    array([0.5, 1. ])
    """
    weights = np.exp(TEMPER * np.minimum(rivals.loss, 0.0))
    return np.asarray(1 / (1 + weights @ rivals.differs), np.float64)


def nats_saved(cipher: Cipher, plain: Ints, log_probability: float) -> float:
    """Give the nats that the model saves over signs drawn one by one, the key's own price taken off."""
    letters = np.bincount(plain, minlength=cipher.n_letters)
    seen = letters[letters > 0]
    alone = -float((seen * np.log(seen / plain.size)).sum())
    n, choices = cipher.n_sought, len(cipher.letters)
    price = float(gammaln(choices + 1) - gammaln(choices - n + 1)) if cipher.one_to_one else n * np.log(choices)
    return alone + log_probability - price


def expected_right(cipher: Cipher, confidence: Floats64) -> float:
    """Give the expected share of letters read right."""
    sought = cipher.slots[cipher.slots < cipher.n_sought]
    return float(confidence[sought].mean()) if sought.size else 1.0


def believed(saved: float, right: float, agreeing: int) -> bool:
    """Say whether to believe a key."""
    return saved >= SAVED and right >= RIGHT and agreeing >= AGREEING
