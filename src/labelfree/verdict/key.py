"""The verdict on the key of a cipher.

A key is believed if four things hold.

* The text is language: read with the key, and the key itself written out first, it takes fewer nats than signs drawn
  one by one with the frequencies they have. For signs that were so drawn this happens by chance with a probability
  below exp(-saved), whatever search found the key.
* It is this language: the model explains half of what it explains of its own text.
* The key stands alone: other readings of its signs and the ends of other searches leave an expected share of letters
  read right.
* The search came to it more than once from different beginnings.
"""

from __future__ import annotations

from dataclasses import dataclass

from labelfree.verdict.outcome import LEAST_EXPLAINED, LEAST_SAVED, Judgement, Outcome, Remedy, Verdict, chance

RIGHT = 0.95
"""The share of letters that must be expected right."""

AGREEING = 2
"""How many searches must have come to the key."""


@dataclass(frozen=True)
class KeySearched:
    """What is known of a key that was searched for.

    Attributes
    ----------
    saved : float
        Nats that the language saves on the text, the price of the key taken off.
    possible : float
        What it would save on its own text of this length.
    explained : float
        What the language explains of the text, against what it explains of its own.
    expected_right : float
        Share of the letters.
    agreeing, chains : int
        How many of the searches came to the key.
    """

    saved: float
    possible: float
    explained: float
    expected_right: float
    agreeing: int
    chains: int


@dataclass(frozen=True, kw_only=True)
class KeyVerdict(Judgement):
    """The verdict on a key, in numbers; those of a `Judgement`, and how many searches agree.

    Attributes
    ----------
    agreeing, chains : int
        As in `KeySearched`.
    """

    agreeing: int
    chains: int


def judge_key(key: KeySearched) -> KeyVerdict:
    """Judge a key.

    Examples
    --------
    >>> judge_key(KeySearched(90.0, 100.0, 0.9, 0.99, 7, 8)).reason
    'the language saves 90 nats more than chance is given, and 7 of 8 searches came to this key'
    >>> print(judge_key(KeySearched(-20.0, 2.0, 0.9, 0.99, 7, 8)).outcome)
    too little to know
    """
    said = _outcome(key)
    return KeyVerdict(
        outcome=said.outcome,
        reason=said.reason,
        remedies=said.remedies,
        explained=key.explained,
        saved=key.saved,
        chance=chance(key.saved),
        expected_error=1.0 - key.expected_right if said.converged else 1.0,
        agreeing=key.agreeing,
        chains=key.chains,
    )


def _outcome(key: KeySearched) -> Verdict:
    saves = f"the language saves {key.saved:,.0f} nats more than chance is given"
    if key.saved < LEAST_SAVED and key.possible < LEAST_SAVED:
        reason = f"so many signs and so short a text: even the right key would save {key.possible:,.0f} nats"
        return Verdict(Outcome.TOO_LITTLE, reason, (Remedy.MORE_DATA,))
    helps = (Remedy.OTHER_LANGUAGE, Remedy.MORE_DATA, Remedy.NEARER_TEXT, Remedy.MORE_STARTS)
    if key.saved < LEAST_SAVED:
        return Verdict(Outcome.STUCK, f"{saves}, {LEAST_SAVED:.0f} wanted", helps)
    if key.explained < LEAST_EXPLAINED:
        reason = f"the language explains {max(key.explained, 0):.0%} of what it explains of its own text, 50% wanted"
        return Verdict(Outcome.STUCK, reason, helps)
    if key.agreeing < AGREEING:
        reason = f"only {key.agreeing} of {key.chains} searches came to this key, {AGREEING} wanted"
        return Verdict(Outcome.STUCK, reason, (Remedy.MORE_STARTS, Remedy.MORE_DATA, Remedy.OTHER_LANGUAGE))
    if key.expected_right < RIGHT:
        reason = f"other keys fit nearly as well: {key.expected_right:.0%} of the letters are expected to be right"
        return Verdict(Outcome.TOO_LITTLE, reason, (Remedy.MORE_DATA, Remedy.NEARER_TEXT))
    return Verdict(Outcome.READ, f"{saves}, and {key.agreeing} of {key.chains} searches came to this key")
