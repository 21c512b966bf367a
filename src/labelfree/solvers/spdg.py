"""Algorithm 1: the stochastic primal-dual gradient method.

Theta goes down and V up the saddle function L; both gradients are unbiased on mini-batches of windows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from labelfree.core import primal_term, saddle
from labelfree.models import Classifier, Linear, Table
from labelfree.solvers.adam import Adam
from labelfree.solvers.ladder import Ladder
from labelfree.solvers.method import GradientMethod
from labelfree.solvers.problem import Problem
from labelfree.solvers.run import Run

_LEAST_MEAN = 1e-9  # no N-gram that the data hold comes out less
_LARGEST_LOG_DUAL = 40.0  # an N-gram that never comes out pulls no harder than this, and exp stays finite


@dataclass(frozen=True)
class SPDG(GradientMethod):
    """Algorithm 1, with a choice of dual.

    Parameters
    ----------
    dual : {"mean", "log", "paper"}, optional
        ``"mean"`` writes V = -1/m and moves m towards the N-grams of each batch by a share of the way: the gradient of
        L in V, scaled so that every N-gram travels as fast as it is seen, and without bias for N-grams that most
        batches lack. ``"log"`` writes V = -exp(u) and climbs in u with a step of bounded length: faster and noisier,
        for pairs over few symbols. ``"paper"`` moves V itself by Adam from uniform draws in (-1, 0), theta from 1/dim,
        as the paper's appendix D says. By default ``"mean"`` for a linear classifier of features, else ``"log"``.
    dual_rate : float, optional
        Step on the dual; 0.1 for ``"mean"``, 0.5 for ``"log"``, the paper's 1e-4 for ``"paper"``.
    rate : float, optional
        Step on theta; 0.005, 0.001 where theta is a network, the paper's 1e-6 for
        ``"paper"``.
    """

    dual: Literal["mean", "log", "paper"] | None = None
    rate: float | None = None
    dual_rate: float | None = None

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> SPDGRun:
        """Set theta and V to their starting values."""
        dual = self.dual or ("mean" if isinstance(model, Linear) else "log")
        is_network = not isinstance(model, (Table, Linear))
        rate, dual_rate = _RATES["network" if dual != "paper" and is_network else dual], _DUAL_RATES[dual]
        return _RUNS[dual](
            problem,
            model,
            rate=rate if self.rate is None else self.rate,
            dual_rate=dual_rate if self.dual_rate is None else self.dual_rate,
            batch_size=self.first_batch(),
            l2=self.penalty(model),
            seed=seed,
        )

    def plan(self, problem: Problem, model: Classifier) -> Ladder:
        """The rungs of all gradient methods; the paper's own dual begins at the order asked, for it begins but once."""
        rungs = super().plan(problem, model)
        return tuple(replace(rung, order=None) for rung in rungs) if self.dual == "paper" else rungs


_RATES = {"mean": 0.005, "log": 0.005, "network": 0.001, "paper": 1e-6}
_DUAL_RATES = {"mean": 0.1, "log": 0.5, "paper": 1e-4}


class SPDGRun(Run):
    """The primal step, shared by both duals."""

    stage = "spdg"
    dual: Tensor

    def __init__(
        self,
        problem: Problem,
        model: Classifier,
        *,
        rate: float,
        dual_rate: float,
        batch_size: int | None,
        l2: float | Tensor = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(problem, model, rate=rate, batch_size=batch_size, l2=l2, seed=seed)
        self.dual_rate = dual_rate
        self.dual_shape = (model.n_starts, *problem.target.probability.shape)

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on."""
        return super().state() | {"dual": self.dual.detach()}


class LogDualRun(SPDGRun):
    """V = -exp(u), u starting at N ln C, the value that fits a uniform output; its optimum is -ln p_bar."""

    def __init__(self, problem: Problem, model: Classifier, **options: object) -> None:
        super().__init__(problem, model, **options)  # type: ignore[arg-type]
        self.dual = torch.full(self.dual_shape, problem.order * math.log(problem.n_classes))

    @torch.no_grad()
    def catch_up(self) -> None:
        """Move u to its optimum over the data: where to begin with a model that has learned something already.

        An N-gram that hardly ever comes out is taken to do so once, or a single window would outweigh all others.
        """
        expected, _ = self.judged_on.survey(self.model)
        self.dual = -expected.clamp_min(1.0 / self.judged_on.windows.count).log()

    def loss(self, expected: Tensor) -> Tensor:
        """The part of L that theta moves."""
        return primal_term(expected, -self.dual.exp(), self.problem.target)

    def after_step(self, expected: Tensor) -> None:
        """Climb: dL/du is p_LM (1 - exp(u) p_bar); without p_LM every N-gram moves at its own pace."""
        self.dual += self.dual_rate * (1.0 - self.dual.exp() * expected).clamp_(-1.0, 1.0)
        self.dual.clamp_(max=_LARGEST_LOG_DUAL)

    def keep(self, starts: Tensor) -> None:
        """Drop all starts but these."""
        super().keep(starts)
        self.dual = self.dual[starts].clone()

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go back to a state."""
        super().restore(state)
        self.dual = state["dual"].clone()


class MeanDualRun(LogDualRun):
    """V = -1/m, held as u = -ln m; m is a running mean of what comes out, so that its optimum is p_bar itself.

    dL/dV is p_LM (p_bar - m). Scaled to each N-gram it is a step of m towards the batch, linear in the batch: its mean
    over batches is the step over all the data. The bounded step in u has not that virtue: an N-gram that most batches
    lack climbs on nearly all of them, and falls by no more on the others.
    """

    def after_step(self, expected: Tensor) -> None:
        """Climb: m goes a share of the way to the N-grams of the batch."""
        mean = (-self.dual).exp()
        mean += self.dual_rate * (expected - mean)
        self.dual = -mean.clamp_min_(_LEAST_MEAN).log_()


class PaperDualRun(SPDGRun):
    """V itself as in the paper's appendix D: uniform in (-1, 0), climbed by Adam; the barrier keeps it negative."""

    def __init__(self, problem: Problem, model: Classifier, **options: object) -> None:
        super().__init__(problem, model, **options)  # type: ignore[arg-type]
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if name == "weight":
                    parameter.fill_(1.0 / problem.n_inputs)
        self.dual = -torch.rand(self.dual_shape, generator=self.generator).clamp_min_(1e-6)
        self.dual.requires_grad_()
        self.dual_optimizer = Adam([self.dual], self.dual_rate)

    def loss(self, expected: Tensor) -> Tensor:
        """The part of L that theta moves."""
        return primal_term(expected, self.dual.detach(), self.problem.target)

    def after_step(self, expected: Tensor) -> None:
        """Climb L in V by Adam."""
        self.dual_optimizer.zero_grad()
        (-saddle(expected, self.dual, self.problem.target)).sum().backward()  # type: ignore[no-untyped-call]
        self.dual_optimizer.step()
        with torch.no_grad():
            self.dual.clamp_(max=-1e-6)

    def keep(self, starts: Tensor) -> None:
        """Drop all starts but these."""
        super().keep(starts)
        self.dual_optimizer.keep(starts)
        self.dual.data = self.dual.data[starts].clone()

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on."""
        return super().state() | self.dual_optimizer.state("dual_optimizer")

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go back to a state."""
        super().restore(state)
        self.dual.data = state["dual"].clone()
        self.dual_optimizer.restore("dual_optimizer", state)


_RUNS: dict[str, type[LogDualRun] | type[PaperDualRun]] = {
    "mean": MeanDualRun,
    "log": LogDualRun,
    "paper": PaperDualRun,
}
