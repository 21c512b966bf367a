"""What becomes of single starts: how many are solved at each batch size, and whether the label-free score knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import spearmanr

from labelfree.fitting.compress import group_rows
from labelfree.fitting.search import LADDER, POLISH_STEPS
from labelfree.models import Classifier
from labelfree.repro.paper.folder import Result, Row, Teller
from labelfree.repro.paper.methods import RATES
from labelfree.repro.paper.plots import Curve, curves
from labelfree.repro.paper.trial import SOLVED, Part, Trial
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.ladder import Rung
from labelfree.solvers.method import initial_model
from labelfree.solvers.spdg import SPDG

BATCHES: tuple[int | None, ...] = (10, 30, 100, 200, 500, 1_000, 5_000, None)
_GROUPS_PER_CLASS = 4
_NEAR = 1.5  # times the lowest error: starts that found the basin, where groups keep the error from zero


def batch_sizes(
    trial: Trial,
    folder: Path,
    *,
    batches: Sequence[int | None] = BATCHES,
    rates: Sequence[float] = RATES,
    starts: int = 20,
    steps: int = 1_000,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Share of single starts that SPDG with the logarithmic dual solves, by batch size.

    Parameters
    ----------
    trial : Trial
        A substitution.
    folder : Path
        Where the picture goes.
    batches : sequence of int or None
        Windows a step; None for all of them.
    rates : sequence of float
        Every batch size is tried with each.
    starts, steps, seed : int
    tell : callable
        Hears of every batch size as it is done.
    """
    problem = trial.problem
    rows: list[Row] = []
    for batch in batches:
        row: Row = {"batch": "all" if batch is None else batch}
        began = perf_counter()
        for rate in rates:
            model = initial_model(problem, None, starts, seed)
            SPDG(batch_size=batch, rate=rate).start(problem, model, seed).advance(steps)
            row[f"share solved, rate {rate:g}"] = float((_errors(trial, model) <= SOLVED).mean())
        row["seconds"] = (perf_counter() - began) / len(rates)
        rows.append(row)
        shares = ", ".join(f"{value:.0%}" for name, value in row.items() if name.startswith("share"))
        tell(f"batch {row['batch']}: {shares} solved in {row['seconds']:.1f} s")
    at = [batch or problem.windows.count for batch in batches]
    lines = {f"rate {rate:g}": (at, [row[f"share solved, rate {rate:g}"] for row in rows]) for rate in rates}
    picture = curves(
        folder / "ablation-batch.png",
        lines,
        x="batch size (the last: all windows)",
        y="share of starts solved",
        title="Batch size against success",
        log_x=True,
    )
    return Result(
        "ablation-batch",
        "Batch size against success rate",
        rows,
        notes=[
            f"SPDG, logarithmic dual, {starts} single starts of {steps:,} steps, {problem.windows.count:,} windows; "
            f"solved: at most {SOLVED:.0%} of the test read wrongly, with no polishing after",
            f"seconds: all {starts} starts of one rate",
        ],
        pictures=[picture],
    )


@dataclass(frozen=True, eq=False)
class Scored:
    """Starts as they ended: label-free score early and late, and the true error late."""

    early_kl: NDArray[np.float64]
    kl: NDArray[np.float64]
    error: NDArray[np.float64]


def agreement(
    trials: Mapping[str, Trial],
    folder: Path,
    *,
    starts: int = 60,
    ladder: Sequence[Rung] = LADDER,
    polish_steps: int = POLISH_STEPS,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Rank correlation over starts between the label-free score and the true error.

    Every start takes the steps of the search, and none is dropped on the way.

    Parameters
    ----------
    trials : mapping
        From a name to a trial; features are grouped first, as before a search.
    folder : Path
        Where the picture goes.
    starts : int
    ladder : sequence of Rung
        Steps and batch sizes; what it says of keeping starts is not followed.
    polish_steps, seed : int
    tell : callable
        Hears of every trial as it is done.
    """
    rows: list[Row] = []
    points: dict[str, Curve] = {}
    for name, trial in trials.items():
        table = trial if trial.is_table else grouped(trial, seed)
        found = _scored(table, starts, ladder, polish_steps, seed)
        row: Row = {
            "task": name,
            "starts": starts,
            "rank correlation": _rank_correlation(found.kl, found.error),
            f"after {ladder[0].steps} steps": _rank_correlation(found.early_kl, found.error),
            "share of pairs in order": _share_in_order(found.kl, found.error),
            "error of the lowest kl": float(found.error[found.kl.argmin()]),
            "lowest error": float(found.error.min()),
            "median error": float(np.median(found.error)),
        }
        rows.append(row)
        points[name] = (found.kl.tolist(), found.error.tolist())
        tell(f"{name}: rank correlation {row['rank correlation']:.3f} over {starts} starts")
    picture = curves(
        folder / "ablation-agreement.png",
        points,
        x="KL from the language model (no label)",
        y="true test error",
        title="Label-free score and true error, one point a start",
        points=True,
    )
    return Result(
        "ablation-agreement",
        "Agreement between label-free score and true error over starts",
        rows,
        notes=[
            "rank correlation: Spearman's, of the final score, and of the score early on, with the final error",
            f"pairs: a start that is solved, with an error of at most {SOLVED:.0%} or {_NEAR:g} times the lowest, and "
            "one that is stuck; in order where the solved one has the lower score",
        ],
        pictures=[picture],
        details={name: {"kl": list(xs), "error": list(ys)} for name, (xs, ys) in points.items()},
    )


def grouped(trial: Trial, seed: int = 0) -> Trial:
    """A trial over features as one over groups of alike features."""
    both = torch.cat([trial.train.inputs, trial.test.inputs]).numpy()
    labels = torch.from_numpy(group_rows(both, _GROUPS_PER_CLASS * trial.problem.n_classes, seed).labels)
    n_train = len(trial.train.inputs)
    largest = int(labels[:n_train].max())  # a group that only the test holds is read as the last one known
    train = Part(labels[:n_train], trial.train.labels, trial.train.lengths)
    test = Part(labels[n_train:].clamp(max=largest), trial.test.labels, trial.test.lengths)
    return replace(trial, train=train, test=test)


def _scored(trial: Trial, starts: int, ladder: Sequence[Rung], polish_steps: int, seed: int) -> Scored:
    problem = trial.problem
    model = initial_model(problem, None, starts, seed)
    run = SPDG(batch_size=ladder[0].batch_size).start(problem, model, seed)
    scores = []
    for rung in ladder:
        run.batch_size = rung.batch_size
        run.advance(rung.steps)
        scores.append(run.scores())
    settling = FullBatch().start(problem, model)
    settling.advance(polish_steps)
    early, late = (found.numpy().astype(np.float64) for found in (scores[0], settling.scores()))
    return Scored(early, late, _errors(trial, model))


def _errors(trial: Trial, model: Classifier) -> NDArray[np.float64]:
    return np.array([trial.error(model, start) for start in range(model.n_starts)])


def _rank_correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    """Spearman's rho; None where all of one are alike."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(spearmanr(one, other).statistic)


def _share_in_order(scores: NDArray[np.float64], errors: NDArray[np.float64]) -> float | None:
    """How often a solved start has a lower score than a stuck one; None where all are of one kind."""
    solved = errors <= max(SOLVED, _NEAR * errors.min())
    if solved.all():
        return None
    return float((scores[solved][:, None] < scores[~solved]).mean())
