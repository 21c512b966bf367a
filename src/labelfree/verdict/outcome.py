"""What a verdict says: an outcome, the reason for it in a sentence, and what would help."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

LEAST_SAVED = 5.0
"""Nats beyond the price of the freedom there was: chance reaches so many with a probability below exp(-5), 0.7 %."""

LEAST_EXPLAINED = 0.5
"""Of what a language explains of its own text: halfway between symbols drawn one by one and the language."""

MOST_ERROR = 0.1
"""Share of the positions that may be expected wrong in what is called read."""


class Outcome(StrEnum):
    """How it ended."""

    READ = "read"
    STUCK = "stuck"
    TOO_LITTLE = "too little to know"


class Remedy(StrEnum):
    """What would help; each command names its own options for it."""

    MORE_DATA = "more data"
    MORE_STARTS = "more starts"
    NEARER_TEXT = "nearer text"
    OTHER_LANGUAGE = "another language"
    HIGHER_ORDER = "a higher order"


@dataclass(frozen=True)
class Verdict:
    """Whether something is read, and why.

    Attributes
    ----------
    outcome : Outcome
    reason : str
        One plain sentence with the numbers that decided.
    remedies : tuple of Remedy
        What would help, the likeliest first; empty where nothing need be done.
    """

    outcome: Outcome
    reason: str
    remedies: tuple[Remedy, ...] = ()

    @property
    def believed(self) -> bool:
        """Whether it is to be believed."""
        return self.outcome == Outcome.READ

    def message(self, advice: Mapping[Remedy, str]) -> str:
        """One line for people: the reason and what would help, in the words of a command; empty where it is read.

        Examples
        --------
        >>> verdict = Verdict(Outcome.STUCK, "nothing fits", (Remedy.MORE_DATA, Remedy.MORE_STARTS))
        >>> verdict.message({Remedy.MORE_DATA: "more pages"})
        'stuck: nothing fits; what would help: more pages'
        """
        if self.believed:
            return ""
        known = [advice[remedy] for remedy in self.remedies if remedy in advice]
        helps = f"; what would help: {', or '.join(known)}" if known else ""
        return f"{self.outcome}: {self.reason}{helps}"


def message_of(verdict: Any, advice: Mapping[Remedy, str]) -> str:
    """One line for people on any verdict, with what would help in the words of a command; empty where it is read."""
    return Verdict(Outcome(verdict.outcome), verdict.reason, tuple(map(Remedy, verdict.remedies))).message(advice)


def chance(saved: float) -> float:
    """The probability that chance saves so many nats, at most; see `LEAST_SAVED`.

    Examples
    --------
    >>> chance(-3.0), round(chance(5.0), 4)
    (1.0, 0.0067)
    """
    return min(1.0, math.exp(-max(saved, 0.0)))
