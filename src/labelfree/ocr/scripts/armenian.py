"""Armenian, whose small letters rise and hang in every way, and whose marks stand above the letters."""

from __future__ import annotations

from labelfree.ocr.scripts.latin import (
    BELOW,
    CAPITAL,
    HIGH,
    NARROW,
    ON_A_DOT,
    ON_IT_OR_BELOW,
    ON_THE_BASELINE,
    SMALL,
    TALL,
)
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.neutral import MARKS
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_FORMS: Forms = (
    *MARKS,
    ("աոռստւօ", Letterform((0.8, 1.4), ON_THE_BASELINE)),
    ("բգդզըթղյպրցլջշչք", Letterform(SMALL, ON_IT_OR_BELOW)),
    ("եէժծհձճմնև", Letterform(TALL, ON_IT_OR_BELOW)),
    ("իխկվփֆ", Letterform(TALL, BELOW)),
    ("ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ", Letterform(TALL, ON_IT_OR_BELOW, CAPITAL)),
    ("։", Letterform((0.5, 1.4), ON_A_DOT, NARROW, ())),
    ("՝՛՜՞", Letterform((1.0, 2.4), HIGH, (0.05, 0.9), ())),
    ("֊", Letterform((0.3, 1.1), (0.0, 0.8), (0.2, 1.4), ())),
)

ARMENIAN = Script("armenian", "Armenian", _FORMS, languages=(ANY_LANGUAGE,), letters="ARMENIAN")
