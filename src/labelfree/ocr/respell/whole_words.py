"""What whole words tell of each of their letters.

A model of characters knows parts of words: MAST and LAST are both likely spellings, MUSITANIA an unlikely one, LUSTY
and LUSTS about as likely. With w a word, f(w) its share of the language's words, p(w) its probability by the characters
and u the share of words that are new, a text is likelier than its characters say by

    log ( (1 - u) f(w) / p(w)  +  u ).

What was read tells u: it is the share of its words that the language does not have.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.respell.vocabulary import Vocabulary, find_words, in_capitals

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class WholeWords:
    """Words of a language, and what they say of letters that were read.

    Parameters
    ----------
    read : sequence of arrays of int
        What each line was read as.
    lm : NGramLM
    words : WordList
    candidates : array of int
        What a character may be: symbols, and other spellings, of which words say nothing.
    """

    def __init__(self, read: Sequence[Ints], lm: NGramLM, words: WordList, candidates: Ints) -> None:
        symbols = lm.alphabet.symbols
        vocabulary = Vocabulary(words)
        self._line = np.repeat(np.arange(len(read)), [len(line) for line in read])
        self._is_letter = np.array([symbol.isalpha() for symbol in symbols])
        self._hyphen = symbols.index("-") if "-" in symbols else -1
        self._capitals = [in_capitals(symbol) for symbol in symbols]
        self._letter_of = [
            self._capitals[i] if i < len(symbols) and self._is_letter[i] else None for i in candidates.tolist()
        ]
        new = max(vocabulary.new, _share_of_new(read, symbols, vocabulary))
        self._gain_of_new = float(np.log(new))
        self._gain_of = _gains(vocabulary, lm, new)
        self._said: dict[tuple[int, ...], Floats] = {}

    def say(self, spelled: Ints, characters: Ints) -> Floats:
        """How much likelier each candidate makes the words that some characters are part of.

        Parameters
        ----------
        spelled : array of shape (n,)
            Candidates that the characters of all lines are for now.
        characters : array of shape (m,)
            In rising order.

        Returns
        -------
        array of shape (m, candidates)
            Zero for characters of no word, and of those that a line's end may have cut short.
        """
        found = np.zeros((len(characters), len(self._letter_of)))
        is_symbol = spelled < len(self._is_letter)
        in_word = is_symbol & self._is_letter[np.where(is_symbol, spelled, 0)]
        begins = np.ones(len(spelled) + 1, np.bool_)
        begins[1:-1] = (in_word[1:] != in_word[:-1]) | (self._line[1:] != self._line[:-1])
        edges = np.flatnonzero(begins)
        asked = np.flatnonzero(in_word[characters])
        runs, first = np.unique(np.searchsorted(edges, characters[asked], "right") - 1, return_index=True)
        for run, own in zip(runs.tolist(), np.split(asked, first[1:]), strict=True):
            start, end = int(edges[run]), int(edges[run + 1])
            if self._is_whole(spelled, start, end):
                found[own] = self._of_word(tuple(spelled[start:end].tolist()))[characters[own] - start]
        return found

    def _is_whole(self, spelled: Ints, start: int, end: int) -> bool:
        """Whether letters from start to end are a word, not a part of one that is broken or has another spelling."""
        line = self._line[start]
        after = spelled[end] if end < len(spelled) and self._line[end] == line else -1
        before = spelled[start - 1] if start and self._line[start - 1] == line else -1
        goes_on = start > 0 and before < 0 and spelled[start - 1] == self._hyphen
        return not goes_on and after != self._hyphen and max(before, after) < len(self._is_letter)

    def _of_word(self, word: tuple[int, ...]) -> Floats:
        if word not in self._said:
            letters = [self._capitals[i] for i in word]
            as_read = self._gain("".join(letters))
            self._said[word] = np.array(
                [
                    [
                        as_read if other is None else self._gain("".join([*letters[:i], other, *letters[i + 1 :]]))
                        for other in self._letter_of
                    ]
                    for i in range(len(word))
                ]
            )
        return self._said[word]

    def _gain(self, word: str) -> float:
        return self._gain_of.get(word, self._gain_of_new)


def _share_of_new(read: Sequence[Ints], symbols: Sequence[str], vocabulary: Vocabulary) -> float:
    """The share of words of two letters or more that a language does not have."""
    times = {word: len(starts) for word, starts in find_words(read, symbols).items() if len(word) > 1}
    new = sum(n for word, n in times.items() if not vocabulary.has(word))
    return new / max(sum(times.values()), 1)


def _gains(vocabulary: Vocabulary, lm: NGramLM, new: float) -> dict[str, float]:
    """For each word how much likelier it is than its characters say."""
    alphabet = lm.alphabet
    if " " not in alphabet:
        return {}
    words = [
        word
        for word in vocabulary.times
        if word.isalpha() and all(letter in alphabet for letter in vocabulary.spelled[word])
    ]
    if not words:
        return {}
    row = alphabet.encode(" ".join(["", *(vocabulary.spelled[word] for word in words), ""]))
    spaces = np.flatnonzero(row == alphabet.index(" "))
    spelled = [row[before : after + 1] for before, after in pairwise(spaces.tolist())]
    lengths = np.diff(spaces) + 1
    starts = np.cumsum(lengths) - lengths
    logs = lm.log_probabilities(np.concatenate(spelled), lengths)
    logs[starts] = 0.0
    by_characters = np.add.reduceat(logs, starts)
    shares = np.array([vocabulary.times[word] for word in words]) / vocabulary.total
    gains = np.logaddexp(np.log((1 - new) * shares) - by_characters, np.log(new))
    return dict(zip(words, gains.tolist(), strict=True))
