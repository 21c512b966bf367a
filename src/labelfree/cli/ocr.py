"""`labelfree ocr`: from scans to text, without one transcription."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from labelfree.cli.options import Force, Json, Quiet, Seed, Threads, Verbose, use_threads
from labelfree.ocr.scripts import SCRIPTS

if TYPE_CHECKING:
    from labelfree.cli.ocr_report import FoundPages
    from labelfree.cli.progress import Progress
    from labelfree.ocr.language import BookLanguage
    from labelfree.ocr.reader import Reader
    from labelfree.ocr.types import Book

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
ScriptName = Annotated[
    str | None,
    typer.Option(
        "--script",
        metavar="NAME",
        help=f"What the book is set in: {', '.join(f'{each.name} ({each.about})' for each in SCRIPTS.values())}.  "
        "[default: as spelled]",
    ),
]
Kind = Annotated[Literal["auto", "line", "page"], typer.Option("--kind", help="What an image shows.")]
Layout = Annotated[Literal["builtin", "tesseract"], typer.Option("--layout", help="What finds the lines of a page.")]
Segmentation = Literal["builtin", "tesseract"]
Segment = Annotated[Segmentation, typer.Option("--segment", help="What cuts lines into characters.")]
Fast = Annotated[bool, typer.Option("--fast", help="Read character by character; more errors, a few times faster.")]
Rescore = Annotated[
    bool,
    typer.Option(
        "--rescore", help="Choose each line's reading with a neural language model and words too; minutes more."
    ),
]
HintsFile = Annotated[
    Path | None,
    typer.Option(
        "--hints",
        metavar="FILE",
        help="What you know of the book, one hint a line: 'NAME: text of the line', where NAME is an image without its "
        "ending (NAME:12 for line 12 of a page), or 'group 17 = æ', as `ocr groups` numbers them.",
    ),
]
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
    script: ScriptName = None,
    formats: Formats = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    segment: Segment = "builtin",
    fast: Fast = False,
    rescore: Rescore = False,
    hints: HintsFile = None,
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
    from labelfree.cli.ocr_report import Reading
    from labelfree.cli.progress import Progress

    _check_ways(fast, rescore)
    chosen = _formats(formats)
    with Progress(sys.stderr, quiet=quiet, verbose=verbose) as progress:
        language = _language(text, lang, symbols, long_s, script, rescore, progress)
        found = _found(scans, kind, layout, language, progress)
        reader, book, seconds = _learned(found, language, fast, hints, seed, segment, progress)
        n_files = _write(book, chosen, out, least_confidence, progress)
    Reading(book, reader, found, out, n_files).show(json, seconds)
    _leave(reader)


@app.command()
def learn(
    scans: Inputs,
    out: Annotated[Path, typer.Option("--output", "-o", metavar="MODEL", help="The model folder to write.")],
    text: Text = None,
    lang: Lang = None,
    symbols: Symbols = None,
    long_s: LongS = False,
    script: ScriptName = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    segment: Segment = "builtin",
    fast: Fast = False,
    rescore: Rescore = False,
    hints: HintsFile = None,
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
    from labelfree.cli.ocr_report import show_model
    from labelfree.cli.progress import Progress
    from labelfree.files import check_free
    from labelfree.ocr.storage import save_reader

    _check_ways(fast, rescore)
    check_free(out, force=force)
    with Progress(sys.stderr, quiet=quiet, verbose=verbose) as progress:
        language = _language(text, lang, symbols, long_s, script, rescore, progress)
        found = _found(scans, kind, layout, language, progress)
        reader, _, seconds = _learned(found, language, fast, hints, seed, segment, progress)
        save_reader(reader, out, force=force)
    show_model(reader, found, out, json, seconds)
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
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Read scans with a model that is learned already.

    Example: labelfree ocr read more/ -m model -f alto -o out
    """
    use_threads(threads)
    from labelfree.cli.ocr_report import Reading
    from labelfree.cli.progress import Progress
    from labelfree.ocr.storage import load_reader

    chosen = _formats(formats)
    reader = load_reader(model)
    with Progress(sys.stderr, quiet=quiet) as progress:
        found = _found(scans, kind, layout, reader.language, progress)
        began = perf_counter()
        progress.stage("reading", 0, 0)
        book = reader.read(found.pages, progress)
        seconds = perf_counter() - began
        n_files = _write(book, chosen, out, least_confidence, progress)
    Reading(book, reader, found, out, n_files, seconds).show(json)
    _leave(reader)


