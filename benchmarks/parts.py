"""What each part of the road from scans to text is worth: CER with all of them, and with each switched off.

    python benchmarks/parts.py --data FOLDER [--books NAME ...] [--seed 0] [--rescore] [--jobs 2] [--json]

Books, language models and scoring are those of benchmarks/books.py. What has to be learned before the part is switched
off is learned once, so that rows differ by the part alone. With --rescore a neural language model and words choose
among the best readings of each line; the network is that of "all parts". As `labelfree ocr read` has the network alone,
it reads as in the row without corrections of the last reading.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr import reader as reader_module
from labelfree.ocr.correct.corrections import put_right, respelled, revised
from labelfree.ocr.correct.page_numbers import find_page_numbers
from labelfree.ocr.cutting import cut_book
from labelfree.ocr.glyphs.tiles import stack
from labelfree.ocr.language import BookLanguage, LanguageSettings
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.line_reader import Recogniser
from labelfree.ocr.line_reader.self_training import LineReading, book_strips, read_strips, train_on_own_reading
from labelfree.ocr.reader import learn, learn_and_read
from shelf import Group, compare, over_books, truth_of

Labels = Sequence[NDArray[np.int64]]
PutRight = Callable[[Sequence[LineReading]], Sequence[LineReading]]
Known = Mapping[str, Any]

EVERYTHING = "all parts"
SHORT = 2  # N-grams of the language where its longer ones are left out


def main() -> int:
    arguments = parse_arguments()
    work = partial(cers_of_book, data=arguments.data, seed=arguments.seed)
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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rescore", action="store_true", help="with a neural language model and words too")
    parser.add_argument("--jobs", type=int, default=2, help="books at a time")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def cers_of_book(
    group: Group, book: Path, language: BookLanguage, *, data: Path, seed: int
) -> tuple[str, dict[str, float]]:
    """A book's name, and its CER by the part that is switched off."""
    found = {}
    for part, cer in errors(group, book, language, data, seed):
        found[part] = cer
        print(f"{book.name}: {part}: {cer:.2%}", file=sys.stderr, flush=True)
    return book.name, found


def errors(group: Group, book: Path, language: BookLanguage, data: Path, seed: int) -> Iterator[tuple[str, float]]:
    truth = truth_of(book)
    pages = list(read_lines([book], "line"))
    names = {id(line): page.source.stem for page in pages for line in page.lines}
    reader = learn(pages, language, fast=True, seed=seed)
    lines = [line for page in pages for line in page.lines]
    cut_lines = cut_book(lines)
    stems = {id(shrunk): names[id(line)] for shrunk, line in zip(cut_lines.lines, lines, strict=True)}
    cut = cut_lines.cut
    stem = [stems[id(line.line)] for line in cut]

    def cer(labels: Labels) -> float:
        texts = {name: language.lm.alphabet.decode(found) for name, found in zip(stem, labels, strict=True)}
        return compare(texts, truth, language.script)["cer"]

    read, alone = reader.read_tiles(cut)
    tiles = [line.labels for line in read]
    rows = reader.features.transform(stack([line.tiles for line in cut]))
    lm = language.lm
    figures = find_page_numbers(tiles, rows, lm.alphabet, [line.in_capitals for line in cut], seed=seed)
    script = language.script
    taught = respelled(rows, cut, tiles, lm, figures=figures, script=script, seed=seed)
    strips = book_strips([line.line for line in cut], reader.style.x_height)
    everything: Known = {"figures": figures, "words": language.words}
    rounds: list[Sequence[LineReading]] = []

    def correct(found: Sequence[LineReading], **known: Any) -> list[LineReading]:
        return revised(rows, cut, found, lm, **{**everything, "script": script, **known}, seed=seed)

    def remembered(found: Sequence[LineReading]) -> list[LineReading]:
        rounds.append(found)
        return correct(found)

    def train(first: Labels, correct: PutRight) -> Recogniser:
        return train_on_own_reading(strips, first, lm, put_right=correct, seed=seed)

    def cer_of_lines(read: Sequence[LineReading]) -> float:
        return cer([line.labels for line in read])

    def cer_with(first: Labels, correct: PutRight) -> float:
        return cer_of_lines(correct(read_strips(train(first, correct), strips, lm)))

    def cer_without_anatomy() -> float:
        with patch.object(reader_module, "fit", lambda tiles, symbols, _: np.zeros((len(tiles), len(symbols)))):
            read, _ = learn(pages, language, fast=True, seed=seed).read_tiles(cut)
        labels = [line.labels for line in read]
        first = respelled(rows, cut, labels, lm, figures=figures, seed=seed)
        return cer_with(first, partial(correct, script=None))

    def cer_with_short_ngrams() -> float:
        short = replace(language, lm=group.learn_language(data, LanguageSettings(order=SHORT)).lm)
        _, found = learn_and_read(pages, short, seed=seed)
        return compare({page.source.stem: page.text for page in found.pages}, truth, script)["cer"]

    recogniser = train(taught, remembered)
    last = read_strips(recogniser, strips, lm)
    whole = cer_of_lines(correct(last))
    yield EVERYTHING, whole
    if language.rescorer is not None:
        rescored = read_strips(recogniser, strips, lm, rescorer=language.rescorer)
        yield "all parts, rescored", cer_of_lines(correct(rescored))
    yield "no corrections of the last reading", cer_of_lines(last)
    yield "no language model when lines are read", cer_of_lines(correct(read_strips(recogniser, strips, None)))
    yield "no second round of the line reader", cer_of_lines(correct(rounds[0]))
    without_figures = respelled(rows, cut, tiles, lm, script=script, seed=seed) if figures else taught
    yield "no page numbers", cer_with(without_figures, partial(correct, figures=None)) if figures else whole
    yield "no list of words", cer_with(taught, partial(correct, words=None))
    yield "no anatomy of type", cer_without_anatomy()
    yield "no revision of forms", cer_with(taught, partial(put_right, rows, cut, lm=lm, **everything, seed=seed))
    yield f"no N-grams longer than {SHORT}", cer_with_short_ngrams()
    yield "no respelling", cer_with(tiles, correct)
    yield "no line reader", cer(taught)
    yield "no line reader, no respelling", cer(tiles)
    yield "the classifier of tiles alone", cer(alone)
    with patch.object(reader_module, "_ROUNDS", 0):
        unrefined = learn(pages, language, fast=True, seed=seed)
    yield "the classifier of tiles alone, not refined", cer(unrefined.read_tiles(cut)[1])


def row_of(part: str, cers: dict[str, float]) -> dict[str, object]:
    return {"method": part, "mean": statistics.mean(cers.values()), **cers}


def show(rows: list[dict[str, Any]], books: list[str]) -> None:
    print(f"{'':<44}{'mean':>8}" + "".join(f"{book[:14]:>16}" for book in books))
    for row in rows:
        print(f"{row['method']:<44}{row['mean']:>8.2%}" + "".join(f"{row[book]:>16.2%}" for book in books))


if __name__ == "__main__":
    sys.exit(main())
