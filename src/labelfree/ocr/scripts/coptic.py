"""Coptic, whose letters nearly all have one height, with strokes above some."""

from __future__ import annotations

from labelfree.ocr.scripts.latin import BELOW, CAPITAL, ON_IT_OR_BELOW, TALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_FORMS: Forms = (
    *MARKS,
    ("ⲁⲃⲅⲇⲉⲋⲍⲏⲑⲕⲙⲛⲝⲟⲡⲥⲧⲱϧϩϫϭⲣⲩⲭϣϥ", Letterform((0.8, 1.5), ON_IT_OR_BELOW)),
    ("ⲓ", Letterform((0.8, 1.5), ON_IT_OR_BELOW, (0.1, 0.9))),
    ("ⲗ", Letterform((0.8, 2.0), ON_IT_OR_BELOW)),
    ("ⲫⲯϯ", Letterform((1.0, 2.2), BELOW)),
    ("ⲀⲂⲄⲆⲈⲊⲌⲎⲐⲔⲘⲚⲜⲞⲠⲤⲦⲰⲒⲢⲨⲬⲖⲪⲮϢϤϦϨϪϬϮ", Letterform(TALL, ON_IT_OR_BELOW, CAPITAL)),
)

COPTIC = Script(
    "coptic", "Coptic", _FORMS, languages=(ANY_LANGUAGE,), letters="COPTIC", capital_lines=False, ascenders=False
)
