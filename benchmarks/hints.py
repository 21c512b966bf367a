"""How error falls with a few transcribed lines, ours beside training on the same lines alone.

    python benchmarks/hints.py --data FOLDER [--books NAME ...] [--seeds 2] [--fast] [--jobs 2] [--figure PNG] [--json]

Of every book 100 lines are drawn at random; 0, 1, 5, 20 and all of them are given as hints, and the lines that were not
drawn are scored, so that all figures of a book and seed are of the same lines. Beside it the same classifier of tiles
(with --fast) or the same network of lines is trained on those lines alone and reads with the same language model. Tiles
are told from the transcriptions in the same way for both. A network of lines wants 20 lines at least.
"""

from __future__ import annotations

import argparse
import copy
import json
import statistics
import sys
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from labelfree.errors import InputError
from labelfree.ocr.book import Book as CutBook
from labelfree.ocr.book import Reading
from labelfree.ocr.hints import Hints, KnownLabels, LineHint
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.line_reader import train_recogniser
from labelfree.ocr.line_reader.lines import line_images, read_images
from labelfree.ocr.pipeline import FAST, run_pipeline
from labelfree.ocr.reader import Reader
from labelfree.ocr.tile_reader import read_tiles
from labelfree.ocr.types import PageLines
from labelfree.solvers import Problem, Supervised
from shelf import Group, compare, over_books, truth_of

COUNTS = (0, 1, 5, 20, 100)
BOOKS = ("boy_apprenticed", "schiller_oberoesterreich_1905", "scudery_ibrahim_1641")


@dataclass(frozen=True, eq=False)
class Book:
    """A book of line images with their truth."""

    name: str
    pages: list[PageLines]
    truth: dict[str, str]
    language: BookLanguage
    cut: CutBook

    @property
    def names(self) -> list[str]:
        return [page.source.stem for page in self.pages for _ in page.lines]

    def hints(self, chosen: list[str]) -> Hints:
        """The truth of some lines, as far as the language has its symbols."""
        alphabet = self.language.lm.alphabet
        texts = {name: self.language.script.as_printed(self.truth[name].strip()) for name in chosen}
        known = {name: alphabet.decode(alphabet.encode(text)).strip() for name, text in texts.items()}
        return Hints(tuple(LineHint(name, name, text) for name, text in known.items() if text))

    def known(self, hints: Hints) -> KnownLabels:
        return KnownLabels.of(hints, hints.line_labels(self.pages, self.language), self.cut)


def main() -> int:
    arguments = parse_arguments()
    work = partial(curves, seeds=arguments.seeds, fast=arguments.fast)
    found = over_books(work, arguments.data, arguments.books, jobs=arguments.jobs)
    rows = [row for of_book in found for row in of_book]
    checks = demands(rows)
    if arguments.figure is not None:
        draw(rows, arguments.figure)
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--books", nargs="*", default=BOOKS, help="these, by default one a language")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--fast", action="store_true", help="without the reader of whole lines")
    parser.add_argument("--jobs", type=int, default=2, help="books at a time")
    parser.add_argument("--figure", type=Path, help="a PNG or SVG of the curves")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def curves(group: Group, folder: Path, language: BookLanguage, *, seeds: int, fast: bool) -> list[dict[str, object]]:
    """Rows of one book."""
    pages = list(read_lines([folder], "line"))
    cut = CutBook.measure([line for page in pages for line in page.lines], language)
    book = Book(folder.name, pages, truth_of(folder), language, cut)
    rows = []
    for seed in range(seeds):
        for row in curve(book, seed, fast):
            rows.append(row)
            print(json.dumps(row), file=sys.stderr, flush=True)
    return rows


def curve(book: Book, seed: int, fast: bool):
    """Rows of one book and seed, one for each number of lines."""
    drawn = np.random.default_rng(seed).permutation(sorted(book.truth)).tolist()
    scored = {name: book.truth[name] for name in drawn[max(COUNTS) :]}
    reader = None
    for count in COUNTS:
        hints = book.hints(drawn[:count])
        began = time.perf_counter()
        said = hints if hints.lines else None
        state = run_pipeline(book.pages, book.language, without=FAST if fast else (), seed=seed, hints=said).state
        learned = Reader.of(state)
        found = list(learned.pages_of(book.pages, state.reading))
        seconds = time.perf_counter() - began
        reader = reader or learned
        alone = None
        if hints.lines:
            alone = tiles_alone(book, reader, hints) if fast else lines_alone(book, hints, seed)
        yield {
            "book": book.name,
            "seed": seed,
            "lines": count,
            "cer": cer({page.source.stem: page.text for page in found}, scored, book),
            "supervised_cer": None if alone is None else cer(alone, scored, book),
            "scored": len(scored),
            "converged": learned.converged,
            "seconds": seconds,
        }


