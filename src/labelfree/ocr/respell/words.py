"""Words that the language does not have, put right by words that it has.

A reader of lines learns words by heart, such as those of a running head, with a mistake in them: no tile of TOWAGE
shows a T or a W, and yet it reads so on every page. What the tiles of a word show is told by tiles of other words that
look like them. With w a word, e(c) the log of the share of its neighbours that a tile has among those read as c, n the
times that the word was read and f, u and p as in `lm.wordlist`,

    sqrt(n) sum_i e(w_i)  +  log ((1 - u) f(w)  or, for what was read,  u p(w))

has to be larger by MARGIN for a word that the language has, as long, with a few other letters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.capitals import capital_of
from labelfree.solvers.monitor import Monitor

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LEAST = 4  # letters of a word
_OTHERS = 3  # letters of which one may be another, and of those at most so many
_NEW = 0.02  # of the words, taken to be new at least: a book has names of its own
_MARGIN = 9.0
_UNSEEN = 8.0  # nats for another letter than was read where no tile shows it
_LOOKED_AT = 20_000  # tiles to compare with
_NEIGHBOURS = 200  # from which those of the same word are left out
_NEAR = 24
_SCALE = 4.0  # squared distances between tiles most alike, beyond which one says little of another
_FAINT = 3e-4  # of a neighbour's weight, shared by all letters


def put_words_right(
    read: Sequence[Ints],
    tile_of: Ints,
    rows: NDArray[np.floating],
    lm: NGramLM,
    words: WordList,
    *,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> list[Ints]:
    """Give words that are not in a list the letters of one that is, where the tiles allow it.

    Parameters
    ----------
    read : sequence of arrays of int
        What each line was read as.
    tile_of : array of shape (n,)
        For each character of all lines the tile that shows it, or -1.
    rows : array of shape (tiles, d)
        Features of the tiles.
    lm : NGramLM
    words : WordList
    seed : int
    monitor : Monitor, optional
        Hears how far it is.

    Returns
    -------
    list of arrays
        What each line says, as long as it was.
    """
    if not read:
        return []
    labels = np.concatenate(read)
    found = _find_words(read, lm.alphabet.symbols)
    known = _KnownWords(words)
    doubtful = {word: starts for word, starts in found.items() if len(word) >= _LEAST and not known.has(word)}
    if doubtful:
        monitor = monitor or Monitor()
        monitor.stage("looking up words", 0, len(doubtful))
        looks = _Looks(labels, tile_of, rows, found, doubtful, lm, seed)
        for number, (word, starts) in enumerate(doubtful.items(), 1):
            monitor.stage("looking up words", number, len(doubtful))
            right = _put_right(word, starts, looks, known, lm)
            if right is not None:
                labels[np.array(starts)[:, None] + np.arange(len(word))] = right
    return np.split(labels, np.cumsum([len(line) for line in read])[:-1])


def _find_words(read: Sequence[Ints], symbols: Sequence[str]) -> dict[str, list[int]]:
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


def _capitals(word: str) -> str:
    """The word with every letter that has a capital of one letter as such."""
    return "".join(capital if len(capital := letter.upper()) == 1 else letter for letter in word)


class _KnownWords:
    """The words of a language whichever letters are capitals."""

    def __init__(self, words: WordList) -> None:
        self.times: Counter[str] = Counter()
        spelled: dict[str, str] = {}
        for word, count in sorted(words.counts.items(), key=lambda each: each[1]):
            capitals = _capitals(word)
            self.times[capitals] += count
            spelled[capitals] = word.lower()  # as it is spelled most often
        self.total = self.times.total()
        self.new = max(_NEW, words.new)
        self.spelled: Mapping[str, str] = spelled
        by_length = defaultdict(list)
        for capitals in self.times:
            if capitals.isalpha() and len(spelled[capitals]) == len(capitals):
                by_length[len(capitals)].append(capitals)
        self.by_length = {
            length: (np.array([list(map(ord, word)) for word in same]), same) for length, same in by_length.items()
        }

    def has(self, word: str) -> bool:
        return _capitals(word) in self.times

    def like(self, word: str) -> list[str]:
        """Words as long with few other letters, their capitals where the word has them."""
        if len(word) not in self.by_length:
            return []
        letters, same = self.by_length[len(word)]
        others = (letters != np.array(list(map(ord, _capitals(word))))).sum(1)
        return [
            "".join(
                capital if read.isupper() else small
                for read, capital, small in zip(word, same[i], self.spelled[same[i]], strict=True)
            )
            for i in np.flatnonzero(others <= min(max(1, len(word) // _OTHERS), _OTHERS))
        ]

    def log_share(self, word: str) -> float:
        return float(np.log((1 - self.new) * self.times[_capitals(word)] / self.total))


class _Looks:
    """What the tiles of some words show, told by those of others."""

    def __init__(
        self,
        labels: Ints,
        tile_of: Ints,
        rows: NDArray[np.floating],
        words: Mapping[str, Sequence[int]],
        asked: Mapping[str, Sequence[int]],
        lm: NGramLM,
        seed: int,
    ) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.n_symbols = len(lm.alphabet)
        self.capital = capital_of(lm.alphabet)
        self.labels = labels
        self.word_of = np.full(len(labels), -1)
        for number, (word, starts) in enumerate(words.items()):
            for start in starts:
                self.word_of[start : start + len(word)] = number
        is_letter = np.array([symbol.isalpha() for symbol in lm.alphabet.symbols])
        seen = np.flatnonzero((tile_of >= 0) & is_letter[labels])
        self.seen = np.sort(np.random.default_rng(seed).permutation(seen)[:_LOOKED_AT])
        characters = np.array([i for word, starts in asked.items() for at in starts for i in range(at, at + len(word))])
        characters = characters[tile_of[characters] >= 0]
        self.place = np.full(len(labels), -1)
        self.place[characters] = np.arange(len(characters))
        if not len(characters):
            return
        compared = rows[tile_of[self.seen]]
        nearest = NearestNeighbors(n_neighbors=min(_NEIGHBOURS, len(compared)), algorithm="brute").fit(compared)
        distance, self.near = nearest.kneighbors(rows[tile_of[characters]])
        between = nearest.kneighbors(compared[: _NEIGHBOURS * 5], n_neighbors=min(2, len(compared)))[0][:, -1]
        scale = _SCALE * max(float(np.median(between**2)), 1e-9)
        self.weight = np.exp(-np.maximum(distance**2 - scale / 2, 0) / scale)

    def of(self, word: str, starts: Sequence[int]) -> Floats:
        """For each letter of a word the log of what its tiles say of every symbol, on average."""
        in_capitals = word.isupper()
        found = []
        for i in range(len(word)):
            characters = np.array(starts) + i
            seen = characters[self.place[characters] >= 0]
            if len(seen):
                found.append(np.mean([self._of_character(c, in_capitals) for c in seen.tolist()], 0))
            else:
                found.append(np.where(np.arange(self.n_symbols) == self.labels[characters[0]], 0.0, -_UNSEEN))
        return np.stack(found)

    def _of_character(self, character: int, in_capitals: bool) -> Floats:
        place = self.place[character]
        near = self.seen[self.near[place]]
        other = np.flatnonzero(self.word_of[near] != self.word_of[character])[:_NEAR]
        said = self.labels[near[other]]
        shares = np.full(self.n_symbols, _FAINT / self.n_symbols)
        np.add.at(shares, self.capital[said] if in_capitals else said, self.weight[place, other] / _NEAR)
        logs: Floats = np.log(shares / shares.sum())
        return logs


def _put_right(word: str, starts: Sequence[int], looks: _Looks, known: _KnownWords, lm: NGramLM) -> Ints | None:
    """The symbols of the word that a word must be, or nothing if it may be a new one."""
    alphabet = lm.alphabet
    like = [other for other in known.like(word) if all(letter in alphabet for letter in other)]
    if not like:
        return None
    spelled = np.array([[alphabet.index(letter) for letter in other] for other in [word, *like]])
    says = np.sqrt(len(starts)) * looks.of(word, starts)[np.arange(len(word)), spelled].sum(1)
    prior = [_log_as_new(word, known, lm), *map(known.log_share, like)]
    scores = says + prior
    best = int(scores[1:].argmax()) + 1
    return spelled[best] if scores[best] > scores[0] + _MARGIN else None


def _log_as_new(word: str, known: _KnownWords, lm: NGramLM) -> float:
    """The log of the share of a new word, spelled in small letters as most words are."""
    alphabet = lm.alphabet
    small = "".join(s if (s := letter.lower()) in alphabet else letter for letter in word)
    space = [alphabet.index(" ")] if " " in alphabet else []
    labels = np.array([*space, *(alphabet.index(letter) for letter in small), *space])
    logs = lm.log_probabilities(labels, np.array([len(labels)]))
    return float(np.log(known.new) + logs[len(space) :].sum())
