"""Gaelic type, as Irish was printed in until the 1960s: insular letters, r and s with a stem, dots for h."""

from __future__ import annotations

from labelfree.ocr.scripts import latin
from labelfree.ocr.scripts.latin import BELOW, CAPITAL, ON_IT_OR_BELOW, ON_THE_BASELINE, SMALL, TALL
from labelfree.ocr.scripts.letterform import Forms, Letterform
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script

_FORMS: Forms = (
    *((symbols, form) for symbols, form in latin.FORMS if symbols not in ("i", "t")),
    ("iı", Letterform((0.8, 1.5), ON_THE_BASELINE, (0.15, 0.9))),  # without a dot
    ("acemnou", Letterform(SMALL, ON_THE_BASELINE)),
    ("t", Letterform((0.8, 1.5), ON_THE_BASELINE)),
    ("bhl", Letterform(TALL, ON_THE_BASELINE)),
    ("d", Letterform((0.9, 2.2), ON_THE_BASELINE)),
    ("g", Letterform((0.7, 1.4), BELOW)),
    ("fprs", Letterform((0.8, 2.2), ON_IT_OR_BELOW)),
    ("ABCDEFGHIJLMNOPRSTU", Letterform(TALL, ON_IT_OR_BELOW, CAPITAL)),
    ("⁊", Letterform((0.7, 1.6), ON_IT_OR_BELOW, (0.3, 1.4), ())),
)

GAELIC = Script(
    "gaelic",
    "the insular type of Irish print",
    _FORMS,
    languages=(ANY_LANGUAGE,),
    old_letter=("ḃċḋḟġṁṗṡṫ", "h"),
)
