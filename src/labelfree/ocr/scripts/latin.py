"""What the scripts of Latin letters share: where things are in a line, figures and marks.

Ranges are wide: they tell a quote from an e, not one small letter from another.
"""

from __future__ import annotations

from dataclasses import replace

from labelfree.ocr.scripts.letterform import CONCAVITIES, SIDES, Concavity, Forms, Letterform, Range

SMALL: Range = (0.8, 1.3)  # tops of small letters, and of some figures in old style
TALL: Range = (1.15, 2.6)  # tops of capitals and ascenders; beside a head in capitals, of figures enlarged with it
LOW: Range = (0.0, 0.6)  # tops of marks that stand on the baseline
MIDDLE: Range = (0.2, 1.0)  # dashes
HIGH: Range = (0.45, 1.7)  # bottoms of quotes
BASELINE: Range = (-0.15, 0.2)  # bottoms of what stands on it
BELOW: Range = (-1.0, -0.15)  # bottoms of what hangs from it
HANGING: Range = (BELOW[0], BASELINE[1])  # bottoms of what does either, in one typeface or another
NARROW: Range = (0.05, 1.0)  # widths of marks and of letters of one stroke
WIDE: Range = (0.45, 3.5)  # widths of capitals, figures and pairs of marks

LEFT_ABOVE, LEFT_BELOW, RIGHT_ABOVE, RIGHT_BELOW, TOP, BOTTOM, TOP_LEFT, TOP_RIGHT, _, BOTTOM_RIGHT = CONCAVITIES
NONE = Concavity.NONE
LEFT = LEFT_ABOVE | LEFT_BELOW
RIGHT = RIGHT_ABOVE | RIGHT_BELOW
ENDS = TOP | BOTTOM

_SMALL_IN_OLD_STYLE = "012"
_HANGING_IN_OLD_STYLE = "34579"


def _figure(figure: str, counters: tuple[float, ...], open_: Concavity, shut: Concavity) -> Forms:
    """A figure as tall as a capital, and smaller or hanging below the baseline where old style has it so."""
    tall = Letterform(TALL, BASELINE, NARROW if figure == "1" else WIDE, counters, open_, shut)
    forms = [(figure, tall)]
    if figure in _SMALL_IN_OLD_STYLE:
        forms.append((figure, replace(tall, top=SMALL)))
    if figure in _HANGING_IN_OLD_STYLE:
        forms.append((figure, replace(tall, top=SMALL, bottom=BELOW)))
    return tuple(forms)


_DOTTED: Range = (SMALL[0], TALL[1])  # print may lose the dot

FORMS: Forms = (
    (" ", Letterform((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))),
    ("i", Letterform(_DOTTED, BASELINE, NARROW)),
    ("ı", Letterform(SMALL, BASELINE, NARROW)),
    ("j", Letterform(_DOTTED, BELOW, NARROW)),
    ("t", Letterform((1.0, 2.2), BASELINE)),
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
    (".", Letterform(LOW, BASELINE, NARROW, ())),
    (",‚", Letterform(LOW, BELOW, NARROW, ())),
    ("„", Letterform(LOW, BELOW, WIDE, ())),
    (":", Letterform(SMALL, BASELINE, NARROW, ())),
    (";", Letterform(SMALL, BELOW, NARROW, ())),
    ("!", Letterform(TALL, BASELINE, NARROW, (), shut=ENDS)),
    ("?", Letterform(TALL, BASELINE, WIDE, ())),
    ("‘’", Letterform(TALL, HIGH, (0.05, 0.55), ())),
    ("“”", Letterform(TALL, HIGH, WIDE, ())),
    ("«»", Letterform((0.5, 1.2), (-0.1, 0.6), WIDE, ())),
    ("([", Letterform(TALL, HANGING, NARROW, (), RIGHT_BELOW, LEFT | ENDS)),
    (")]", Letterform(TALL, HANGING, NARROW, (), LEFT_ABOVE, RIGHT | ENDS)),
    ("-", Letterform(MIDDLE, MIDDLE, (0.2, 1.4), ())),
    ("–", Letterform(MIDDLE, MIDDLE, (0.5, 3.0), ())),
    ("—", Letterform(MIDDLE, MIDDLE, (0.9, 8.0), ())),
)
"""Of what looks the same in all of them."""
