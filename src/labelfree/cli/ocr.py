"""`labelfree ocr`: from scans to text, without one transcription."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from labelfree.cli.options import (
    Force,
    Json,
    Quiet,
    ReportFile,
    Resume,
    Scheduler,
    Seed,
    Verbose,
    Workers,
    use_workers,
)
from labelfree.ocr.scripts import SCRIPTS

app = typer.Typer(no_args_is_help=True)

Inputs = Annotated[
    list[str], typer.Argument(metavar="SCANS...", help="Images, PDF, PAGE or ALTO files, folders or patterns.")
]
Text = Annotated[
    list[Path] | None,
    typer.Option("--text", metavar="FILE", help="Text in the book's language: a file or folder, as of lm build."),
]
Lang = Annotated[
    str | None,
    typer.Option("--lang", metavar="CODE", help="The language, such as en or de; auto asks which, in minutes."),
]
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
Fast = Annotated[bool, typer.Option("--fast", help="Read character by character; more errors, a few times faster.")]
Rescore = Annotated[
    bool,
    typer.Option(
        "--rescore", help="Choose each line's reading with a neural language model and words too; minutes more."
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Leave out a stage, see `ocr stages`; may be repeated."),
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
    typer.Option(
        "--format", "-f", metavar="NAME", help="txt, text, hocr, alto, page, json, pairs or pdf; may be repeated."
    ),
]
Out = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for what is read.")]
LeastConfidence = Annotated[
    float | None,
    typer.Option(
        "--least-confidence",
        min=0.0,
        max=1.0,
        help="Of lines that become training pairs, and of characters with --unread.  [default: 0.9, and 0.5]",
    ),
]
UnreadMark = Annotated[
    str | None,
    typer.Option("--unread", metavar="MARK", help="What texts have for a character that could not be read, such as ▯."),
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
    fast: Fast = False,
    rescore: Rescore = False,
    without: Without = None,
    hints: HintsFile = None,
    least_confidence: LeastConfidence = None,
    unread: UnreadMark = None,
    report: ReportFile = None,
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    resume: Resume = False,
    force: Force = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Learn a book's type from its own scans and read it.

    Example: labelfree ocr run book/ --text novels.txt.gz -o out

    What each stage leaves is kept in OUT.checkpoint while it works; the same command with --resume goes on from there.
    Exit code 1 says that it finished but does not believe what it read.
    """
    _check_ways(fast, rescore)
    use_workers(workers, scheduler)
    from labelfree.cli import ocr_work
    from labelfree.cli.progress import Progress

    language = ocr_work.LanguageOptions(text, lang, symbols, long_s, script, rescore)
    how = ocr_work.LearnOptions(fast, without, hints, seed)
    output = ocr_work.OutputOptions(out, formats, least_confidence, unread, resume, force, report)
    with Progress(sys.stderr, quiet=quiet, verbose=verbose):
        reading = ocr_work.run(language, ocr_work.ScanOptions(scans, kind, layout), how, output)
    reading.show(json)
    raise typer.Exit(ocr_work.leave(reading.verdict))


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
    fast: Fast = False,
    rescore: Rescore = False,
    without: Without = None,
    hints: HintsFile = None,
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    resume: Resume = False,
    force: Force = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Learn a book's type and keep it as a model.

    Example: labelfree ocr learn book/ --lang de -o model

    What each stage leaves is kept in MODEL.checkpoint while it works; the same command with --resume goes on from
    there. `ocr read` with the model gives the same pages the same text as `ocr run`.
    """
    _check_ways(fast, rescore)
    use_workers(workers, scheduler)
    from labelfree.cli import ocr_work
    from labelfree.cli.progress import Progress

    language = ocr_work.LanguageOptions(text, lang, symbols, long_s, script, rescore)
    how = ocr_work.LearnOptions(fast, without, hints, seed)
    output = ocr_work.OutputOptions(out, resume=resume, force=force)
    with Progress(sys.stderr, quiet=quiet, verbose=verbose):
        model = ocr_work.learn(language, ocr_work.ScanOptions(scans, kind, layout), how, output)
    model.show(json)
    raise typer.Exit(ocr_work.leave(model.reader.verdict))


@app.command()
def read(
    scans: Inputs,
    out: Out,
    model: Annotated[Path, typer.Option("--model", "-m", metavar="MODEL", help="A folder that `ocr learn` wrote.")],
    formats: Formats = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    least_confidence: LeastConfidence = None,
    unread: UnreadMark = None,
    report: ReportFile = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    resume: Resume = False,
    force: Force = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Read scans with a model that is learned already.

    Example: labelfree ocr read more/ -m model -f alto -o out
    """
    use_workers(workers, scheduler)
    from labelfree.cli import ocr_work
    from labelfree.cli.ocr_report import ADVICE_TO_READERS
    from labelfree.cli.progress import Progress

    output = ocr_work.OutputOptions(out, formats, least_confidence, unread, resume, force, report)
    with Progress(sys.stderr, quiet=quiet, verbose=verbose):
        reading = ocr_work.read(model, ocr_work.ScanOptions(scans, kind, layout), output)
    reading.show(json)
    raise typer.Exit(ocr_work.leave(reading.verdict, ADVICE_TO_READERS))


