"""Words, of what was read and of a language, the latter whichever of their letters are capitals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.lm.wordlist import WordList
from labelfree.ocr.correct.settings import WordSettings

Ints = NDArray[np.int64]


def find_words(read: Sequence[Ints], symbols: Sequence[str]) -> dict[str, list[int]]:
    """Where each word begins, among the characters of all lines; those with a hyphen or a ligature left out."""
    is_letter = np.array([symbol.isalpha() for symbol in symbols])
    found, start, is_broken = defaultdict(list), 0, False
    for line in read:
        runs = np.flatnonzero(np.diff(np.concatenate([[False], is_letter[line], [False]]).astype(np.int8)))
        for first, end in runs.reshape(-1, 2).tolist():
            word = "".join(symbols[i] for i in line[first:end])
            goes_on = end < len(line) and symbols[line[end]] == "-"
            if len(word) == end - first and not goes_on and not (first == 0 and is_broken):
                found[word].append(start + first)
        start += len(line)
        is_broken = bool(len(line)) and symbols[line[-1]] == "-"
    return dict(found)


def in_capitals(word: str) -> str:
    """The word with every letter that has a capital of one letter as such."""
    return "".join(capital if len(capital := letter.upper()) == 1 else letter for letter in word)


class Vocabulary:
    """The words of a language whichever letters are capitals."""

    def __init__(self, words: WordList, least_new: float = WordSettings().new) -> None:
        self.times: Counter[str] = Counter()
        spelled: dict[str, str] = {}
        for word, count in sorted(words.counts.items(), key=lambda each: each[1]):
            capitals = in_capitals(word)
            self.times[capitals] += count
            spelled[capitals] = word.lower()  # as it is spelled most often
        self.total = self.times.total()
        self.new = max(least_new, words.new)
        self.spelled: Mapping[str, str] = spelled
        by_length = defaultdict(list)
        for capitals in self.times:
            if capitals.isalpha() and len(spelled[capitals]) == len(capitals):
                by_length[len(capitals)].append(capitals)
        self.by_length = {
            length: (np.array([list(map(ord, word)) for word in same]), same) for length, same in by_length.items()
        }

    def has(self, word: str) -> bool:
        return in_capitals(word) in self.times

    def like(self, word: str, most: int) -> list[str]:
        """Words as long with at most so many other letters, their capitals where the word has them."""
        if len(word) not in self.by_length:
            return []
        letters, same = self.by_length[len(word)]
        others = (letters != np.array(list(map(ord, in_capitals(word))))).sum(1)
        return [
            "".join(
                capital if read.isupper() else small
                for read, capital, small in zip(word, same[i], self.spelled[same[i]], strict=True)
            )
            for i in np.flatnonzero(others <= most)
        ]

    def log_share(self, word: str) -> float:
        return float(np.log((1 - self.new) * self.times[in_capitals(word)] / self.total))
