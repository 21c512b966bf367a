"""What a script is: all that reading a book depends on the script for, as one value."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Literal

from labelfree.ocr.scripts import typesetting
from labelfree.ocr.scripts.direction import turned, turned_text
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.settings import TypesettingSettings
from labelfree.ocr.scripts.unicode_forms import unicode_form

ANY_LANGUAGE = "*"  # those that no other script names
ANY_LETTERS = "*"  # those that no other script names


@dataclass(frozen=True)
class Script:
    """How a family of typefaces looks and is set."""

    name: str  # by which `--script` and the cards of models name it
    about: str  # what it is, in a few words for `--help`
    forms: Forms = ()  # the same in all its typefaces; a symbol that is not listed may look like anything
    ligatures: tuple[str, ...] = ()  # letters that it joins into one piece of type
    languages: tuple[str, ...] = ()  # codes of those whose text is taken to be printed in it; none if it is not guessed
    letters: str = "LATIN"  # what Unicode calls its letters, by which it is told; all for `ANY_LETTERS`, none for ""
    old_letter: tuple[str, str] | None = None  # letters that only text set in it has, and those that other text has
    by_unicode: bool = True  # whether letters that are not listed look as Unicode's classes say
    quotes: tuple[tuple[str, str], ...] = ()  # marks of typed text, and what its printers set for them
    capital_lines: bool = True  # whether whole lines may be set in capitals, as running heads are
    ascenders: bool = True  # whether so many small letters rise that a line without such is one of capitals
    direction: Literal["ltr", "rtl"] = "ltr"  # where the characters of a line begin

    def letterforms(self, symbol: str) -> tuple[Letterform, ...]:
        """What a symbol of one or several characters may look like.

        Examples
        --------
        >>> from labelfree.ocr.scripts import script_named
        >>> [form.top for symbol in ",é" for form in script_named("antiqua").letterforms(symbol)]
        [(0.0, 0.6), (1.1, 2.1)]
        """
        each = [self._of_character(character) for character in unicodedata.normalize("NFC", symbol)]
        return tuple(reduce(Letterform.beside, parts) if parts else Letterform() for parts in product(*each))

    def as_printed(self, text: str) -> str:
        """Bring a text to the shapes that print has (`typesetting.as_printed`)."""
        return typesetting.as_printed(text, self.quotes)

    def as_pages(self, text: str, settings: TypesettingSettings | None = None) -> str:
        """Set a text in lines and pages (`typesetting.as_pages`)."""
        return typesetting.as_pages(text, self.capital_lines, settings or TypesettingSettings())

    def from_left(self, text: str) -> str:
        """Bring the lines of a text into the order in which their characters stand on paper, from the left.

        Examples
        --------
        >>> from labelfree.ocr.scripts import script_named
        >>> script_named("hebrew").from_left("שלום (1)"), script_named("antiqua").from_left("no")
        ('(1) םולש', 'no')
        """
        return turned_text(text) if self.direction == "rtl" else text

    def other_order(self, symbols: Sequence[str]) -> list[tuple[int, str]]:
        """The symbols of a line as they stand from the left, given as they are read, or the reverse; with places."""
        return turned(symbols) if self.direction == "rtl" else list(enumerate(symbols))

    def _of_character(self, character: str) -> list[Letterform]:
        base, *accents = list(unicodedata.normalize("NFD", character))
        base = "ı" if base == "i" and accents else base
        whole = [form for symbols, form in self.forms if accents and character in symbols]
        if whole:
            return whole
        unlisted = unicode_form(base) if self.by_unicode else Letterform()
        found = [form for symbols, form in self.forms if base in symbols] or [unlisted]
        return [reduce(Letterform.with_accent, accents, form) for form in found]
