"""Old antiqua: roman type and its italics with the long s, as books before 1800 have it."""

from __future__ import annotations

from labelfree.ocr.scripts.antiqua import FORMS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

OLD_ANTIQUA = Script(
    "old antiqua",
    "the same with ſ",
    FORMS,
    ligatures=("ct", "ff", "ffi", "ffl", "fi", "fl", "ſſ", "ſt"),  # ſi mostly stays apart
    languages=(ANY_LANGUAGE,),
    old_letter=("ſ", "s"),
)
