"""What speaks for a key, from the cipher and the model alone; `labelfree.verdict.key` judges by it.

Other readings of the signs and the ends of other chains, each weighted by its likelihood (raised to a power below 1, as
real text is never quite the model's), leave an expected share of letters read right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.cipher.keysearch.problem import Cipher, Ints
from labelfree.verdict import price_of_key
from labelfree.verdict.language import entropy

Floats64 = NDArray[np.float64]

TEMPER = 0.5
"""The power of a likelihood ratio between two keys."""


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


def nats_gained(plain: Ints, log_probability: float) -> float:
    """Give the nats that the model saves over signs drawn one by one."""
    return log_probability + plain.size * entropy(np.bincount(plain) / plain.size)


def price_of(cipher: Cipher) -> float:
    """Give the nats that it takes to tell a key of the cipher."""
    return price_of_key(cipher.n_sought, len(cipher.letters), one_to_one=cipher.one_to_one)


def expected_right(cipher: Cipher, confidence: Floats64) -> float:
    """Give the expected share of letters read right."""
    sought = cipher.slots[cipher.slots < cipher.n_sought]
    return float(confidence[sought].mean()) if sought.size else 1.0