@app.command()
def batch(
    books: Annotated[Path, typer.Argument(metavar="BOOKS", help="A folder with a folder, or a PDF, for each book.")],
    out: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for what is read of all books.")],
    text: Text = None,
    lang: Lang = None,
    symbols: Symbols = None,
    long_s: LongS = False,
    script: ScriptName = None,
    formats: Formats = None,
    kind: Kind = "auto",
    layout: Layout = "builtin",
    fast: Fast = False,
    rescore: Rescore = False,
    without: Without = None,
    least_confidence: LeastConfidence = None,
    unread: UnreadMark = None,
    seed: Seed = 0,
    workers: Workers = None,
    scheduler: Scheduler = None,
    resume: Resume = False,
    force: Force = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Learn and read every book of a folder, each by itself; one that fails does not stop the others.

    Example: labelfree ocr batch books/ --text novels.txt.gz -o out

    A book is written to a folder of its name, and what came of all to books.json. The same command with --resume goes
    on after a stop and tries again what failed. Exit code 1 says that not every book was read and is believed.
    """
    _check_ways(fast, rescore)
    use_workers(workers, scheduler)
    from labelfree.cli import ocr_batch, ocr_work
    from labelfree.cli.progress import Progress

    language = ocr_work.LanguageOptions(text, lang, symbols, long_s, script, rescore)
    how = ocr_work.LearnOptions(fast, without, None, seed)
    output = ocr_work.OutputOptions(out, formats, least_confidence, unread, resume, force)
    with Progress(sys.stderr, quiet=quiet, verbose=verbose):
        known = language.for_all_books()
        outcomes = list(ocr_batch.Batch(books, ocr_work.ScanOptions([], kind, layout), known, how, output).outcomes())
    raise typer.Exit(ocr_batch.show(outcomes, out, is_json=json))


@app.command()
def stages(json: Json = False) -> None:
    """List the stages in which a book is learned, and the corrections that they make.

    Example: labelfree ocr stages

    Each can be left out with --without NAME of `ocr run` and `ocr learn`.
    """
    from labelfree.cli.show import as_json, as_table
    from labelfree.ocr.correct.corrections import CORRECTIONS
    from labelfree.ocr.pipeline import STAGES

    rows = [(each.name, kind, each.about) for kind, listed in _listed(STAGES, CORRECTIONS) for each in listed]
    if json:
        as_json({"stages": [{"name": name, "kind": kind, "about": about} for name, kind, about in rows]})
        return
    as_table("Stages, and the corrections that tiles-2 and the lines make", ["name", "kind", "what it does"], rows)


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
    workers: Workers = None,
    scheduler: Scheduler = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Draw a book's characters in numbered groups of alike ones, to be named in a file of hints.

    Example: labelfree ocr groups book/ -m model -o groups.png

    The numbers are those of `ocr learn --hints` on the same scans.
    """
    use_workers(workers, scheduler)
    from labelfree.cli.ocr_groups import draw, show
    from labelfree.cli.ocr_work import ScanOptions
    from labelfree.cli.progress import Progress
    from labelfree.files import output_at
    from labelfree.ocr.reader import Reader

    with output_at(out, force=force), Progress(sys.stderr, quiet=quiet):
        reader = None if model is None else Reader.load(model)
        found = ScanOptions(scans, kind, layout).find(reader.language if reader else None)
        rows = draw(found, reader, out)
    show(rows, found, out, json)


@app.command()
def score(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder or file of what was read.")],
    truth: Annotated[Path, typer.Argument(metavar="TRUTH", help="Folder or file of .txt or .gt.txt truth.")],
    top: Annotated[int, typer.Option("--top", min=1, help="How many confusions and lines to show.")] = 10,
    line_breaks: Annotated[
        Literal["auto", "kept", "joined"],
        typer.Option(
            "--line-breaks", help="Compare them, or join lines and drop hyphens at their ends; auto does as the truth."
        ),
    ] = "auto",
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write both texts side by side too, as one HTML file.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Compare what was read with the truth: character and word error rates, reading order, the worst confusions.

    Example: labelfree ocr score out truth --html compared.html
    """
    from labelfree.cli.show import as_json, as_table, percent, quoted
    from labelfree.files import output_at
    from labelfree.ocr.metrics import score_texts, text_pairs

    with nullcontext() if html is None else output_at(html, force=force):
        pairs = text_pairs(out, truth)
        found = score_texts(pairs.texts, extra=pairs.extra, top=top, line_breaks=line_breaks)
        if html is not None:
            from labelfree.report.compared import write_compared

            write_compared(pairs, found, html)
    if json:
        as_json(found.as_dict())
        return
    how = "" if found.line_breaks == "kept" else "; line breaks, and hyphens at line ends, not compared"
    print(f"CER {percent(found.cer)}, WER {percent(found.wer)} over {found.characters:,} characters{how}")
    if found.order_error:
        print(
            f"{percent(found.order_error, 1)} of {found.lines_found:,} lines stand elsewhere in the truth; with all in "
            f"its order CER {percent(found.cer_in_order)}"
        )
    if found.missing:
        print(f"{len(found.missing)} of {found.files} files were not read and count as empty, {found.missing[0]} first")
    rows = [(quoted(each.truth), quoted(each.read), each.count) for each in found.confusions]
    as_table("Commonest confusions", ["true", "read as", "times"], rows)


def _check_ways(fast: bool, rescore: bool) -> None:
    from labelfree.errors import InputError

    if fast and rescore:
        raise InputError("--fast and --rescore found, one of them wanted: readings of whole lines are what is rescored")


def _listed(stages: tuple[Any, ...], corrections: tuple[Any, ...]) -> list[tuple[str, tuple[Any, ...]]]:
    return [("stage", stages), ("correction", corrections)]
