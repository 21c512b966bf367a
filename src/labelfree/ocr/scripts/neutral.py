"""Scripts whose letters are not described: figures and marks are those of Latin print, letters what Unicode says."""

from __future__ import annotations

from labelfree.ocr.scripts import latin
from labelfree.ocr.scripts.letterform import Forms
from labelfree.ocr.scripts.script import ANY_LANGUAGE, ANY_LETTERS, Script

MARKS: Forms = tuple((symbols, form) for symbols, form in latin.FORMS if not symbols[0].isalpha())

NEUTRAL = Script("neutral", "any other letters", MARKS, languages=(ANY_LANGUAGE,), letters=ANY_LETTERS, ascenders=False)

NEUTRAL_RTL = Script(
    "neutral rtl",
    "any other letters that run from right to left",
    MARKS,
    languages=(ANY_LANGUAGE,),
    letters=ANY_LETTERS,
    ascenders=False,
    direction="rtl",
)
