"""Russian print before 1918, with ѣ and ъ at the ends of words."""

from __future__ import annotations

from labelfree.ocr.scripts.cyrillic import FORMS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

OLD_CYRILLIC = Script(
    "old cyrillic",
    "Cyrillic before 1918",
    FORMS,
    languages=(ANY_LANGUAGE,),
    letters="CYRILLIC",
    old_letter=("ѣ", "е"),
    ascenders=False,
)
