"""Whole pages read without labels, beside Tesseract on the same pages (--psm 3).

    python benchmarks/pages.py --data FOLDER [--sets english ...] [--books NAME ...] [--pages N] [--seeds 3] [--fast]
        [--jobs 1] [--no-tesseract] [--json]

A book is all its pages. Text is joined, hyphens at line ends left out on both sides, all symbols, case and punctuation
count, and what is written on a page without text counts as errors; ſ is written s on both sides. Photos are made from
the English pages: turned, seen aslant, bent, in a shadow, as JPEG. Pictures stand among the text of English pages, and
what is written of a line in one of them comes from what is no text. Typescript has a book for each document of 1,000
characters; the others are scored on a reader of all documents together.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from scipy.stats import spearmanr

from labelfree.errors import InputError
from labelfree.ocr import BookLanguage, learn, read_lines
from labelfree.ocr.metrics import Score, score_texts
from labelfree.ocr.reader import Reader
from labelfree.ocr.scripts import Script
from labelfree.ocr.sources import tesseract
from labelfree.ocr.types import Box, Document
from labelfree.repro.printer.photographs import Camera, photograph
from labelfree.repro.printer.pictures import PICTURES, with_picture
from shelf import GROUPS, Group, begin_worker, truth_of

SETS = ("english", "fraktur", "newspaper", "typescript", "photos", "pictures")
ENOUGH = 1_000  # characters of a document that is a book of its own
PICTURE_EVERY = 3  # pages
RIGHT, RIGHT_FAST = 0.1, 0.2  # characters wrong, at most, in what should be believed
Row = dict[str, Any]
Boxes = tuple[tuple[str, Box], ...]


@dataclass(frozen=True)
class PagesBook:
    """Pages that are read together.

    Attributes
    ----------
    of : str
        Which set it is of.
    name : str
    group : Group
        What it is written in.
    data : Path
        The folder with the texts of its language.
    images : tuple of Path
    truth : tuple of (str, str)
        What is on each page that is scored, by the name of its image.
    clean : PagesBook, optional
        The book that photos were made from.
    pictures : tuple of (str, Box)
        Where pictures are, by the name of the image.
    """

    of: str
    name: str
    group: Group
    data: Path
    images: tuple[Path, ...]
    truth: tuple[tuple[str, str], ...]
    clean: PagesBook | None = None
    pictures: Boxes = ()

    @property
    def engine(self) -> str:
        """Tesseract's model for it."""
        return "frk" if self.group.long_s else "eng"


@dataclass(frozen=True)
class Fit:
    """What came of a book: how far it is right, and how far it is believed."""

    score: Score
    stray: float  # share of what is written that comes from pictures
    believed: bool
    outcome: str
    expected_error: float
    pages: tuple[Row, ...]
    seconds: float
    cpu_seconds: float


