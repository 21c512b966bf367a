"""One interface for all gradient methods: settings first, then a problem in and a solution out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import torch

from labelfree.models import Classifier, Linear, ModelKind, Network, make_model
from labelfree.solvers.ladder import Halving, Ladder, Rung, at_batch, shortened
from labelfree.solvers.last_layer import LastLayer
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
# All layers of a network, whose last one has come down that ladder on what random layers make of the inputs.
ALL_LAYERS: Ladder = (Rung(400, 10_000, entropy=1.0, rate=0.5, dual_rate=0.5, order=2, falls=True),)
LINEAR_L2 = 0.003  # of a linear classifier on features of squared length 200; less lets it fit the noise of the counts
LINEAR_ENTROPY = 0.3  # more reads clean print better, and freezes mistakes where classes overlap
NETWORK_ENTROPY = 0.1
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
        linear classifier of features, 0.1 for a network, and none for a table.
    ladder : tuple of Rung, optional
        How `solve` goes on from batch to batch and thins out its starts. By default `LADDER` for a linear classifier of
        features and the last layer of a network, `ALL_LAYERS` for the whole network after it, and one rung with no
        thinning for a table.
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
        if isinstance(model, Linear):
            return LINEAR_ENTROPY
        return NETWORK_ENTROPY if isinstance(model, Network) else 0.0

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
        if self.ladder is None:
            model = initial_model(problem, kind, 1, seed)
            if isinstance(model, Network):
                return self._last_layer_first(problem, model, starts, seed)
        return self._descend(problem, initial_model(problem, kind, starts, seed), seed)

    def _last_layer_first(self, problem: Problem, model: Network, starts: int, seed: int) -> Solution:
        """Fit a network: its last layer as a linear classifier, from many starts, then all layers of the best."""
        last_layer = LastLayer.of(model, problem.inputs)
        steps = None if self.steps is None else max(1, self.steps * 9 // 10)
        top = last_layer.problem(model, problem)
        learned = replace(self, steps=steps)._descend(top, initial_model(top, "linear", starts, seed), seed)
        assert isinstance(learned.model, Linear)  # noqa: S101 - the kind that was asked for
        last_layer.put_back(learned.model, model)
        steps = None if self.steps is None else self.steps - learned.n_steps
        if steps == 0:
            return replace(learned, model=model)
        found = replace(self, steps=steps)._descend(problem, model, seed, has_learned=True)
        return replace(found, restarts=learned.restarts, n_steps=learned.n_steps + found.n_steps)

    def _descend(self, problem: Problem, model: Classifier, seed: int, *, has_learned: bool = False) -> Solution:
        """Take all starts of a model down the ladder, and keep the best."""
        starts = model.n_starts
        judged_on = problem if problem.is_table else problem.sample(_JUDGED_POSITIONS, seed)[0]
        halving, n_steps = Halving(starts), 0
        for order, rungs in groupby(self.plan(problem, model), lambda rung: min(rung.order or 99, problem.order)):
            stage = problem if order == problem.order else problem.at_order(order)
            run = self.start(stage, model, seed)
            run.entropy = self.sharpening(model)
            run.judged_on = stage if problem.is_table else judged_on.at_order(order)
            if has_learned or n_steps:
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
        if self.ladder is not None:
            ladder = self.ladder
        elif isinstance(model, Linear):
            least = min(1.0, _FEW_WINDOWS / problem.windows.count)
            ladder = tuple(replace(rung, l2=max(rung.l2, least)) for rung in LADDER)
        elif isinstance(model, Network):
            ladder = ALL_LAYERS
        else:
            return (Rung(self.steps or _STEPS, self.first_batch()),)
        if self.batch_size != "grow":
            ladder = at_batch(ladder, self.batch_size, problem.windows.count)
        return ladder if self.steps is None else shortened(ladder, self.steps)


def initial_model(problem: Problem, kind: ModelKind | None, starts: int, seed: int) -> Classifier:
    """Classifiers with a uniform output but for a little noise."""
    chosen: ModelKind = kind or ("table" if problem.is_table else "linear")
    generator = torch.Generator().manual_seed(seed)
    return make_model(chosen, starts, problem.n_inputs, problem.n_classes, noise=START_NOISE, generator=generator)
