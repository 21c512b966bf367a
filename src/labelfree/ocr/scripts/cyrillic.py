"""Cyrillic: upright type and its italics, of all languages that are written with it."""

from __future__ import annotations

from labelfree.ocr.scripts.latin import ON_IT_OR_BELOW, ON_THE_BASELINE, SMALL, TALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

FORMS: Forms = (
    *MARKS,
    ("авгежзийклмнопстхчшъыьэюяѳѵєљњ", Letterform(SMALL, ON_THE_BASELINE)),
    ("рцщџ", Letterform(SMALL, ON_IT_OR_BELOW)),
    ("дуў", Letterform((0.8, 2.2), ON_IT_OR_BELOW)),
    ("ф", Letterform((0.8, 2.2), ON_IT_OR_BELOW)),
    ("і", Letterform((0.8, 2.0), ON_THE_BASELINE, (0.15, 0.9))),
    ("ј", Letterform((0.8, 2.0), ON_IT_OR_BELOW, (0.15, 1.1))),
    ("бћђ", Letterform(TALL, ON_IT_OR_BELOW)),
    ("ѣґ", Letterform((1.0, 2.2), ON_THE_BASELINE)),
    ("АБВГЕЖЗИКЛМНОПРСТУФХЧШЪЫЬЭЮЯІЇЄЅЈЉЊЋЂѢѲѴ", Letterform(TALL, ON_THE_BASELINE, (0.2, 3.5))),
    ("ДЦЩЏҐ", Letterform(TALL, ON_IT_OR_BELOW, (0.6, 3.5))),
)

CYRILLIC = Script(
    "cyrillic", "Cyrillic of today", FORMS, languages=(ANY_LANGUAGE,), letters="CYRILLIC", ascenders=False
)
