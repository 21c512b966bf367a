"""Fraktur: the broken letters of German print, of which only place and size are the same in all its typefaces."""

from __future__ import annotations

from labelfree.ocr.scripts import latin
from labelfree.ocr.scripts.latin import BASELINE, HANGING, NARROW, TALL, WIDE
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.script import Script

_FORMS: Forms = (
    *latin.FORMS,
    ("acemnorsuvwæœ", Letterform((0.8, 1.5), BASELINE)),
    ("xyzgpq", Letterform((0.8, 1.5), HANGING)),
    ("bdk", Letterform(TALL, BASELINE)),
    ("l", Letterform(TALL, BASELINE, NARROW)),
    ("hfſß", Letterform(TALL, HANGING)),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ&", Letterform(TALL, HANGING, WIDE)),
)

FRAKTUR = Script(
    "fraktur",
    "the broken letters of German print",
    _FORMS,
    ligatures=("ch", "ck", "ff", "fi", "fl", "ll", "tz", "ſſ"),  # ſt and ſi mostly stay apart
    languages=("de",),
    long_s=True,
    quotes=(("»", "„"), ("«", "“"), ("›", "‚"), ("‹", "‘")),
    capital_lines=False,
)
