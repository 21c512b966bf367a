"""What each part of the road from scans to text is worth: CER with all of them, and with each left out.

    python benchmarks/parts.py --data FOLDER [--books NAME ...] [--parts NAME ...] [--seeds 1] [--jobs 2] [--json]

Books, language models and scoring are those of benchmarks/books.py. A part is left out as `labelfree ocr run --without`
does it; stages before it are run once, so that rows differ by the part alone. Besides, a row for the last reading
corrected once more, which no run does; one for a classifier of tiles that is not refined; one for N-grams of order 2;
and with --rescore one for a neural language model that chooses among the best readings of each line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from labelfree.ocr.book import Reading
from labelfree.ocr.correct.corrections import CORRECTIONS, correct
from labelfree.ocr.correct.page_numbers import Figures
from labelfree.ocr.language import BookLanguage, LanguageSettings
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.pipeline import FAST, STAGES, Keeper, Settings, Stage, State, run_pipeline
from shelf import Group, compare, over_books, truth_of

EVERYTHING = "all parts"
CORRECTED = "the last reading corrected too"
UNREFINED = "tiles alone, not refined"
TILES = "tiles alone"
SHORT = "N-grams of order 2"
NAMES = [stage.name for stage in STAGES if stage.name not in ("tiles", "rescoring", "confidence")]
NAMES += [correction.name for correction in CORRECTIONS]


class Memory(Keeper):
    """Gives back what the same stages, with the same corrections, left before."""

    def __init__(self, states: dict[tuple[str, ...], State], without: Collection[str]) -> None:
        self.states = states
        self.left_out = tuple(sorted(set(without) & {correction.name for correction in CORRECTIONS}))
        self.done: tuple[str, ...] = ()

    def key(self, stage: Stage) -> tuple[str, ...]:
        corrects = stage.name not in ("shape-prior", "tiles", "page-numbers")
        return (*self.done, stage.name, *(self.left_out if corrects else ()))

    def restore(self, stage: Stage, state: State) -> State | None:
        found = self.states.get(self.key(stage))
        if found is not None:
            self.done = (*self.done, stage.name)
            return replace(found, without=state.without)
        return None

    def keep(self, stage: Stage, before: State, after: State) -> None:
        self.states[self.key(stage)] = after
        self.done = (*self.done, stage.name)


def main() -> int:
    arguments = parse_arguments()
    work = partial(cers_of_book, data=arguments.data, seeds=arguments.seeds, parts=arguments.parts)
    found = over_books(work, arguments.data, arguments.books, jobs=arguments.jobs, rescoring=arguments.rescore)
    cers = dict(found)
    rows = [row_of(part, {book: cers[book][part] for book in cers}) for part in found[0][1]]
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": []}))
    else:
        show(rows, list(cers))
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--books", nargs="*", help="only these")
    parser.add_argument("--parts", nargs="*", help=f"only these; by default {', '.join(NAMES)} and the other rows")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--rescore", action="store_true", help="with a neural language model too")
    parser.add_argument("--jobs", type=int, default=2, help="books at a time")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def cers_of_book(
    group: Group, book: Path, language: BookLanguage, *, data: Path, seeds: int, parts: list[str] | None
) -> tuple[str, dict[str, list[float]]]:
    """A book's name, and its CER with every seed by the part that is left out."""
    found: dict[str, list[float]] = {}
    for seed in range(seeds):
        for part, cer in errors(group, book, language, data, seed, parts):
            found.setdefault(part, []).append(cer)
            print(f"{book.name}, seed {seed}: {part}: {cer:.2%}", file=sys.stderr, flush=True)
    return book.name, found


def errors(
    group: Group, book: Path, language: BookLanguage, data: Path, seed: int, parts: list[str] | None
) -> Iterator[tuple[str, float]]:
    truth, pages = truth_of(book), list(read_lines([book], "line"))
    names = [page.source.stem for page in pages for _ in page.lines]
    states: dict[tuple[str, ...], State] = {}

    def run(*without: str, written: BookLanguage = language, settings: Settings | None = None) -> State:
        memory = Memory(states if written is language and settings is None else {}, without)
        return run_pipeline(pages, written, without=without, seed=seed, settings=settings, keeper=memory).state

    def cer(reading: Reading | None) -> float:
        assert reading is not None
        return compare(texts_of(names, reading, language), truth, language.script)["cer"]

    chosen = parts if parts is not None else [CORRECTED, *NAMES, TILES, UNREFINED, SHORT]
    state = run("rescoring")
    yield EVERYTHING, cer(state.reading)
    if language.neural is not None:
        yield "all parts, rescored", cer(run().reading)
    for part in chosen:
        if part == CORRECTED:
            assert state.reading is not None
            figures = state.figures or Figures.none(state.book)
            yield part, cer(correct(state.book, state.reading, figures, seed=seed))
        elif part == TILES:
            yield part, cer(run("rescoring", *FAST).reading)
        elif part == UNREFINED:
            settings = Settings(tile_reader=replace(Settings().tile_reader, rounds=0))
            yield part, cer(run("rescoring", *FAST, settings=settings).reading)
        elif part == SHORT:
            short = replace(language, lm=group.learn_language(data, LanguageSettings(order=2)).lm)
            yield part, cer(run("rescoring", written=short).reading)
        else:
            later = ("lines-2", "lines-3") if part == "lines" else ()
            yield f"without {part}", cer(run("rescoring", part, *later).reading)


def texts_of(names: list[str], reading: Reading, language: BookLanguage) -> dict[str, str]:
    """What was read of each image."""
    texts: dict[str, str] = {}
    for name, labels in zip(names, reading.line_labels, strict=True):
        texts[name] = texts.get(name, "") + language.lm.alphabet.decode(labels)
    return texts


def row_of(part: str, cers: dict[str, list[float]]) -> dict[str, Any]:
    means = {book: statistics.mean(values) for book, values in cers.items()}
    return {"method": part, "mean": statistics.mean(means.values()), **means}


def show(rows: list[dict[str, Any]], books: list[str]) -> None:
    print(f"{'':<36}{'mean':>8}" + "".join(f"{book[:14]:>16}" for book in books))
    for row in rows:
        print(f"{row['method']:<36}{row['mean']:>8.2%}" + "".join(f"{row[book]:>16.2%}" for book in books))


if __name__ == "__main__":
    sys.exit(main())
