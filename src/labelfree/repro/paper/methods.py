"""The methods of Table 1, each with one knob, the rate, and the same grid and budget for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import torch

from labelfree.fitting.auto import Auto
from labelfree.fitting.compress import group_rows
from labelfree.models import Classifier
from labelfree.repro.paper.trial import Trial
from labelfree.solvers import EM, SGD, SPDG, FullBatch, Likelihood, Majority, Supervised
from labelfree.solvers.method import LADDER, GradientMethod
from labelfree.solvers.run import Companion, Run, accompanied_by
from labelfree.verdict import judge_fit

RATES = (1e-3, 5e-3, 2.5e-2)
RECONSTRUCTIONS = (0.0, 0.1, 1.0, 10.0, 100.0)
BATCHES = (10, 100, 1_000, 10_000)
_DUAL_TO_PRIMAL = 100.0  # the paper's ratio of rates
_GROUPS = 116


@dataclass(frozen=True)
class Budget:
    """What a method may spend on one fit.

    Attributes
    ----------
    steps, positions : int
        Every gradient method takes at most so many steps, over so many positions in all.
    rates : tuple of float
        The grid that is the same for all.
    starts : int
        Of gradient methods on symbols.
    feature_starts : int
        On features, where all gradient methods go down the same ladder: growing or fixed batches, half of the starts
        dropped on each rung, the same penalties; see `labelfree.solvers.method.LADDER`.
    feature_steps : int, optional
        Of the whole ladder; by default its own.
    em_steps, em_starts : int

    Examples
    --------
    >>> Budget(steps=1000, positions=10_000_000).of(batch_size=None, n_positions=100_000)
    100
    """

    steps: int = 1_500
    positions: int = 15_000_000
    rates: tuple[float, ...] = RATES
    starts: int = 10
    feature_starts: int = 24
    feature_steps: int | None = None
    em_steps: int = 30
    em_starts: int = 2

    def of(self, batch_size: int | None, n_positions: int) -> int:
        """Steps at a batch size; None is all the data."""
        return max(20, min(self.steps, self.positions // (batch_size or n_positions)))


@dataclass(frozen=True)
class Method:
    """A row of Table 1.

    Attributes
    ----------
    name : str
    paper : dict
        Its error in the paper by task; the rendered task and the scans both stand for the paper's OCR.
    make : callable
        From a rate to the method.
    """

    name: str
    paper: dict[str, float]
    make: Callable[[float], GradientMethod]


@dataclass(frozen=True)
class Look:
    """The state of a fit at one step."""

    step: int
    seconds: float
    kl: float
    error: float
    symbols: int


@dataclass(frozen=True, eq=False)
class Fit:
    """One fit: its error on the test part, label-free score, what it cost and how it went."""

    error: float
    kl: float
    seconds: float
    steps: int = 0
    symbols: int = 0
    believed: bool | None = None
    decoded: float | None = None
    looks: tuple[Look, ...] = ()


def gradient_methods() -> tuple[Method, ...]:
    """Those with a rate: the paper's own algorithm, what it is compared with, and full batches."""

    def sgd(batch: int) -> Callable[[float], GradientMethod]:
        return lambda rate: SGD(batch_size=batch, rate=rate)

    def likelihood(weight: float) -> Callable[[float], GradientMethod]:
        return lambda rate: Likelihood(reconstruction=weight, rate=rate)

    paper_sgd = {
        10: {"ocr": 0.8309, "spelling": 0.8291},
        100: {"ocr": 0.7805, "spelling": 0.7293},
        1_000: {"ocr": 0.6714, "spelling": 0.6569},
        10_000: {"ocr": 0.5648, "spelling": 0.4524},
    }
    chen = {"ocr": 0.8337, "spelling": 0.8291}
    return (
        Method("SPDG alone", {}, lambda rate: SPDG(rate=rate)),
        Method(
            "SPDG, paper's dual",
            {"ocr": 0.0959, "spelling": 0.0194},
            lambda rate: SPDG(dual="paper", rate=rate, dual_rate=_DUAL_TO_PRIMAL * rate),
        ),
        *(Method(f"2016, weight {weight:g}", chen, likelihood(weight)) for weight in RECONSTRUCTIONS),
        *(Method(f"SGD, batch {batch:,}", paper_sgd[batch], sgd(batch)) for batch in BATCHES),
        Method("full batch", {}, lambda rate: FullBatch(rate=rate)),
    )


