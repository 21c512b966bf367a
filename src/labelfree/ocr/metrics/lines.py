"""Texts made ready to be compared: line by line, or without regard to where lines end.

Truth that people type has often a line for each paragraph. Held against it line by line, every line break of what was
read would be an error, and every hyphen at the end of a line another.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from labelfree.alphabet import nfc

LineBreaks = Literal["kept", "joined"]

_SHOWN = 80  # characters of a piece of text whose lines are joined
_FEW_LINES = 5  # below so many, nothing is said of line breaks
_LONGER = 1.6  # times a line that was read that a usual line of truth is long, which then is a paragraph
_PARTED = re.compile(r"(?:.*\W)?(\w+)-")
_BEGINS = re.compile(r"\w+")
_WORDS = re.compile(r"\w+(?:-\w+)+")


@dataclass(frozen=True)
class Compared:
    """A true text and what was read for it, as they are compared; `ends` is where the pieces of the truth end."""

    name: str
    read: str
    truth: str
    ends: tuple[int, ...]


def line_breaks_of(texts: Sequence[tuple[str, str | None, str]]) -> LineBreaks:
    """Whether the lines of the truth are those of what was read, or the truth has none."""
    read = [line for _, got, _ in texts for line in (got or "").splitlines() if line.strip()]
    true = [line for _, _, wanted in texts for line in wanted.splitlines() if line.strip()]
    is_known = len(read) >= _FEW_LINES and len(true) > 0
    return "joined" if is_known and _usual_length(true) > _LONGER * _usual_length(read) else "kept"


def _usual_length(lines: Sequence[str]) -> float:
    """The length of the line that a character stands on, on average."""
    return sum(len(line) ** 2 for line in lines) / sum(map(len, lines))


def kept(name: str, read: str, truth: str) -> Compared:
    """Texts to be compared line by line; white space at the end of a line and of the text does not count."""
    true = _stripped(truth)
    lengths = (len(line) for line in true.split("\n"))
    return Compared(name, _stripped(read), true, tuple(end - 1 for end in accumulate(n + 1 for n in lengths)))


def _stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in nfc(text).splitlines()).rstrip()


def joined(name: str, read: str, truth: str) -> Compared:
    """Texts to be compared without regard to line breaks, nor to the hyphens before them."""
    parted = {word.lower() for text in (read, truth) for word in _WORDS.findall(nfc(text))}
    got, true = (one_line(nfc(text).splitlines(), parted) for text in (read, truth))
    pieces = textwrap.wrap(true, _SHOWN, break_long_words=False, break_on_hyphens=False) or [""]
    return Compared(name, got, true, tuple(end - 1 for end in accumulate(len(piece) + 1 for piece in pieces)))


def one_line(lines: Sequence[str], parted: Container[str]) -> str:
    """Lines as one: a word that is parted by a hyphen at a line's end has none, but where it is one of `parted`.

    Examples
    --------
    >>> one_line(["A well-", "known har-", "bour."], {"well-known"})
    'A well-known harbour.'
    """
    found: list[str] = []
    for line in filter(None, (" ".join(line.split()) for line in lines)):
        first = _PARTED.fullmatch(found[-1].rpartition(" ")[2]) if found else None
        second = _BEGINS.match(line)
        if first is None or second is None:
            found.append(" ")
        elif f"{first[1]}-{second[0]}".lower() not in parted:
            found[-1] = found[-1][:-1]
        found.append(line)
    return "".join(found[1:] if found[:1] == [" "] else found)
