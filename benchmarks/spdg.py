"""SPDG by itself on print: a linear classifier over features, no groups, no decoding, beside the other methods.

Every gradient method goes down the same ladder (`labelfree.solvers.method.LADDER`): the same starts, thinned out by the
same label-free score, the same penalties, the same rate, and at most four times the windows where its batch does not
grow. What is compared is the cost and the optimiser. `--task scans` takes any folder laid out as english_books*/BOOK
beside BOOK.tiles.jsonl.gz, each book by itself and all mixed.

    python benchmarks/spdg.py                                   # rendered print, 153,221 tiles
    python benchmarks/spdg.py --task scans --data FOLDER
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from labelfree.errors import InputError
from labelfree.repro.paper.data import Settings, rendered_trials, scan_trials
from labelfree.repro.paper.folder import Check, Folder, Result
from labelfree.repro.paper.methods import Budget, Fit, fit_gradient, fit_supervised
from labelfree.repro.paper.trial import Trial
from labelfree.repro.tasks.scans import BOXES_SUFFIX
from labelfree.solvers import SGD, SPDG, FullBatch, Likelihood
from labelfree.solvers.method import GradientMethod
from wilson import interval

PAPER_RATIO = 2.07
READ = 3.0  # times the supervised error: a fit that found the basin
RATE = 0.005
METHODS: dict[str, Callable[[], GradientMethod]] = {
    "spdg": lambda: SPDG(rate=RATE),
    "spdg-sharp": lambda: SPDG(rate=RATE, entropy=3.0),
    "spdg-log": lambda: SPDG(dual="log", rate=RATE),
    "sgd-grow": lambda: SGD(rate=RATE, batch_size="grow"),
    "sgd-10": lambda: SGD(rate=RATE, batch_size=10),
    "sgd-100": lambda: SGD(rate=RATE, batch_size=100),
    "sgd-1000": lambda: SGD(rate=RATE, batch_size=1_000),
    "sgd-10000": lambda: SGD(rate=RATE, batch_size=10_000),
    "full-batch": lambda: FullBatch(rate=RATE),
    "2016-0": lambda: Likelihood(rate=RATE, batch_size="grow", reconstruction=0.0),
    "2016-1": lambda: Likelihood(rate=RATE, batch_size="grow", reconstruction=1.0),
    "2016-10": lambda: Likelihood(rate=RATE, batch_size="grow", reconstruction=10.0),
    "2016-100": lambda: Likelihood(rate=RATE, batch_size="grow", reconstruction=100.0),
}


def main() -> int:
    arguments = parse_arguments()
    folder = Folder(arguments.output, shlex.join(["python", *sys.argv]), 0) if arguments.output else None
    rows = []
    for name, trial in data_sets(arguments):
        tell(f"{name}: {len(trial.train.labels):,} tiles to learn from, {len(trial.test.labels):,} to test on")
        rows += rows_of(name, trial, arguments)
    checks = checks_of(rows)
    if folder:
        folder.write(result_of(rows, checks, arguments))
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=("rendered", "scans"), default="rendered")
    parser.add_argument("--data", type=Path, default=os.environ.get("LABELFREE_DATA"), help="folder of scans and texts")
    parser.add_argument("--books", nargs="*", help="only these, and `mixed` for all of them together")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--other-seeds", type=int, default=1, help="of the other methods")
    parser.add_argument(
        "--methods", nargs="*", choices=METHODS, default=list(METHODS), help="SPDG is always among them"
    )
    parser.add_argument("--orders", nargs="*", type=int, choices=(2, 3), default=None, help="by default 2 and 3")
    parser.add_argument("--starts", type=int, default=24)
    parser.add_argument("--tiles", type=int, help="at most so many to learn from, for a quick look")
    parser.add_argument("--features", choices=("pixels", "hog"), default="hog")
    parser.add_argument("--output", "-o", type=Path, help="folder for the table, such as docs/paper")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def data_sets(arguments: argparse.Namespace) -> Iterator[tuple[str, Trial]]:
    """The names and the data; of scans each book and all of them mixed."""
    settings = Settings(data=arguments.data, features=arguments.features)
    if arguments.task == "rendered":
        made = {"rendered": lambda: rendered_trials(settings, order=3)(0)}
    else:
        books = boxed_books(settings.data_folder())
        made = {book.name: lambda book=book: scan_trials(settings, [book])(0) for book in books}
        made["mixed"] = lambda: scan_trials(settings, books)(0)
    for name in arguments.books or made:
        if name not in made:
            raise InputError(f"{name} found, one of {', '.join(made)} wanted")
        trial = made[name]()
        yield name, trial.first(arguments.tiles) if arguments.tiles else trial


def boxed_books(data: Path) -> list[Path]:
    """Folders of line images that have a file of boxes beside them, in every english_books* folder."""
    files = sorted(data.glob(f"english_books*/*{BOXES_SUFFIX}"))
    if not files:
        raise InputError(f"{data}: no english_books*/*{BOXES_SUFFIX} found, a folder of boxed books wanted")
    return [file.with_name(file.name.removesuffix(BOXES_SUFFIX)) for file in files]


def rows_of(data: str, trial: Trial, arguments: argparse.Namespace) -> list[dict[str, object]]:
    """One row a method and order; every seed is another draw of starts and mini-batches over the same tiles."""
    budget = Budget(feature_starts=arguments.starts)
    supervised = fit_supervised(trial)
    tell(f"{data}: supervised {supervised.error:.2%}")
    rows = [row(data, "supervised", None, [supervised], supervised.error)]
    for name in dict.fromkeys(("spdg", *arguments.methods)):
        for order in arguments.orders or (2, 3):
            asked = replace(trial, order=order)
            seeds = arguments.seeds if name == "spdg" else arguments.other_seeds
            fits = []
            for seed in range(seeds):
                fits.append(fit_gradient(METHODS[name](), asked, seed, budget))
                tell(f"{data}: {name}, order {order}, seed {seed}: {fits[-1].error:.2%} in {fits[-1].seconds:.0f} s")
            rows += [row(data, name, order, fits, supervised.error)] if fits else []
    return rows


def row(data: str, method: str, order: int | None, fits: list[Fit], supervised: float) -> dict[str, object]:
    errors = [fit.error for fit in fits]
    n_read = sum(error <= READ * supervised for error in errors)
    low, high = interval(n_read, len(fits))
    believed = [fit.believed for fit in fits if fit.believed is not None]
    return {
        "book": data,
        "method": method,
        "order": order,
        "error": float(np.mean(errors)),
        "worst": max(errors),
        "ratio": float(np.mean(errors) / supervised),
        "fits": len(fits),
        "read": n_read,
        "read_low": low,
        "read_high": high,
        "believed": sum(believed) if believed else None,
        "kl": float(np.mean([fit.kl for fit in fits])),
        "symbols": int(np.median([fit.symbols for fit in fits])) or None,
        "seconds": float(np.median([fit.seconds for fit in fits])),
    }


def checks_of(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    checks = []
    for one in rows:
        if one["method"] != "spdg":
            continue
        name = f"{one['book']}, SPDG alone, order {one['order']}"
        checks.append(check(f"{name}: error over supervised error", one["ratio"], PAPER_RATIO))
        checks.append(check(f"{name}: seeds that did not converge", one["fits"] - one["believed"], 0))
    return checks


def check(name: str, value: float, limit: float) -> dict[str, object]:
    return {"name": name, "value": value, "wanted": f"<= {limit}", "ok": value <= limit}


def result_of(rows, checks, arguments: argparse.Namespace) -> Result:
    """The table as docs/paper.py puts it into the page."""
    return Result(
        f"spdg-{arguments.task}",
        f"SPDG alone, {arguments.task}",
        rows,
        [Check(**found) for found in checks],
        [
            f"every method: {arguments.starts} starts down the same ladder of penalties and halving, rate {RATE:g}; "
            "the seeds differ in starts and mini-batches, not in the tiles",
            f"read: at most {READ:g} times the supervised error, with Wilson's interval of 95% in the next two columns",
        ],
    )


def show(rows, checks) -> None:
    print(
        f"{'data':<18}{'method':<12}{'order':>6}{'error':>8}{'worst':>8}{'ratio':>7}{'read':>7}{'Wilson 95%':>13}"
        f"{'believed':>9}{'kl':>8}{'symbols':>8}{'s':>6}"
    )
    for one in rows:
        between = f"{one['read_low']:.0%}-{one['read_high']:.0%}"
        print(
            f"{one['book']:<18}{one['method']:<12}{one['order'] or '':>6}{one['error']:>8.2%}{one['worst']:>8.2%}"
            f"{one['ratio']:>7.2f}{one['read']:>4}/{one['fits']:<2}{between:>13}"
            f"{'' if one['believed'] is None else one['believed']:>9}{one['kl']:>8.4f}{one['symbols'] or '':>8}"
            f"{one['seconds']:>6.0f}"
        )
    for found in checks:
        print(f"{'ok  ' if found['ok'] else 'MISS'} {found['name']}: {found['value']:.3g}, wanted {found['wanted']}")


def tell(message: str) -> None:
    print(f"{perf_counter() - BEGAN:6.0f} s  {message}", file=sys.stderr, flush=True)


BEGAN = perf_counter()

if __name__ == "__main__":
    sys.exit(main())
