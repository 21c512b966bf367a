"""The verdict on text that was read: are there words in it, and how much of it is wrong?

A language model of characters makes words of its own, and short ones are met by chance in any language. Long words are
not: text drawn from the model has a share of words of five letters and more that the language knows, and a reading has
more of them only if letters were read that the model did not supply. If each long word were known with the probability
q of drawn text, k or more of n would be known with a probability of at most exp(-n KL(k/n, q)).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.verdict.language import drawn_text, entropy, gain
from labelfree.verdict.outcome import LEAST_EXPLAINED, LEAST_SAVED, Judgement, Outcome, Remedy, Verdict, chance

Ints = NDArray[np.int64]

LONG_WORD = 5
"""Letters of a word that is not met by chance."""

_WORD = re.compile(r"[^\W\d_]+(?:’[^\W\d_]+)*")
_LEAST_LONG = 0.002  # long words a symbol of text that is judged by its words
_SPOILED = 0.05  # share of the symbols of drawn text that are changed to see what a mistake costs


@dataclass(frozen=True, kw_only=True)
class ReadingVerdict(Judgement):
    """The verdict on a reading, in numbers; those of a `Judgement`, and what its words say.

    Attributes
    ----------
    long_words : int
        Words of five letters and more.
    known_words : float
        Share of these that the language knows.
    drawn_words : float
        The same of text drawn from the model of its characters.
    most_error : float
        What the expected error may be at most.
    """

    long_words: int
    known_words: float
    drawn_words: float
    most_error: float


@dataclass(frozen=True, eq=False)
class TextNorm:
    """What text of a language is like, by which a reading is judged.

    Parameters
    ----------
    lm : NGramLM
    words : WordList, optional
        The words of the language; without, N-grams alone judge.
    """

    lm: NGramLM
    words: WordList | None = None

    @cached_property
    def _drawn(self) -> tuple[Ints, NDArray[np.float64]]:
        texts = drawn_text(self.lm)
        logs = self.lm.log_probabilities(texts.ravel(), np.full(len(texts), texts.shape[1]))
        return texts, logs.reshape(texts.shape)

    @cached_property
    def own_log(self) -> float:
        """The log-probability of a symbol of the model's own text."""
        return float(self._drawn[1][:, self.lm.order :].mean())

    @cached_property
    def own_gain(self) -> float:
        """What the model explains of its own text, in nats a symbol."""
        return max(1e-9, self.own_log + entropy(np.asarray(self.lm.joint(1), np.float64)))

    @cached_property
    def cost_of_mistake(self) -> float:
        """Nats that a symbol put for another takes from the model's own text."""
        texts, logs = self._drawn
        rng = np.random.default_rng(1)
        spoiled = texts.ravel().copy()
        places = np.flatnonzero(rng.random(len(spoiled)) < _SPOILED)
        share = np.asarray(self.lm.joint(1), np.float64)
        spoiled[places] = rng.choice(len(share), len(places), p=share / share.sum())
        lost = logs.sum() - self.lm.log_probabilities(spoiled, np.full(len(texts), texts.shape[1])).sum()
        return max(1.0, float(lost) / max(1, int((spoiled != texts.ravel()).sum())))

    @cached_property
    def drawn_words(self) -> float:
        """Share of the long words of drawn text that the language knows."""
        texts = [self.lm.alphabet.decode(row) for row in self._drawn[0]]
        n, known = self.long_words(texts)
        return (known + 1) / (n + 2)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset() if self.words is None else frozenset(word.lower() for word in self.words.counts)

    @cached_property
    def has_words(self) -> bool:
        """Whether text of the language has long words, and some are known; signs and numerals are no words."""
        if not self._known or " " not in self.lm.alphabet:
            return False
        n, _ = self.long_words([self.lm.alphabet.decode(text) for text in self._drawn[0]])
        return n >= _LEAST_LONG * self._drawn[0].size

    def long_words(self, lines: Sequence[str]) -> tuple[int, int]:
        """How many words of five letters and more lines have within, and how many of them the language knows."""
        found = [word for line in lines for word in _words_within(line)]
        return len(found), sum(word.lower() in self._known for word in found)

    def odd_share(self, lines: Sequence[Ints]) -> float:
        """Share of the symbols that would have to be wrong for lines to be as unlikely as they are."""
        labels = np.concatenate([np.empty(0, np.int64), *lines])
        if not len(labels):
            return 0.0
        found = float(self.lm.log_probabilities(labels, np.array([len(line) for line in lines])).mean())
        return min(1.0, max(0.0, (self.own_log - found) / self.cost_of_mistake))

    def judge(self, lines: Sequence[Ints], *, expected_error: float, most_error: float) -> ReadingVerdict:
        """Judge lines that were read.

        Parameters
        ----------
        lines : sequence of arrays of int
            The symbols of each.
        expected_error : float
            Share of them expected to be wrong.
        most_error : float
            What it may be at most.

        Examples
        --------
        >>> text = "the quick ferry turned back before evening and nobody waited beside the empty tower. " * 9
        >>> norm = TextNorm(NGramLM.from_text(text, order=3), WordList.from_text(text))
        >>> lines = [norm.lm.alphabet.encode(text[i : i + 50]) for i in range(0, 600, 50)]
        >>> print(norm.judge(lines, expected_error=0.02, most_error=0.1).outcome)
        read
        >>> print(norm.judge([line[::-1] for line in lines], expected_error=0.02, most_error=0.1).outcome)
        stuck
        >>> print(norm.judge(lines[:1], expected_error=0.02, most_error=0.1).outcome)
        too little to know
        """
        labels = np.concatenate([np.empty(0, np.int64), *lines])
        explained = gain(self.lm, labels, np.array([len(line) for line in lines])) / self.own_gain
        n, known = self.long_words([self.lm.alphabet.decode(line) for line in lines]) if self.has_words else (0, 0)
        drawn = self.drawn_words if self.has_words else 0.0
        saved = nats_against_chance(known, n, drawn) if self.has_words else len(labels) * explained * self.own_gain
        said = self._outcome(explained, (n, known, drawn, saved), expected_error, most_error)
        return ReadingVerdict(
            outcome=said.outcome,
            reason=said.reason,
            remedies=said.remedies,
            explained=explained,
            long_words=n,
            known_words=known / n if n else 0.0,
            drawn_words=drawn,
            saved=saved,
            chance=chance(saved),
            expected_error=expected_error,
            most_error=most_error,
        )

    def _outcome(
        self, explained: float, words: tuple[int, int, float, float], expected_error: float, most_error: float
    ) -> Verdict:
        n, known, drawn, saved = words
        helps = (Remedy.OTHER_LANGUAGE, Remedy.NEARER_TEXT, Remedy.MORE_DATA)
        if self.has_words and saved < LEAST_SAVED:
            share = f"{known} of {n} words of five letters and more are words of the language"
            if known > drawn * n or n < LEAST_SAVED / -math.log(drawn):
                return Verdict(Outcome.TOO_LITTLE, f"{share}, too few to tell from chance", (Remedy.MORE_DATA,))
            return Verdict(Outcome.STUCK, f"{share}, and text made up letter by letter has {drawn:.0%}", helps)
        if not self.has_words and explained < LEAST_EXPLAINED:
            reason = f"the language explains {max(explained, 0):.0%} of what it explains of its own text, 50% wanted"
            return Verdict(Outcome.STUCK, reason, helps)
        if expected_error > most_error:
            reason = f"{expected_error:.0%} of the characters are expected to be wrong, at most {most_error:.0%} wanted"
            return Verdict(Outcome.STUCK, reason, (Remedy.MORE_DATA, Remedy.NEARER_TEXT, Remedy.OTHER_LANGUAGE))
        if not self.has_words:
            return Verdict(Outcome.READ, f"the language explains {explained:.0%} of what it explains of its own text")
        reason = f"{known} of {n} words of five letters and more are words of the language, {drawn:.0%} by chance"
        return Verdict(Outcome.READ, reason)


def nats_against_chance(known: int, n: int, share: float) -> float:
    """Nats that speak against so many of n known where chance knows a share; 0 where there are no more than that.

    Examples
    --------
    >>> nats_against_chance(3, 10, 0.3), round(nats_against_chance(9, 10, 0.3), 1)
    (0.0, 7.9)
    """
    found = known / n if n else 0.0
    if found <= share:
        return 0.0
    rest = (1 - found) * math.log((1 - found) / (1 - share)) if found < 1 else 0.0
    return n * (found * math.log(found / share) + rest)


def _words_within(line: str) -> Iterator[str]:
    """The long words of a line that neither its beginning nor its end may have cut."""
    for match in _WORD.finditer(line):
        is_whole = match.start() > 0 and match.end() < len(line) - 1
        if is_whole and len(match.group()) >= LONG_WORD:
            yield match.group()
