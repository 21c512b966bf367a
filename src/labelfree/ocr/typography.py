"""Typed text as a printer would set it: curly quotes, one kind of hyphen, ligatures spelled out."""

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
