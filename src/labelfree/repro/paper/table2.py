"""Table 2: N-grams of one, two and three symbols, under language models from several sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from labelfree.fitting.auto import Auto
from labelfree.repro.paper.folder import Check, Result, Row, Teller, spread
from labelfree.repro.paper.plots import curves
from labelfree.repro.paper.sources import Source
from labelfree.repro.paper.trial import Trial

_FAILED = 0.5
_WANTED_SHARE = 0.75  # of the language models: order 3 no worse than order 2


class _Paper(NamedTuple):
    """A column of the paper's table: the language model, its characters, its error at orders 1, 2 and 3."""

    name: str
    characters: int
    errors: tuple[float, float, float]


_OUT_OF_DOMAIN = (
    _Paper("NYT", 86_005_542, (0.7183, 0.1093, 0.1017)),
    _Paper("XIN", 18_626_451, (0.7214, 0.1255, 0.1289)),
    _Paper("CNA", 1_911_124, (0.7151, 0.1056, 0.1029)),
)
_FUSED = _Paper("Fused", 2_064_345, (0.7125, 0.1033, 0.0921))


def table2(
    trial: Trial,
    sources: Sequence[Source],
    folder: Path,
    *,
    orders: Sequence[int] = (1, 2, 3),
    seeds: int = 3,
    seed: int = 0,
    tell: Teller = print,
) -> Result:
    """Fit without labels under every source and order.

    Order N means that N-grams are matched and that the language model knows no longer ones, so that decoding between
    rounds of training reads with the same N.

    Parameters
    ----------
    trial : Trial
        The data; its own language model is not used.
    sources : sequence of Source
        Such as `with_fusion` gives.
    folder : Path
        Where the picture goes.
    orders : sequence of int
    seeds, seed : int
        How many fits of each, and the first seed.
    tell : callable
        Hears of every fit as it is done.
    """
    found = []
    for source in sources:
        cells = {}
        for order in orders:
            asked = trial.with_language(source.lm(order, trial.lm.alphabet), order)
            cells[order] = _fits(asked, range(seed, seed + seeds))
            tell(f"{source.name}, order {order}: {cells[order].error:.2%} in {cells[order].seconds:.0f} s")
        found.append(cells)
    rows = [_row(source, cells, paper) for source, cells, paper in zip(sources, found, _beside(sources), strict=True)]
    lines = {
        source.name: (list(orders), [cells[order].error for order in orders])
        for source, cells in zip(sources, found, strict=True)
    }
    picture = curves(folder / "table2.png", lines, x="order", y="test error", title="Order of the N-grams")
    return Result(
        "table2",
        "Table 2",
        rows,
        _checks(found, orders),
        [
            f"{len(trial.train.labels):,} positions to learn from, {len(trial.test.labels):,} to test on; "
            f"mean, spread and median seconds over {seeds} seed{'s' if seeds > 1 else ''}",
            "order N: N-grams of N symbols are matched, by a language model of order N",
            "the paper's language models stand beside ours in order of size, its fused beside the fused",
        ],
        [picture],
        {
            source.name: {n: cell.errors for n, cell in cells.items()}
            for source, cells in zip(sources, found, strict=True)
        },
    )


class _Cell(NamedTuple):
    """Fits under one language model at one order."""

    errors: tuple[float, ...]
    all_seconds: tuple[float, ...]

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))

    @property
    def seconds(self) -> float:
        return float(np.median(self.all_seconds))


def _fits(trial: Trial, seeds: range) -> _Cell:
    errors, seconds = [], []
    for seed in seeds:
        began = perf_counter()
        found = Auto().solve(trial.problem, seed=seed)
        seconds.append(perf_counter() - began)
        errors.append(trial.error(found.model))
    return _Cell(tuple(errors), tuple(seconds))


def _row(source: Source, cells: dict[int, _Cell], paper: _Paper | None) -> Row:
    row: Row = {"language model": source.name, "characters": source.characters}
    for order, cell in cells.items():
        row[f"error, order {order}"] = cell.error
        row[f"spread, order {order}"] = spread(cell.errors)
    for order, cell in cells.items():
        row[f"seconds, order {order}"] = cell.seconds
    row["paper's"] = paper.name if paper else None
    row["paper's characters"] = paper.characters if paper else None
    for order in cells:
        row[f"paper, order {order}"] = paper.errors[order - 1] if paper and order <= len(paper.errors) else None
    return row


def _beside(sources: Sequence[Source]) -> list[_Paper | None]:
    """The paper's language model for each of ours: the fused for the fused, the others in order of size."""
    beside: list[_Paper | None] = [_FUSED if source.is_fused else None for source in sources]
    others = [i for i, source in enumerate(sources) if not source.is_fused]
    others.sort(key=lambda i: -(sources[i].characters or math.inf))  # word frequencies are of more text than any other
    for i, paper in zip(others, _OUT_OF_DOMAIN, strict=False):
        beside[i] = paper
    return beside


def _checks(found: list[dict[int, _Cell]], orders: Sequence[int]) -> list[Check]:
    checks = []
    if 2 in orders and 3 in orders:
        better = sum(cells[3].error <= cells[2].error for cells in found)
        wanted = math.ceil(_WANTED_SHARE * len(found))
        name = "language models with order 3 at least as good as order 2"
        checks.append(Check(name, float(better), f">= {wanted} of {len(found)}", better >= wanted))
    if 1 in orders:
        lowest = min(cells[1].error for cells in found)
        checks.append(Check("lowest error at order 1", lowest, f"> {_FAILED:g}", lowest > _FAILED))
    return checks
