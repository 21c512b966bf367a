"""Whether a result is to be believed, in a sentence for people; all that reports know of verdicts stands here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelfree.cipher import Deciphered
    from labelfree.estimator import SequenceClassifier
    from labelfree.verdict import ReadingVerdict


@dataclass(frozen=True)
class Verdict:
    """A verdict on a result.

    Attributes
    ----------
    believed : bool
    reason : str
        Why, in one or two sentences.
    expected_error : float or None
        Share of the characters expected to be wrong, where that is known.
    told : str
        The verdict in one sentence, where it is no book that is judged.
    """

    believed: bool
    reason: str
    expected_error: float | None = None
    told: str = ""

    @property
    def sentence(self) -> str:
        """The verdict in one sentence.

        Examples
        --------
        >>> Verdict(True, "", 0.025).sentence
        'It reads: about 1 character in 40 is expected to be wrong.'
        >>> Verdict(False, "").sentence
        'It did not learn to read: do not believe this text.'
        """
        if self.told:
            return self.told
        if not self.believed:
            return "It did not learn to read: do not believe this text."
        if self.expected_error is None:
            return "It reads."
        return f"It reads: {in_words(self.expected_error)} expected to be wrong."

    @classmethod
    def of_book(cls, judged: ReadingVerdict) -> Verdict:
        """On what was read on scans."""
        return cls(judged.converged, _sentence(judged.reason), judged.expected_error)

    @classmethod
    def of_classifier(cls, classifier: SequenceClassifier) -> Verdict:
        """On a fit."""
        believed = bool(classifier.converged_)
        told = "It learned to read these sequences." if believed else "It did not learn: do not believe these labels."
        return cls(believed, _sentence(classifier.diagnosis_.reason), told=told)

    @classmethod
    def of_cipher(cls, found: Deciphered) -> Verdict:
        """On a plaintext."""
        how = f"Found by {found.method}, the text taken as {found.layout}; {found.score:.2f} nats a letter."
        told = "It is deciphered." if found.converged else "It is not deciphered: do not believe this text."
        return cls(found.converged, f"{how} {_sentence(found.verdict.reason)}", told=told)

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        return asdict(self)


def in_words(error: float) -> str:
    """A share of wrong characters as people say it.

    Examples
    --------
    >>> in_words(0.0004), in_words(0.3)
    ('fewer than 1 character in 1,000 is', 'about 3 characters in 10 are')
    """
    if error < 0.001:
        return "fewer than 1 character in 1,000 is"
    if error >= 0.15:
        return f"about {max(2, round(10 * error))} characters in 10 are"
    one_in = 1 / error
    rounded = round(one_in / 10) * 10 if one_in >= 30 else round(one_in)
    return f"about 1 character in {rounded:,} is"


def _sentence(reason: str) -> str:
    return reason[:1].upper() + reason[1:].rstrip(".") + "."
