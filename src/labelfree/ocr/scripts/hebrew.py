"""Hebrew square letters, read from right to left; all but a few have one height."""

from __future__ import annotations

from labelfree.ocr.scripts.latin import BELOW, HIGH, ON_IT_OR_BELOW, ON_THE_BASELINE, SMALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_FORMS: Forms = (
    *MARKS,
    ("אבגדהחטכםמנסעפצרשת", Letterform(SMALL, ON_IT_OR_BELOW, (0.35, 1.7))),
    ("וזן", Letterform(SMALL, ON_IT_OR_BELOW, (0.1, 0.8))),
    ("ל", Letterform((1.15, 2.0), ON_THE_BASELINE, (0.3, 1.3))),
    ("ךףץק", Letterform(SMALL, BELOW, (0.3, 1.3))),
    ("י", Letterform(SMALL, (0.1, 0.85), (0.1, 0.7))),
    ("׳", Letterform((0.8, 1.6), HIGH, (0.05, 0.5), ())),
    ("״", Letterform((0.8, 1.6), HIGH, (0.2, 1.0), ())),
    ("־", Letterform((0.6, 1.4), (0.4, 1.2), (0.2, 1.4), ())),
)

HEBREW = Script(
    "hebrew",
    "Hebrew square letters",
    _FORMS,
    languages=(ANY_LANGUAGE,),
    letters="HEBREW",
    capital_lines=False,
    ascenders=False,
    direction="rtl",
)