def tiles_alone(book: Book, reader: Reader, hints: Hints) -> dict[str, str]:
    """The classifier of tiles, trained on what the hints say of them and on nothing else."""
    labels = book.known(hints).tiles
    taught = labels >= 0
    classifier = copy.copy(reader.classifier)
    rows = book.cut.rows
    inputs = torch.from_numpy(((rows - classifier.center_) * classifier.scale_).astype(np.float32))
    problem = Problem.from_sequences(inputs[torch.from_numpy(taught)], [int(taught.sum())], book.language.lm, order=2)
    classifier.classifier_ = Supervised(labels[taught], l2=classifier.l2).solve(problem, kind="linear").model
    classifier.prior_ = classifier.predict_proba(rows).mean(0)
    return as_texts(book, read_tiles(book.cut.with_shapes(), classifier))


def lines_alone(book: Book, hints: Hints, seed: int) -> dict[str, str] | None:
    """The network of lines, trained on the hints and on nothing else; None where it says that they are too few."""
    images = line_images(book.cut.lines, book.cut.type.style)
    lines = book.known(hints).lines
    try:
        network = train_recogniser(
            [images[i].strip for i in lines], list(lines.values()), len(book.language.lm.alphabet), seed=seed
        )
    except InputError:
        return None
    return as_texts(book, read_images(network, images, book.language))


def as_texts(book: Book, reading: Reading) -> dict[str, str]:
    decode = book.language.lm.alphabet.decode
    return {name: decode(line.labels) for name, line in zip(book.names, reading, strict=True)}


def cer(texts: dict[str, str], scored: dict[str, str], book: Book) -> float:
    return compare(texts, scored, book.language.script)["cer"]


def means(rows, book: str, key: str) -> dict[int, float]:
    """For each number of lines the mean over seeds, where there is a figure for it."""
    found = {count: [row[key] for row in rows if (row["book"], row["lines"]) == (book, count)] for count in COUNTS}
    return {count: statistics.mean(values) for count, values in found.items() if values and None not in values}


def books_of(rows) -> list[str]:
    return list(dict.fromkeys(row["book"] for row in rows))


def demands(rows) -> list[dict[str, object]]:
    checks = []
    for book in books_of(rows):
        ours, alone = means(rows, book, "cer"), means(rows, book, "supervised_cer")
        for count, value in alone.items():
            name = f"{book}, {count} lines: CER over that of training on them alone"
            ratio = ours[count] / value
            checks.append({"name": name, "value": ratio, "wanted": "<= 1", "ok": ratio <= 1})
        ratio = ours[max(COUNTS)] / ours[0]
        name = f"{book}: CER with {max(COUNTS)} lines over that with none"
        checks.append({"name": name, "value": ratio, "wanted": "<= 1", "ok": ratio <= 1})
    return checks


def show(rows, checks) -> None:
    print(f"{'CER, mean over seeds':<36}" + "".join(f"{count:>8} lines" for count in COUNTS))
    for book in books_of(rows):
        for title, key in ((book, "cer"), ("  these lines alone", "supervised_cer")):
            found = means(rows, book, key)
            print(f"{title:<36}" + "".join(f"{found[c]:>14.2%}" if c in found else f"{'-':>14}" for c in COUNTS))
    for check in checks:
        print(f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}")


def draw(rows, path: Path) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for number, book in enumerate(books_of(rows)):
        for key, style in (("cer", "-o"), ("supervised_cer", "--s")):
            found = means(rows, book, key)
            label = book.replace("_", " ") if key == "cer" else None
            axes.plot(list(found), [100 * value for value in found.values()], style, color=f"C{number}", label=label)
    axes.plot([], [], "-o", color="grey", label="with the language and all lines")
    axes.plot([], [], "--s", color="grey", label="these lines alone")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}%" for tick in ticks])
    axes.minorticks_off()
    axes.set(xlabel="transcribed lines", ylabel="character error rate of the others")
    axes.legend(frameon=False, fontsize="small")
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    sys.exit(main())
