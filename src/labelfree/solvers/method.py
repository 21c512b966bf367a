"""One interface for all gradient methods: settings first, then a problem in and a solution out."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from labelfree.models import Classifier, ModelKind, make_model
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.run import Run

START_NOISE = 1e-4  # larger noise starts inside a wrong basin before the gradient has spoken


@dataclass(frozen=True)
class GradientMethod:
    """Settings of a method that goes down a gradient.

    Parameters
    ----------
    steps : int
        How many steps `solve` takes.
    batch_size : int or None
        Windows a step; None for all of them.
    l2 : float
        Weight of the penalty on the classifier's squared weights.
    """

    steps: int = 1000
    batch_size: int | None = None
    l2: float = 0.0

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> Run:
        """Begin a run on a model, which is changed in place."""
        raise NotImplementedError

    def solve(
        self,
        problem: Problem,
        *,
        kind: ModelKind | None = None,
        starts: int = 1,
        seed: int = 0,
    ) -> Solution:
        """Fit from random starts, all at once, and return the one with the lowest label-free score.

        Parameters
        ----------
        problem : Problem
        kind : {"table", "linear", "mlp", "cnn"}, optional
            The classifier; by default a table for symbols or groups and linear for features.
        starts : int
            How many starts.
        seed : int
            Of the starts and the mini-batches.
        """
        model = initial_model(problem, kind, starts, seed)
        run = self.start(problem, model, seed)
        run.advance(self.steps)
        return run.solution()


def initial_model(problem: Problem, kind: ModelKind | None, starts: int, seed: int) -> Classifier:
    """Classifiers with a uniform output but for a little noise."""
    chosen: ModelKind = kind or ("table" if problem.is_table else "linear")
    generator = torch.Generator().manual_seed(seed)
    return make_model(chosen, starts, problem.n_inputs, problem.n_classes, noise=START_NOISE, generator=generator)
