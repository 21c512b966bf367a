"""What each part of the road from scans to text is worth: CER with all of them, and with each switched off.

    python benchmarks/parts.py --data FOLDER [--books NAME ...] [--seed 0] [--rescore] [--json]

Books, language models and scoring are those of benchmarks/books.py. What has to be learned before the part is switched
off is learned once, so that rows differ by the part alone. With --rescore a neural language model and words choose
among the best readings of each line; the network is that of "all parts".
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from books import GROUPS, compare
from labelfree.ocr import reader as reader_module
from labelfree.ocr.corrections import put_right, respelled, revised
from labelfree.ocr.cutting import cut_book
from labelfree.ocr.language import BookLanguage, book_language
from labelfree.ocr.page_numbers import find_page_numbers
from labelfree.ocr.reader import learn
from labelfree.ocr.recogniser import Recogniser
from labelfree.ocr.scans import read_lines
from labelfree.ocr.selftrain import LineReading, book_strips, read_strips, train_on_own_reading
from labelfree.ocr.tiles import stack

Labels = Sequence[NDArray[np.int64]]
PutRight = Callable[[Sequence[LineReading]], Sequence[LineReading]]
Known = Mapping[str, Any]

EVERYTHING = "all parts"


def main() -> int:
    arguments = parse_arguments()
    warnings.simplefilter("ignore")
    rows: dict[str, dict[str, float]] = {}
    for group in GROUPS.values():
        books = [path for path in sorted((arguments.data / group.folder).iterdir()) if path.is_dir()]
        books = [path for path in books if not arguments.books or path.name in arguments.books]
        if not books:
            continue
        texts = [arguments.data / text for text in group.texts]
        language = book_language(texts, group.language, old_spelling=group.long_s, rescoring=arguments.rescore)
        for book in books:
            for part, cer in errors(book, language, arguments.seed):
                rows.setdefault(part, {})[book.name] = cer
                print(f"{book.name}: {part}: {cer:.2%}", file=sys.stderr, flush=True)
    if arguments.json:
        print(json.dumps(rows))
    else:
        show(rows)
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--books", nargs="*", help="only these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rescore", action="store_true", help="with a neural language model and words too")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def errors(book: Path, language: BookLanguage, seed: int) -> Iterator[tuple[str, float]]:
    """CER of a book by the part that is switched off."""
    truth = {path.name.removesuffix(".gt.txt"): path.read_text("utf-8") for path in sorted(book.glob("*.gt.txt"))}
    pages = list(read_lines([book], "line"))
    names = {id(line): page.source.stem for page in pages for line in page.lines}
    reader = learn(pages, language, fast=True, seed=seed)
    lines = [line for page in pages for line in page.lines]
    whole = cut_book(lines)
    stems = {id(shrunk): names[id(line)] for shrunk, line in zip(whole.lines, lines, strict=True)}
    cut = whole.cut
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

    recogniser = train(taught, remembered)
    whole = cer_of_lines(correct(read_strips(recogniser, strips, lm)))
    yield EVERYTHING, whole
    if language.rescorer is not None:
        rescored = read_strips(recogniser, strips, lm, rescorer=language.rescorer)
        yield "all parts, rescored", cer_of_lines(correct(rescored))
    yield "no language model when lines are read", cer_of_lines(correct(read_strips(recogniser, strips, None)))
    yield "no second round of the line reader", cer_of_lines(correct(rounds[0]))
    without_figures = respelled(rows, cut, tiles, lm, script=script, seed=seed) if figures else taught
    yield "no page numbers", cer_with(without_figures, partial(correct, figures=None)) if figures else whole
    yield "no list of words", cer_with(taught, partial(correct, words=None))
    yield "no anatomy of type", cer_without_anatomy()
    yield "no revision of forms", cer_with(taught, partial(put_right, rows, cut, lm=lm, **everything, seed=seed))
    yield "no respelling", cer_with(tiles, correct)
    yield "no line reader", cer(taught)
    yield "no line reader, no respelling", cer(tiles)
    yield "the classifier of tiles alone", cer(alone)
    with patch.object(reader_module, "_ROUNDS", 0):
        unrefined = learn(pages, language, fast=True, seed=seed)
    yield "the classifier of tiles alone, not refined", cer(unrefined.read_tiles(cut)[1])


def show(rows: dict[str, dict[str, float]]) -> None:
    books = list(rows[EVERYTHING])
    print(f"{'':<44}{'mean':>8}" + "".join(f"{book[:14]:>16}" for book in books))
    for part, cers in rows.items():
        print(f"{part:<44}{statistics.mean(cers.values()):>8.2%}" + "".join(f"{cers[book]:>16.2%}" for book in books))


if __name__ == "__main__":
    sys.exit(main())
