"""Scanned books one by one and mixed, label-free beside supervised on the same features."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from labelfree.repro.paper.folder import Check, Result, Row, Teller, at_most, spread
from labelfree.repro.paper.methods import Fit, fit_ours, fit_supervised
from labelfree.repro.paper.trial import Trial

PAPER_OCR = 0.0959
_MIXED = "all mixed"


def books_table(
    books: Mapping[str, Callable[[int], Trial]],
    mixed: Callable[[int], Trial],
    others: Mapping[str, Callable[[int], Trial]],
    *,
    seeds: int = 3,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Fit every book by itself, all of them as one data set, and others that are only reported.

    Parameters
    ----------
    books, others : mapping
        From a name to the trial of a seed.
    mixed : callable
        The trial of a seed with all books in it.
    seeds, seed : int
        How many, and the first of them.
    tell : callable
        Hears of every fit.
    """
    rows: list[Row] = []
    for name, trials in [*books.items(), (_MIXED, mixed), *others.items()]:
        pairs, tiles = [], 0
        for i in range(seed, seed + seeds):
            trial = trials(i)
            pairs.append((fit_ours(trial, i), fit_supervised(trial)))
            tiles = len(trial.train.labels)
            tell(f"{name}, seed {i}: {pairs[-1][0].error:.2%}, supervised {pairs[-1][1].error:.2%}")
        rows.append(_row(name, tiles, pairs))
    return Result(
        "books",
        "Scanned books, 29 symbols",
        rows,
        _checks(rows, list(books)),
        [
            "a fifth of the lines is tested on and never learned from, label-free or not",
            f"the paper's label-free error on its scans is {PAPER_OCR:.2%}, 2.07 times its supervised error",
        ],
    )


def _row(name: str, tiles: int, pairs: list[tuple[Fit, Fit]]) -> Row:
    ours, supervised = ([pair[i] for pair in pairs] for i in (0, 1))
    errors = [fit.error for fit in ours]
    yardstick = float(np.mean([fit.error for fit in supervised]))
    return {
        "book": name,
        "tiles": tiles,
        "error": float(np.mean(errors)),
        "spread": spread(errors),
        "worst": max(errors),
        "decoded": float(np.mean([fit.decoded or 0.0 for fit in ours])),
        "supervised": yardstick,
        "ratio": float(np.mean(errors)) / yardstick if yardstick else None,
        "believed": f"{sum(bool(fit.believed) for fit in ours)}/{len(ours)}",
        "seconds": float(np.median([fit.seconds for fit in ours])),
    }


def _checks(rows: list[Row], books: list[str]) -> list[Check]:
    found = {row["book"]: row for row in rows}
    alone = [found[name] for name in books]
    return [
        at_most("mean error over the books", float(np.mean([row["error"] for row in alone])), 0.015),
        at_most(
            "most points of a book above supervised", max(row["error"] - row["supervised"] for row in alone), 0.015
        ),
        at_most("all mixed, error over supervised error", found[_MIXED]["ratio"] or 0.0, 2.0),
    ]
