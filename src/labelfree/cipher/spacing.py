"""Word spaces for a text that has none, by the words of the language and its N-grams.

With w a word, f its share of the text's words and u the share of words that the list does not know, a word has

    (1 - u) f(w)  +  u p(w, space | space),

so that unknown words, and those with a letter read wrongly, are spelled by the N-grams. The likeliest words win.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM

_LONGEST = 24
_UNKNOWN = 0.02
_PIECE = 4000  # letters spelled at once
_LEAST = 1e-300  # of any word, so that there is a logarithm


@dataclass(frozen=True, eq=False)
class Spacing:
    """The words of a language.

    Parameters
    ----------
    lm : NGramLM
        N-grams of letters and the space.
    words : mapping of str to float
        Words and how often each occurs; the N-grams alone decide where there are none.

    Examples
    --------
    >>> spacing = Spacing(NGramLM.from_text("the cat sat on the mat " * 9, order=3), {"the": 2, "cat": 1, "sat": 1})
    >>> spacing.word_ends("thecatsat")
    [3, 6]
    """

    lm: NGramLM
    words: Mapping[str, float] = field(default_factory=dict)

    def word_ends(self, letters: str) -> list[int]:
        """After how many letters each word ends but the last one; none where the model knows no space."""
        if " " not in self.lm.alphabet:
            return []
        words: Counter[str] = Counter()
        for word, count in self.words.items():  # a cipher drops what is no letter, as in don't
            words["".join(filter(str.isalpha, word))] += count  # type: ignore[assignment]
        unknown = _UNKNOWN if words else 1.0
        total = sum(words.values()) / (1 - unknown) if words else 1.0
        shares = {word: count / total for word, count in words.items()}
        best, came = [0.0] + [-math.inf] * len(letters), [0] * (len(letters) + 1)
        for begin in range(0, len(letters), _PIECE):
            spelled = (unknown * np.exp(self._spelled(letters[begin : begin + _PIECE + _LONGEST]))).tolist()
            for start in range(begin, min(begin + _PIECE, len(letters))):
                so_far, chances = best[start], spelled[start - begin]
                for length in range(1, min(_LONGEST, len(letters) - start) + 1):
                    known = shares.get(letters[start : start + length], 0.0)
                    score = so_far + math.log(known + chances[length - 1] + _LEAST)
                    if score > best[start + length]:
                        best[start + length], came[start + length] = score, start
        ends, end = [], len(letters)
        while end := came[end]:
            ends.append(end)
        return ends[::-1]

    def _spelled(self, letters: str) -> NDArray[np.float64]:
        """Log p of every stretch as a word, (begins, lengths)."""
        space = self.lm.alphabet.index(" ")
        ids = np.append(self.lm.alphabet.encode(letters), np.full(_LONGEST, space))
        rows = np.lib.stride_tricks.sliding_window_view(ids, _LONGEST)[: len(letters)]
        rows = np.concatenate([np.full((len(rows), 1), space), rows], axis=1)
        logs = self.lm.log_probabilities(rows.ravel(), np.full(len(rows), rows.shape[1])).reshape(rows.shape)
        ending = np.empty((len(rows), _LONGEST))
        for length in range(1, _LONGEST + 1):
            context = rows[:, max(0, length + 2 - self.lm.order) : length + 1]
            ending[:, length - 1] = self._after(context, space)
        return np.asarray(logs[:, 1:].cumsum(axis=1) + ending, np.float64)

    def _after(self, contexts: NDArray[np.int64], symbol: int) -> NDArray[np.float64]:
        """Log p of a symbol after contexts, each looked up once."""
        rows = np.concatenate([contexts, np.full((len(contexts), 1), symbol)], axis=1)
        logs = self.lm.log_probabilities(rows.ravel(), np.full(len(rows), rows.shape[1]))
        return np.asarray(logs.reshape(rows.shape)[:, -1])
