"""Print for `verdict.py`: books in their language and in others, turned and mirrored, and pictures of no language."""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from rapidfuzz.distance import Levenshtein
from scipy.ndimage import gaussian_filter

from labelfree.errors import InputError
from labelfree.ocr import BookLanguage, book_language, learn, read_lines
from labelfree.ocr.reader import Reader
from labelfree.ocr.types import Page, PageLines
from labelfree.repro.tasks.book import LINE_LENGTH, book_text, print_book
from shelf import GROUPS, groups_of, truth_of

LINES = 150
WRONG = ("de", "fi", "ru")  # that an English book is read in
NO_TEXT = ("printed backwards", "printed, letters at random", "printed, digits")
RIGHT = 0.2  # of characters wrong, at most, in what is read character by character
Row = dict[str, Any]


def prints(data: Path, quick: bool) -> Iterator[Row]:
    """Books of a data folder, and print made for the purpose; --fast."""
    known: dict[str, BookLanguage] = {}
    for kind, group, books in groups_of(data):
        known[kind] = group.learn_language(data)
        for book in books[: 1 if quick else None]:
            pages = list(read_lines([book], "line"))[:LINES]
            yield row_of(f"{book.name}", pages, known[kind], truth_of(book))
    groups = {kind: group.books(data)[0] for kind, group in GROUPS.items() if group.books(data)}
    for kind, book in groups.items():
        pages = list(read_lines([book], "line"))[:LINES]
        for other in known:
            if other != kind:
                yield row_of(f"{book.name} with text of {other}", pages, known[other])
    english = list(read_lines([groups["English"]], "line"))[:LINES]
    for code in WRONG[: 1 if quick else None]:
        yield row_of(f"{groups['English'].name} as {code}", english, book_language((), code))
    turns: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "mirrored": lambda ink: ink[:, ::-1],
        "upside down": lambda ink: ink[::-1, ::-1],
    }
    for name, turn in turns.items():
        yield row_of(f"{groups['English'].name} {name}", [turned(page, turn) for page in english], known["English"])
    greek = data / "greek_lines_dev"
    if greek.is_dir():
        yield row_of("Greek read as English", list(read_lines([greek], "line"))[:LINES], known["English"])
    for few in (20, 40) if quick else (20, 40, 80):
        truth = truth_of(groups["English"])
        yield row_of(f"{groups['English'].name}, {few} lines", english[:few], known["English"], truth)
    yield from made(known["English"], quick)


def turned(page: PageLines, turn: Callable[[np.ndarray], np.ndarray]) -> PageLines:
    return dataclasses.replace(
        page, lines=tuple(dataclasses.replace(line, pixels=turn(line.pixels).copy()) for line in page.lines)
    )


def made(language: BookLanguage, quick: bool) -> Iterator[Row]:
    """Print that is right, print that is no language, and pictures that are no print."""
    rng = np.random.default_rng(0)
    lines = book_text(4_500).lines
    letters = list("".join(lines))
    code = [line.strip() for line in inspect.getsource(argparse).splitlines() if len(line.strip()) > 20]
    texts: dict[str, Sequence[str]] = {
        "printed": lines,
        "printed backwards": [line[::-1] for line in lines],
        "printed, letters at random": ["".join(rng.choice(letters, len(line))) for line in lines],
        "printed, words shuffled": [" ".join(rng.permutation(line.split()).tolist()) for line in lines],
        "printed, lines shuffled": rng.permutation(lines).tolist(),
        "printed, digits": ["".join(c if c == " " else str(rng.integers(10)) for c in line) for line in lines],
        "printed, source code": [line[:LINE_LENGTH] for line in code[:LINES]],
    }
    for name in list(texts)[: 3 if quick else None]:
        with TemporaryDirectory() as folder:
            print_book(texts[name], Path(folder))
            pages = list(read_lines([folder], "line"))
            yield row_of(name, pages, language, None if name in NO_TEXT else truth_of(Path(folder)))
    for name, blur in (("white noise", 0.0), ("smooth noise", 3.0), ("a photograph", 12.0)):
        with TemporaryDirectory() as folder:
            for number in range(LINES):
                Image.fromarray(no_print(blur, rng)).save(Path(folder) / f"{number:04d}.png")
            yield row_of(f"{name} cut as lines", list(read_lines([folder], "line")), language)


def no_print(blur: float, rng: np.random.Generator) -> np.ndarray:
    """A picture of the size of a line: noise as fine as a blur leaves it, a little fine noise on what is coarse."""
    noise = gaussian_filter(rng.normal(size=(56, 900)), blur)
    noise = noise / noise.std() + (0.3 * rng.normal(size=noise.shape) if blur > 4 else 0.0)
    return np.clip(128 + 60 * noise, 0, 255).astype(np.uint8)


def row_of(case: str, pages: list[PageLines], language: BookLanguage, truth: dict[str, str] | None = None) -> Row:
    began = time.process_time()
    row: Row = {"face": "print", "case": case, "seed": 0, "has_truth": truth is not None, "error": 1.0}
    try:
        reader = learn(pages, language, fast=True)
    except InputError as error:  # too few characters, which is an answer too
        said = {"believed": False, "outcome": "too little to know", "right": False, "expected_error": 1.0}
        return row | said | {"reason": str(error), "has_truth": False, "seconds": time.process_time() - began}
    read = list(reader.read(pages).pages)
    verdict = reader.judge_pages(read)
    row |= {"believed": verdict.converged, "outcome": verdict.outcome, "reason": verdict.reason}
    row |= {"expected_error": verdict.expected_error, "seconds": time.process_time() - began}
    if truth is not None:
        row |= compared(read, truth, reader)
    return row | {"right": row["error"] <= RIGHT}


def compared(pages: list[Page], truth: dict[str, str], reader: Reader) -> Row:
    """True errors of the whole and of every page, and how far confidence is from being right."""
    script = reader.language.script
    errors: dict[str, list[float]] = {}
    sure, is_right = [], []
    for page in pages:
        wanted = script.as_printed(truth[page.source.stem]).strip()
        glyphs = [glyph for line in page.lines for glyph in line.glyphs]
        spread = [(c, glyph.confidence) for glyph in glyphs for c in glyph.text]
        read = script.as_printed("".join(c for c, _ in spread))
        number = page.source.stem.rpartition("_")[0]
        told = errors.setdefault(number, [0.0, 0.0, 0.0])
        told[0] += Levenshtein.distance(read, wanted)
        told[1] += sum(1 - confidence for _, confidence in spread)
        told[2] += len(wanted)
        if len(read) == len(spread):
            same = np.zeros(len(read), bool)
            for block in Levenshtein.opcodes(read, wanted).as_matching_blocks():
                same[block.a : block.a + block.size] = True
            sure += [confidence for _, confidence in spread]
            is_right += same.tolist()
    of_pages = np.array([told for told in errors.values() if told[2]])
    return {
        "error": float(of_pages[:, 0].sum() / of_pages[:, 2].sum()),
        "pages": (of_pages[:, :2] / of_pages[:, 2:]).tolist(),
        "calibration_error": calibration_error(np.array(sure), np.array(is_right)),
    }


def calibration_error(sure: np.ndarray, is_right: np.ndarray, bins: int = 10) -> float:
    """Mean distance between confidence and the share that is right, over tenths of the characters."""
    parts = np.array_split(np.argsort(sure), bins)
    return float(np.mean([abs(sure[part].mean() - is_right[part].mean()) for part in parts if len(part)]))
