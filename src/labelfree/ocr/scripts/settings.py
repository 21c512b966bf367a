"""The numbers that were chosen by measuring, of symbols and of typesetting."""

from __future__ import annotations

from dataclasses import dataclass

from labelfree.errors import InputError


@dataclass(frozen=True)
class SymbolSettings:
    """How much evidence of a symbol, a language or a script a text must hold."""

    few: int = 20  # times that a usual character, or the capital of a letter that is kept, must occur
    letter_share: float = 3e-5  # of a text that any other letter must make up: with less, a book holds one or two
    ligature_share: float = 2e-5  # of a text that must be written with a ligature
    coverage: float = 0.9995  # of a text that its symbols must reach

    def __post_init__(self) -> None:
        if not 0 < self.coverage <= 1:
            raise InputError(f"coverage is {self.coverage}; give a share above 0 and at most 1")


@dataclass(frozen=True)
class TypesettingSettings:
    """What a page of a book looks like."""

    page: int = 1_500  # characters on a page
    line: int = 50  # characters on a line
    head_words: int = 5  # words in a running head
    last_page: int = 400  # the number after which pages are counted from the start
    number_every: int = 300  # characters from one number in the text to the next
    roman: float = 0.15  # of the numbers that are Roman, as of chapters and kings
    set_off: float = 0.3  # of the numbers that are followed by a few words in quotes or brackets
