"""A network learns from a simpler classifier: it begins with what that one and the language model read together.

The linear classifier finds its way without a label because there is little that it can express. A network can express
much more, wrong readings too, so it starts from the linear reading and is refined from there.
"""

from __future__ import annotations

from torch import Tensor

from labelfree.models import Classifier, ModelKind
from labelfree.refine import repeat_rounds
from labelfree.solvers.method import initial_model
from labelfree.solvers.monitor import Monitor
from labelfree.solvers.network import fit_network
from labelfree.solvers.problem import Problem

_LM_WEIGHT = 1.0


def teach(
    problem: Problem,
    soft_labels: Tensor,
    kind: ModelKind,
    *,
    rounds: int = 20,
    seed: int = 0,
    monitor: Monitor | None = None,
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
    monitor : Monitor, optional
        Hears the disagreement of every round.

    Returns
    -------
    model : Classifier
        That of the round with the lowest disagreement between classifier and decoder, as `refine` has it.
    disagreements : tuple of float
        The score of every round, the first that of the network as it was taught.
    """
    network = initial_model(problem, kind, 1, seed)
    fit_network(network, problem.inputs, soft_labels, seed=seed)
    return repeat_rounds(problem, network, rounds, _LM_WEIGHT, 0.0, monitor or Monitor())
