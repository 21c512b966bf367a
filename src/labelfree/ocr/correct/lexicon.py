"""Words, of what was read and of a language, and what whole words tell of each of their letters.

A model of characters knows parts of words, and to it MUSITANIA'S MAST is spelled as well as LUSITANIA'S LAST. With w a
word, f(w) its share of the language's words, p(w) its probability by the characters and u the share of words that are
new, a text is likelier than its characters say by

    log ( (1 - u) f(w) / p(w)  +  u ).

What was read tells u: it is the share of its words that the language does not have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import Floats, Ints
from labelfree.ocr.correct.context import Spellings
from labelfree.ocr.correct.settings import DEFAULT


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

    def __init__(self, words: WordList, least_new: float = DEFAULT.words.new) -> None:
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
        found = [zip(word, same[i], self.spelled[same[i]], strict=True) for i in np.flatnonzero(others <= most)]
        return ["".join(capital if read.isupper() else small for read, capital, small in each) for each in found]

    def log_share(self, word: str) -> float:
        return float(np.log((1 - self.new) * self.times[in_capitals(word)] / self.total))


class WholeWords:
    """What the words of a language say of letters that were read, where some spellings are candidates."""

    def __init__(
        self, read: Sequence[Ints], lm: NGramLM, vocabulary: Vocabulary, spellings: Spellings, candidates: Ints
    ) -> None:
        symbols = lm.alphabet.symbols
        self._line = np.repeat(np.arange(len(read)), [len(line) for line in read])
        self._hyphen = symbols.index("-") if "-" in symbols else -1
        self._is_word = np.array([symbol.isalpha() for symbol in symbols])[spellings.symbols]
        self._letters = [in_capitals(symbols[i]) for i in spellings.symbols.tolist()]
        self._joins = spellings.joins.tolist()
        self._n_candidates = len(candidates)
        self._by_letters: dict[tuple[str, bool], list[int]] = defaultdict(list)
        for place, i in enumerate(candidates.tolist()):
            if self._is_word[i]:
                self._by_letters[self._letters[i], self._joins[i]].append(place)
        new = min(max(vocabulary.new, _share_of_new(read, symbols, vocabulary)), 1 - vocabulary.new)
        self._gain_of_new = float(np.log(new))
        self._gain_of = _gains(vocabulary, lm, new)
        self._places = {
            joins: [place for (_, is_join), each in self._by_letters.items() if is_join == joins for place in each]
            for joins in (False, True)
        }
        self._longer = [letters for letters in {each for each, _ in self._by_letters} if len(letters) > 1]
        self._of_pattern = _patterns(self._gain_of)
        self._said: dict[tuple[int, ...], Floats] = {}

    def say(self, spelled: Ints, characters: Ints) -> Floats:
        """How much likelier each candidate makes the words that some characters are part of, these in rising order.

        The shape is (characters, candidates). Nothing is said of what is no word or may be cut short by a line's end.
        """
        found = np.zeros((len(characters), self._n_candidates))
        in_word = self._is_word[spelled]
        begins = np.ones(len(spelled) + 1, np.bool_)
        begins[1:-1] = (in_word[1:] != in_word[:-1]) | (self._line[1:] != self._line[:-1])
        edges = np.flatnonzero(begins)
        asked = np.flatnonzero(in_word[characters])
        if not len(asked):
            return found
        runs, first = np.unique(np.searchsorted(edges, characters[asked], "right") - 1, return_index=True)
        for run, own in zip(runs.tolist(), np.split(asked, first[1:]), strict=True):
            start, end = int(edges[run]), int(edges[run + 1])
            if self._is_whole(spelled, start, end):
                found[own] = self._of_word(tuple(spelled[start:end].tolist()))[characters[own] - start]
        return found

    def _is_whole(self, spelled: Ints, start: int, end: int) -> bool:
        """Whether letters from start to end are a word, not a part of one that a line's end breaks."""
        line = self._line[start]
        goes_on = end < len(spelled) and self._line[end] == line and spelled[end] == self._hyphen
        is_rest = start > 0 and self._line[start - 1] != line and spelled[start - 1] == self._hyphen
        return not goes_on and not is_rest

    def _of_word(self, word: tuple[int, ...]) -> Floats:
        if word not in self._said:
            as_it_is = self._gain_of.get(self._added("", word), self._gain_of_new)
            found = np.full((len(word), self._n_candidates), as_it_is)
            for i in range(len(word)):
                before, after = self._added("", word[:i]), word[i + 1 :]
                for joins in (False, True):
                    found[i, self._places[joins]] = self._gain_of_new
                    for letters, gain in self._words_with(before[:-1] if joins else before, after):
                        found[i, self._by_letters.get((letters, joins), [])] = gain
            self._said[word] = found
        return self._said[word]

    def _words_with(self, before: str, after: tuple[int, ...]) -> Iterator[tuple[str, float]]:
        """What may stand between letters and some characters to make a word, and how much likelier that is."""
        if after and self._joins[after[0]]:  # the last of the letters in between gives way
            for letters in {each for each, _ in self._by_letters}:
                word = self._added(before + letters, after)
                if word in self._gain_of:
                    yield letters, self._gain_of[word]
            return
        rest = self._added("", after)
        yield from self._of_pattern.get(hash((before, rest)), ())
        for letters in self._longer:
            if (word := before + letters + rest) in self._gain_of:
                yield letters, self._gain_of[word]

    def _added(self, letters: str, spelled: tuple[int, ...]) -> str:
        """Letters, and after them what some characters are spelled as."""
        for each in spelled:
            letters = (letters[:-1] if self._joins[each] else letters) + self._letters[each]
        return letters


def _patterns(gain_of: Mapping[str, float]) -> dict[int, list[tuple[str, float]]]:
    """For what stands around a letter, by its hash, the letters that make it a word."""
    found: dict[int, list[tuple[str, float]]] = defaultdict(list)
    for word, gain in gain_of.items():
        for i, letter in enumerate(word):
            found[hash((word[:i], word[i + 1 :]))].append((letter, gain))
    return dict(found)


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
    known = set(alphabet.symbols)
    words = [word for word in vocabulary.times if word.isalpha() and known.issuperset(vocabulary.spelled[word])]
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
