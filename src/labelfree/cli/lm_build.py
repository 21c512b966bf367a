"""`labelfree lm build`: a language model from text, or from a language's name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import Force, Json, Quiet, Scheduler, Workers, use_workers

if TYPE_CHECKING:
    from labelfree.alphabet import Alphabet
    from labelfree.lm import NGramLM


def build(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write, .arpa or .arpa.gz.")
    ],
    texts: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[TEXT]...", help="Text, EPUB, HTML, TEI, hOCR, PAGE or ALTO, or folders of them."),
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", help="The symbols, one a character; by default all in the text.")
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar="CODE", help="A language: its alphabet and, without TEXT, its words."),
    ] = None,
    symbols: Annotated[
        str | None, typer.Option("--symbols", metavar="LIST", help="Symbols of several characters, such as ch,ck,tz.")
    ] = None,
    order: Annotated[int, typer.Option("--order", min=1, max=9, help="Length of the N-grams.")] = 3,
    workers: Workers = None,
    scheduler: Scheduler = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Build a language model from text, or from the words of a language.

    Example: labelfree lm build book.txt --lang en -o book.arpa.gz
    """
    use_workers(workers, scheduler)
    from labelfree.cli.lm_info import describe
    from labelfree.cli.progress import Progress
    from labelfree.cli.show import as_json
    from labelfree.errors import InputError
    from labelfree.files import output_at

    if not texts and lang is None:
        raise InputError("found neither TEXT nor --lang, one wanted; name a text file, or a language such as en")
    if alphabet is not None and lang is not None and texts:
        raise InputError("found --alphabet and --lang beside TEXT, one of them wanted; leave one out")
    with output_at(output, force=force), Progress(sys.stderr, quiet=quiet or json):
        wanted = _alphabet(texts or [], alphabet, lang, symbols)
        lm = _from_texts(texts, wanted, order) if texts else _from_language(str(lang), wanted, order)
        lm.write_arpa(output)
    if json:
        as_json({"file": str(output), **describe(lm, 0)})
    else:
        print(f"{output}: order {lm.order}, {len(lm.alphabet)} symbols, perplexity {describe(lm, 0)['perplexity']:.2f}")


def _from_language(lang: str, alphabet: Alphabet | None, order: int) -> NGramLM:
    from labelfree.lm import NGramLM

    return NGramLM.from_language(lang, alphabet, order)


def _from_texts(texts: list[Path], alphabet: Alphabet | None, order: int) -> NGramLM:
    """Count all texts; whatever is wrong is said with the names of the files."""
    from labelfree.errors import InputError
    from labelfree.lm import NGramLM

    names = ", ".join(map(str, texts[:3])) + (" ..." if len(texts) > 3 else "")
    try:
        lm = NGramLM.from_text(texts, alphabet, order)
    except InputError as error:
        told = str(error)
        raise InputError(told if any(str(text) in told for text in texts) else f"{names}: {told}") from None
    listed = lm.backoff.levels[-1].codes  # of the highest order only what the text holds
    if len(lm.alphabet) < 2 or (lm.order > 1 and listed.size < 2):
        only = lm.alphabet.symbols[int(listed[0]) % len(lm.alphabet) if listed.size else 0]
        raise InputError(f"{names}: found one symbol, {only!r}, at least 2 different wanted; give more text")
    return lm


def _alphabet(texts: list[Path], alphabet: str | None, lang: str | None, symbols: str | None) -> Alphabet | None:
    """The symbols asked for; None for whatever the text or the language holds."""
    from labelfree.alphabet import Alphabet
    from labelfree.errors import InputError

    if alphabet is None and symbols is None and (lang is None or not texts):
        return None
    if alphabet is not None:
        single = Alphabet(alphabet)
        if lang is not None and not set(single) & set(usual := _from_language(lang, None, 1).alphabet):
            raise InputError(
                f"--alphabet {alphabet!r} shares no symbol with {''.join(usual)!r} of {lang}; give letters of {lang}"
            )
    elif lang is not None:
        single = _from_language(lang, None, 1).alphabet
    else:
        single = _from_texts(texts, None, 1).alphabet
    several = [symbol for symbol in (symbols or "").split(",") if symbol]
    return Alphabet([*single, *several])
