"""`labelfree ocr`: from scans to text, without one transcription."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from labelfree.cli.options import Force, Json, Quiet, Seed, Threads, Verbose, use_threads

if TYPE_CHECKING:
    from labelfree.ocr.document import Book
    from labelfree.ocr.language import BookLanguage
    from labelfree.ocr.lines import PageLines
    from labelfree.ocr.reader import Reader

app = typer.Typer(no_args_is_help=True)

Inputs = Annotated[
    list[str], typer.Argument(metavar="SCANS...", help="Images, PDF, PAGE or ALTO files, folders or patterns.")
]
Text = Annotated[
    list[Path] | None, typer.Option("--text", metavar="FILE", help="Text in the book's language, .txt or .txt.gz.")
]
Lang = Annotated[str | None, typer.Option("--lang", metavar="CODE", help="The language, such as en or de.")]
Symbols = Annotated[
    str | None, typer.Option("--symbols", metavar="A,B", help="Letters that are one piece of type, such as ch,ck,tz.")
]
LongS = Annotated[bool, typer.Option("--long-s", help="Write the text's s as ſ where old printers did.")]
Kind = Annotated[Literal["auto", "line", "page"], typer.Option("--kind", help="What an image shows.")]
Layout = Annotated[Literal["builtin", "tesseract"], typer.Option("--layout", help="What finds the lines of a page.")]
Formats = Annotated[
    list[str] | None,
    typer.Option("--format", "-f", metavar="NAME", help="txt, hocr, alto, page, json, pairs or pdf; may be repeated."),
]
Out = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for what is read.")]
LeastConfidence = Annotated[
    float, typer.Option("--least-confidence", min=0.0, max=1.0, help="Lines surer than this become training pairs.")
]


@app.command()
def run(
    scans: Inputs,
    out: Out,
    text: Text = None,
    lang: Lang = None,
    symbols: Symbols = None,
    long_s: LongS = False,
    formats: Formats = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    least_confidence: LeastConfidence = 0.9,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Learn a book's type from its own scans and read it.

    Example: labelfree ocr run book/ --text novels.txt.gz -o out

    Exit code 1 says that it finished but does not believe what it read.
    """
    use_threads(threads)
    chosen = _formats(formats)
    language = _language(text, lang, symbols, long_s)
    pages = _pages(scans, kind, layout)
    reader, seconds = _learned(pages, language, seed, quiet, verbose)
    _read_and_write(reader, pages, chosen, out, least_confidence, seconds, json)


