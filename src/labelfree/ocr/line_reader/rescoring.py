"""Choosing among the best readings of each line by what reaches further than the beam does.

A beam weighs a symbol against the few before it. A neural language model knows the whole line and the one before, and a
list of words knows which are whole. Both are asked about finished readings only, a few of each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.neural import NeuralLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.line_reader.prefix_beam_search import Candidate

Ints = NDArray[np.int64]

_REACH = 64  # symbols of the line before


@dataclass(frozen=True)
class Weights:
    """How much each source counts against the network's log-probability."""

    ngrams: float = 0.3  # of the language model that the beam was searched with
    neural: float = 0.2
    words: float = 0.4


@dataclass(frozen=True, eq=False)
class Rescorer:
    """What knows more of a language than its N-grams, and chooses readings by it."""

    neural: NeuralLM | None = None
    words: WordList | None = None
    weights: Weights = field(default_factory=Weights)

    @classmethod
    def of(cls, language: BookLanguage) -> Rescorer | None:
        """What a language has to choose readings by; None where it has no neural model."""
        if language.neural is None or language.words is None:
            return None
        return cls(language.neural, language.words)

    def choose(self, candidates: Sequence[Sequence[Candidate]], lm: NGramLM) -> list[Ints]:
        """Choose among the readings of each line, as `best_readings` found them with this language model.

        Lines are in the order of the text: each is taken to go on where the one before it ends.
        """
        if self.neural is not None and self.neural.alphabet != lm.alphabet:
            raise InputError(
                "the neural language model has other symbols than the N-grams, the same wanted; train it anew"
            )
        opening = np.array([lm.alphabet.index(" ")] if " " in lm.alphabet else [], np.int64)  # between two lines
        chosen = [line[0].labels for line in candidates]
        before: list[Ints | None] = [None] * len(candidates)
        for _ in range(2):  # a choice changes what the next line goes on from
            now = [opening, *(np.concatenate([labels[-_REACH:], opening]) for labels in chosen[:-1])]
            changed = [
                i
                for i, (old, new) in enumerate(zip(before, now, strict=False))
                if old is None or not np.array_equal(old, new)
            ]
            picked = self._best([candidates[i] for i in changed], [now[i] for i in changed], lm)
            for i, labels in zip(changed, picked, strict=True):
                chosen[i], before[i] = labels, now[i]
        return chosen

    def _best(self, candidates: Sequence[Sequence[Candidate]], before: Sequence[Ints], lm: NGramLM) -> list[Ints]:
        """The labels of each line that score best after what stands before it."""
        counts = [len(line) for line in candidates]
        flat = [candidate for line in candidates for candidate in line]
        labels = [candidate.labels for candidate in flat]
        contexts = [context for context, count in zip(before, counts, strict=True) for _ in range(count)]
        scores = np.array([one.network + self.weights.ngrams * one.language for one in flat])
        if self.neural is not None and self.weights.neural:
            alone = np.log(np.maximum(np.asarray(lm.joint(1), np.float64), 1e-300))
            ahead = self.neural.log_probabilities(labels, contexts) - [alone[found].sum() for found in labels]
            scores += self.weights.neural * ahead
        if self.words is not None and self.weights.words:
            scores += self.weights.words * self.words.gains(labels, lm, contexts)
        starts = np.cumsum(counts) - counts
        best = [start + scores[start : start + count].argmax() for start, count in zip(starts, counts, strict=True)]
        return [labels[i] for i in best]
