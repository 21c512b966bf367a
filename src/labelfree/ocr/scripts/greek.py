"""Greek, with the breathings and accents of polytonic print, which stand before capitals and above small letters."""

from __future__ import annotations

import unicodedata

from labelfree.ocr.scripts.latin import (
    BELOW,
    CAPITAL,
    ON_IT_OR_BELOW,
    ON_THE_BASELINE,
    SMALL,
    TALL,
)
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_MARKED_CAPITALS = "".join(
    character
    for character in map(chr, (*range(0x386, 0x390), *range(0x1F00, 0x2000)))
    if unicodedata.category(character) in ("Lu", "Lt")
)

_FORMS: Forms = (
    *MARKS,
    ("ι", Letterform(SMALL, ON_THE_BASELINE, (0.15, 0.9))),
    ("αεικνοπστυωϲ", Letterform((0.8, 1.5), ON_THE_BASELINE)),
    ("γημρχς", Letterform((0.8, 1.5), ON_IT_OR_BELOW)),
    ("δθλϑ", Letterform(TALL, ON_THE_BASELINE)),
    ("βζξϐϛȣ", Letterform(TALL, ON_IT_OR_BELOW)),
    ("φψϕ", Letterform((0.8, 2.2), BELOW)),
    ("ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ", Letterform(TALL, ON_IT_OR_BELOW, (0.2, 3.5))),
    (_MARKED_CAPITALS, Letterform(TALL, ON_IT_OR_BELOW, CAPITAL)),
    ("·", Letterform((0.5, 1.3), (0.3, 0.9), (0.05, 0.7), ())),
)

GREEK = Script(
    "greek",
    "Greek, with all its accents",
    _FORMS,
    ligatures=("στ", "ου", "κα"),
    languages=(ANY_LANGUAGE,),
    letters="GREEK",
    quotes=(("ʼ", "’"), ("᾽", "’"), ("᾿", "’"), ("΄", "’"), ("ʹ", "’"), ("῾", "‘"), ("ϑ", "θ"), ("ϐ", "β")),
)
