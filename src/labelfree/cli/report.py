"""`labelfree report`: a page to look at and to send, of what was read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from labelfree.cli.options import Force, Json, Quiet

_NAME = "report.html"


def report(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="A folder that `ocr run` or `ocr read` wrote.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The report.  [default: OUT/report.html]")
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", metavar="DIR", help="Folder of true texts; by default those beside the scans."),
    ] = None,
    scans: Annotated[
        Path | None, typer.Option("--scans", metavar="DIR", help="Where the scans are now, if they were moved.")
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Show what was read, where it is doubtful and how it was learned, in one HTML file.

    Example: labelfree report out -o book.html

    The file needs no network: the verdict, the learned alphabet, every line with its picture, the least sure first.
    """
    from labelfree.cli.progress import Progress
    from labelfree.cli.show import as_facts, as_json
    from labelfree.files import check_free
    from labelfree.progress import stage
    from labelfree.report.book import write_report
    from labelfree.report.record import BookRecord

    path = output or out / _NAME
    check_free(path, force=force)
    with Progress(sys.stderr, quiet=quiet or json):
        record = BookRecord.read(out)
        if scans is not None:
            record = record.with_scans_in(scans)
        stage("writing the report")
        write_report(record, path, truth=truth)
    if json:
        as_json({"report": str(path), "bytes": path.stat().st_size, "converged": record.verdict.believed})
        return
    as_facts([("verdict", record.verdict.sentence), ("report", f"{path} ({path.stat().st_size / 1e6:.1f} MB)")])
