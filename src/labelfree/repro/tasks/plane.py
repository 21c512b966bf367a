"""Two hidden states that take turns as a Markov chain, each a Gaussian cloud in the plane.

The smallest problem with all that the large ones have: a linear classifier through the origin has two parameters, so
that its whole cost can be drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.counting import NGramCounts

STATES = Alphabet("01")
TRANSITIONS = ((0.9, 0.1), (0.15, 0.85))
MEANS = ((-1.6, -1.2), (1.6, 1.2))
_COUNTED = 1e9  # so many pairs stand behind the language model that its smoothing is not felt


@dataclass(frozen=True, eq=False)
class PlaneSequences:
    """Points of shape (T, 2), the states that only evaluation may read, and where sequences end."""

    x: NDArray[np.float32]
    y: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PlaneTask:
    """What to learn from, and the language of the states."""

    train: PlaneSequences
    lm: NGramLM


def plane_task(
    seed: int,
    *,
    n_sequences: int = 20,
    length: int = 250,
    transitions: ArrayLike = TRANSITIONS,
    means: ArrayLike = MEANS,
) -> PlaneTask:
    """Draw sequences of points.

    Parameters
    ----------
    seed : int
    n_sequences, length : int
        How many sequences, and how long each is.
    transitions : array-like of shape (2, 2)
        Row ``i`` holds the probabilities of the state after state ``i``.
    means : array-like of shape (2, 2)
        The middle of each state's cloud, whose spread is 1 in every direction.

    Examples
    --------
    >>> task = plane_task(seed=0)
    >>> task.train.x.shape, task.lm.conditional(2).round(2).tolist()
    ((5000, 2), [[0.9, 0.1], [0.15, 0.85]])
    """
    chain, middles = np.asarray(transitions, dtype=float), np.asarray(means, dtype=float)
    _check(chain, middles, n_sequences, length)
    rng = np.random.default_rng(seed)
    often = _stationary(chain)
    states = np.empty((n_sequences, length), dtype=np.int64)
    states[:, 0] = rng.random(n_sequences) < often[1]
    for t in range(1, length):
        states[:, t] = rng.random(n_sequences) < chain[states[:, t - 1], 1]
    y = states.reshape(-1)
    x = middles[y] + rng.standard_normal((len(y), 2))
    lengths = np.full(n_sequences, length, dtype=np.int64)
    return PlaneTask(PlaneSequences(x.astype(np.float32), y, lengths), _language(chain, often))


def _stationary(chain: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each of two states comes in the long run."""
    leaving = np.array([chain[1, 0], chain[0, 1]])
    often: NDArray[np.float64] = leaving / leaving.sum()
    return often


def _language(chain: NDArray[np.float64], often: NDArray[np.float64]) -> NGramLM:
    pairs = (often[:, None] * chain).reshape(-1) * _COUNTED
    counts = NGramCounts.from_codes(np.arange(4), pairs, size=2, order=2)
    return NGramLM.from_counts(counts, STATES)


def _check(chain: NDArray[np.float64], middles: NDArray[np.float64], n_sequences: int, length: int) -> None:
    if chain.shape != (2, 2) or not np.allclose(chain.sum(-1), 1.0) or not (chain > 0).all():
        raise InputError(
            f"transitions {chain.tolist()} found, two rows of two positive numbers that sum to 1 wanted: "
            "give the probabilities of the next state"
        )
    if middles.shape != (2, 2) or not np.isfinite(middles).all():
        raise InputError(
            f"means {middles.tolist()} found, two points in the plane wanted: give two rows of two numbers"
        )
    if n_sequences < 1 or length < 2:
        raise InputError(f"{n_sequences} sequences of {length} found, at least 1 of 2 wanted: ask for more")
