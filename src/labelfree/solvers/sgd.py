"""Stochastic gradient descent on J: the biased baseline of the paper's appendix C.

J has the average over the data inside a logarithm, so the gradient of J over a mini-batch is not, on average, the
gradient of J. The smaller the batch, the larger the bias.
"""

from __future__ import annotations

from dataclasses import dataclass

from labelfree.models import Classifier
from labelfree.solvers.full_batch import ODMRun
from labelfree.solvers.method import Batch, GradientMethod
from labelfree.solvers.problem import Problem


@dataclass(frozen=True)
class SGD(GradientMethod):
    """Adam on J over mini-batches of any size."""

    batch_size: Batch = 1000
    rate: float = 0.005

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> SGDRun:
        """Begin a run."""
        return SGDRun(problem, model, rate=self.rate, batch_size=self.first_batch(), l2=self.penalty(model), seed=seed)


class SGDRun(ODMRun):
    """Descent on the J of each mini-batch."""

    stage = "sgd"
