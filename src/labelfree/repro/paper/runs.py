"""Each command of `labelfree paper`: which data, which language models, which tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from labelfree.fitting.auto import Auto
from labelfree.repro.paper.ablations import FULL, QUICK, ablations
from labelfree.repro.paper.books import books_table
from labelfree.repro.paper.data import (
    MIXED_LINES,
    Settings,
    boxed_books,
    language,
    pool,
    rendered_text,
    rendered_trials,
    scan_trials,
    spelling_trials,
)
from labelfree.repro.paper.film import LineWatch, ReadFrame, reading_film
from labelfree.repro.paper.folder import Result, Teller
from labelfree.repro.paper.methods import Budget
from labelfree.repro.paper.profiles import Drawn, draw_complete, draw_line, draw_planes, draw_saddle
from labelfree.repro.paper.sources import data_sources, public_sources, with_fusion
from labelfree.repro.paper.table1 import table1
from labelfree.repro.paper.table2 import table2
from labelfree.repro.paper.trial import Trial, print_trial
from labelfree.repro.tasks.rendered import rendered_task
from labelfree.repro.tasks.spelling import folder_paragraphs, standard_library_english
from labelfree.solvers import Supervised
from labelfree.solvers.run import accompanied_by

_QUICK_BUDGET = Budget(
    steps=200,
    positions=1_000_000,
    rates=(5e-3,),
    starts=5,
    feature_starts=4,
    feature_steps=150,
    em_steps=10,
    em_starts=1,
)
_QUICK_POINTS = 41
_QUICK_TILES = 3_000  # for the six fits of Table 2, with one language model and the fused one
_FILM_TILES = 30_000
_PROFILE_L2 = 1e-5  # a sharper classifier shows the barriers that a smooth one hides


def run_table1(
    task: str,
    settings: Settings,
    folder: Path,
    *,
    seeds: int,
    seed: int,
    baseline_seeds: int | None = None,
    tell: Teller,
) -> Result:
    """Table 1 on one task."""
    trials: Callable[[int], Trial]
    if task == "spelling":
        trials = spelling_trials(settings)
    elif task == "rendered":
        trials = rendered_trials(settings)
    else:
        trials = scan_trials(settings, boxed_books(settings))
    budget = _QUICK_BUDGET if settings.quick else Budget()
    return table1(
        task,
        trials,
        folder,
        seeds=seeds,
        seed=seed,
        baseline_seeds=baseline_seeds,
        budget=budget,
        tell=tell,
    )


def run_books(settings: Settings, *, seeds: int, seed: int, tell: Teller) -> Result:
    """The scanned books one by one and mixed, and the lines in many typefaces beside them."""
    books = boxed_books(settings)
    others = settings.data_folder() / MIXED_LINES
    return books_table(
        {book.name: scan_trials(settings, [book]) for book in books},
        scan_trials(settings, books),
        {others.parent.name: scan_trials(settings, [others])} if others.is_dir() else {},
        seeds=seeds,
        seed=seed,
        tell=tell,
    )


def run_table2(settings: Settings, folder: Path, *, seeds: int, seed: int, tell: Teller) -> Result:
    """Table 2 on rendered print: sources of other domains, and the smallest of them with in-domain text."""
    found = data_sources(settings.data) if settings.data is not None else public_sources(pool(settings.text))
    sources = with_fusion(found, rendered_text(settings, seed))
    trial = rendered_trials(settings)(seed)
    if settings.quick:
        trial, sources = trial.first(_QUICK_TILES), [sources[0], sources[-1]]
    return table2(trial, sources, folder, seeds=seeds, seed=seed, tell=tell)


def run_ablations(settings: Settings, folder: Path, *, seed: int, tell: Teller) -> Iterator[Result]:
    """The ablations one after the other."""
    paragraphs = list(folder_paragraphs(settings.text) if settings.text is not None else standard_library_english())
    other_text = " ".join(
        str(part) for source in public_sources(pool(settings.text)) if source.text for part in source.text
    )
    yield from ablations(
        spelling_trials(settings)(seed),
        rendered_trials(settings)(seed),
        other_text,
        paragraphs,
        folder,
        sizes=QUICK if settings.quick else FULL,
        seed=seed,
        tell=tell,
    )


def run_profiles(settings: Settings, folder: Path, *, seed: int, points: int = 101, tell: Teller) -> Iterator[Result]:
    """The figures of J and L on rendered print, and the films."""
    if settings.quick:
        points = min(points, _QUICK_POINTS)
    trial = rendered_trials(settings)(seed)
    problem = trial.problem
    optimum = Supervised(trial.train.labels, l2=_PROFILE_L2).solve(problem).model
    tell(f"supervised solution of {len(problem.positions):,} tiles: error {trial.error(optimum):.2%}")
    figures: tuple[tuple[str, str, Callable[[], Drawn]], ...] = (
        (
            "planes",
            "J over planes of classifiers",
            lambda: draw_planes(problem, optimum, folder, seed=seed, points=points),
        ),
        ("saddle", "L of classifier and dual", lambda: draw_saddle(problem, optimum, folder, seed=seed, points=points)),
        ("line", "J and L along one line", lambda: draw_line(problem, optimum, folder, seed=seed, points=points)),
        ("complete", "All of J in two parameters", lambda: draw_complete(folder, seed=seed, points=points)),
    )
    for name, title, draw in figures:
        drawn = draw()
        tell(f"{title}: {len(drawn.paths)} files")
        rows = [{"figure": key, "value": value} for key, value in drawn.numbers.items()]
        yield Result(name, title, rows, pictures=list(drawn.paths))
    yield _reading_film(settings, folder, seed)


def run_all(settings: Settings, folder: Path, *, seeds: int, seed: int, tell: Teller) -> Iterator[Result]:
    """Every table and figure; the scans where there is a folder of them."""
    tasks = ["spelling", "rendered"] + (["scans"] if settings.data is not None else [])
    for task in tasks:
        yield run_table1(task, settings, folder, seeds=seeds, seed=seed, tell=tell)
    if settings.data is not None and not settings.quick:
        yield run_books(settings, seeds=min(seeds, 3), seed=seed, tell=tell)
    yield run_table2(settings, folder, seeds=1 if settings.quick else 3, seed=seed, tell=tell)
    yield from run_ablations(settings, folder, seed=seed, tell=tell)
    yield from run_profiles(settings, folder, seed=seed, tell=tell)


def _reading_film(settings: Settings, folder: Path, seed: int) -> Result:
    """A classifier learning to read, one line of print before our eyes."""
    n_tiles = _FILM_TILES // settings.share
    task = rendered_task(
        pool(settings.text), seed=seed, strength=settings.strength, train_tiles=n_tiles, test_tiles=1_000
    )
    trial = print_trial(task, language(settings, task.in_domain, 3))
    line = slice(0, int(min(task.train.lengths[0], 60)))
    watch = LineWatch(line, task.alphabet, trial.train.labels, every=40)
    with accompanied_by(watch):
        solution = Auto().solve(trial.problem, seed=seed)
    watch.read(trial.problem, solution.model)
    truth = task.alphabet.decode(trial.train.labels[line])
    path = reading_film(folder / "reading.gif", watch.readings, truth, tiles=task.train.tiles[line])
    last = watch.readings[-1]
    rows = [{"step": reading.step, "text": reading.text, "error": reading.error} for reading in _some(watch.readings)]
    notes = [f"the line is {truth!r}", f"error over all {n_tiles:,} tiles at the end: {last.error:.2%}"]
    return Result("reading", "Learning to read a line", rows, notes=notes, pictures=[path])


def _some(items: list[ReadFrame], n: int = 8) -> list[ReadFrame]:
    """A few of many, the first and the last among them."""
    return [items[i] for i in np.unique(np.linspace(0, len(items) - 1, n).astype(int))]