@app.command()
def groups(
    scans: Inputs,
    out: Annotated[Path, typer.Option("--output", "-o", metavar="PNG", help="The picture to write.")],
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", metavar="MODEL", help="A model that says how each group is read now."),
    ] = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    segment: Segment = "builtin",
    threads: Threads = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Draw a book's characters in numbered groups of alike ones, to be named in a file of hints.

    Example: labelfree ocr groups book/ -m model -o groups.png

    The numbers are those of `ocr learn --hints` on the same scans, cut in the same way.
    """
    use_threads(threads)
    from labelfree.cli.ocr_groups import draw, show
    from labelfree.cli.progress import Progress
    from labelfree.files import check_free
    from labelfree.ocr.storage import load_reader

    check_free(out, force=force)
    reader = None if model is None else load_reader(model)
    with Progress(sys.stderr, quiet=quiet) as progress:
        found = _found(scans, kind, layout, reader.language if reader else None, progress)
        rows = draw(found, reader, segment, out, progress)
    show(rows, found, out, json)


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
    from labelfree.ocr.metrics import score as compare

    found = compare(out, truth, top=top)
    if json:
        as_json(found.as_dict())
        return
    print(f"CER {percent(found.cer)}, WER {percent(found.wer)} over {found.characters:,} characters")
    if found.missing:
        print(f"{len(found.missing)} of {found.files} files were not read and count as empty, {found.missing[0]} first")
    rows = [(quoted(each.truth), quoted(each.read), each.count) for each in found.confusions]
    as_table("Commonest confusions", ["true", "read as", "times"], rows)


def _check_ways(fast: bool, rescore: bool) -> None:
    from labelfree.errors import InputError

    if fast and rescore:
        raise InputError("--fast and --rescore found, one of them wanted: readings of whole lines are what is rescored")


def _formats(formats: list[str] | None) -> list[str]:
    from labelfree.errors import InputError
    from labelfree.ocr.export import FORMATS

    chosen = [name for each in formats or ["txt"] for name in each.split(",")]
    for name in chosen:
        if name not in FORMATS:
            raise InputError(f"format {name!r} found, one of {', '.join(FORMATS)} wanted")
    return chosen


def _language(
    text: list[Path] | None,
    lang: str | None,
    symbols: str | None,
    long_s: bool,
    script: str | None,
    rescore: bool,
    progress: Progress,
) -> BookLanguage:
    from labelfree.ocr.language import LanguageSettings, book_language
    from labelfree.ocr.scripts.symbols import symbols_from_option

    pieces = None if symbols is None else symbols_from_option(symbols)
    progress.stage("counting the language", 0, 0)
    return book_language(
        text or (),
        lang,
        symbols=pieces,
        old_spelling=long_s,
        script=script,
        settings=LanguageSettings(rescoring=rescore),
        monitor=progress,
    )


def _found(
    inputs: list[str],
    kind: Literal["auto", "line", "page"],
    layout: Literal["builtin", "tesseract"],
    language: BookLanguage | None,
    progress: Progress,
) -> FoundPages:
    """The lines of all scans; what is wrong with some of them is said at once."""
    from labelfree.cli.ocr_report import FoundPages
    from labelfree.ocr.layout.orientation import is_latin, upside_down
    from labelfree.ocr.layout.page import page_lines
    from labelfree.ocr.layout.scans import read_lines
    from labelfree.ocr.layout.tesseract_layout import tesseract_lines

    left_out: list[tuple[Path, str]] = []
    pages = list(
        read_lines(
            inputs,
            kind,
            tesseract_lines if layout == "tesseract" else page_lines,
            leave_out=lambda path, error: left_out.append((path, str(error))),
            progress=lambda done, total: progress.stage("finding lines", done, total),
        )
    )
    turned = upside_down(pages) if language and is_latin(language.lm.alphabet.symbols) else []
    found = FoundPages(tuple(pages), tuple(left_out), tuple(page.source for page in turned))
    found.warn()
    found.check()
    return found


def _learned(
    found: FoundPages,
    language: BookLanguage,
    fast: bool,
    hints: Path | None,
    seed: int,
    segment: Segmentation,
    progress: Progress,
) -> tuple[Reader, Book, float]:
    from labelfree.ocr.hints import read_hints
    from labelfree.ocr.reader import learn_and_read

    said = None if hints is None else read_hints(hints)
    began = perf_counter()
    reader, book = learn_and_read(
        found.pages, language, fast=fast, segmenter=segment, hints=said, seed=seed, monitor=progress
    )
    return reader, book, perf_counter() - began


def _write(book: Book, formats: list[str], out: Path, least_confidence: float, progress: Progress) -> int:
    """Write what was read, format by format; returns how many files."""
    from labelfree.ocr.export import write_book

    n_files = 0
    for done, form in enumerate(formats):
        progress.stage(f"writing {form}", done, len(formats))
        n_files += len(write_book(book, [form], out, least_confidence=least_confidence))
    return n_files


def _leave(reader: Reader) -> None:
    """Exit code 1, and what would help, where the reader does not believe itself."""
    if reader.converged:
        return
    from labelfree.cli.ocr_report import warn_of_doubt

    warn_of_doubt(reader)
    raise typer.Exit(1)
