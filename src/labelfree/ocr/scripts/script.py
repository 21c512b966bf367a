"""What a script is: all that reading a book depends on the script for, as one value."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Literal

from labelfree.ocr.scripts import typesetting
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.settings import TypesettingSettings

ANY_LANGUAGE = "*"


@dataclass(frozen=True)
class Script:
    """How a family of typefaces looks and is set.

    Attributes
    ----------
    name : str
        By which `--script` and the cards of models name it.
    about : str
        What it is, in a few words for `--help`.
    forms : tuple of (str, Letterform)
        What symbols look like in all its typefaces; one that is not listed may look like anything.
    ligatures : tuple of str
        Letters that it joins into one piece of type.
    languages : tuple of str
        Codes of the languages that are taken to be printed in it unless another script is asked for; `ANY_LANGUAGE`
        for those that no other script names. None at all if it is never guessed.
    long_s : bool
        Whether its print has ſ, as `labelfree.lm.oldspelling.long_s` writes it.
    quotes : tuple of (str, str)
        Marks of typed text, and what its printers set for them.
    capital_lines : bool
        Whether whole lines may be set in capitals, as running heads are.
    ascenders : bool
        Whether more ink rises above the small letters than hangs below the baseline, which tells a page that is upside
        down.
    direction : {"ltr", "rtl"}
        Where the characters of a line begin, from left to right or from right to left.
    """

    name: str
    about: str
    forms: Forms = ()
    ligatures: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    long_s: bool = False
    quotes: tuple[tuple[str, str], ...] = ()
    capital_lines: bool = True
    ascenders: bool = True
    direction: Literal["ltr", "rtl"] = "ltr"

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
        r"""Bring a text to the shapes that print has, so that each shape has one symbol.

        Straight quotes become curly ones, opening where a word begins; hyphens of all kinds become `-`; ligatures with
        a code point of their own are spelled out; Unicode is brought to NFC.

        Examples
        --------
        >>> from labelfree.ocr.scripts import script_named
        >>> script_named("antiqua").as_printed('"It\'s late," he said--"\'tis so."')
        '“It’s late,” he said—“’tis so.”'
        >>> script_named("fraktur").as_printed("»Er ſagt ›nein‹«")
        '„Er ſagt ‚nein‘“'
        """
        return typesetting.as_printed(text, self.quotes)

    def as_pages(self, text: str, settings: TypesettingSettings | None = None) -> str:
        r"""Set a text in lines and pages: words are broken at the end of a line, and every page has a head and numbers.

        Examples
        --------
        >>> from labelfree.ocr.scripts import script_named
        >>> script_named("antiqua").as_pages("The seafarers were calm that day and counted constellations.")
        'THE SEAFARERS WERE CALM THAT 1\nThe seafarers were calm that day and counted const-\nellations.'
        """
        return typesetting.as_pages(text, self.capital_lines, settings or TypesettingSettings())

    def _of_character(self, character: str) -> list[Letterform]:
        base, *accents = list(unicodedata.normalize("NFD", character))
        base = "ı" if base == "i" and accents else base
        found = [form for symbols, form in self.forms if base in symbols] or [Letterform()]
        return [reduce(Letterform.with_accent, accents, form) for form in found]
