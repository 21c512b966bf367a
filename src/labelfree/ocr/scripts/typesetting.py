"""Typed text as a printer would set it: curly quotes, one kind of hyphen, lines, pages and their heads."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from labelfree.ocr.scripts.settings import TypesettingSettings

_ONE_SHAPE = {  # what differs in type but not on paper, or is spelled out
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
_YEARS = (1500, 1999)  # of which books speak
_AFTER_HEAD = (".", "", "")  # what heads end with, in turn
_AFTER_NUMBER = ("", "", ",", ".")  # one of which follows a number
_QUOTES = ("“”", "„“", "«»", "»«")
_WORD = re.compile(r"[^\W\d_]+")
_FEW_WORDS = re.compile(r"(?<= )[^\W\d_]+(?: [^\W\d_]+){0,2}(?=[ ,.])")
# An apostrophe before a word that has lost its beginning, and a straight quote at the beginning of a word.
_ELIDED = re.compile(r"'(?=(?:tis|twas|twere|twill|twould|em|s|n|ne|nen|nem|ner|ist)\b|\d)")
_OPENING = re.compile(r"(?<![^\s([{“‘—–-])(?:\"|'(?=\w))")


def as_printed(text: str, quotes: Iterable[tuple[str, str]] = ()) -> str:
    r"""Bring a text to the shapes that print has, so that each shape has one symbol.

    Straight quotes become curly ones, opening where a word begins; hyphens of all kinds become `-`; ligatures with a
    code point of their own are spelled out; Unicode is brought to NFC. `quotes` are marks of typed text, and what the
    printers of the script set for them.

    Examples
    --------
    >>> as_printed('"It\'s late," he said--"\'tis so."')
    '“It’s late,” he said—“’tis so.”'
    """
    from labelfree.alphabet import nfc  # numpy, which --help does without

    text = nfc(text)
    for found, printed in (*_ONE_SHAPE.items(), *quotes):
        text = text.replace(found, printed)
    if "'" in text:
        text = _ELIDED.sub("’", text)
    if "'" in text or '"' in text:
        text = _OPENING.sub(lambda quote: "“" if quote[0] == '"' else "‘", text)
        text = text.replace('"', "”").replace("'", "’")
    return text


def as_pages(text: str, capital_lines: bool, settings: TypesettingSettings) -> str:
    r"""Set a text in lines and pages: words are broken at the end of a line, and every page has a head and numbers.

    Text as it is typed has hardly a word in capitals, few figures and no broken word; a page of a book has all three.
    The head is a few words in capitals and the number of the page. Numbers, many of them years, come between words
    every few lines, and now and then some words stand in quotes or brackets: novels quote what is said, other books
    quote names and titles too. Without `capital_lines` a head is the number of the page alone.

    Examples
    --------
    >>> as_pages("The seafarers were calm that day and counted constellations.", True, TypesettingSettings())
    'THE SEAFARERS WERE CALM THAT 1\nThe seafarers were calm that day and counted const-\nellations.'
    >>> as_pages("Die Seefahrer waren still.", False, TypesettingSettings())
    '— 1 —\nDie Seefahrer waren still.'
    """
    text = "".join(_with_marks(text, _quotes(text), settings))
    pages = []
    for number, start in enumerate(range(0, len(text), settings.page), 1):
        page = text[start : start + settings.page]
        words = [found[0] for found in islice(_WORD.finditer(page), settings.head_words)]
        numeral = str(number % settings.last_page)
        if not (capital_lines and words):
            head = f"— {numeral} —"
        else:
            title = " ".join(words).upper() + _AFTER_HEAD[number % len(_AFTER_HEAD)]
            head = f"{title} {numeral}" if number % 2 else f"{numeral} {title}"
        pages += [head, "\n", *_broken(page, settings)]
    return "".join(pages)


def _quotes(text: str) -> str:
    """The marks before and after what a text quotes, or none if it quotes nothing."""
    times = {marks: len(re.findall(rf"{marks[0]}\w[^{marks}]*{marks[1]}", text)) for marks in _QUOTES}
    usual = max(times, key=lambda marks: times[marks])
    return usual if times[usual] else ""


def _with_marks(text: str, quotes: str, settings: TypesettingSettings) -> Iterator[str]:
    """The pieces of a text with a number after the first word of each but the first, and some words set off."""
    rng = random.Random(0)
    every = settings.number_every
    yield text[:every]
    for start in range(every, len(text), every):
        word, space, rest = text[start : start + every].partition(" ")
        number = rng.choice((rng.randint(*_YEARS), int(10 ** rng.uniform(0, 3))))
        is_roman = rng.random() < settings.roman
        written = roman(rng.randint(1, settings.last_page // 10)) if is_roman else str(number)
        if rng.random() < 2 * settings.roman:
            marks = rng.choice((quotes, quotes, "()"))
            rest = _FEW_WORDS.sub(r"\g<0>".join(marks), rest, count=1) if marks else rest
        yield f"{word} {written}{rng.choice(_AFTER_NUMBER)} {rest}" if space else word


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


def _broken(page: str, settings: TypesettingSettings) -> Iterator[str]:
    """The pieces of a page between which its lines end; a hyphen where that is within a word."""
    line, part = settings.line, settings.least_part
    for end in range(line, len(page) + line, line):
        yield page[end - line : end]
        if page[end - part : end + part].isalpha() and end < len(page):
            yield "-\n"
