"""Which tuned numbers matter: each is halved and doubled, and the change of the error is held against the noise.

    python benchmarks/sensitivity.py --data FOLDER [--books 12] [--real NAME ...] [--numbers PATTERN ...] [--seeds 3]
        [--full] [--jobs 2] [--cache DIR] [--json]

Every number of `labelfree.ocr.pipeline.Settings` is changed alone, and books are learned and read as with --fast: some
printed by `labelfree.repro.printer`, a third of them as pages, and some real ones, the first few thousand characters
of each. The text of printed books is the last tenth of a language's text; the language model is of the rest.

The noise is twice the standard error that the mean change of CER would have if the number did no more than draw another
seed; runs with other seeds and nothing changed give it. The verdict on a number is "keep" when a change moves the error
beyond the noise or makes reading impossible, "inert" when none does, and "unused" when no book looks at it, as those
of the stages that --fast leaves out; --full runs them too. What a few books and one seed decide is not run on more.
Results are kept in a folder by a hash of all that they follow from, the program included, so that a run that was
stopped goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

import labelfree
from labelfree.errors import InputError
from labelfree.files import write_aside
from labelfree.ocr.layout.scans import read_lines
from sample import SampleBook, Texts, printed_books, real_books, source_digest
from shelf import compare
from tuned_numbers import (
    count_numbers,
    deviations,
    mean_change,
    noise_of,
    numbers_of,
    scaled,
    watched,
    with_number,
)

MOST_NUMBERS = 150
REAL = ("lusitania", "schiller_oberoesterreich_1905", "scudery_ibrahim_1641")
PROBE = 4  # books on which a number is tried first
FACTORS = {"halved": 0.5, "doubled": 2.0}
UNREADABLE = 0.3  # CER of books that tell nothing, as they are not read with any settings


@dataclass(frozen=True)
class Run:
    """One book learned and read with one number changed, or none."""

    book: SampleBook
    seed: int
    fast: bool
    path: str = ""
    value: Any = None


def read_book(run: Run) -> dict[str, Any]:
    """The error of a run, a digest of what was read, and the numbers that were looked at."""
    from labelfree.ocr.pipeline import Settings

    began = time.perf_counter()
    settings = Settings()
    if run.path:
        settings = with_number(settings, run.path, run.value)
    seen: set[str] = set()
    texts = learned_texts(run, watched(settings, seen))
    return {
        "cer": compare(texts, run.book.truth, run.book.language.script)["cer"],
        "digest": hashlib.sha256(json.dumps(sorted(texts.items())).encode()).hexdigest(),
        "seen": sorted(seen),
        "seconds": time.perf_counter() - began,
    }


def learned_texts(run: Run, settings: Any) -> dict[str, str]:
    """What is read on each image of a book, by the image's name."""
    from labelfree.ocr import learn

    pages = list(read_lines(run.book.images, run.book.kind, settings=settings.layout))
    reader = learn(pages, run.book.language, fast=run.fast, seed=run.seed, settings=settings)
    return {page.source.stem: page.text for page in reader.read(pages).pages}


class Bench:
    """Runs books side by side and keeps what comes of it."""

    def __init__(self, pool: Executor, cache: Path, work: Callable[[Run], dict[str, Any]] = read_book) -> None:
        self._pool = pool
        self._cache = cache
        self._work = work

    def __call__(self, runs: Iterable[Run]) -> list[dict[str, Any]]:
        """What came of each run; a run that failed has the error instead of a reading."""
        runs = list(runs)
        waiting = {}
        for run in runs:
            if not self._place(run).exists():
                waiting[run] = self._pool.submit(self._work, run)
        for run, promise in waiting.items():
            self._keep(run, promise)
        return [json.loads(self._place(run).read_text()) for run in runs]

    def _keep(self, run: Run, promise: Any) -> None:
        try:
            result = promise.result()
        except Exception as error:  # whatever a number breaks, the others are tried
            if not run.path:
                raise
            result = {"error": f"{type(error).__name__}: {error}"}
        write_aside(self._place(run), json.dumps(result).encode())

    def _place(self, run: Run) -> Path:
        key = hashlib.sha256(repr((run, source_digest())).encode()).hexdigest()
        return self._cache / f"{key[:24]}.json"


def _begin() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")


@dataclass(frozen=True)
class Baseline:
    """What books are read as with nothing changed, by book and seed."""

    books: tuple[SampleBook, ...]
    seeds: int
    fast: bool
    results: Mapping[tuple[str, int], Mapping[str, Any]]

    @property
    def errors(self) -> dict[tuple[str, int], float]:
        return {key: result["cer"] for key, result in self.results.items()}

    @property
    def readable(self) -> tuple[SampleBook, ...]:
        """The books that tell something."""
        errors = self.errors
        return tuple(
            book for book in self.books if max(errors[book.name, seed] for seed in range(self.seeds)) < UNREADABLE
        )

    @property
    def seen(self) -> set[str]:
        return {path for result in self.results.values() for path in result["seen"]}


def baseline_of(books: Sequence[SampleBook], seeds: int, fast: bool, bench: Callable) -> Baseline:
    keys = [(book.name, seed) for book in books for seed in range(seeds)]
    results = bench(Run(book, seed, fast) for book in books for seed in range(seeds))
    return Baseline(tuple(books), seeds, fast, dict(zip(keys, results, strict=True)))