@app.command()
def learn(
    scans: Inputs,
    out: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model folder to write.")],
    text: Text = None,
    lang: Lang = None,
    symbols: Symbols = None,
    long_s: LongS = False,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    seed: Seed = 0,
    threads: Threads = None,
    force: Force = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Learn a book's type and keep it as a model.

    Example: labelfree ocr learn book/ --lang de -o model
    """
    use_threads(threads)
    from labelfree.cli.show import as_facts, as_json
    from labelfree.files import check_free
    from labelfree.ocr.model import save_reader

    check_free(out, force=force)
    language = _language(text, lang, symbols, long_s)
    reader, seconds = _learned(_pages(scans, kind, layout), language, seed, quiet, verbose)
    save_reader(reader, out, force=force)
    found = {"model": str(out), "converged": reader.converged, "kl": float(reader.classifier.kl_), "seconds": seconds}
    if json:
        as_json(found)
    else:
        as_facts(list(found.items()))
    _leave(reader)


@app.command()
def read(
    scans: Inputs,
    out: Out,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="A folder that `ocr learn` wrote.")],
    formats: Formats = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    least_confidence: LeastConfidence = 0.9,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Read scans with a model that is learned already.

    Example: labelfree ocr read more/ -m model -f alto -o out
    """
    use_threads(threads)
    from labelfree.ocr.model import load_reader

    chosen = _formats(formats)
    reader = load_reader(model)
    _read_and_write(reader, _pages(scans, kind, layout), chosen, out, least_confidence, 0.0, json)


@app.command()
def score(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder or file of what was read.")],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="Folder or file of .txt or .gt.txt truth.")],
    top: Annotated[int, typer.Option("--top", min=1, help="How many confusions and lines to show.")] = 10,
    json: Json = False,
) -> None:
    """Compare what was read with the truth: character and word error rates, the worst confusions.

    Example: labelfree ocr score out truth
    """
    from labelfree.cli.show import as_json, as_table, percent, quoted
    from labelfree.ocr.score import score as compare

    found = compare(out, truth, top=top)
    if json:
        as_json(found.as_dict())
        return
    print(f"CER {percent(found.cer)}, WER {percent(found.wer)} over {found.characters:,} characters")
    if found.missing:
        print(f"{len(found.missing)} of {found.files} files were not read and count as empty, {found.missing[0]} first")
    rows = [(quoted(each.truth), quoted(each.read), each.count) for each in found.confusions]
    as_table("Commonest confusions", ["true", "read as", "times"], rows)


def _formats(formats: list[str] | None) -> list[str]:
    from labelfree.errors import InputError
    from labelfree.ocr.write import FORMATS

    chosen = [name for each in formats or ["txt"] for name in each.split(",")]
    for name in chosen:
        if name not in FORMATS:
            raise InputError(f"format {name!r} found, one of {', '.join(FORMATS)} wanted")
    return chosen


def _language(text: list[Path] | None, lang: str | None, symbols: str | None, long_s: bool) -> BookLanguage:
    from labelfree.ocr.language import book_language
    from labelfree.ocr.symbols import symbols_from_option

    pieces = None if symbols is None else symbols_from_option(symbols)
    return book_language(text or (), lang, symbols=pieces, old_spelling=long_s)


def _pages(scans: list[str], kind: Literal["auto", "line", "page"], layout: str) -> list[PageLines]:
    from labelfree.ocr.layout import page_lines
    from labelfree.ocr.layout_tesseract import tesseract_lines
    from labelfree.ocr.scans import read_lines

    return list(read_lines(scans, kind, tesseract_lines if layout == "tesseract" else page_lines))


def _learned(
    pages: list[PageLines], language: BookLanguage, seed: int, quiet: bool, verbose: bool
) -> tuple[Reader, float]:
    from labelfree.cli.progress import Progress
    from labelfree.ocr.reader import learn as learn_type

    began = perf_counter()
    with Progress(sys.stderr, quiet=quiet, verbose=verbose) as progress:
        reader = learn_type(pages, language, seed=seed, monitor=progress)
    return reader, perf_counter() - began


def _read_and_write(
    reader: Reader,
    pages: list[PageLines],
    formats: list[str],
    out: Path,
    least_confidence: float,
    learned_in: float,
    json: bool,
) -> None:
    from labelfree.ocr.write import write_book

    began = perf_counter()
    book = reader.read(pages)
    seconds = perf_counter() - began
    written = write_book(book, formats, out, least_confidence=least_confidence)
    _report(book, reader, len(written), out, learned_in, seconds, json)
    _leave(reader)


def _report(book: Book, reader: Reader, n_files: int, out: Path, learned_in: float, read_in: float, json: bool) -> None:
    from labelfree.cli.show import as_facts, as_json, percent

    glyphs = [glyph for page in book.pages for line in page.lines for glyph in line.glyphs]
    sure = sum(glyph.confidence for glyph in glyphs) / len(glyphs) if glyphs else 0.0
    found = {
        "pages": len(book.pages),
        "lines": sum(len(page.lines) for page in book.pages),
        "characters": len(book.text),
        "converged": reader.converged,
        "kl": float(reader.classifier.kl_),
        "expected_error": 1.0 - sure,
        "seconds_learning": learned_in,
        "seconds_reading": read_in,
        "files": n_files,
        "folder": str(out),
    }
    if json:
        as_json(found)
        return
    shown = found | {"expected_error": percent(1.0 - sure)}
    as_facts(
        [
            (name.replace("_", " "), f"{value:.3g}" if isinstance(value, float) else value)
            for name, value in shown.items()
        ]
    )


def _leave(reader: Reader) -> None:
    """Exit code 1, and what would help, where the reader does not believe itself."""
    if reader.converged:
        return
    from labelfree.cli.show import warn

    warn(
        f"{reader.classifier.diagnosis_.message or 'not converged'}; more lines of the same book, or text of the same "
        "language and time, would help"
    )
    raise typer.Exit(1)
