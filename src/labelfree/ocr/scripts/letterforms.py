"""Letterforms: what every typeface of a script makes a symbol look like, as far as all of them agree.

Ranges are wide: they tell a quote from an e, not one small letter from another. Figures and capitals of Antiqua differ
in more than their size: some close in paper, and each is open to some sides and shut to others (`bays`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

import numpy as np

from labelfree.ocr.glyphs.concavities import SIDES, Bay

Range = tuple[float, float]
Counters = tuple[float, ...] | None

_ANYWHERE: Range = (-np.inf, np.inf)
_NO_INK: Range = (0.0, 0.0)
_ON_THE_BASELINE: Range = (-0.25, 0.2)
_BELOW: Range = (-1.0, -0.2)
_ON_IT_OR_BELOW: Range = (-1.0, 0.2)
_ON_A_DOT: Range = (-0.14, 0.2)
_ON_A_COMMA: Range = (-0.9, -0.12)
_SMALL: Range = (0.8, 1.3)
_TALL: Range = (1.2, 2.2)
_FIGURE: Range = (1.15, 2.6)  # those beside a head in capitals are enlarged with it
_SMALL_FIGURE: Range = (0.8, 2.6)  # that which is no taller than small letters where figures are of old style
_OLD_FIGURE: Range = (0.8, 1.35)  # of old style, which some types have, and some of which hang below
_FIGURE_WIDTH: Range = (0.45, 2.0)
_HIGH: Range = (0.45, 1.7)
_MIDDLE: Range = (0.0, 0.8)
_NARROW: Range = (0.05, 0.7)
_CAPITAL: Range = (0.6, 3.5)

_LEFT = Bay.LEFT_ABOVE | Bay.LEFT_BELOW
_RIGHT = Bay.RIGHT_ABOVE | Bay.RIGHT_BELOW
_ENDS = Bay.TOP | Bay.BOTTOM

_ABOVE = 230  # combining class of accents above a letter


@dataclass(frozen=True)
class Anatomy:
    """What a symbol looks like.

    Attributes
    ----------
    top, bottom, width : (least, most)
        Of the ink, in x-heights above the baseline, as `Tiles` measures it.
    counters : tuple of float, optional
        The heights of the paper that strokes close in, as shares of the ink's height; None where that is not told,
        as of small letters, whose strokes smeared print joins.
    open, shut : Bay
        The bays that it has, and those that it has not; it may have any other.
    """

    top: Range = _ANYWHERE
    bottom: Range = _ANYWHERE
    width: Range = _ANYWHERE
    counters: Counters = None
    open: Bay = Bay.NONE
    shut: Bay = Bay.NONE

    def beside(self, other: Anatomy) -> Anatomy:
        """That of two symbols which are one piece of type."""
        return Anatomy(
            (max(self.top[0], other.top[0]), max(self.top[1], other.top[1])),
            (min(self.bottom[0], other.bottom[0]), min(self.bottom[1], other.bottom[1])),
            (max(self.width[0], other.width[0]), self.width[1] + other.width[1]),
        )


_Form = tuple[str, Counters, Bay, Bay]
"""Symbols, their counters, the bays that they have, and those that they have not."""

_FIGURES: tuple[_Form, ...] = (
    ("0", (0.5,), Bay.NONE, SIDES | Bay.TOP_LEFT | Bay.TOP_RIGHT),
    ("1", (), Bay.NONE, Bay.RIGHT_ABOVE | Bay.BOTTOM_RIGHT | _ENDS),
    ("2", (), Bay.LEFT_ABOVE | Bay.RIGHT_BELOW, Bay.RIGHT_ABOVE | _ENDS | Bay.TOP_RIGHT),
    ("3", (), _LEFT, _RIGHT | _ENDS | Bay.TOP_RIGHT),
    ("4", (0.5,), Bay.TOP_LEFT, Bay.LEFT_ABOVE | _ENDS),
    ("5", (), Bay.LEFT_BELOW | Bay.RIGHT_ABOVE, Bay.LEFT_ABOVE | Bay.RIGHT_BELOW | _ENDS | Bay.TOP_RIGHT),
    ("6", (0.33,), Bay.RIGHT_ABOVE, SIDES & ~Bay.RIGHT_ABOVE | Bay.TOP_RIGHT),
    ("7", (), Bay.BOTTOM_RIGHT, _RIGHT | _ENDS | Bay.TOP_RIGHT),
    ("8", (0.72, 0.28), Bay.NONE, SIDES | Bay.TOP_RIGHT),
    ("9", (0.67,), Bay.LEFT_BELOW, SIDES & ~Bay.LEFT_BELOW | Bay.TOP_RIGHT),
)

_SMALL_IN_OLD_STYLE = "012"
_HANGING_IN_OLD_STYLE = "34579"

_CAPITALS: tuple[_Form, ...] = (
    ("ÆŒ&", None, Bay.NONE, Bay.NONE),
    ("A", None, Bay.BOTTOM, _LEFT | Bay.RIGHT_ABOVE | Bay.TOP),
    ("B", (0.72, 0.28), Bay.NONE, _RIGHT | _ENDS),
    ("C", (), _RIGHT, _LEFT | Bay.TOP),
    ("D", (0.5,), Bay.NONE, _RIGHT | Bay.TOP),
    ("E", (), Bay.RIGHT_BELOW, _ENDS),
    ("F", (), Bay.BOTTOM_RIGHT, Bay.TOP),
    ("G", (), Bay.RIGHT_ABOVE, _LEFT | _ENDS),
    ("HM", None, _ENDS, Bay.NONE),
    ("K", (), Bay.NONE, Bay.NONE),
    ("L", (), Bay.TOP_RIGHT, Bay.BOTTOM),
    ("N", (), _ENDS, Bay.NONE),
    ("O", (0.5,), Bay.NONE, SIDES),
    ("P", (0.7,), Bay.NONE, Bay.RIGHT_ABOVE | _ENDS),
    ("R", (0.7,), Bay.BOTTOM, Bay.RIGHT_ABOVE | Bay.TOP),
    ("S", (), Bay.RIGHT_ABOVE, Bay.LEFT_ABOVE | Bay.RIGHT_BELOW),
    ("T", (), Bay.NONE, Bay.TOP),
    ("U", (), Bay.TOP, _RIGHT | Bay.LEFT_BELOW | Bay.BOTTOM),
    ("V", (), Bay.TOP, SIDES & ~Bay.TOP),
    ("W", None, Bay.TOP, _LEFT | _RIGHT),
    ("X", (), Bay.LEFT_ABOVE | Bay.RIGHT_BELOW, Bay.NONE),
    ("Y", (), Bay.TOP, Bay.RIGHT_ABOVE | Bay.BOTTOM),
    ("Z", (), Bay.LEFT_ABOVE | Bay.RIGHT_BELOW, _ENDS),
)


def _figures() -> Iterator[tuple[str, Anatomy]]:
    """Figures as tall as capitals, and those that old style has smaller or hanging below the baseline."""
    for figure, counters, open_, shut in _FIGURES:
        width = (0.2, 1.6) if figure == "1" else _FIGURE_WIDTH
        top = _SMALL_FIGURE if figure in _SMALL_IN_OLD_STYLE else _FIGURE
        yield figure, Anatomy(top, _ON_THE_BASELINE, width, counters, open_, shut)
        if figure in _HANGING_IN_OLD_STYLE:
            yield figure, Anatomy(_OLD_FIGURE, _BELOW, width, counters, open_, shut)


_LATIN = (
    (" ", Anatomy(_NO_INK, _NO_INK, _NO_INK)),
    ("i", Anatomy((0.8, 2.0), _ON_THE_BASELINE, (0.2, 0.9))),
    ("ı", Anatomy(_SMALL, _ON_THE_BASELINE, (0.2, 0.9))),
    ("j", Anatomy((0.8, 2.0), _BELOW, (0.2, 1.1))),
    ("t", Anatomy((1.0, 1.8), _ON_THE_BASELINE)),
    *_figures(),
    (".", Anatomy((0.05, 0.6), _ON_A_DOT, _NARROW, ())),
    (",‚", Anatomy((0.0, 0.6), _ON_A_COMMA, _NARROW, ())),
    ("„", Anatomy((0.0, 0.6), _ON_A_COMMA, (0.4, 1.6), ())),
    (":", Anatomy((0.6, 1.4), _ON_A_DOT, _NARROW, ())),
    (";", Anatomy((0.6, 1.4), _ON_A_COMMA, _NARROW, ())),
    ("!", Anatomy(_TALL, _ON_THE_BASELINE, (0.05, 0.8), (), shut=_ENDS)),
    ("?", Anatomy(_TALL, _ON_THE_BASELINE, (0.3, 1.4), ())),
    ("‘’", Anatomy((1.0, 2.2), _HIGH, (0.05, 0.55), ())),
    ("“”", Anatomy((1.0, 2.2), _HIGH, (0.4, 1.6), ())),
    ("«»", Anatomy((0.5, 1.2), (-0.1, 0.6), (0.3, 1.6), ())),
    ("([", Anatomy(_TALL, _ON_IT_OR_BELOW, (0.15, 0.95), (), Bay.RIGHT_BELOW, _LEFT | _ENDS)),
    (")]", Anatomy(_TALL, _ON_IT_OR_BELOW, (0.15, 0.95), (), Bay.LEFT_ABOVE, _RIGHT | _ENDS)),
    ("-", Anatomy((0.3, 1.1), _MIDDLE, (0.2, 1.4), ())),
    ("–", Anatomy((0.3, 1.1), _MIDDLE, (0.5, 3.0), ())),
    ("—", Anatomy((0.3, 1.1), _MIDDLE, (0.9, 8.0), ())),
)

_ANTIQUA = (
    *_LATIN,
    ("acemnorsuvwxzæœ", Anatomy(_SMALL, _ON_THE_BASELINE)),
    ("bdhk", Anatomy(_TALL, _ON_THE_BASELINE)),
    ("l", Anatomy(_TALL, _ON_THE_BASELINE, (0.2, 1.1))),
    ("fſß", Anatomy(_TALL, _ON_IT_OR_BELOW)),
    ("gpqy", Anatomy((0.8, 1.4), _BELOW)),
    *(
        (symbols, Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, counters, open_, shut))
        for symbols, counters, open_, shut in _CAPITALS
    ),
    ("I", Anatomy(_TALL, _ON_THE_BASELINE, (0.2, 1.2), (), shut=_ENDS)),
    ("J", Anatomy(_TALL, _ON_IT_OR_BELOW, counters=(), shut=_RIGHT | _ENDS)),
    ("Q", Anatomy(_TALL, _ON_IT_OR_BELOW, shut=_LEFT | Bay.RIGHT_ABOVE | Bay.BOTTOM)),
)

_FRAKTUR = (
    *_LATIN,
    ("acemnorsuvwæœ", Anatomy((0.8, 1.5), _ON_THE_BASELINE)),
    ("xyzgpq", Anatomy((0.8, 1.5), _ON_IT_OR_BELOW)),
    ("bdk", Anatomy(_TALL, _ON_THE_BASELINE)),
    ("l", Anatomy(_TALL, _ON_THE_BASELINE, (0.2, 1.1))),
    ("hfſß", Anatomy(_TALL, _ON_IT_OR_BELOW)),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ&", Anatomy(_TALL, _ON_IT_OR_BELOW, _CAPITAL)),
)


_SCRIPTS = {"antiqua": _ANTIQUA, "old antiqua": _ANTIQUA, "fraktur": _FRAKTUR, "signs": ()}


def anatomies_of(symbol: str, script: str) -> list[Anatomy]:
    """What a symbol of one or several characters may look like; with an accent it is taller, or hangs below.

    Parameters
    ----------
    symbol : str
    script : {"antiqua", "old antiqua", "fraktur", "signs"}

    Examples
    --------
    >>> [anatomy.top for symbol in ",é" for anatomy in anatomies_of(symbol, "antiqua")]
    [(0.0, 0.6), (1.1, 2.1)]
    """
    listed = _SCRIPTS[script]
    each = [_of_character(character, listed) for character in unicodedata.normalize("NFC", symbol)]
    return [reduce(Anatomy.beside, parts) if parts else Anatomy() for parts in product(*each)]


def _of_character(character: str, listed: Sequence[tuple[str, Anatomy]]) -> list[Anatomy]:
    base, *accents = list(unicodedata.normalize("NFD", character))
    base = "ı" if base == "i" and accents else base
    found = [anatomy for symbols, anatomy in listed if base in symbols] or [Anatomy()]
    return [_with_accents(anatomy, accents) for anatomy in found]


def _with_accents(anatomy: Anatomy, accents: Sequence[str]) -> Anatomy:
    """The place of a letter with accents, which close in paper and bound bays of their own."""
    if accents:
        anatomy = Anatomy(anatomy.top, anatomy.bottom, anatomy.width)
    for accent in accents:
        if unicodedata.combining(accent) == _ABOVE:
            anatomy = replace(anatomy, top=(anatomy.top[0] + 0.3, anatomy.top[1] + 0.8))
        else:
            anatomy = replace(anatomy, bottom=_ON_IT_OR_BELOW)
    return anatomy
