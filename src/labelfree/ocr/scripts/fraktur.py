"""Fraktur: the broken letters of German print, of which only place and size are the same in all its typefaces."""

from __future__ import annotations

from labelfree.ocr.scripts import latin
from labelfree.ocr.scripts.latin import CAPITAL, ON_IT_OR_BELOW, ON_THE_BASELINE, TALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.script import Script

_FORMS: Forms = (
    *latin.FORMS,
    ("acemnorsuvwæœ", Letterform((0.8, 1.5), ON_THE_BASELINE)),
    ("xyzgpq", Letterform((0.8, 1.5), ON_IT_OR_BELOW)),
    ("bdk", Letterform(TALL, ON_THE_BASELINE)),
    ("l", Letterform(TALL, ON_THE_BASELINE, (0.2, 1.1))),
    ("hfſß", Letterform(TALL, ON_IT_OR_BELOW)),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ&", Letterform(TALL, ON_IT_OR_BELOW, CAPITAL)),
)

FRAKTUR = Script(
    "fraktur",
    "the broken letters of German print",
    _FORMS,
    ligatures=("ch", "ck", "ff", "fi", "fl", "ll", "tz", "ſſ"),  # ſt and ſi mostly stay apart
    languages=("de",),
    old_letter=("ſ", "s"),
    quotes=(("»", "„"), ("«", "“"), ("›", "‚"), ("‹", "‘")),
    capital_lines=False,
)
