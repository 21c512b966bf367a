"""Training of networks on soft labels: small batches, a small rate, and passes over the data instead of a few steps."""

from __future__ import annotations

from torch import Tensor

from labelfree.models import Classifier
from labelfree.solvers.supervised import fit_soft_labels

_BATCH = 256
_RATE = 0.003
_L2 = 1e-6
_LEAST_STEPS = 400


def fit_network(model: Classifier, inputs: Tensor, soft_labels: Tensor, *, passes: float = 3.0, seed: int = 0) -> None:
    """Train a network on soft labels, in place, from where its weights stand.

    Parameters
    ----------
    model : Classifier
    inputs : Tensor of shape (n, d)
    soft_labels : Tensor of shape (n, c)
        A distribution over the classes for every input. A row that sums to less counts for less.
    passes : float
        How often every input is seen; more often where inputs are few.
    seed : int
        Of the order in which they are seen, and of their variation.
    """
    steps = max(_LEAST_STEPS, int(passes * len(inputs) / _BATCH))
    fit_soft_labels(model, inputs, soft_labels, l2=_L2, steps=steps, rate=_RATE, batch_size=_BATCH, seed=seed)