def fit_ours(trial: Trial, seed: int) -> Fit:
    """The whole road of `SequenceClassifier`, no setting chosen by hand."""
    began = perf_counter()
    solution = Auto().solve(trial.problem, seed=seed)
    seconds = perf_counter() - began
    return Fit(
        trial.error(solution.model),
        solution.kl,
        seconds,
        solution.n_steps,
        _symbols(trial, solution.model),
        judge_fit(trial.problem, solution.model).converged,
        trial.decoded_error(solution.model),
    )


def fit_gradient(method: GradientMethod, trial: Trial, seed: int, budget: Budget) -> Fit:
    """A method by itself; of several starts the one with the lowest label-free score."""
    problem = trial.problem
    steps, starts = budget.feature_steps, budget.feature_starts
    if trial.is_table:
        steps, starts = budget.of(method.first_batch(), len(problem.positions)), budget.starts
    method = replace(method, steps=steps)
    watch = _Watch(trial, every=max(1, (steps or sum(rung.steps for rung in LADDER)) // 20))
    began = perf_counter()
    with accompanied_by(watch):
        solution = method.solve(problem, starts=starts, seed=seed)
    return Fit(
        trial.error(solution.model),
        solution.kl,
        perf_counter() - began - watch.seconds,
        solution.n_steps,
        _symbols(trial, solution.model),
        judge_fit(problem, solution.model).converged,
        looks=tuple(watch.looks),
    )


def fit_em(trial: Trial, seed: int, budget: Budget) -> Fit:
    """EM over symbols, or over groups of alike features."""
    began = perf_counter()
    if trial.is_table:
        found = EM(steps=budget.em_steps).solve(trial.problem, starts=budget.em_starts, seed=seed)
        return Fit(trial.error(found.model), found.kl, perf_counter() - began, found.n_steps)
    both = torch.cat([trial.train.inputs, trial.test.inputs]).numpy()
    groups = group_rows(both, _GROUPS, seed)
    n_train = len(trial.train.inputs)
    compressed = trial.problem.compressed(groups.labels[:n_train], groups.n_groups)
    found = EM(steps=budget.em_steps).solve(compressed, starts=budget.em_starts, seed=seed)
    with torch.no_grad():
        read = found.model(compressed.inputs)[0].argmax(1).numpy()[groups.labels[n_train:]]
    error = float((read != trial.test.labels).mean())
    return Fit(error, found.kl, perf_counter() - began, found.n_steps, len(np.unique(read)))


def fit_supervised(trial: Trial) -> Fit:
    """The yardstick, which alone sees the labels."""
    began = perf_counter()
    found = Supervised(trial.train.labels).solve(trial.problem)
    return Fit(trial.error(found.model), found.kl, perf_counter() - began, found.n_steps)


def fit_majority(trial: Trial) -> Fit:
    """The language's commonest symbol for every input."""
    began = perf_counter()
    found = Majority().solve(trial.problem)
    return Fit(trial.error(found.model), found.kl, perf_counter() - began, symbols=1)


class _Watch(Companion):
    """Looks at score and error now and then; its own time is not the method's."""

    def __init__(self, trial: Trial, every: int) -> None:
        self.trial, self.every = trial, every
        self.looks: list[Look] = []
        self.steps = 0  # of all runs of a method together
        self.seconds = 0.0
        self._began = perf_counter()

    def stepped(self, run: Run, remaining: int) -> None:
        self.steps += 1
        if self.steps % self.every and remaining:
            return
        began = perf_counter()
        scores = run.scores()
        best = int(scores.argmin())
        self.looks.append(
            Look(
                self.steps,
                began - self._began - self.seconds,
                float(scores[best]),
                self.trial.error(run.model, best),
                _symbols(self.trial, run.model, best),
            )
        )
        self.seconds += perf_counter() - began


def _symbols(trial: Trial, model: Classifier, start: int = 0) -> int:
    """How many symbols come out at all: one or two after a collapse."""
    return len(np.unique(trial.read(model, start)))
