"""The numbers that were chosen by measuring, of symbols and of typesetting."""

from __future__ import annotations

from dataclasses import dataclass

from labelfree.errors import InputError


@dataclass(frozen=True)
class SymbolSettings:
    """How much evidence of a symbol, a language or a spelling a text must hold."""

    coverage: float = 0.9995  # of a text that its symbols must reach
    few: int = 20  # times that a usual character, or the capital of a letter that is kept, must occur
    rare: float = 2.5e-5  # of a text that any other letter or a ligature must make up; with less, a book has few
    clear: float = 0.05  # of the words that must be a language's most frequent ones; of the s that must be long

    def __post_init__(self) -> None:
        if not 0 < self.coverage <= 1:
            raise InputError(f"coverage is {self.coverage}; give a share above 0 and at most 1")


@dataclass(frozen=True)
class TypesettingSettings:
    """What the pages of a book look like."""

    page: int = 1_500  # characters on a page
    line: int = 50  # characters on a line
    least_part: int = 3  # letters of a broken word before and after the hyphen
    head_words: int = 5  # words in a running head
    last_page: int = 400  # where page numbers begin again; a tenth of it is the last Roman numeral
    number_every: int = 300  # characters from one number in the text to the next
    roman: float = 0.15  # of the numbers that are Roman; twice as many precede a few words in quotes or brackets
