"""What a verdict says: an outcome, the reason for it in a sentence, and what would help."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

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
    def converged(self) -> bool:
        """Whether it is to be believed."""
        return self.outcome == Outcome.READ

    def line(self, advice: Mapping[Remedy, str]) -> str:
        """One line for people: the reason and what would help, in the words of a command; empty where it is read.

        Examples
        --------
        >>> verdict = Verdict(Outcome.STUCK, "nothing fits", (Remedy.MORE_DATA, Remedy.MORE_STARTS))
        >>> verdict.line({Remedy.MORE_DATA: "more pages"})
        'stuck: nothing fits; what would help: more pages'
        """
        if self.converged:
            return ""
        known = [advice[remedy] for remedy in self.remedies if remedy in advice]
        helps = f"; what would help: {', or '.join(known)}" if known else ""
        return f"{self.outcome}: {self.reason}{helps}"


@dataclass(frozen=True, kw_only=True)
class Judgement(Verdict):
    """A verdict with the numbers that it hangs on.

    Attributes
    ----------
    explained : float
        What the language explains of what was read, against what it explains of its own text; 0.5 is wanted.
    saved : float
        Nats that the language saves beyond what chance is given.
    chance : float
        The probability that inputs without order come so far, at most.
    expected_error : float
        Share of the positions expected to be wrong.
    """

    explained: float
    saved: float
    chance: float
    expected_error: float

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        named = {"outcome": str(self.outcome), "remedies": [str(remedy) for remedy in self.remedies]}
        return {"converged": self.converged, **asdict(self), **named}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Put together what `as_dict` gave."""
        said = {"outcome": Outcome(fields["outcome"]), "remedies": tuple(map(Remedy, fields["remedies"]))}
        return cls(**{name: value for name, value in fields.items() if name != "converged"} | said)


def chance(saved: float) -> float:
    """The probability that chance saves so many nats, at most; see `LEAST_SAVED`.

    Examples
    --------
    >>> chance(-3.0), round(chance(5.0), 4)
    (1.0, 0.0067)
    """
    return min(1.0, math.exp(-max(saved, 0.0)))
