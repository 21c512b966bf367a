"""Alphabets as Unicode names them: which one a text is written in, and what in it belongs to another."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

RIGHT_TO_LEFT = frozenset({"ADLAM", "ARABIC", "HEBREW", "MANDAIC", "NKO", "SAMARITAN", "SYRIAC", "THAANA"})
"""Alphabets whose lines begin at the right."""

_BEGINNING = 1 << 20  # characters, which are enough to tell
_FOREIGN = 0.02  # of the letters of a text, with less than which an alphabet is not its own
_LATIN = "LATIN"


@lru_cache(maxsize=1 << 16)
def alphabet_of(letter: str) -> str:
    """What Unicode calls the alphabet of a letter; an empty string for anything else.

    Examples
    --------
    >>> alphabet_of("ж"), alphabet_of("ϣ"), alphabet_of("7")
    ('CYRILLIC', 'COPTIC', '')
    """
    return re.split("[ -]", unicodedata.name(letter, "?"))[0] if letter.isalpha() else ""


def main_letters(text: str) -> str:
    """The alphabet of most letters of a text; Latin where there are none.

    Examples
    --------
    >>> main_letters("Это слово text")
    'CYRILLIC'
    """
    times = _alphabets(Counter(text[:_BEGINNING]))
    return max(times, key=times.__getitem__) if times else _LATIN


def foreign_letters(times: Counter[str]) -> set[str]:
    """Letters of alphabets that make up little of a text, of which it is said how often each symbol occurs.

    Examples
    --------
    >>> foreign_letters(Counter({"а": 900, "я": 90, "x": 3, ".": 5}))
    {'x'}
    """
    alphabets = _alphabets(times)
    own = {name for name, count in alphabets.items() if count >= _FOREIGN * alphabets.total()} | {""}
    return {symbol[0] for symbol in times if alphabet_of(symbol[0]) not in own}


def _alphabets(times: Counter[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for symbol, count in times.items():
        found[alphabet_of(symbol[0])] += count
    del found[""]
    return found