def row_of(path: str, settings: Any, baseline: Baseline, bench: Callable) -> dict[str, Any]:
    """What a number is worth, from as few runs as decide it."""
    value = numbers_of(settings)[path]
    row = {"number": path, "value": value, "room": path.split(".")[0]}
    if path not in baseline.seen:
        return row | dict.fromkeys(FACTORS, 0.0) | {"noise": 0.0, "runs": 0, "same": True, "verdict": "unused"}
    ways = {way: scaled(value, factor) for way, factor in FACTORS.items()}
    ways = {way: new for way, new in ways.items() if new != value and is_allowed(settings, path, new)}
    found: dict[str, dict[tuple[str, int], Mapping[str, Any]]] = {way: {} for way in ways}
    readable = baseline.readable
    for seeds, books in ((1, readable[:PROBE]), (1, readable), (baseline.seeds, readable)):
        keys = [(way, book, seed) for way in ways for book in books for seed in range(seeds)]
        runs = [Run(book, seed, baseline.fast, path, ways[way]) for way, book, seed in keys]
        for (way, book, seed), result in zip(keys, bench(runs), strict=True):
            found[way][book.name, seed] = result
        row |= judged(found, baseline)
        is_decided = max(abs(row[way]) for way in FACTORS) > 2 * row["noise"] > 0
        if row["broken"] or is_decided or (row["same"] and books == readable):
            break
    return row


def is_allowed(settings: Any, path: str, value: Any) -> bool:
    """Whether settings take a value."""
    try:
        with_number(settings, path, value)
    except InputError:
        return False
    return True


def judged(found: Mapping[str, Mapping[tuple[str, int], Mapping[str, Any]]], baseline: Baseline) -> dict[str, Any]:
    """The verdict on a number, by what was read with it halved and doubled."""
    changes, noise, default = dict.fromkeys(FACTORS, 0.0), 0.0, baseline.errors
    broken = [way for way, results in found.items() if any("error" in result for result in results.values())]
    same = not broken
    for way, results in found.items():
        if way in broken or not results:
            continue
        same = same and all(result["digest"] == baseline.results[key]["digest"] for key, result in results.items())
        changes[way] = mean_change({key: result["cer"] for key, result in results.items()}, default)
        noise = max(noise, noise_of(results, default))
    matters = bool(broken) or any(abs(change) > noise for change in changes.values())
    runs = sum(map(len, found.values()))
    verdict = "keep" if matters else "inert"
    return changes | {"noise": noise, "runs": runs, "same": same, "broken": ", ".join(broken), "verdict": verdict}


def main() -> int:
    arguments = parse_arguments()
    from labelfree.ocr.pipeline import Settings

    settings = Settings()
    numbers = numbers_of(settings)
    chosen = [path for path in numbers if any(fnmatch(path, pattern) for pattern in arguments.numbers)]
    if not chosen:
        raise SystemExit(f"no number is called {' or '.join(arguments.numbers)}; there are {', '.join(numbers)}")
    cache = arguments.cache
    cache.mkdir(parents=True, exist_ok=True)
    texts = Texts.of(arguments.data, cache / "texts")
    printed = list(printed_books(arguments.books, cache / "books", texts, arguments.characters, pages_every=3))
    real = list(real_books(arguments.data, arguments.real, texts, arguments.characters)) if arguments.real else []
    # A real book first, so that it is among those on which numbers are tried first.
    books = [*real[:1], *printed, *real[1:]]
    with ProcessPoolExecutor(arguments.jobs, get_context("spawn"), initializer=_begin) as pool:
        bench = Bench(pool, cache)
        baseline = baseline_of(books, arguments.seeds, not arguments.full, bench)
        report(baseline)
        rows = []
        for path in chosen:
            rows.append(row_of(path, settings, baseline, bench))
            print(line_of(rows[-1]), file=sys.stderr if arguments.json else sys.stdout, flush=True)
    in_settings, constants = count_numbers(Path(labelfree.__file__).parent / "ocr")
    checks = [
        {
            "name": "numbers in the settings of ocr/",
            "value": in_settings,
            "wanted": f"<= {MOST_NUMBERS}",
            "ok": in_settings <= MOST_NUMBERS,
        }
    ]
    if arguments.json:
        books = [{"book": book, "seed": seed, "cer": error} for (book, seed), error in baseline.errors.items()]
        print(json.dumps({"rows": rows, "checks": checks, "books": books, "constants": constants}))
    else:
        verdicts = [row["verdict"] for row in rows]
        print(", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("keep", "inert", "unused")))
        for check in checks:
            print(f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']}, wanted {check['wanted']}")
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--books", type=int, default=12, help="to print")
    parser.add_argument("--real", nargs="*", default=list(REAL), help="books of the data folder")
    parser.add_argument("--characters", type=int, default=7000, help="of a book")
    parser.add_argument("--numbers", nargs="+", default=["*"], help="patterns of their paths")
    parser.add_argument("--seeds", type=int, default=3, help="two or more")
    parser.add_argument("--full", action="store_true", help="all stages, not those of --fast alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cache", type=Path, default=Path("build/sensitivity"))
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.seeds < 2:
        parser.error(f"--seeds is {arguments.seeds}; two or more wanted, to know the noise")
    return arguments


def report(baseline: Baseline) -> None:
    """The books and their noise, to standard error."""
    spread = deviations(baseline.errors)
    readable = {book.name for book in baseline.readable}
    for book in baseline.books:
        errors = [baseline.errors[book.name, seed] for seed in range(baseline.seeds)]
        left_out = "" if book.name in readable else "  left out"
        told = f"{book.name:<40}{book.kind:>6}{statistics.mean(errors):>8.2%} ± {spread[book.name]:.2%}{left_out}"
        print(told, file=sys.stderr, flush=True)


def line_of(row: Mapping[str, Any]) -> str:
    changes = "".join(f"{row[way] * 100:>+9.3f}" for way in FACTORS)
    broken = f" ({row['broken']} breaks it)" if row.get("broken") else ""
    return f"{row['number']:<48}{row['value']!s:>14}{changes} ± {row['noise'] * 100:.3f}  {row['verdict']}{broken}"


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
