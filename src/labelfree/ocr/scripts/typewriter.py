"""Typescript: Latin letters of one width, whose i and l have feet, with straight quotes and no ligatures."""

from __future__ import annotations

from dataclasses import replace

from labelfree.ocr.scripts.antiqua import FORMS
from labelfree.ocr.scripts.latin import HIGH, ON_THE_BASELINE, TALL
from labelfree.ocr.scripts.letterform import Letterform
from labelfree.ocr.scripts.script import Script

_ONE_WIDTH = (0.3, 1.6)
_NARROW = "ijlI1"

_FORMS = (
    *(
        (symbols, replace(form, width=_ONE_WIDTH) if set(symbols) & set(_NARROW) else form)
        for symbols, form in FORMS
        if symbols not in ("‘’", "“”", "l")
    ),
    ("l", Letterform(TALL, ON_THE_BASELINE, _ONE_WIDTH)),
    ("‘’", Letterform((1.0, 2.2), HIGH, (0.05, 0.7), ())),
    ("“”", Letterform((1.0, 2.2), HIGH, (0.2, 1.6), ())),
)

TYPEWRITER = Script("typewriter", "typescript in Latin letters", _FORMS)
