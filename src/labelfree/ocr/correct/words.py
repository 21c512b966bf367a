"""Words that the language does not have, corrected to words that it has.

A reader of lines learns words by heart, such as those of a running head, with a mistake in them: no tile of TOWAGE
shows a T or a W, and yet it reads so on every page. What the tiles of a word show is told by tiles of other words that
look like them. With w a word, e(c) the log of the share of its neighbours that a tile has among those read as c, n the
times that the word was read and f, u and p as in `lm.wordlist`,

    sqrt(n) sum_i e(w_i)  +  log ((1 - u) f(w)  or, for what was read,  u p(w))

has to be larger by a margin for a word that the language has, as long, with a few other letters; a word read again and
again, such as that of a head, may have more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from labelfree import progress
from labelfree.lm import NGramLM
from labelfree.ocr.book import Book, Floats, Ints, Reading
from labelfree.ocr.correct.lexicon import Vocabulary, find_words
from labelfree.ocr.correct.places import tiles_of
from labelfree.ocr.correct.settings import DEFAULT, WordSettings
from labelfree.ocr.glyphs.capitals import capital_of

_MORE = 8  # times as many neighbours are looked up, from which those of the same word are left out


def correct_words(book: Book, reading: Reading, *, seed: int = 0, settings: WordSettings = DEFAULT.words) -> Reading:
    """Give words that the language does not have the letters of one that it has, where the tiles allow it."""
    lm, words = book.language.lm, book.language.words
    if words is None:
        return reading
    labels = reading.labels.copy()
    starts = find_words(reading.line_labels, lm.alphabet.symbols)
    known = Vocabulary(words, settings.new)
    doubtful = [word for word in starts if len(word) > settings.other_letters and not known.has(word)]
    if doubtful:
        progress.stage("looking up words", 0, len(doubtful))
        looks = _Looks(book, reading, starts, doubtful, seed, settings)
        for number, word in enumerate(doubtful, 1):
            progress.stage("looking up words", number, len(doubtful))
            right = _corrected(word, looks, known, lm)
            if right is not None:
                labels[np.array(starts[word])[:, None] + np.arange(len(word))] = right
    return reading.with_labels(labels)


class _Looks:
    """What the tiles of doubtful words show, told by those of all words; `starts` has where each begins."""

    def __init__(
        self,
        book: Book,
        reading: Reading,
        starts: Mapping[str, Sequence[int]],
        doubtful: Sequence[str],
        seed: int,
        settings: WordSettings,
    ) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.starts, self.settings = starts, settings
        self.labels = labels = reading.labels
        alphabet, rows, tile_of = book.language.lm.alphabet, book.rows, tiles_of(book, reading)
        self.n_symbols = len(alphabet)
        self.capital = capital_of(alphabet)
        self.word_of = np.full(len(labels), -1)
        for number, word in enumerate(starts):
            for start in starts[word]:
                self.word_of[start : start + len(word)] = number
        is_letter = np.array([symbol.isalpha() for symbol in alphabet.symbols])
        seen = np.flatnonzero((tile_of >= 0) & is_letter[labels])
        self.seen = np.sort(np.random.default_rng(seed).permutation(seen)[: settings.compared])
        characters = np.array([at + i for word in doubtful for at in starts[word] for i in range(len(word))])
        characters = characters[tile_of[characters] >= 0]
        self.place = np.full(len(labels), -1)
        self.place[characters] = np.arange(len(characters))
        if not len(characters):
            return
        compared = rows[tile_of[self.seen]]
        n_near = min(_MORE * settings.near, len(compared))
        nearest = NearestNeighbors(n_neighbors=n_near, algorithm="brute").fit(compared)
        distance, self.near = nearest.kneighbors(rows[tile_of[characters]])
        between = nearest.kneighbors(compared[:1000], n_neighbors=min(2, len(compared)))[0][:, -1]
        scale = settings.scale * max(float(np.median(between**2)), 1e-9)
        self.weight = np.exp(-np.maximum(distance**2 - scale / 2, 0) / scale)

    def of(self, word: str) -> Floats:
        """For each letter of a word the log of what its tiles say of every symbol, on average."""
        in_capitals = word.isupper()
        found = []
        for i in range(len(word)):
            characters = np.array(self.starts[word]) + i
            seen = characters[self.place[characters] >= 0]
            if len(seen):
                found.append(np.mean([self._of_character(c, in_capitals) for c in seen.tolist()], 0))
            else:
                as_read = np.arange(self.n_symbols) == self.labels[characters[0]]
                found.append(np.where(as_read, 0.0, np.log(self.settings.faint)))
        return np.stack(found)

    def _of_character(self, character: int, in_capitals: bool) -> Floats:
        place = self.place[character]
        near = self.seen[self.near[place]]
        other = np.flatnonzero(self.word_of[near] != self.word_of[character])[: self.settings.near]
        said = self.labels[near[other]]
        shares = np.full(self.n_symbols, self.settings.faint / self.n_symbols)
        np.add.at(shares, self.capital[said] if in_capitals else said, self.weight[place, other] / self.settings.near)
        logs: Floats = np.log(shares / shares.sum())
        return logs


def _corrected(word: str, looks: _Looks, known: Vocabulary, lm: NGramLM) -> Ints | None:
    """The symbols of the word that a word must be, or nothing if it may be a new one."""
    alphabet, settings, times = lm.alphabet, looks.settings, len(looks.starts[word])
    others = settings.other_letters
    most = min(max(1, len(word) // (2 if times >= settings.often else others)), others)
    like = [other for other in known.like(word, most) if all(letter in alphabet for letter in other)]
    if not like:
        return None
    spelled = np.array([[alphabet.index(letter) for letter in other] for other in [word, *like]])
    says = np.sqrt(times) * looks.of(word)[np.arange(len(word)), spelled].sum(1)
    prior = [_log_as_new(word, known, lm), *map(known.log_share, like)]
    scores = says + prior
    best = int(scores[1:].argmax()) + 1
    return spelled[best] if scores[best] > scores[0] + settings.margin else None


def _log_as_new(word: str, known: Vocabulary, lm: NGramLM) -> float:
    """The log of the share of a new word, spelled in small letters as most words are."""
    alphabet = lm.alphabet
    small = "".join(s if (s := letter.lower()) in alphabet else letter for letter in word)
    space = [alphabet.index(" ")] if " " in alphabet else []
    labels = np.array([*space, *(alphabet.index(letter) for letter in small), *space])
    logs = lm.log_probabilities(labels, np.array([len(labels)]))
    return float(np.log(known.new) + logs[len(space) :].sum())
