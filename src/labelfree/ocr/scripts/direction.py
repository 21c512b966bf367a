"""Lines that run from right to left: how they stand on paper, from the left, and how they are read.

Letters run as their alphabet does, numbers to the right wherever they stand, brackets turn with the line: Unicode's
bidirectional algorithm (UAX 9) for one line that runs to the left and holds no marks of direction. What it makes of a
line it takes back when it is applied to the outcome.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

_MIRRORED = dict(zip("()[]{}<>«»‹›≤≥", ")(][}{><»«›‹≥≤", strict=True))
_TO_LEFT, _TO_RIGHT, _NUMBER, _JOINS, _BESIDE, _NEUTRAL = "R", "L", "N", "CS", "ET", "O"
_CLASSES = {"R": _TO_LEFT, "AL": _TO_LEFT, "L": _TO_RIGHT, "EN": _NUMBER, "AN": _NUMBER}
_CLASSES |= {"CS": _JOINS, "ES": _JOINS, "ET": _BESIDE}


def runs_to_left(text: str) -> bool:
    """Whether most letters of a text run from right to left.

    Examples
    --------
    >>> runs_to_left("שלום (x)"), runs_to_left("1, 2")
    (True, False)
    """
    classes = [_CLASSES.get(unicodedata.bidirectional(character)) for character in text]
    return classes.count(_TO_LEFT) > classes.count(_TO_RIGHT)


def turned(symbols: Sequence[str]) -> list[tuple[int, str]]:
    """The symbols of a line in the other order, as they stand or as they are read, each with its place.

    Examples
    --------
    >>> "".join(symbol for _, symbol in turned("אב (12.5) ג"))
    'ג (12.5) בא'
    """
    runs = [list(run) for _, run in groupby(enumerate(_to_left(symbols)), key=lambda each: each[1])]
    found = []
    for run in reversed(runs):
        for place, to_left in reversed(run) if run[0][1] else run:
            found.append((place, _MIRRORED.get(symbols[place], symbols[place]) if to_left else symbols[place]))
    return found


def turned_text(text: str) -> str:
    r"""Every line of a text in the other order; marks stay behind the letter that they belong to.

    Examples
    --------
    >>> turned_text("אב\nגד")
    'בא\nדג'
    """
    return "\n".join("".join(symbol for _, symbol in turned(_with_marks(line))) for line in text.split("\n"))


def _with_marks(line: str) -> list[str]:
    """Characters, each with the marks that follow it."""
    found: list[str] = []
    for character in line:
        if found and unicodedata.combining(character):
            found[-1] += character
        else:
            found.append(character)
    return found


def _to_left(symbols: Sequence[str]) -> list[bool]:
    """Whether each symbol runs to the left."""
    classes = [_CLASSES.get(unicodedata.bidirectional(symbol[0]), _NEUTRAL) for symbol in symbols]
    for i in range(1, len(classes) - 1):  # a point or a hyphen within a number
        if classes[i] == _JOINS and classes[i - 1] == classes[i + 1] == _NUMBER:
            classes[i] = _NUMBER
    for step in (1, -1):  # a sign of per cent or of money beside a number
        before = _NEUTRAL
        for i in range(len(classes))[::step]:
            if classes[i] == _BESIDE and before == _NUMBER:
                classes[i] = _NUMBER
            before = classes[i]
    strong = _TO_LEFT
    for i, found in enumerate(classes):  # a number behind letters that run to the right belongs to them
        strong = found if found in (_TO_LEFT, _TO_RIGHT) else strong
        if found == _NUMBER and strong == _TO_RIGHT:
            classes[i] = _TO_RIGHT
    before = _TO_LEFT
    for is_strong, group in groupby(list(enumerate(classes)), key=lambda e: e[1] in (_TO_LEFT, _TO_RIGHT, _NUMBER)):
        run = list(group)
        last = run[-1][0]
        if is_strong:
            before = run[-1][1]
        else:
            after = classes[last + 1] if last + 1 < len(classes) else _TO_LEFT
            for i, _ in run:
                classes[i] = _TO_RIGHT if before == after == _TO_RIGHT else _TO_LEFT
    return [found == _TO_LEFT for found in classes]
