"""`labelfree decipher`: ciphertext in, plaintext out."""

from __future__ import annotations

import dataclasses
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from labelfree.cli.options import Force, Json, Quiet, ReportFile, Seed, Threads, Verbose, use_threads
from labelfree.errors import InputError
from labelfree.limits import check, limit, read_bounded

if TYPE_CHECKING:
    from labelfree.alphabet import Alphabet
    from labelfree.cipher import Hints
    from labelfree.lm import NGramLM
    from labelfree.verdict import Remedy

_ORDER = 5


def decipher(
    file: Annotated[Path, typer.Argument(help="The ciphertext, UTF-8; - reads standard input.")],
    lang: Annotated[
        str | None, typer.Option(help="Language of the plaintext, by its code, or auto to ask which; en by default.")
    ] = None,
    lm: Annotated[Path | None, typer.Option(help="Language model of the plaintext, an ARPA file.")] = None,
    text: Annotated[Path | None, typer.Option(help="Text in the language of the plaintext.")] = None,
    key: Annotated[bool, typer.Option("--key", help="Print the key below the plaintext.")] = False,
    mend: Annotated[bool, typer.Option("--mend", help="Read over signs that were copied wrongly.")] = False,
    report: ReportFile = None,
    force: Force = False,
    crib: Annotated[str, typer.Option(help="Words that stand somewhere in the plaintext, as 'dear sir'.")] = "",
    known: Annotated[
        str, typer.Option(help="Signs whose reading is known, as '12=e 45=t'; or the file of a key to begin with.")
    ] = "",
    redivide: Annotated[
        bool, typer.Option("--redivide", help="Leave out the cipher's word spaces, which are wrong, and put in others.")
    ] = False,
    nomenclator: Annotated[
        bool, typer.Option("--nomenclator", help="Signs may also stand for nothing, a word or a pair of letters.")
    ] = False,
    spaces: Annotated[
        bool, typer.Option("--spaces/--no-spaces", help="Put word spaces in where the cipher has none.")
    ] = True,
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Read a cipher without its key, and say its kind.

    A substitution may be simple or homophonic, with word spaces or without, a hundred signs long or a million. Signs
    are characters, or symbols between white space, with / for the word space. Caesar, Atbash, affine, Vigenere,
    Beaufort, rail fence and columnar transposition are read, too, and with --nomenclator signs for words and nulls.

    Example: labelfree decipher secret.txt --lang en --key
    """
    use_threads(threads)
    from labelfree.cipher import LONG, which_language
    from labelfree.cipher import decipher as decipher_text
    from labelfree.cli.show import as_json, warn
    from labelfree.files import check_free

    if report is not None:
        check_free(report, force=force)
    ciphertext = read_ciphertext(file)
    hints = _hints(known, crib)
    if redivide and not spaces:
        raise InputError("--redivide puts word spaces in and --no-spaces leaves them out; give one of them")
    asked = None
    try:
        if lang == "auto" and lm is None and text is None:
            asked = which_language(ciphertext, seed=seed)
            lang = asked.code
            if not json:
                print(f"labelfree: {asked}", file=sys.stderr)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    model, rebuild = _language(lang, lm, text)
    word_ends = _word_finder(lang, lm, text, model, rebuild) if spaces else None
    try:
        with _watched(file, len(ciphertext) >= LONG, is_silent=quiet or json, verbose=verbose):
            found = decipher_text(
                ciphertext,
                model,
                rebuild=rebuild,
                mending=mend,
                word_ends=word_ends,
                hints=hints,
                redivide=redivide,
                nomenclator=_frequent_words(lang, lm, text) if nomenclator else None,
                seed=seed,
            )
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    if report is not None:
        from labelfree.report.cipher import write_cipher_report

        write_cipher_report(ciphertext, found, model, report, title="Cipher" if str(file) == "-" else file.stem)
    if json:
        told = None if asked is None else {"nats": dict(asked.nats), "lead": asked.lead, "clear": asked.is_clear}
        code = (lang or "en") if lm is None and text is None else None
        facts = {**dataclasses.asdict(found), "verdict": found.verdict.as_dict()}
        as_json({"file": str(file), "language": code, "languages_tried": told, **facts})
    else:
        print(found.text, end="" if found.text.endswith("\n") else "\n")
        if key:
            print()
            for sign, symbol in sorted(found.key.items()):
                print(f"{sign or ' '}\t{symbol}\t{found.confidence[sign]:.2f}")
        if not found.converged:
            what_else = f"; {found.kind}" if found.kind else ""
            warn(f"this reading is not to be believed: {found.verdict.line(_advice())}{what_else}")
        elif found.method == "small key":
            print(f"labelfree: {found.kind}", file=sys.stderr)
    if not found.converged:
        raise typer.Exit(1)


def _hints(known: str, crib: str) -> Hints:
    """What is typed, or the key that a file holds."""
    from labelfree.cipher import Hints
    from labelfree.cipher.hints import parse_key

    path = Path(known)
    if "=" in known or not known:
        return Hints.parsed(known, crib)
    if not path.is_file():
        raise InputError(f"--known {known!r}, a sign, = and its letter wanted, as '12=e 45=t', or a file with a key")
    try:
        return Hints(crib=crib, start=parse_key(read_ciphertext(path)))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error


def _advice() -> dict[Remedy, str]:
    from labelfree.verdict import Remedy

    return {
        Remedy.MORE_DATA: "a longer text",
        Remedy.MORE_STARTS: "another --seed",
        Remedy.NEARER_TEXT: "text near to the plaintext (--text FILE)",
        Remedy.OTHER_LANGUAGE: "another language (--lang auto asks which)",
    }


@contextmanager
def _watched(file: Path, is_long: bool, *, is_silent: bool, verbose: bool) -> Iterator[None]:
    """Progress of a long fit, or a spinner on a terminal while keys are searched."""
    if is_long:
        from labelfree.cli.progress import Progress

        with Progress(sys.stderr, quiet=is_silent, verbose=verbose):
            yield
    elif is_silent or not sys.stderr.isatty():
        yield
    else:
        from rich.console import Console

        with Console(stderr=True).status(f"searching for the key of {file}, a few seconds ..."):
            yield


def read_ciphertext(file: Path) -> str:
    """The text of a file or of standard input; one line says what is wrong with it."""
    if str(file) == "-":
        raw = sys.stdin.buffer.read(limit("cipher") + 1)
        check(f"{file} has", len(raw), "cipher")
    else:
        raw = read_bounded(file, "cipher")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file}: byte {error.start} is {raw[error.start]:#04x}, UTF-8 text wanted; convert it, for example with "
            "iconv -f latin1 -t utf-8"
        ) from error
    control = next((c for c in text if unicodedata.category(c) == "Cc" and c not in "\t\r\n\f"), None)
    if control is not None:
        raise InputError(f"{file}: found the control character {control!r}, text wanted; give a plain text file")
    return text


def _language(
    lang: str | None, lm: Path | None, text: Path | None
) -> tuple[NGramLM, Callable[[Alphabet], NGramLM] | None]:
    """The language model, and how to build it over another alphabet where that is known."""
    from labelfree.alphabet import Alphabet
    from labelfree.lm import NGramLM

    if sum(choice is not None for choice in (lang, lm, text)) > 1:
        raise InputError("give one of --lang, --lm and --text")
    if lm is not None:
        return NGramLM.read_arpa(lm), None
    if text is not None:
        symbols = NGramLM.from_text(text, order=1).alphabet.symbols
        letters = sorted({symbol.lower() for symbol in symbols if symbol.isalpha() and len(symbol.lower()) == 1})
        if not letters:
            raise InputError(f"{text}: no letter found, text of the plaintext's language wanted; name another file")
        punctuation = [symbol for symbol in " ,." if symbol in symbols]
        return (
            NGramLM.from_text(text, Alphabet([*letters, *punctuation]), _ORDER),
            lambda alphabet: NGramLM.from_text(text, alphabet, _ORDER),
        )
    code = lang or "en"
    return NGramLM.from_language(code, order=_ORDER), lambda alphabet: NGramLM.from_language(code, alphabet, _ORDER)


def _word_finder(
    lang: str | None,
    lm: Path | None,
    text: Path | None,
    model: NGramLM,
    rebuild: Callable[[Alphabet], NGramLM] | None,
) -> Callable[[str], list[int]]:
    """Find words in letters; the list of words is made when it is first asked."""

    def word_ends(letters: str) -> list[int]:
        from labelfree.alphabet import Alphabet
        from labelfree.cipher.spacing import Spacing

        if " " not in model.alphabet:
            return []
        spaced = model
        if rebuild is not None:
            spaced = rebuild(Alphabet([*(symbol for symbol in model.alphabet if symbol.isalpha()), " "]))
        return Spacing(spaced, _frequent_words(lang, lm, text)).word_ends(letters)

    return word_ends


def _frequent_words(lang: str | None, lm: Path | None, text: Path | None) -> Mapping[str, float]:
    """The words of the language and how frequent they are; none where only N-grams are known."""
    from labelfree.lm.languages import word_frequencies
    from labelfree.lm.sources import sequences_of_pieces
    from labelfree.lm.wordlist import WordList

    if text is not None:
        written = "\n".join("".join(pieces) for pieces in sequences_of_pieces(text))
        return WordList.from_text(written.lower()).counts
    return {} if lm is not None else word_frequencies(lang or "en")
