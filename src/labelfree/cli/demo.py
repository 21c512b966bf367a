"""`labelfree demo`: the main jobs from end to end, in plain words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import Seed
from labelfree.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console


def demo(
    images: Annotated[
        Path | None, typer.Option("--images", metavar="DIR", help="Read this folder of scans, and do nothing else.")
    ] = None,
    text: Annotated[
        list[Path] | None, typer.Option("--text", metavar="FILE", help="With --images: text in the scans' language.")
    ] = None,
    lang: Annotated[
        str | None, typer.Option("--lang", metavar="CODE", help="With --images: the language, en by default.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Break a short cipher, learn to read a long one, then a printed book, with no key and no label.

    Example: labelfree demo --images book --text novels.txt.gz

    With --images it learns to read that folder of line or page images. Where the truth lies beside an image, as in
    a.png and a.gt.txt, it tells how many characters are wrong. Exit code 1 says that it does not believe what it read.
    """
    if images is None and (text or lang):
        raise InputError("--text or --lang found without --images; name the folder of scans that they are for")
    console = _console()
    console.print("[bold]labelfree reads what nobody has labelled.[/bold]\n")
    believed = _all_parts(console, seed) if images is None else _own_scans(console, images, text or [], lang, seed)
    if not believed:
        raise typer.Exit(1)


def _console() -> Console:
    from rich.console import Console

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a terminal that cannot show a sign is no reason to stop
    return Console(highlight=False, soft_wrap=True)


def _all_parts(console: Console, seed: int) -> bool:
    from labelfree.cli.demo_ciphers import long_cipher, short_cipher
    from labelfree.cli.demo_print import printed_book

    believed = [part(console, seed) for part in (short_cipher, long_cipher, printed_book)]
    return all(believed)


def _own_scans(console: Console, images: Path, text: list[Path], lang: str | None, seed: int) -> bool:
    from labelfree.cli.demo_print import scans

    return scans(console, images, text, lang, seed)
