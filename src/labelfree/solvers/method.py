"""One interface for all gradient methods: settings first, then a problem in and a solution out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import torch

from labelfree.models import Classifier, Linear, ModelKind, make_model
from labelfree.solvers.ladder import Halving, Ladder, Rung, at_batch, shortened
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.run import Run

START_NOISE = 1e-4  # larger noise starts inside a wrong basin before the gradient has spoken

# Features and a linear classifier: batches that grow, starts dropped early, a penalty that falls once the basin is
# found where data are many, and the full order last. benchmarks/spdg.py measures it.
LADDER: Ladder = (
    Rung(500, 200, 1 / 4, order=2),
    Rung(700, 200, 1 / 2, order=2),
    Rung(800, 500, rate=0.6, order=2),
    Rung(500, 2000, l2=1 / 3, rate=0.6, order=2),
    Rung(600, 1000, 1 / 8, l2=1 / 10, rate=0.8, dual_rate=0.3, falls=True),
    Rung(400, 2000, l2=1 / 10, entropy=1.0, rate=0.6, dual_rate=0.5, falls=True),
)
LINEAR_L2 = 0.003  # of a linear classifier on features of squared length 200; less lets it fit the noise of the counts
LINEAR_ENTROPY = 0.3  # more reads clean print better, and freezes mistakes where classes overlap
_FEW_WINDOWS = 12_000  # so many keep the whole penalty; more share what is needed of it, for the noise is less
_GROWING_FROM = 200  # windows a step, where batches grow but nothing says how
_STEPS = 1000
_JUDGED_POSITIONS = 30_000  # so many tell solved starts from stuck ones

Batch = int | None | Literal["grow"]


@dataclass(frozen=True)
class GradientMethod:
    """Settings of a method that goes down a gradient.

    Parameters
    ----------
    steps : int, optional
        How many steps `solve` takes in all; by default as many as its ladder has, or 1,000.
    batch_size : int, None or "grow"
        Windows a step; None for all of them; ``"grow"`` for small ones first and larger ones later, as the ladder says.
    l2 : float, optional
        Weight of the penalty on the classifier's squared weights; by default 0.003 for a linear classifier of features,
        with which the ladder begins, and none for others.
    entropy : float, optional
        Weight of the penalty on the mean entropy of the posteriors, where the ladder has one: a boundary between two
        classes that cuts through alike inputs costs, one through the gap between them does not. By default 0.3 for a
        linear classifier of features, and none for others.
    ladder : tuple of Rung, optional
        How `solve` goes on from batch to batch and thins out its starts. By default `LADDER` for a linear classifier of
        features, and one rung with no thinning for others.
    """

    steps: int | None = None
    batch_size: Batch = "grow"
    l2: float | None = None
    entropy: float | None = None
    ladder: Ladder | None = None

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> Run:
        """Begin a run on a model, which is changed in place."""
        raise NotImplementedError

    def first_batch(self) -> int | None:
        """Windows of the first step."""
        return _GROWING_FROM if self.batch_size == "grow" else self.batch_size

    def penalty(self, model: Classifier) -> float:
        """Weight of the penalty on a model's squared weights."""
        if self.l2 is not None:
            return self.l2
        return LINEAR_L2 if isinstance(model, Linear) else 0.0

    def sharpening(self, model: Classifier) -> float:
        """Weight of the penalty on the entropy of a model's posteriors."""
        if self.entropy is not None:
            return self.entropy
        return LINEAR_ENTROPY if isinstance(model, Linear) else 0.0

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
        judged_on = problem if problem.is_table else problem.sample(_JUDGED_POSITIONS, seed)[0]
        halving, n_steps = Halving(starts), 0
        for order, rungs in groupby(self.plan(problem, model), lambda rung: min(rung.order or 99, problem.order)):
            stage = problem if order == problem.order else problem.at_order(order)
            run = self.start(stage, model, seed)
            run.entropy = self.sharpening(model)
            run.judged_on = stage if problem.is_table else judged_on.at_order(order)
            if n_steps:
                run.catch_up()
            halving.descend(run, list(rungs))
            n_steps += run.step
        winner = halving.winner()
        model.keep(winner)
        kl = problem.kl(model) + problem.label_cost(model)
        halving.last_scores[halving.alive[winner]] = kl
        return Solution(model=model, kl=float(kl), restarts=tuple(halving.last_scores.tolist()), n_steps=n_steps)

    def plan(self, problem: Problem, model: Classifier) -> Ladder:
        """The rungs that `solve` takes a model down."""
        if self.ladder is None and not isinstance(model, Linear):
            return (Rung(self.steps or _STEPS, self.first_batch()),)
        ladder = self.ladder
        if ladder is None:
            least = min(1.0, _FEW_WINDOWS / problem.windows.count)
            ladder = tuple(replace(rung, l2=max(rung.l2, least)) for rung in LADDER)
        if self.batch_size != "grow":
            ladder = at_batch(ladder, self.batch_size, problem.windows.count)
        return ladder if self.steps is None else shortened(ladder, self.steps)


def initial_model(problem: Problem, kind: ModelKind | None, starts: int, seed: int) -> Classifier:
    """Classifiers with a uniform output but for a little noise."""
    chosen: ModelKind = kind or ("table" if problem.is_table else "linear")
    generator = torch.Generator().manual_seed(seed)
    return make_model(chosen, starts, problem.n_inputs, problem.n_classes, noise=START_NOISE, generator=generator)
