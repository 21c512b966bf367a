"""Typed text as a printer would set it: curly quotes, one kind of hyphen, lines, pages and their heads."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Iterator

_ONE_SHAPE = {
    "\u00ad": "",  # soft hyphen
    "\u2010": "-",
    "\u2011": "-",
    "\u00ac": "-",  # the sign with which some transcriptions mark a hyphen at the end of a line
    "\u2e17": "-",  # double hyphen of Fraktur
    "\u2015": "—",
    "--": "—",
    "…": "...",
    "´": "’",
    "`": "‘",
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
    "ﬅ": "ſt",
    "ﬆ": "st",
}
"""What differs in type but not on paper, or is spelled out."""

_FRAKTUR_QUOTES = {"»": "„", "«": "“", "›": "‚", "‹": "‘"}

_PAGE = 1_500
"""Characters on a page."""

_LINE = 50
"""Characters on a line."""

_LEAST_PART = 3
"""Letters of a broken word before and after the hyphen."""

_LAST_PAGE = 400

_HEAD_WORDS = 5

_STOPPED = 3
"""Heads of which one ends with a full stop."""

_FIGURES = 300
"""Characters to a number."""

_SET_OFF = 0.3
"""Numbers of which one is followed by a word or a few in quotes or brackets, as a share."""

_ROMAN = 0.15
"""Numbers of which one is a Roman numeral, as of chapters and kings, as a share."""

_LAST_ROMAN = 40

_FEW_WORDS = re.compile(r"(?<= )[^\W\d_]+(?: [^\W\d_]+){0,2}(?=[ ,.])")

_QUOTES = ("“”", "„“", "«»", "»«")

_WORD = re.compile(r"[^\W\d_]+")

_ELIDED = re.compile(r"'(?=(?:tis|twas|twere|twill|twould|em|s|n|ne|nen|nem|ner|ist)\b|\d)")
"""An apostrophe before a word that has lost its beginning."""

_OPENING = re.compile(r"(?<![^\s([{“‘—–-])(?:\"|'(?=\w))")
"""A straight quote at the beginning of a word."""


def as_printed(text: str, script: str = "antiqua") -> str:
    r"""Bring a text to the shapes that print has, so that each shape has one symbol.

    Straight quotes become curly ones, opening where a word begins; hyphens of all kinds become `-`; ligatures with
    a code point of their own are spelled out; Unicode is brought to NFC. In Fraktur, quotes that point («») become
    the low and high ones („“) that it was set with.

    Parameters
    ----------
    text : str
    script : {"antiqua", "old antiqua", "fraktur", "signs"}
        As in `default_symbols`.

    Examples
    --------
    >>> as_printed('"It\'s late," he said--"\'tis so."')
    '“It’s late,” he said—“’tis so.”'
    """
    text = unicodedata.normalize("NFC", text)
    shapes = _ONE_SHAPE | _FRAKTUR_QUOTES if script == "fraktur" else _ONE_SHAPE
    for found, printed in shapes.items():
        text = text.replace(found, printed)
    if "'" in text:
        text = _ELIDED.sub("’", text)
    if "'" in text or '"' in text:
        text = _OPENING.sub(lambda quote: "“" if quote[0] == '"' else "‘", text)
        text = text.replace('"', "”").replace("'", "’")
    return text


def as_pages(text: str, script: str = "antiqua") -> str:
    r"""Set a text in lines and pages: words are broken at the end of a line, and every page has a head and numbers.

    Text as it is typed has hardly a word in capitals, few figures and no broken word; a page of a book has all three.
    The head is a few words in capitals and the number of the page, in Fraktur, which is not set in capitals, the number
    alone. Numbers, many of them years, come between words every few lines, and now and then some words stand in quotes
    or brackets: novels quote what is said, other books quote names and titles too.

    Parameters
    ----------
    text : str
    script : {"antiqua", "old antiqua", "fraktur", "signs"}

    Examples
    --------
    >>> as_pages("The seafarers were calm that day and counted constellations.", "antiqua")
    'THE SEAFARERS WERE CALM THAT 1\nThe seafarers were calm that day and counted const-\nellations.'
    """
    text = "".join(_with_marks(text, _quotes(text)))
    pages = []
    for number, start in enumerate(range(0, len(text), _PAGE), 1):
        page = text[start : start + _PAGE]
        words = _WORD.findall(page[: _PAGE // 4])[:_HEAD_WORDS]
        numeral = str(number % _LAST_PAGE)
        if script == "fraktur" or not words:
            head = f"— {numeral} —"
        else:
            title = " ".join(words).upper() + "." * (number % _STOPPED == 0)
            head = f"{title} {numeral}" if number % 2 else f"{numeral} {title}"
        pages += [head, "\n", *_broken(page)]
    return "".join(pages)


def _quotes(text: str) -> str:
    """The marks before and after what a text quotes, or none if it quotes nothing."""
    times = {marks: len(re.findall(rf"{marks[0]}\w[^{marks}]*{marks[1]}", text)) for marks in _QUOTES}
    usual = max(times, key=lambda marks: times[marks])
    return usual if times[usual] else ""


def _with_marks(text: str, quotes: str) -> Iterator[str]:
    """The pieces of a text with a number after the first word of each but the first, and some words set off."""
    rng = random.Random(0)
    yield text[:_FIGURES]
    for start in range(_FIGURES, len(text), _FIGURES):
        word, space, rest = text[start : start + _FIGURES].partition(" ")
        kind = rng.random()
        number = rng.randint(1500, 1999) if kind < 0.4 else int(10 ** rng.uniform(0, 2 if kind < 0.85 else 4))
        written = roman(rng.randint(1, _LAST_ROMAN)) if rng.random() < _ROMAN else str(number)
        if rng.random() < _SET_OFF:
            marks = rng.choice((quotes, quotes, "()"))
            rest = _FEW_WORDS.sub(r"\g<0>".join(marks), rest, count=1) if marks else rest
        yield f"{word} {written}{rng.choice(('', '', ',', '.'))} {rest}" if space else word


def roman(number: int) -> str:
    """A number below 400 in Roman numerals.

    Examples
    --------
    >>> roman(14), roman(9), roman(149)
    ('XIV', 'IX', 'CXLIX')
    """
    values = (100, 90, 50, 40, 10, 9, 5, 4, 1)
    found = ""
    for value, letters in zip(values, ("C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"), strict=True):
        found += number // value * letters
        number %= value
    return found


def _broken(page: str) -> Iterator[str]:
    """The pieces of a page between which its lines end; a hyphen where that is within a word."""
    for start in range(0, len(page), _LINE):
        end = start + _LINE
        yield page[start:end]
        if page[end - _LEAST_PART : end + _LEAST_PART].isalpha() and end < len(page):
            yield "-\n"
