"""Print read without labels: a small book made for the purpose, or the scans of a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from rapidfuzz.distance import Levenshtein
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from labelfree.cli.dots import dotted
from labelfree.cli.ocr_report import ADVICE, warn_of_doubt
from labelfree.cli.progress import Progress
from labelfree.cli.show import percent, warn
from labelfree.errors import InputError
from labelfree.files import scratch_folder
from labelfree.ocr.language import BookLanguage, book_language
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.metrics import score_texts
from labelfree.ocr.reader import Reader, learn
from labelfree.ocr.scripts import Script
from labelfree.ocr.types import Document, Line, PageLines, TextLine
from labelfree.repro.tasks.book import book_text, print_book
from labelfree.verdict import Remedy

CHARACTERS = 4_500
_COLUMNS = 90
_SHOWN = 3
_TRUTH = ".gt.txt"


@dataclass(frozen=True, eq=False)
class _ReadLine:
    """A line as it was scanned, what was read, and the truth where it is known."""

    scan: TextLine
    read: Line
    truth: str | None


def printed_book(console: Console, seed: int) -> bool:
    """Set a book in a typeface, degrade it, and read it; returns whether the reading is believed."""
    book = book_text(CHARACTERS, seed)
    with scratch_folder() as place:
        folder, other = place / "book", place / "other.txt"
        folder.mkdir()
        print_book(book.lines, folder, seed=seed)
        other.write_text("\n".join(book.other), encoding="utf-8")
        console.print(
            f"[bold]3. Print.[/bold] {book.characters:,} characters of Python's own English, set in a typeface and "
            f"damaged like a scan:\n   {len(book.lines)} pictures of lines, with capitals, figures and punctuation. No "
            "reading engine, no sample of the typeface,\n   no transcription. All that is known is other English, "
            f"{sum(map(len, book.other)):,} characters of it.\n"
        )
        return _read(console, folder, book_language([other], "en"), seed)


def scans(console: Console, folder: Path, text: Sequence[Path], code: str | None, seed: int) -> bool:
    """Read a folder of line or page images; returns whether the reading is believed."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; a folder of line or page images wanted: name one")
    language = book_language(text, code if text else code or "en")
    known = ", ".join(path.name for path in text) or f"a list of words of the language {language.code}"
    console.print(
        f"[bold]Print.[/bold] The scans in {escape(str(folder))}, no transcription, no sample of the typeface.\n"
        f"   All that is known is {escape(known)}.\n"
    )
    return _read(console, folder, language, seed)


def _read(console: Console, folder: Path, language: BookLanguage, seed: int) -> bool:
    pages = list(read_lines([folder], leave_out=lambda path, error: warn(f"{error}; left out")))
    console.print(
        f"   labelfree cuts {sum(len(page.lines) for page in pages):,} lines into characters, groups these by shape, "
        f"and learns a classifier\n   for {len(language.lm.alphabet)} symbols whose output is as likely as that text. "
        "It sees no label ...\n"
    )
    began = perf_counter()
    with Progress(sys.stderr, quiet=not sys.stderr.isatty()):
        reader = learn(pages, language, fast=True, seed=seed)
    learned = perf_counter()
    book = reader.read(pages)
    seconds = learned - began, perf_counter() - learned
    truths = _truths(pages, language.script)
    _show_lines(console, list(_lines(pages, book, truths)))
    _show_verdict(console, reader, book, truths, seconds)
    return reader.converged


def _truths(pages: Sequence[PageLines], script: Script) -> dict[Path, str]:
    """The true text of every file that has one beside it, in the shapes that print has."""
    beside = {page.source: page.source.with_name(page.source.stem + _TRUTH) for page in pages}
    texts = {
        source: script.as_printed(path.read_text(encoding="utf-8-sig", errors="replace"))
        for source, path in beside.items()
        if path.is_file()
    }
    return {source: text for source, text in texts.items() if text.strip()}


def _lines(pages: Sequence[PageLines], book: Document, truths: dict[Path, str]) -> Iterator[_ReadLine]:
    for scanned, read in zip(pages, book.pages, strict=True):
        truth = truths.get(scanned.source, "").splitlines()
        is_paired = len(truth) == len(read.lines)
        for number, (scan, line) in enumerate(zip(scanned.lines, read.lines, strict=True)):
            yield _ReadLine(scan, line, truth[number].rstrip() if is_paired else None)


def _show_lines(console: Console, lines: Sequence[_ReadLine]) -> None:
    """Show a few lines spread over the book: the scan, what was read, and the truth with marks where they differ."""
    for index in np.unique(np.linspace(0, len(lines) - 1, _SHOWN + 2).astype(int)[1:-1]):
        line = lines[index]
        for number, row in enumerate(dotted(line.scan.ink, _COLUMNS)):
            console.print(Text(f"   {'' if number else 'scan':<7}{row}"))
        console.print(Text("   read   ").append(line.read.text, style="green"))
        if line.truth is not None:
            console.print(Text(f"   truth  {line.truth}"))
            marks = _marks(line.truth, line.read.text)
            if marks:
                console.print(Text(f"          {marks}", style="red"))
        console.print()


def _marks(truth: str, read: str) -> str:
    """A mark below each character of the truth that was not read as it stands.

    Examples
    --------
    >>> _marks("the cat sat", "tbe cat sta")
    ' ^       ^^'
    """
    places = {edit.src_pos for edit in Levenshtein.editops(truth, read)}
    return "".join("^" if place in places else " " for place in range(len(truth) + 1)).rstrip()


def _show_verdict(
    console: Console, reader: Reader, book: Document, truths: dict[Path, str], seconds: tuple[float, float]
) -> None:
    sure = [glyph.confidence for page in book.pages for line in page.lines for glyph in line.glyphs]
    expected = 1 - float(np.mean(sure)) if sure else 1.0
    console.print(
        f"   {seconds[0]:.1f} seconds to learn, {seconds[1]:.1f} to read {len(book.text):,} characters. "
        f"It {'believes' if reader.converged else 'does not believe'} its reading\n"
        f"   and expects {percent(expected)} of the characters to be wrong."
    )
    if not truths:
        console.print(f"   There is no truth to compare with: no file such as a{_TRUTH} lies beside a.png.")
    else:
        read = dict.fromkeys(truths, "")
        for page in book.pages:
            if page.source in read:
                read[page.source] += page.text
        found = score_texts((source.name, read[source], truth) for source, truth in truths.items())
        console.print(
            f"   Against the truth, which only now is opened, [bold]{percent(found.cer)} of {found.characters:,} "
            f"characters[/bold] are wrong."
        )
    if not reader.converged:
        warn_of_doubt(reader.verdict, ADVICE | {Remedy.OTHER_LANGUAGE: "another language (--lang CODE)"})
