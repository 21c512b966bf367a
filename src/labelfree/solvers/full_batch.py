"""Plain descent on J, equation (1), over all the data at every step."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from labelfree.core import odm_cost
from labelfree.models import Classifier
from labelfree.solvers.method import Batch, GradientMethod
from labelfree.solvers.problem import Problem
from labelfree.solvers.run import Run


@dataclass(frozen=True)
class FullBatch(GradientMethod):
    """Descent on J by Adam; exact gradients, so it settles well and searches badly."""

    batch_size: Batch = None
    rate: float = 0.005

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> ODMRun:
        """Begin a run."""
        return ODMRun(problem, model, rate=self.rate, batch_size=self.first_batch(), l2=self.penalty(model), seed=seed)


class ODMRun(Run):
    """Descent on J of whatever windows a step sees: exact over all of them, biased over a mini-batch."""

    stage = "full batch"

    def loss(self, expected: Tensor) -> Tensor:
        """J, with frequencies that vanished in single precision held at the smallest number."""
        return odm_cost(expected.clamp_min(torch.finfo(expected.dtype).tiny), self.problem.target)
