"""Letterforms: what every typeface of a script makes a symbol look like, as far as all of them agree."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from enum import Flag, auto
from math import inf

Range = tuple[float, float]  # the least and the most

ANY: Range = (-inf, inf)

_ACCENT: Range = (0.3, 0.8)  # x-heights that an accent adds above a letter
_HANGING_ACCENT: Range = (-1.0, 0.2)  # where a letter with an accent below it ends
_ABOVE = 230  # Unicode's combining class of accents above a letter


class Concavity(Flag):
    """Paper beside the strokes, open to one side or to two in a corner; those at the sides are halved by height."""

    NONE = 0
    LEFT_ABOVE = auto()
    LEFT_BELOW = auto()
    RIGHT_ABOVE = auto()
    RIGHT_BELOW = auto()
    TOP = auto()
    BOTTOM = auto()
    TOP_LEFT = auto()
    TOP_RIGHT = auto()
    BOTTOM_LEFT = auto()
    BOTTOM_RIGHT = auto()


CONCAVITIES = tuple(Concavity)  # each by itself, in the order in which they are measured
CORNERS = Concavity.TOP_LEFT | Concavity.TOP_RIGHT | Concavity.BOTTOM_LEFT | Concavity.BOTTOM_RIGHT
SIDES = ~CORNERS


@dataclass(frozen=True)
class Letterform:
    """What a symbol looks like; by default like anything.

    `top`, `bottom` and `width` are of the ink, in x-heights above the baseline, as `Tiles` measures it. `counters` are
    the heights of the paper that strokes enclose, as shares of the ink's height; None where that is not known, as of
    small letters, whose strokes smeared print joins.
    """

    top: Range = ANY
    bottom: Range = ANY
    width: Range = ANY
    counters: tuple[float, ...] | None = None
    open: Concavity = Concavity.NONE  # those that it has
    shut: Concavity = Concavity.NONE  # those that it has not; it may have any other

    def beside(self, other: Letterform) -> Letterform:
        """The form of two symbols that are one piece of type.

        Examples
        --------
        >>> Letterform(top=(1.2, 2.2)).beside(Letterform(top=(0.8, 1.3))).top
        (1.2, 2.2)
        """
        return Letterform(
            (max(self.top[0], other.top[0]), max(self.top[1], other.top[1])),
            (min(self.bottom[0], other.bottom[0]), min(self.bottom[1], other.bottom[1])),
            (max(self.width[0], other.width[0]), self.width[1] + other.width[1]),
        )

    def with_accent(self, accent: str) -> Letterform:
        """The form of a letter with an accent, which makes it taller or hangs below it.

        Accents enclose paper and make concavities of their own, so that only place and width are known.

        Examples
        --------
        >>> Letterform(top=(0.75, 1.25)).with_accent("\u0301").top
        (1.05, 2.05)
        """
        plain = Letterform(self.top, self.bottom, self.width)
        if unicodedata.combining(accent) == _ABOVE:
            return replace(plain, top=(self.top[0] + _ACCENT[0], self.top[1] + _ACCENT[1]))
        return replace(plain, bottom=_HANGING_ACCENT)


Forms = tuple[tuple[str, Letterform], ...]  # symbols that look alike, and how; a symbol may be listed more than once