def main() -> int:
    arguments = parse_arguments()
    with TemporaryDirectory() as folder:
        books = list(books_of(arguments, Path(folder)))
        if not books:
            raise SystemExit(f"{arguments.data} holds no pages of {', '.join(arguments.sets)}; name another folder")
        work = partial(row_of, arguments=arguments)
        with ProcessPoolExecutor(
            arguments.jobs, get_context("spawn"), initializer=begin_worker, initargs=(arguments.jobs,)
        ) as pool:
            rows = list(pool.map(work, books))
    checks = demands(rows, arguments.fast)
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS, help="only these")
    parser.add_argument("--books", nargs="*", help="only these")
    parser.add_argument("--pages", type=int, help="of a book, from the first on; all by default")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--fast", action="store_true", help="without the reader of whole lines")
    parser.add_argument("--tesseract", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--jobs", type=int, default=1, help="books at a time, each by one worker; 1 for all of them")
    parser.add_argument("--texts", type=Path, help="a folder for what is read")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def books_of(arguments: argparse.Namespace, folder: Path) -> Iterator[PagesBook]:
    """The books of the sets that are asked for; those that have to be made go to a folder."""
    for of in arguments.sets:
        for book in _books(of, arguments.data, arguments.pages):
            if arguments.books and book.name not in arguments.books:
                continue
            if of == "photos":
                yield photographed(book, folder / of / book.name)
            elif of == "pictures":
                yield illustrated(book, folder / of / book.name)
            else:
                yield book


def _books(of: str, data: Path, most: int | None) -> Iterator[PagesBook]:
    english, german = GROUPS["English"], GROUPS["Fraktur"]
    if of in ("english", "photos", "pictures"):
        for folder in sorted(data.glob("english_pages*/*/")):
            yield book_in(of, english, data, folder, most)
    elif of in ("fraktur", "newspaper"):
        for folder in sorted(data.glob(f"{of}_pages*/")):
            yield book_in(of, german, data, folder, most)
    else:
        for folder in sorted(data.glob("typescript_pages*/")):
            yield from documents(book_in(of, english, data, folder, None), most)


def book_in(of: str, group: Group, data: Path, folder: Path, most: int | None) -> PagesBook:
    truth = tuple(truth_of(folder).items())[:most]
    images = {path.stem: path for path in folder.iterdir() if path.suffix in (".png", ".jpg")}
    return PagesBook(of, folder.name, group, data, tuple(images[stem] for stem, _ in truth), truth)


def documents(book: PagesBook, most: int | None) -> Iterator[PagesBook]:
    """A book for each document, and one of all for those that are too short."""
    names = dict.fromkeys(stem.rpartition("_")[0] for stem, _ in book.truth)
    short: list[tuple[str, str]] = []
    for name in names:
        truth = tuple(each for each in book.truth if each[0].rpartition("_")[0] == name)[:most]
        if sum(len(text) for _, text in truth) < ENOUGH:
            short += truth
            continue
        stems = {stem for stem, _ in truth}
        images = tuple(image for image in book.images if image.stem in stems)
        yield replace(book, name=name, images=images, truth=truth)
    if short:
        yield replace(book, name="short documents", truth=tuple(short))


def photographed(book: PagesBook, folder: Path) -> PagesBook:
    """Photos of the pages of a book."""
    folder.mkdir(parents=True)
    images = []
    for number, image in enumerate(book.images):
        rng = np.random.default_rng(number)
        seen = photograph(_grey(image), Camera.by_chance(rng), rng)
        images.append(folder / image.name)
        Image.fromarray(seen).save(images[-1])
    return replace(book, images=tuple(images), clean=replace(book, of="english"))


def illustrated(book: PagesBook, folder: Path) -> PagesBook:
    """A book with pictures among the text of some pages, and with pages that are pictures."""
    folder.mkdir(parents=True)
    images, boxes, truth = [], [], dict(book.truth)
    rng = np.random.default_rng(0)
    for number, image in enumerate(book.images):
        grey = _grey(image)
        if number % PICTURE_EVERY == 0:
            grey, box = with_picture(grey, number // PICTURE_EVERY, rng)
            boxes.append((image.stem, box))
        images.append(folder / image.name)
        Image.fromarray(grey).convert("1").save(images[-1], dpi=(300, 300))
    height, width = _grey(book.images[0]).shape
    for number, picture in enumerate(PICTURES):
        place = folder / f"picture{number}.png"
        Image.fromarray(np.pad(picture(height, width, rng), 60, constant_values=255)).convert("1").save(place)
        images.append(place)
        truth[place.stem] = ""
        boxes.append((place.stem, Box(0, 0, width + 120, height + 120)))
    return replace(book, images=tuple(images), truth=tuple(truth.items()), pictures=tuple(boxes))


def _grey(image: Path) -> np.ndarray:
    return np.asarray(Image.open(image).convert("L"))


def row_of(book: PagesBook, *, arguments: argparse.Namespace) -> Row:
    fits = []
    for seed in range(arguments.seeds):
        fits.append(fit(book, seed, arguments.fast, arguments.texts))
        told = {"book": book.name, "seed": seed, "cer": fits[-1].score.cer, "believed": fits[-1].believed}
        print(json.dumps(told), file=sys.stderr, flush=True)
    row = {
        "set": book.of,
        "book": book.name,
        "pages": len(book.truth),
        "characters": fits[0].score.characters,
        "cer": statistics.mean(one.score.cer for one in fits),
        "cer_max": max(one.score.cer for one in fits),
        "cer_in_order": statistics.mean(one.score.cer_in_order for one in fits),
        "order_error": statistics.mean(one.score.order_error for one in fits),
        "wer": statistics.mean(one.score.wer for one in fits),
        "stray": statistics.mean(one.stray for one in fits),
        "believed": sum(one.believed for one in fits),
        "seeds": len(fits),
        "outcomes": sorted({one.outcome for one in fits}),
        "expected_error": statistics.mean(one.expected_error for one in fits),
        "seconds": statistics.median(one.seconds for one in fits),
        "cpu_seconds": statistics.median(one.cpu_seconds for one in fits),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "of_pages": [page for one in fits for page in one.pages],
    }
    if book.clean is not None:
        clean = [fit(book.clean, seed, arguments.fast, arguments.texts) for seed in range(arguments.seeds)]
        row["clean_cer"] = statistics.mean(one.score.cer for one in clean)
    if arguments.tesseract and tesseract.is_installed() and book.engine in tesseract.languages():
        row |= peer(book)
    return row


@lru_cache(maxsize=32)
def fit(book: PagesBook, seed: int, fast: bool, keep: Path | None) -> Fit:
    began, cpu = time.perf_counter(), time.process_time()
    reader, document = read(book, seed, fast)
    seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu
    texts = {page.source.stem: page.text for page in document.pages}
    if keep is not None:
        keep_texts(keep / book.of / f"{book.name} {seed}", texts)
    believed = {"believed": False, "outcome": "too little to know", "expected_error": 1.0}
    if reader is not None:
        verdict = reader.judge_pages(document.pages)
        believed = {
            "believed": verdict.converged,
            "outcome": verdict.outcome,
            "expected_error": verdict.expected_error,
        }
    script = language_of(book).script
    told = {page.source.stem: page.expected_error for page in document.pages}
    pages = [page_row(name, texts.get(name, ""), wanted, told.get(name), script) for name, wanted in book.truth]
    stray = share_in_pictures(document, book.pictures)
    score = compared(texts, dict(book.truth), script)
    return Fit(score, stray, **believed, pages=tuple(pages), seconds=seconds, cpu_seconds=cpu_seconds)


def read(book: PagesBook, seed: int, fast: bool) -> tuple[Reader | None, Document]:
    """A book that is read, or pages without text where there is too little to learn from."""
    pages = list(read_lines(book.images, "page"))
    try:
        reader = learn(pages, language_of(book), fast=fast, seed=seed)
    except InputError as error:
        print(f"{book.name}: {error}", file=sys.stderr)
        return None, Document(())
    return reader, reader.read(pages)


def language_of(book: PagesBook) -> BookLanguage:
    return _language(book.group, book.data)


@lru_cache(maxsize=2)
def _language(group: Group, data: Path) -> BookLanguage:
    return group.learn_language(data)


def keep_texts(folder: Path, texts: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, "utf-8")


def compared(texts: Mapping[str, str], truth: Mapping[str, str], script: Script) -> Score:
    """Error rates without line breaks and the hyphens before them, both sides written as print writes them."""
    pairs = ((name, _plain(texts.get(name, ""), script), _plain(wanted, script)) for name, wanted in truth.items())
    return score_texts(pairs, line_breaks="joined")


def _plain(text: str, script: Script) -> str:
    return script.as_printed(text).replace("ſ", "s")


def page_row(name: str, text: str, wanted: str, expected: float | None, script: Script) -> Row:
    cer = compared({name: text}, {name: wanted}, script).cer if wanted.strip() else None
    return {"page": name, "cer": cer, "written": len(text), "expected_error": expected}


def share_in_pictures(document: Document, pictures: Boxes) -> float:
    """Share of the characters written whose line has its middle in a picture."""
    written = inside = 0
    for page in document.pages:
        boxes = [box for name, box in pictures if name == page.source.stem]
        for line in page.lines:
            x, y = (line.box.x0 + line.box.x1) / 2, (line.box.y0 + line.box.y1) / 2
            written += len(line.text)
            inside += len(line.text) * any(box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1 for box in boxes)
    return inside / max(written, 1)


def peer(book: PagesBook) -> Row:
    """Tesseract, two pages at a time."""
    began = time.perf_counter()
    names = {name for name, _ in book.truth}
    images = [image for image in book.images if image.stem in names]
    with ThreadPoolExecutor(2) as pool:
        read = pool.map(partial(recognise_page, engine=book.engine), images)
        texts = {image.stem: text for image, text in zip(images, read, strict=True)}
    seconds = time.perf_counter() - began
    score = compared(texts, dict(book.truth), language_of(book).script)
    return {"tesseract_cer": score.cer, "tesseract_seconds": seconds}


def recognise_page(image: Path, engine: str) -> str:
    settings = ["-l", engine, "--psm", "3", "-c", "page_separator="]
    return tesseract.run([str(image), "stdout", *settings], image)


def demands(rows: Sequence[Row], fast: bool) -> list[Row]:
    checks: list[Row] = []

    def demand(name: str, values: Sequence[float], most: float, *, worst: bool = False) -> None:
        if values:
            value = max(values) if worst else statistics.mean(values)
            checks.append({"name": name, "value": value, "wanted": f"<= {most}", "ok": value <= most})

    of = {name: [row for row in rows if row["set"] == name] for name in SETS}
    english = [row["cer"] for row in of["english"]]
    demand("English, mean CER", english, 0.04 if fast else 0.015)
    if not fast:
        demand("English, CER of the worst book", english, 0.03, worst=True)
        ours = [row["cer"] for row in of["english"] if "tesseract_cer" in row]
        theirs = [row["tesseract_cer"] for row in of["english"] if "tesseract_cer" in row]
        demand("English, CER over Tesseract's", [sum(ours) / sum(theirs)] if theirs else [], 1.3)
        demand("Fraktur, CER", [row["cer"] for row in of["fraktur"]], 0.02)
        demand("newspaper, CER", [row["cer"] for row in of["newspaper"]], 0.06)
        total = sum(row["characters"] for row in of["typescript"])
        wrong = sum(row["cer"] * row["characters"] for row in of["typescript"])
        demand("typescript, CER", [wrong / total] if total else [], 0.04)
        clean = statistics.mean(row["clean_cer"] for row in of["photos"]) if of["photos"] else 1.0
        demand("photos, CER over that of clean pages", [row["cer"] / clean for row in of["photos"]], 1.5)
        beside = [row["cer"] / row["tesseract_cer"] for row in of["photos"] if "tesseract_cer" in row]
        demand("photos, CER over Tesseract's", beside, 1.0)
        demand("seconds for 100 pages", [100 * row["seconds"] / row["pages"] for row in of["english"]], 480)
        demand("memory in MB", [row["peak_mb"] for row in rows], 1500, worst=True)
    demand("pictures, share of what is written", [row["stray"] for row in of["pictures"]], 0.005)
    return checks + beliefs(rows, RIGHT_FAST if fast else RIGHT)


def beliefs(rows: Sequence[Row], right: float) -> list[Row]:
    """Whether what is right is believed and nothing else, and how near the expected errors are to the true ones."""
    checks: list[Row] = []
    told: list[Row] = [row for row in rows if row["set"] != "pictures"]
    wrong = [row["believed"] / row["seeds"] for row in told if row["cer"] > right]
    doubted = [1 - row["believed"] / row["seeds"] for row in told if row["cer"] <= right]
    for name, shares, most in (("wrongly believed", wrong, 0.01), ("wrongly doubted", doubted, 0.05)):
        if shares:
            value = statistics.mean(shares)
            checks.append({"name": f"books {name}", "value": value, "wanted": f"<= {most}", "ok": value <= most})
    ratios = [row["expected_error"] / max(row["cer"], 1e-9) for row in told if row["cer"] <= right]
    for name, value, is_ok, wanted in (
        ("least", min(ratios, default=1.0), lambda value: value >= 0.67, ">= 0.67"),
        ("most", max(ratios, default=1.0), lambda value: value <= 1.5, "<= 1.5"),
    ):
        checks.append(
            {"name": f"expected error over true error, {name}", "value": value, "wanted": wanted, "ok": is_ok(value)}
        )
    pages = [page for row in told for page in row["of_pages"] if page["cer"] is not None and page["expected_error"]]
    if len(pages) > 2:
        value = float(spearmanr([page["cer"] for page in pages], [page["expected_error"] for page in pages])[0])
        checks.append({"name": "rank correlation over pages", "value": value, "wanted": ">= 0.9", "ok": value >= 0.9})
    return checks


def show(rows: Sequence[Row], checks: Sequence[Row]) -> None:
    print(
        f"{'set':<11}{'book':<24}{'pages':>6}{'chars':>7}{'CER':>8}{'worst':>8}{'in order':>9}{'moved':>7}"
        f"{'expected':>9}{'believed':>9}{'stray':>7}{'s':>6}{'MB':>6}{'Tesseract':>10}"
    )
    for row in rows:
        peer = f"{row['tesseract_cer']:.2%}" if "tesseract_cer" in row else ""
        print(
            f"{row['set']:<11}{row['book']:<24}{row['pages']:>6}{row['characters']:>7}{row['cer']:>8.2%}"
            f"{row['cer_max']:>8.2%}{row['cer_in_order']:>9.2%}{row['order_error']:>7.1%}{row['expected_error']:>9.2%}"
            f"{row['believed']:>7}/{row['seeds']}{row['stray']:>7.2%}{row['seconds']:>6.0f}{row['peak_mb']:>6.0f}"
            f"{peer:>10}"
        )
    for check in checks:
        print(f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}")


if __name__ == "__main__":
    sys.exit(main())
