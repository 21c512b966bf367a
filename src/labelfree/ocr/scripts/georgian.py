"""Georgian of today (Mkhedruli), which has no capitals; most letters rise above or hang below the small ones."""

from __future__ import annotations

from labelfree.ocr.scripts.latin import BELOW, ON_THE_BASELINE, TALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_FORMS: Forms = (
    *MARKS,
    ("აიოთ", Letterform((0.7, 1.3), ON_THE_BASELINE)),
    ("ბზმნპრსშჩძხჰ", Letterform((1.1, 2.4), ON_THE_BASELINE)),
    ("გდევკლჟტუფღყცჯ", Letterform((0.7, 1.5), BELOW)),
    ("ქჭწ", Letterform(TALL, (-1.0, 0.2))),
)

GEORGIAN = Script(
    "georgian", "Georgian", _FORMS, languages=(ANY_LANGUAGE,), letters="GEORGIAN", capital_lines=False, ascenders=False
)
