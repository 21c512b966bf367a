"""Whether a result is to be believed, in a sentence for people; all that reports know of verdicts stands here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelfree.cipher import Deciphered
    from labelfree.estimator import SequenceClassifier
    from labelfree.ocr.reader import Reader
    from labelfree.ocr.types import Document


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
    def of_book(cls, reader: Reader, document: Document) -> Verdict:
        """On what a reader made of scans."""
        glyphs = [glyph for page in document.pages for line in page.lines for glyph in line.glyphs]
        error = 1 - sum(glyph.confidence for glyph in glyphs) / len(glyphs) if glyphs else None
        return cls(reader.converged, _reason(reader.classifier, believed=reader.converged), error)

    @classmethod
    def of_classifier(cls, classifier: SequenceClassifier) -> Verdict:
        """On a fit."""
        believed = bool(classifier.converged_)
        told = "It learned to read these sequences." if believed else "It did not learn: do not believe these labels."
        return cls(believed, _reason(classifier, believed=believed), told=told)

    @classmethod
    def of_cipher(cls, found: Deciphered) -> Verdict:
        """On a plaintext."""
        sure = sum(found.confidence.values()) / len(found.confidence) if found.confidence else 0.0
        how = f"Found by {found.method}, the text taken as {found.layout}; {found.score:.2f} nats a letter."
        if found.converged:
            return cls(True, f"{how} The signs of the key are {sure:.0%} sure on average.", told="It is deciphered.")
        return cls(
            False,
            f"{how} No key stands out from the others; a longer text, --mend, or a language model of nearer text "
            "(--text) may help.",
            told="It is not deciphered: do not believe this text.",
        )

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


def _reason(classifier: SequenceClassifier, *, believed: bool) -> str:
    judged = classifier.diagnosis_
    if not believed or judged.message:
        told = judged.message or "the classifier did not converge"
        return told[0].upper() + told[1:].rstrip(".") + "."
    return (
        f"What comes out is as near to the language as wanted: {judged.kl:.3f} nats from it, below "
        f"{judged.wanted_kl:.3f}; {judged.coverage:.0%} of the language's symbols, by frequency, come out."
    )
