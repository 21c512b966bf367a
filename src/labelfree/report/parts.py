"""Text in runs: what is sure in one piece, each doubtful character with what is told of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from labelfree.ocr.alternatives import DOUBTFUL

_LEVELS = (0.5, 0.75, DOUBTFUL)  # confidence below which a character is shown as likely wrong, doubtful, a little so


@dataclass(frozen=True)
class Part:
    """A run of sure characters, or a doubtful one with what else it might be and where it stands in its picture."""

    text: str
    level: int = 0  # from 0 for sure to 3 for likely wrong
    told: str = ""
    begin: float = 0.0  # in percent of the picture's width, as is its own
    width: float = 0.0


def level(confidence: float) -> int:
    """How doubtful that is.

    Examples
    --------
    >>> level(0.95), level(0.8), level(0.6), level(0.2)
    (0, 1, 2, 3)
    """
    return sum(confidence < limit for limit in _LEVELS)


def parts(characters: Iterable[Part]) -> tuple[Part, ...]:
    """The same with sure ones that follow each other made one.

    Examples
    --------
    >>> [part.text for part in parts([Part("a"), Part("b"), Part("c", 2), Part("d")])]
    ['ab', 'c', 'd']
    """
    found: list[Part] = []
    for character in characters:
        if found and not character.level and not found[-1].level:
            found[-1] = Part(found[-1].text + character.text)
        else:
            found.append(character if character.level else Part(character.text))
    return tuple(found)
