"""Choosing among the best readings of each line by what reaches further than the beam does.

A beam weighs a symbol against the few before it. A neural language model knows the whole line and the one before, and a
list of words knows which are whole. Both are asked about finished readings only, a few of each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.neural import NeuralLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader.prefix_beam_search import Candidate

Ints = NDArray[np.int64]

N_BEST = 24
"""Readings of a line to choose among."""

_REACH = 64  # symbols of the line before


@dataclass(frozen=True)
class Weights:
    """How much each source counts against the network's log-probability.

    Attributes
    ----------
    ngrams : float
        Of the language model that the beam was searched with.
    neural : float
    words : float
    """

    ngrams: float = 0.3
    neural: float = 0.2
    words: float = 0.4


@dataclass(frozen=True, eq=False)
class Rescorer:
    """What knows more of a language than its N-grams, and chooses readings by it.

    Attributes
    ----------
    neural : NeuralLM
    words : WordList
    """

    neural: NeuralLM
    words: WordList

    @classmethod
    def of(cls, language: BookLanguage) -> Rescorer | None:
        """What a language has to choose readings by; None where it has no neural model."""
        if language.neural is None or language.words is None:
            return None
        return cls(language.neural, language.words)

    def choose(self, candidates: Sequence[Sequence[Candidate]], lm: NGramLM) -> list[Ints]:
        """A reading of each line, as `rescore` chooses it."""
        return rescore(candidates, lm, self.neural, self.words)


def rescore(
    candidates: Sequence[Sequence[Candidate]],
    lm: NGramLM,
    neural: NeuralLM | None = None,
    words: WordList | None = None,
    weights: Weights | None = None,
) -> list[Ints]:
    """Choose a reading of each line.

    Parameters
    ----------
    candidates : sequence of sequences of Candidate
        The readings of each line, the best first, as `best_readings` gives them; lines in the order of the text, as
        each is taken to go on where the one before it ends.
    lm : NGramLM
        That they were found with.
    neural : NeuralLM, optional
    words : WordList, optional
    weights : Weights, optional

    Returns
    -------
    list of arrays of int64
        The labels of each line.
    """
    if not all(candidates):
        empty = next(i for i, line in enumerate(candidates) if not line)
        raise InputError(f"line {empty} has no reading to choose from, one or more wanted; leave it out")
    if neural is not None and neural.alphabet != lm.alphabet:
        raise InputError("the neural language model has other symbols than the N-grams, the same wanted; train it anew")
    scoring = _Scoring(lm, neural, words, weights or Weights())
    opening = scoring.opening
    chosen = [line[0].labels for line in candidates]
    before: list[Ints | None] = [None] * len(candidates)
    for _ in range(2):  # a choice changes what the next line goes on from
        now = [opening, *(np.concatenate([labels[-_REACH:], opening]) for labels in chosen[:-1])]
        changed = [i for i, (old, new) in enumerate(zip(before, now, strict=False)) if not _alike(old, new)]
        picked = scoring.best([candidates[i] for i in changed], [now[i] for i in changed])
        for i, labels in zip(changed, picked, strict=True):
            chosen[i], before[i] = labels, now[i]
    return chosen


@dataclass(frozen=True, eq=False)
class _Scoring:
    """All that has a say."""

    lm: NGramLM
    neural: NeuralLM | None
    words: WordList | None
    weights: Weights

    @property
    def opening(self) -> Ints:
        """What stands between two lines."""
        return np.array([self.lm.alphabet.index(" ")] if " " in self.lm.alphabet else [], np.int64)

    def best(self, candidates: Sequence[Sequence[Candidate]], before: Sequence[Ints]) -> list[Ints]:
        """The labels of each line that score best after what stands before it."""
        counts = [len(line) for line in candidates]
        flat = [candidate for line in candidates for candidate in line]
        labels = [candidate.labels for candidate in flat]
        contexts = [context for context, count in zip(before, counts, strict=True) for _ in range(count)]
        scores = np.array([one.network + self.weights.ngrams * one.language for one in flat])
        if self.neural is not None and self.weights.neural:
            alone = np.log(np.maximum(np.asarray(self.lm.joint(1), np.float64), 1e-300))
            ahead = self.neural.log_probabilities(labels, contexts) - [alone[found].sum() for found in labels]
            scores += self.weights.neural * ahead
        if self.words is not None and self.weights.words:
            scores += self.weights.words * self.words.gains(labels, self.lm, contexts)
        ends = np.cumsum(counts)
        firsts = [
            int(end - count + scores[end - count : end].argmax()) for end, count in zip(ends, counts, strict=True)
        ]
        return [labels[i] for i in firsts]


def _alike(old: Ints | None, new: Ints) -> bool:
    return old is not None and np.array_equal(old, new)
