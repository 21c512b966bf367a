"""Algorithm 1: the stochastic primal-dual gradient method.

Theta goes down and V up the saddle function L; both gradients are unbiased on mini-batches of windows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from labelfree.core import expected_ngrams, primal_term, saddle
from labelfree.models import Classifier, Linear, Table
from labelfree.solvers.method import GradientMethod
from labelfree.solvers.problem import Problem
from labelfree.solvers.run import Run, optimizer_state, restore_optimizer

_LARGEST_LOG_DUAL = 40.0  # an N-gram that never comes out pulls no harder than this, and exp stays finite


@dataclass(frozen=True)
class SPDG(GradientMethod):
    """Algorithm 1, with a choice of dual.

    Parameters
    ----------
    dual : {"log", "paper"}
        ``"log"`` writes V = -exp(u) and climbs in u with a step scaled to each N-gram, so that V is negative by
        construction and rare N-grams travel as fast as common ones. ``"paper"`` moves V itself by Adam from uniform
        draws in (-1, 0), theta from 1/dim, as the paper's appendix D says.
    dual_rate : float, optional
        Step on the dual; 0.5 for ``"log"``, the paper's 1e-4 for ``"paper"``.
    rate : float, optional
        Step on theta; 0.005 for ``"log"``, 0.001 where theta is a network, the paper's 1e-6 for ``"paper"``.
    """

    dual: Literal["log", "paper"] = "log"
    batch_size: int | None = 200
    rate: float | None = None
    dual_rate: float | None = None

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> SPDGRun:
        """Set theta and V to their starting values."""
        is_log = self.dual == "log"
        run_type = LogDualRun if is_log else PaperDualRun
        return run_type(
            problem,
            model,
            rate=self.rate if self.rate is not None else (_log_dual_rate(model) if is_log else 1e-6),
            dual_rate=self.dual_rate if self.dual_rate is not None else (0.5 if is_log else 1e-4),
            batch_size=self.batch_size,
            l2=self.l2,
            seed=seed,
        )


def _log_dual_rate(model: Classifier) -> float:
    return 0.005 if isinstance(model, (Table, Linear)) else 0.001


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
    def fit_dual(self) -> None:
        """Move u to its optimum over all the data: where to begin with a model that has learned something already.

        An N-gram that hardly ever comes out is taken to do so once, or a single window would outweigh all others.
        """
        windows = self.problem.windows
        expected = expected_ngrams(self.model(self.problem.inputs).exp(), windows, self.problem.target)
        self.dual = -expected.clamp_min(1.0 / windows.count).log()

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
        self.dual_optimizer = torch.optim.Adam([self.dual], lr=self.dual_rate, maximize=True)

    def loss(self, expected: Tensor) -> Tensor:
        """The part of L that theta moves."""
        return primal_term(expected, self.dual.detach(), self.problem.target)

    def after_step(self, expected: Tensor) -> None:
        """Climb L in V by Adam."""
        self.dual_optimizer.zero_grad()
        saddle(expected, self.dual, self.problem.target).sum().backward()  # type: ignore[no-untyped-call]
        self.dual_optimizer.step()
        with torch.no_grad():
            self.dual.clamp_(max=-1e-6)

    def keep(self, starts: Tensor) -> None:
        """Drop all starts but these."""
        super().keep(starts)
        state = self.dual_optimizer.state[self.dual]
        for name in ("exp_avg", "exp_avg_sq"):
            if name in state:
                state[name] = state[name][starts].clone()
        self.dual.data = self.dual.data[starts].clone()

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on."""
        return super().state() | optimizer_state("dual_optimizer", self.dual_optimizer)

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go back to a state."""
        super().restore(state)
        self.dual.data = state["dual"].clone()
        restore_optimizer("dual_optimizer", self.dual_optimizer, state)
