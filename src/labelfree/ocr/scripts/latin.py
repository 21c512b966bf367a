"""What the scripts of Latin letters share: where things are in a line, figures and marks.

Ranges are wide: they tell a quote from an e, not one small letter from another.
"""

from __future__ import annotations

from dataclasses import replace

from labelfree.ocr.scripts.letterform import CONCAVITIES, SIDES, Concavity, Forms, Letterform, Range

NO_INK: Range = (0.0, 0.0)
ON_THE_BASELINE: Range = (-0.25, 0.2)
BELOW: Range = (-1.0, -0.2)
ON_IT_OR_BELOW: Range = (-1.0, 0.2)
ON_A_DOT: Range = (-0.14, 0.2)
ON_A_COMMA: Range = (-0.9, -0.12)
SMALL: Range = (0.8, 1.3)
TALL: Range = (1.2, 2.2)
FIGURE: Range = (1.15, 2.6)  # those beside a head in capitals are enlarged with it
SMALL_FIGURE: Range = (0.8, 2.6)  # that which is no taller than small letters where figures are of old style
OLD_FIGURE: Range = (0.8, 1.35)  # of old style, which some types have, and some of which hang below
FIGURE_WIDTH: Range = (0.45, 2.0)
HIGH: Range = (0.45, 1.7)
MIDDLE: Range = (0.0, 0.8)
NARROW: Range = (0.05, 0.7)
CAPITAL: Range = (0.6, 3.5)

LEFT_ABOVE, LEFT_BELOW, RIGHT_ABOVE, RIGHT_BELOW, TOP, BOTTOM, TOP_LEFT, TOP_RIGHT, _, BOTTOM_RIGHT = CONCAVITIES
NONE = Concavity.NONE
LEFT = LEFT_ABOVE | LEFT_BELOW
RIGHT = RIGHT_ABOVE | RIGHT_BELOW
ENDS = TOP | BOTTOM

_SMALL_IN_OLD_STYLE = "012"
_HANGING_IN_OLD_STYLE = "34579"


def _figure(figure: str, counters: tuple[float, ...], open_: Concavity, shut: Concavity) -> Forms:
    """A figure as tall as a capital, and smaller or hanging below the baseline where old style has it so."""
    width = (0.2, 1.6) if figure == "1" else FIGURE_WIDTH
    top = SMALL_FIGURE if figure in _SMALL_IN_OLD_STYLE else FIGURE
    tall = Letterform(top, ON_THE_BASELINE, width, counters, open_, shut)
    hanging = replace(tall, top=OLD_FIGURE, bottom=BELOW)
    return ((figure, tall), (figure, hanging)) if figure in _HANGING_IN_OLD_STYLE else ((figure, tall),)


FORMS: Forms = (
    (" ", Letterform(NO_INK, NO_INK, NO_INK)),
    ("i", Letterform((0.8, 2.0), ON_THE_BASELINE, (0.2, 0.9))),
    ("ı", Letterform(SMALL, ON_THE_BASELINE, (0.2, 0.9))),
    ("j", Letterform((0.8, 2.0), BELOW, (0.2, 1.1))),
    ("t", Letterform((1.0, 1.8), ON_THE_BASELINE)),
    *_figure("0", (0.5,), NONE, SIDES | TOP_LEFT | TOP_RIGHT),
    *_figure("1", (), NONE, RIGHT_ABOVE | BOTTOM_RIGHT | ENDS),
    *_figure("2", (), LEFT_ABOVE | RIGHT_BELOW, RIGHT_ABOVE | ENDS | TOP_RIGHT),
    *_figure("3", (), LEFT, RIGHT | ENDS | TOP_RIGHT),
    *_figure("4", (0.5,), TOP_LEFT, LEFT_ABOVE | ENDS),
    *_figure("5", (), LEFT_BELOW | RIGHT_ABOVE, LEFT_ABOVE | RIGHT_BELOW | ENDS | TOP_RIGHT),
    *_figure("6", (0.33,), RIGHT_ABOVE, SIDES & ~RIGHT_ABOVE | TOP_RIGHT),
    *_figure("7", (), BOTTOM_RIGHT, RIGHT | ENDS | TOP_RIGHT),
    *_figure("8", (0.72, 0.28), NONE, SIDES | TOP_RIGHT),
    *_figure("9", (0.67,), LEFT_BELOW, SIDES & ~LEFT_BELOW | TOP_RIGHT),
    (".", Letterform((0.05, 0.6), ON_A_DOT, NARROW, ())),
    (",‚", Letterform((0.0, 0.6), ON_A_COMMA, NARROW, ())),
    ("„", Letterform((0.0, 0.6), ON_A_COMMA, (0.4, 1.6), ())),
    (":", Letterform((0.6, 1.4), ON_A_DOT, NARROW, ())),
    (";", Letterform((0.6, 1.4), ON_A_COMMA, NARROW, ())),
    ("!", Letterform(TALL, ON_THE_BASELINE, (0.05, 0.8), (), shut=ENDS)),
    ("?", Letterform(TALL, ON_THE_BASELINE, (0.3, 1.4), ())),
    ("‘’", Letterform((1.0, 2.2), HIGH, (0.05, 0.55), ())),
    ("“”", Letterform((1.0, 2.2), HIGH, (0.4, 1.6), ())),
    ("«»", Letterform((0.5, 1.2), (-0.1, 0.6), (0.3, 1.6), ())),
    ("([", Letterform(TALL, ON_IT_OR_BELOW, (0.15, 0.95), (), RIGHT_BELOW, LEFT | ENDS)),
    (")]", Letterform(TALL, ON_IT_OR_BELOW, (0.15, 0.95), (), LEFT_ABOVE, RIGHT | ENDS)),
    ("-", Letterform((0.3, 1.1), MIDDLE, (0.2, 1.4), ())),
    ("–", Letterform((0.3, 1.1), MIDDLE, (0.5, 3.0), ())),
    ("—", Letterform((0.3, 1.1), MIDDLE, (0.9, 8.0), ())),
)
"""Of what looks the same in all of them."""
