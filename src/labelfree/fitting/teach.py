"""A network learns from a simpler classifier.

The linear classifier finds its way without a label because there is little that it can express. A network can express
much more, wrong readings too, so it begins where the linear classifier ended. From there it goes on in one of two ways:
by the Empirical-ODM cost (`descend`), or by decoding and retraining (`teach`).
"""

from __future__ import annotations

import copy

import torch
from torch import Tensor

from labelfree.fitting.refine import repeat_rounds
from labelfree.models import Classifier, ModelKind
from labelfree.solvers.method import initial_model
from labelfree.solvers.network import fit_network
from labelfree.solvers.problem import Problem
from labelfree.solvers.spdg import LogDualRun

_LM_WEIGHT = 1.0
_COST_POSITIONS = 30_000  # the cost needs no more to find its minimum
_COST_STEPS = 400
_COST_WINDOWS = 1000
_COST_RATE, _MOST_COST_RATE = 4e-5, 3e-4  # for one window a step and N-gram; fewer are noisier and want smaller steps
_COST_DUAL_RATE = 0.1  # slow, for the start is good already


def teach(
    problem: Problem,
    soft_labels: Tensor,
    kind: ModelKind,
    *,
    rounds: int = 20,
    seed: int = 0,
) -> tuple[Classifier, tuple[float, ...]]:
    """Train a network on what another classifier read, then on its own reading until that helps no more.

    Parameters
    ----------
    problem : Problem
        Over the rows that the network reads.
    soft_labels : Tensor of shape (T, c)
        What the other classifier and the language model read together; see `read`.
    kind : {"mlp", "cnn"}
    rounds : int
        Rounds on its own reading, at most.
    seed : int

    Returns
    -------
    model : Classifier
        That of the round with the lowest disagreement between classifier and decoder, as `refine` has it.
    disagreements : tuple of float
        The score of every round, the first that of the network as it was taught.
    """
    network = initial_model(problem, kind, 1, seed)
    fit_network(network, problem.rows, soft_labels, seed=seed)
    return repeat_rounds(problem, network, rounds, _LM_WEIGHT, 0.0)


def descend(
    problem: Problem,
    posteriors: Tensor,
    kind: ModelKind,
    *,
    seed: int = 0,
) -> Classifier:
    """Make a network that copies another classifier, then lower the Empirical-ODM cost by Algorithm 1; no decoding.

    Parameters
    ----------
    problem : Problem
        Over the rows that the network reads.
    posteriors : Tensor of shape (T, c)
        The other classifier's.
    kind : {"mlp", "cnn"}
    seed : int

    Returns
    -------
    Classifier
        The network that came of it, or the copy where that has the lower label-free score.
    """
    part, taken = problem.sample(_COST_POSITIONS, seed)
    network = initial_model(part, kind, 1, seed)
    fit_network(network, part.rows, posteriors[torch.from_numpy(taken)], seed=seed)
    copied = copy.deepcopy(network)
    rate = min(_MOST_COST_RATE, _COST_RATE * _COST_WINDOWS / part.target.probability.numel())
    run = LogDualRun(part, network, rate=rate, dual_rate=_COST_DUAL_RATE, batch_size=_COST_WINDOWS, seed=seed)
    run.catch_up()
    run.advance(_COST_STEPS)
    return network if bool(part.kl(network) < part.kl(copied)) else copied
