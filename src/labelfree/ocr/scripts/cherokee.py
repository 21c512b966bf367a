"""Cherokee, whose syllables are signs of one height, as tall as capitals."""

from __future__ import annotations

from labelfree.ocr.scripts.latin import ON_THE_BASELINE, SMALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_SYLLABLES = "".join(map(chr, range(0x13A0, 0x13F5)))

_FORMS: Forms = (*MARKS, (_SYLLABLES, Letterform(SMALL, ON_THE_BASELINE, (0.2, 1.8))))

CHEROKEE = Script(
    "cherokee", "Cherokee", _FORMS, languages=(ANY_LANGUAGE,), letters="CHEROKEE", capital_lines=False, ascenders=False
)
