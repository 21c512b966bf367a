"""`labelfree paper`: the tables and figures of the paper, made anew."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from labelfree.cli.options import Json, Quiet, Seed, Threads, use_threads

if TYPE_CHECKING:
    from labelfree.repro.paper.folder import Folder, Result

app = typer.Typer(no_args_is_help=True)

Task = Literal["spelling", "rendered", "scans"]
Out = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for tables and pictures.")]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="How many seeds.")]
Quick = Annotated[bool, typer.Option("--quick", help="A smaller cut of everything.")]
Data = Annotated[
    Path | None,
    typer.Option("--data", envvar="LABELFREE_DATA", help="Folder of scans and texts; by default $LABELFREE_DATA."),
]
Text = Annotated[Path | None, typer.Option("--text", help="English to draw from instead of what ships with Python.")]
LmText = Annotated[Path | None, typer.Option("--lm-text", help="Text for the language model.")]
Features = Annotated[Literal["pixels", "hog", "vgg19"], typer.Option("--features", help="Features of tiles.")]
Weights = Annotated[Path | None, typer.Option("--weights", help="File of VGG19's weights, for --features vgg19.")]
Strength = Annotated[float, typer.Option("--strength", min=0.0, help="Damage to rendered print; 0 is clean.")]


@app.command()
def table1(
    context: typer.Context,
    out: Out,
    task: Annotated[Task, typer.Option("--task", help="Which data.")] = "spelling",
    seeds: Seeds = 5,
    seed: Seed = 0,
    baseline_seeds: Annotated[
        int | None, typer.Option("--baseline-seeds", min=0, help="Seeds of the other methods; by default as many.")
    ] = None,
    quick: Quick = False,
    data: Data = None,
    text: Text = None,
    lm_text: LmText = None,
    features: Features = "hog",
    weights: Weights = None,
    strength: Strength = 1.0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Every method on one task, over seeds, beside the paper's figures.

    Example: labelfree paper table1 --task spelling -o results
    """
    use_threads(threads)
    from labelfree.repro.paper.data import Settings
    from labelfree.repro.paper.runs import run_books, run_table1

    settings = Settings(data, text, lm_text, quick, features, weights, strength)
    folder = _folder(context, out, seed)
    tell = _teller(quiet)
    results = [run_table1(task, settings, out, seeds=seeds, seed=seed, baseline_seeds=baseline_seeds, tell=tell)]
    folder.write(results[0])
    if task == "scans":
        results.append(run_books(settings, seeds=min(seeds, 3), seed=seed, tell=tell))
        folder.write(results[1])
    _show(results, json)


@app.command()
def table2(
    context: typer.Context,
    out: Out,
    seeds: Seeds = 3,
    seed: Seed = 0,
    quick: Quick = False,
    data: Data = None,
    text: Text = None,
    features: Features = "hog",
    strength: Strength = 1.0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Orders 1, 2 and 3 under language models from several sources, on rendered print.

    Example: labelfree paper table2 -o results
    """
    use_threads(threads)
    from labelfree.repro.paper.data import Settings
    from labelfree.repro.paper.runs import run_table2

    settings = Settings(data, text, None, quick, features, None, strength)
    folder = _folder(context, out, seed)
    result = run_table2(settings, out, seeds=seeds, seed=seed, tell=_teller(quiet))
    folder.write(result)
    _show([result], json)


@app.command()
def ablations(
    context: typer.Context,
    out: Out,
    seed: Seed = 0,
    quick: Quick = False,
    text: Text = None,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """What the paper leaves out: batch size, amount of data, quality of the language model, classes, and the score.

    Example: labelfree paper ablations -o results
    """
    use_threads(threads)
    from labelfree.repro.paper.data import Settings
    from labelfree.repro.paper.runs import run_ablations

    folder = _folder(context, out, seed)
    results = []
    for result in run_ablations(Settings(text=text, quick=quick), out, seed=seed, tell=_teller(quiet)):
        folder.write(result)
        results.append(result)
    _show(results, json)


@app.command()
def profiles(
    context: typer.Context,
    out: Out,
    seed: Seed = 0,
    quick: Quick = False,
    text: Text = None,
    points: Annotated[int, typer.Option("--points", min=5, help="Points along each side of a surface.")] = 101,
    strength: Strength = 1.0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """The surfaces of J and L as pictures, as pages that turn under the mouse, and as films.

    Example: labelfree paper profiles -o results
    """
    use_threads(threads)
    from labelfree.repro.paper.data import Settings
    from labelfree.repro.paper.runs import run_profiles

    settings = Settings(text=text, quick=quick, strength=strength)
    folder = _folder(context, out, seed)
    results = []
    for result in run_profiles(settings, out, seed=seed, points=points, tell=_teller(quiet)):
        folder.write(result)
        results.append(result)
    _show(results, json)


@app.command("all")
def everything(
    context: typer.Context,
    out: Out,
    seeds: Seeds = 5,
    seed: Seed = 0,
    quick: Quick = False,
    data: Data = None,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """All of it; the scans where a folder of them is given.

    Example: labelfree paper all --quick -o results
    """
    use_threads(threads)
    from labelfree.repro.paper.data import Settings
    from labelfree.repro.paper.runs import run_all

    settings = Settings(data=data, quick=quick)
    folder = _folder(context, out, seed)
    results = []
    for result in run_all(settings, out, seeds=1 if quick else seeds, seed=seed, tell=_teller(quiet)):
        folder.write(result)
        results.append(result)
    _show(results, json)


def _folder(context: typer.Context, out: Path, seed: int) -> Folder:
    from labelfree.files import claimed
    from labelfree.repro.paper.folder import Folder

    folder = Folder(out, shlex.join(["labelfree", *context.find_root().obj]), seed)
    context.with_resource(claimed(out))
    return folder


def _teller(quiet: bool) -> _Tell:
    return _Tell(quiet)


class _Tell:
    """Says on stderr what is done, with the seconds since the start."""

    def __init__(self, quiet: bool) -> None:
        from time import perf_counter

        self._clock, self._quiet = perf_counter, quiet
        self._began = perf_counter()

    def __call__(self, message: str) -> None:
        if not self._quiet:
            print(f"{self._clock() - self._began:6.0f} s  {message}", file=sys.stderr, flush=True)


def _show(results: list[Result], json: bool) -> None:
    from labelfree.cli.show import as_json, as_table
    from labelfree.repro.paper.folder import shown

    if json:
        rows = [{"table": result.name} | row for result in results for row in result.rows]
        checks = [{"table": result.name} | vars(check) for result in results for check in result.checks]
        as_json({"rows": rows, "checks": checks})
        return
    for result in results:
        if result.rows:
            columns = list(result.rows[0])
            as_table(result.title, columns, [[shown(name, row.get(name)) for name in columns] for row in result.rows])
        for check in result.checks:
            print(f"{'ok  ' if check.ok else 'MISS'} {check.name}: {check.value:.4g}, wanted {check.wanted}")
        for picture in result.pictures:
            print(picture)
        print()
