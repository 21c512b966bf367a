"""Table 1: every method on one task, over seeds, beside the paper's own figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from labelfree.repro.paper.folder import Check, Result, Row, Teller, at_most, spread
from labelfree.repro.paper.methods import (
    Budget,
    Fit,
    Method,
    fit_em,
    fit_gradient,
    fit_majority,
    fit_ours,
    fit_supervised,
    gradient_methods,
)
from labelfree.repro.paper.trial import SOLVED, Trial

_PAPER = {
    "ours": {"ocr": 0.0959, "spelling": 0.0194},
    "supervised": {"ocr": 0.0463, "spelling": 0.0},
    "majority": {"ocr": 0.8337, "spelling": 0.8291},
}


def table1(
    task: str,
    trials: Callable[[int], Trial],
    folder: Path,
    *,
    seeds: int = 5,
    seed: int = 0,
    baseline_seeds: int | None = None,
    budget: Budget = Budget(),  # noqa: B008 - frozen
    tell: Teller = print,
) -> Result:
    """Fit every method on every seed.

    Parameters
    ----------
    task : {"spelling", "rendered", "scans"}
    trials : callable
        From a seed to the trial.
    folder : Path
        Where the picture goes.
    seeds, seed : int
        How many, and the first of them.
    baseline_seeds : int, optional
        Seeds for the gradient methods and EM; by default as many as ours.
    budget : Budget
        Of every gradient method on every fit.
    tell : callable
        Hears of every fit as it is done.
    """
    column = "spelling" if task == "spelling" else "ocr"
    ours, supervised, majority, em = [], [], [], []
    n_baseline = seeds if baseline_seeds is None else baseline_seeds
    methods = gradient_methods()
    chosen: dict[str, float] = {}
    fits: dict[str, list[Fit]] = {method.name: [] for method in methods}
    for i in range(seed, seed + seeds):
        trial = trials(i)
        ours.append(fit_ours(trial, i))
        supervised.append(fit_supervised(trial))
        majority.append(fit_majority(trial))
        tell(f"seed {i}: ours {ours[-1].error:.2%} in {ours[-1].seconds:.0f} s, supervised {supervised[-1].error:.2%}")
        if i - seed >= n_baseline:
            continue
        em.append(fit_em(trial, i, budget))
        for method in methods:
            fit = _best_of_grid(method, trial, i, budget, chosen)
            fits[method.name].append(fit)
            tell(f"seed {i}: {method.name}, rate {chosen[method.name]:g}: {fit.error:.2%} in {fit.seconds:.0f} s")
    limit = SOLVED if task == "spelling" else 2.0 * max(fit.error for fit in supervised)
    rows = [_row("ours: SPDG, groups to classifier", ours, limit, _PAPER["ours"].get(column))]
    rows += [
        _row(f"{name}, rate {chosen[name]:g}", found, limit, method.paper.get(column))
        for method in methods
        if (found := fits[(name := method.name)])
    ]
    if em:
        rows.append(_row("EM on symbols or groups", em, limit, None))
    rows.append(_row("supervised", supervised, limit, _PAPER["supervised"].get(column)))
    rows.append(_row("majority guess", majority, limit, _PAPER["majority"].get(column)))
    pictures = [_draw_curves(folder / f"table1-{task}.png", fits, chosen)] if n_baseline else []
    return Result(
        f"table1-{task}",
        f"Table 1, {task}",
        rows,
        _checks(task, ours, supervised),
        [
            f"a fit counts as solved at an error of at most {limit:.2%}",
            f"every gradient method: {_conditions(trial, budget)}; the best of the rates "
            f"{', '.join(f'{rate:g}' for rate in budget.rates)} by label-free score on the first seed",
            "symbols: how many different ones come out on the test part; few after a collapse",
        ],
        pictures,
        _details(fits),
    )


def _best_of_grid(method: Method, trial: Trial, seed: int, budget: Budget, chosen: dict[str, float]) -> Fit:
    """The whole grid on the first seed, where the lowest label-free score chooses; then the chosen rate."""
    if method.name in chosen:
        return fit_gradient(method.make(chosen[method.name]), trial, seed, budget)
    tried = {rate: fit_gradient(method.make(rate), trial, seed, budget) for rate in budget.rates}
    chosen[method.name] = min(tried, key=lambda rate: tried[rate].kl)
    return tried[chosen[method.name]]


def _conditions(trial: Trial, budget: Budget) -> str:
    if trial.is_table:
        return f"at most {budget.steps:,} steps over {budget.positions:,} positions, {budget.starts} starts"
    return f"the same ladder of penalties and halving from {budget.feature_starts} starts, within the same windows"


def _row(name: str, fits: list[Fit], limit: float, paper: float | None) -> Row:
    errors = [fit.error for fit in fits]
    decoded = [fit.decoded for fit in fits if fit.decoded is not None]
    believed = [fit.believed for fit in fits if fit.believed is not None]
    return {
        "method": name,
        "error": float(np.mean(errors)),
        "spread": spread(errors),
        "worst": max(errors),
        "solved": f"{sum(error <= limit for error in errors)}/{len(errors)}",
        "believed": f"{sum(believed)}/{len(believed)}" if believed else None,
        "decoded": float(np.mean(decoded)) if decoded else None,
        "kl": float(np.mean([fit.kl for fit in fits])),
        "symbols": int(np.median([fit.symbols for fit in fits])) or None,
        "seconds": float(np.median([fit.seconds for fit in fits])),
        "paper": paper,
    }


def _checks(task: str, ours: list[Fit], supervised: list[Fit]) -> list[Check]:
    mean, yardstick = np.mean([fit.error for fit in ours]), np.mean([fit.error for fit in supervised])
    if task == "spelling":
        return [at_most("worst error over seeds", max(fit.error for fit in ours), 0.0)]
    ratio = at_most("error over supervised error, means over seeds", float(mean / yardstick), 2.0)
    if task == "scans":
        return [ratio]
    stuck = float(sum(not fit.believed for fit in ours))
    return [
        ratio,
        at_most("seeds that did not converge", stuck, 0.0),
        at_most("seconds of the slowest fit", max(fit.seconds for fit in ours), 60.0),
        at_most(
            "decoded error less supervised error without decoding",
            float(np.mean([fit.decoded or 0.0 for fit in ours]) - yardstick),
            0.0,
        ),
    ]


def _draw_curves(path: Path, fits: dict[str, list[Fit]], chosen: dict[str, float]) -> Path:
    """Error of every gradient method as it learns: how and when each fails."""
    from labelfree.repro.paper.plots import curves

    shown: dict[str, tuple[list[float], list[float]]] = {}
    for name, found in fits.items():
        if found:
            looks = found[0].looks
            shown[f"{name}, rate {chosen[name]:g}"] = ([look.step for look in looks], [look.error for look in looks])
    return curves(path, shown, x="step", y="test error", title="How each method learns, or fails to (first seed)")


def _details(fits: dict[str, list[Fit]]) -> dict[str, Any]:
    return {name: [[vars(look) for look in fit.looks] for fit in found[:1]] for name, found in fits.items()}
