"""Antiqua: roman type and its italics, as in most books of today.

Its capitals differ in more than their size: some enclose paper, and each is open to some sides and shut to others.
"""

from __future__ import annotations

from labelfree.ocr.scripts import latin
from labelfree.ocr.scripts.latin import (
    BELOW,
    BOTTOM,
    BOTTOM_RIGHT,
    CAPITAL,
    ENDS,
    LEFT,
    LEFT_ABOVE,
    LEFT_BELOW,
    NONE,
    ON_IT_OR_BELOW,
    ON_THE_BASELINE,
    RIGHT,
    RIGHT_ABOVE,
    RIGHT_BELOW,
    SMALL,
    TALL,
    TOP,
    TOP_RIGHT,
)
from labelfree.ocr.scripts.letterform import SIDES, Concavity, Forms, Letterform
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script


def _capital(
    symbols: str, counters: tuple[float, ...] | None, open_: Concavity = NONE, shut: Concavity = NONE
) -> tuple[str, Letterform]:
    return symbols, Letterform(TALL, ON_THE_BASELINE, CAPITAL, counters, open_, shut)


FORMS: Forms = (
    *latin.FORMS,
    ("acemnorsuvwxzæœ", Letterform(SMALL, ON_THE_BASELINE)),
    ("bdhk", Letterform(TALL, ON_THE_BASELINE)),
    ("l", Letterform(TALL, ON_THE_BASELINE, (0.2, 1.1))),
    ("fſß", Letterform(TALL, ON_IT_OR_BELOW)),
    ("gpqy", Letterform((0.8, 1.4), BELOW)),
    ("I", Letterform(TALL, ON_THE_BASELINE, (0.2, 1.2), (), shut=ENDS)),
    ("J", Letterform(TALL, ON_IT_OR_BELOW, counters=(), shut=RIGHT | ENDS)),
    ("Q", Letterform(TALL, ON_IT_OR_BELOW, shut=LEFT | RIGHT_ABOVE | BOTTOM)),
    _capital("ÆŒ&", None),
    _capital("A", None, BOTTOM, LEFT | RIGHT_ABOVE | TOP),
    _capital("B", (0.72, 0.28), NONE, RIGHT | ENDS),
    _capital("C", (), RIGHT, LEFT | TOP),
    _capital("D", (0.5,), NONE, RIGHT | TOP),
    _capital("E", (), RIGHT_BELOW, ENDS),
    _capital("F", (), BOTTOM_RIGHT, TOP),
    _capital("G", (), RIGHT_ABOVE, LEFT | ENDS),
    _capital("HM", None, ENDS),
    _capital("K", ()),
    _capital("L", (), TOP_RIGHT, BOTTOM),
    _capital("N", (), ENDS),
    _capital("O", (0.5,), NONE, SIDES),
    _capital("P", (0.7,), NONE, RIGHT_ABOVE | ENDS),
    _capital("R", (0.7,), BOTTOM, RIGHT_ABOVE | TOP),
    _capital("S", (), RIGHT_ABOVE, LEFT_ABOVE | RIGHT_BELOW),
    _capital("T", (), NONE, TOP),
    _capital("U", (), TOP, RIGHT | LEFT_BELOW | BOTTOM),
    _capital("V", (), TOP, SIDES & ~TOP),
    _capital("W", None, TOP, LEFT | RIGHT),
    _capital("X", (), LEFT_ABOVE | RIGHT_BELOW),
    _capital("Y", (), TOP, RIGHT_ABOVE | BOTTOM),
    _capital("Z", (), LEFT_ABOVE | RIGHT_BELOW, ENDS),
)

ANTIQUA = Script(
    "antiqua",
    "roman type and italics",
    FORMS,
    ligatures=("ff", "ffi", "ffl", "fi", "fl"),
    languages=(ANY_LANGUAGE,),
)
