"""Every book of a data folder read without labels, beside Tesseract on the same lines.

    python benchmarks/books.py --data FOLDER [--books NAME ...] [--seeds 3] [--fast] [--supervised] [--jobs 2] [--json]

Line images in, all symbols, case and punctuation count, the whole book; the language model is of the folder's texts,
none of which holds a book. CER and WER compare text after both sides are written as print writes it (curly quotes, one
kind of hyphen). Tesseract, where it is installed, reads one line image at a time (--psm 7); where it writes s for ſ,
both sides are written so. With --supervised the same network as the line reader's is trained on the truth of two thirds
of the lines, and both are scored on the other third. A book is read while it is learned; the time of reading is that
of reading it once more.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from labelfree.ocr.book import Book
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.line_reader import train_recogniser
from labelfree.ocr.line_reader.lines import line_images, read_images
from labelfree.ocr.pipeline import FAST, run_pipeline
from labelfree.ocr.reader import Reader
from labelfree.ocr.scripts import Script
from labelfree.ocr.sources import tesseract
from shelf import GROUPS, Group, compare, over_books, truth_of


def main() -> int:
    arguments = parse_arguments()
    work = partial(row_of, arguments=arguments)
    rows = over_books(work, arguments.data, arguments.books, jobs=arguments.jobs)
    checks = demands(rows, arguments.fast)
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--books", nargs="*", help="only these")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--fast", action="store_true", help="without the reader of whole lines")
    parser.add_argument("--supervised", action="store_true", help="beside the same network trained on the truth")
    parser.add_argument("--no-tesseract", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="books at a time, each by one worker; 1 for all of them")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def row_of(group: Group, book: Path, language: BookLanguage, *, arguments: argparse.Namespace) -> dict[str, object]:
    truth = truth_of(book)
    fits = []
    for seed in range(arguments.seeds):
        fits.append(fit(book, truth, language, seed, arguments.fast))
        told = {name: value for name, value in fits[-1].items() if name != "texts"}
        print(json.dumps({"book": book.name, "seed": seed, **told}), file=sys.stderr, flush=True)
    row = {
        "book": book.name,
        "kind": next(name for name, known in GROUPS.items() if known == group),
        "lines": len(truth),
        "characters": sum(len(text.strip()) for text in truth.values()),
        "symbols": len(language.lm.alphabet),
        "cer": statistics.mean(one["cer"] for one in fits),
        "cer_max": max(one["cer"] for one in fits),
        "wer": statistics.mean(one["wer"] for one in fits),
        "converged": sum(one["converged"] for one in fits),
        "seeds": len(fits),
        "expected_error": statistics.mean(one["expected_error"] for one in fits),
        "seconds_learning": statistics.median(one["seconds_learning"] for one in fits),
        "seconds_reading": statistics.median(one["seconds_reading"] for one in fits),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
    }
    if arguments.supervised:
        row |= supervised(book, truth, language, [one["texts"] for one in fits])
    if not arguments.no_tesseract and tesseract.is_installed():
        compared = group.engines if arguments.fast else [engine for engine, _ in group.times_tesseract]
        for engine in compared:
            if engine in tesseract.languages():
                row |= peer(book, truth, language.script, engine)
    return row


def fit(book: Path, truth: dict[str, str], language: BookLanguage, seed: int, fast: bool) -> dict[str, Any]:
    pages = list(read_lines([book], "line"))
    began = time.perf_counter()
    learned = run_pipeline(pages, language, without=FAST if fast else (), seed=seed)
    reader = Reader.of(learned.state)
    found = list(reader.pages_of(pages, learned.state.reading))
    done_learning = time.perf_counter()
    again = reader.read(pages)
    done = time.perf_counter()
    assert [page.text for page in again.pages] == [page.text for page in found], "read and run differ"
    texts = {page.source.stem: page.text for page in found}
    glyphs = [glyph.confidence for page in found for line in page.lines for glyph in line.glyphs]
    return compare(texts, truth, language.script) | {
        "texts": texts,
        "converged": float(reader.converged),
        "expected_error": 1.0 - statistics.fmean(glyphs),
        "seconds_learning": done_learning - began,
        "seconds_reading": done - done_learning,
        "seconds_of_stages": {name: round(seconds, 2) for name, seconds in learned.seconds.items()},
    }


def supervised(book: Path, truth: dict[str, str], language: BookLanguage, readings: list[dict[str, str]]):
    """The network of the line reader with the truth of two thirds of the lines, and ours, on the other third."""
    pages = list(read_lines([book], "line"))
    lines = [line for page in pages for line in page.lines]
    names = [page.source.stem for page in pages for _ in page.lines]
    type_model = Book.measure(lines, language).type
    images = line_images([line.shrunk(type_model.shrinking) for line in lines], type_model.style)
    alphabet = language.lm.alphabet
    labels = [alphabet.encode(language.script.as_printed(truth[name].strip())) for name in names]
    taught = [i for i in range(len(lines)) if i % 3]
    began = time.perf_counter()
    network = train_recogniser([images[i].strip for i in taught], [labels[i] for i in taught], len(alphabet))
    seconds = time.perf_counter() - began
    rest = [i for i in range(len(lines)) if i % 3 == 0]
    read = read_images(network, [images[i] for i in rest], language)
    wanted = {names[i]: truth[names[i]] for i in rest}
    found = {names[i]: alphabet.decode(line.labels) for i, line in zip(rest, read, strict=True)}
    ours = statistics.mean(compare(texts, wanted, language.script)["cer"] for texts in readings)
    return {
        "supervised_cer": compare(found, wanted, language.script)["cer"],
        "cer_on_the_same_third": ours,
        "supervised_seconds": seconds,
    }


def peer(book: Path, truth: dict[str, str], script: Script, engine: str) -> dict[str, float]:
    """Tesseract with one of its models, two lines at a time."""
    began = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        read = pool.map(lambda name: tesseract.recognise(book / f"{name}.png", engine), truth)
        texts = dict(zip(truth, read, strict=True))
    seconds = time.perf_counter() - began
    if not any("ſ" in text for text in texts.values()):
        truth = {name: wanted.replace("ſ", "s") for name, wanted in truth.items()}
    cer = compare(texts, truth, script)["cer"]
    return {f"tesseract_{engine}_cer": cer, f"tesseract_{engine}_seconds": seconds}


def demands(rows, fast: bool) -> list[dict[str, object]]:
    checks = []

    def demand(name: str, values: list[float], wanted: float) -> None:
        if values:
            value = statistics.mean(values)
            checks.append({"name": name, "value": value, "wanted": f"<= {wanted}", "ok": value <= wanted})

    for name, group in GROUPS.items():
        found = [row for row in rows if row["kind"] == name]
        demand(f"{name}, mean CER", [row["cer"] for row in found], group.wanted_fast if fast else group.wanted)
        for engine, times in () if fast else group.times_tesseract:
            known = [row for row in found if f"tesseract_{engine}_cer" in row]
            ratios = [row["cer"] / row[f"tesseract_{engine}_cer"] for row in known]
            demand(f"{name}, CER over that of Tesseract's {engine}, mean over books", ratios, times)
    if not fast:
        worst = max((row["cer"] for row in rows if row["kind"] == "English"), default=None)
        demand("English, CER of the worst book", [] if worst is None else [worst], 0.05)
        taught = [row for row in rows if "supervised_cer" in row]
        ratios = [row["cer_on_the_same_third"] / row["supervised_cer"] for row in taught]
        demand("CER over that of the same network supervised, mean over books", ratios, 1.5)
    return checks


def show(rows, checks) -> None:
    print(
        f"{'book':<36}{'lines':>6}{'chars':>7}{'symbols':>8}{'CER':>7}{'worst':>7}{'expected':>9}{'WER':>7}"
        f"{'believed':>9}{'learn s':>8}{'read s':>7}{'MB':>6}  Tesseract CER (s)"
    )
    for row in rows:
        names = [key.removesuffix("_cer") for key in row if key.startswith("tesseract_") and key.endswith("_cer")]
        peers = ", ".join(
            f"{name.removeprefix('tesseract_')} {row[f'{name}_cer']:.2%} ({row[f'{name}_seconds']:.0f})"
            for name in names
        )
        believed = f"{row['converged']:.0f}/{row['seeds']}"
        print(
            f"{row['book']:<36}{row['lines']:>6}{row['characters']:>7}{row['symbols']:>8}{row['cer']:>7.2%}"
            f"{row['cer_max']:>7.2%}{row['expected_error']:>9.2%}{row['wer']:>7.2%}{believed:>9}"
            f"{row['seconds_learning']:>8.0f}{row['seconds_reading']:>7.1f}{row['peak_mb']:>6.0f}  {peers}"
        )
        if "supervised_cer" in row:
            print(f"{'':<36}on a third: {row['cer_on_the_same_third']:.2%}, supervised {row['supervised_cer']:.2%}")
    for check in checks:
        print(f"{'ok  ' if check['ok'] else 'MISS'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}")


if __name__ == "__main__":
    sys.exit(main())
