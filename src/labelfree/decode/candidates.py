"""The labels worth a look at each position: those that the evidence and the share of a label leave near the best."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.transitions import Transitions

CHUNK = 2**14  # positions looked at in one go

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Candidates:
    """Labels of all positions in one row, and their evidence; those of position t start at ``first[t]``."""

    first: Indices  # (T,)
    many: Indices  # (T,)
    labels: Indices
    scores: Array

    @classmethod
    def choose(cls, scores: Array, transitions: Transitions, margin: float) -> "Candidates":
        """Keep the labels whose evidence times prior is at most ``margin`` nats below the best of their position.

        The prior is the model's, at its weight. Without it a label that a classifier never names, and whose evidence
        is therefore the same everywhere, would be a candidate at every position. An infinite margin keeps all labels
        that are possible.
        """
        prior = transitions.pairs(np.zeros(transitions.n_labels, np.int64), np.arange(transitions.n_labels), 0)
        many, labels = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for at in range(0, len(scores), CHUNK):
            kept = _kept(scores[at : at + CHUNK], prior, margin)
            many.append(np.count_nonzero(kept, axis=1))
            labels.append(np.nonzero(kept)[1])
        per_position, chosen = np.concatenate(many), np.concatenate(labels)
        first = np.cumsum(per_position) - per_position
        return cls(first, per_position, chosen, scores[np.repeat(np.arange(len(scores)), per_position), chosen])

    def transitions(self, depth: int, beam: int) -> Array:
        """Return (T,) how many transitions lead to each position at most, with states of ``depth`` labels."""
        logs = np.append(0.0, np.cumsum(np.log(self.many)))
        before = np.arange(len(self.many))
        contexts = np.exp(np.minimum(logs[before] - logs[np.maximum(before - depth, 0)], math.log(beam)))
        bound: Array = contexts * self.many
        return bound


def _kept(scores: Array, prior: Array, margin: float) -> NDArray[np.bool_]:
    """Return (positions, C): which labels are candidates."""
    if math.isinf(margin):
        possible: NDArray[np.bool_] = scores > -np.inf
        return possible
    likely = scores + prior
    kept: NDArray[np.bool_] = likely >= likely.max(axis=1, keepdims=True) - margin
    return kept
