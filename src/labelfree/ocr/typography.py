"""Typed text as a printer would set it: curly quotes, one kind of hyphen, ligatures spelled out, heads on the pages."""

from __future__ import annotations

import re
import unicodedata

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

_LAST_PAGE = 400

_HEAD_WORDS = 5

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
    script : {"antiqua", "old antiqua", "fraktur"}
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


def with_page_heads(text: str, script: str = "antiqua") -> str:
    r"""Put a head over every page of a text: a few of its words in capitals, and the number of the page.

    Text as it is typed has hardly a word in capitals and few figures; a book has both on each of its pages. Fraktur is
    not set in capitals, so that its pages have the number alone.

    Parameters
    ----------
    text : str
    script : {"antiqua", "old antiqua", "fraktur"}

    Examples
    --------
    >>> with_page_heads("The sea was calm that day. " * 2, "antiqua")
    'THE SEA WAS CALM THAT 1\nThe sea was calm that day. The sea was calm that day. '
    """
    pages = []
    for number, start in enumerate(range(0, len(text), _PAGE), 1):
        page = text[start : start + _PAGE]
        words = _WORD.findall(page[: _PAGE // 4])[:_HEAD_WORDS]
        numeral = str(number % _LAST_PAGE)
        if script == "fraktur" or not words:
            head = f"— {numeral} —"
        else:
            title = " ".join(words).upper()
            head = f"{title} {numeral}" if number % 2 else f"{numeral} {title}"
        pages += [head, "\n", page]
    return "".join(pages)
