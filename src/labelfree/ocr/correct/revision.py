"""A second look at what a reader of lines takes for the same symbol.

Such a reader cuts well and is wrong of whole forms: it learned N from a reading that had G for it, and so reads G where
either stands. Forms (`forms`) are given other symbols, the greatest gain first, as long as there is one in

    log p(text)  +  fit  -  sum_s N_s log N_s  +  AGREEMENT of shapes that look alike  -  COST for every change

where p(text) has whole words too (`lexicon`), fit says how well characters look like their symbol in any type, and
`N_s` characters are read as s: without that term a symbol could be left without a form. Where neither the text nor the
look of other shapes speaks for a change, it costs more: a mark that any other could stand for, such as a stop, would be
given to rarer ones. In the text and the counts `N_s` a word counts for less the more often it occurs, or the name in a
running head would outvote the text; the agreement is not weighted, so that a change in a word that recurs on every page
has to convince by look. But where a form is all that a symbol has, nothing could agree with it as it is, and its
agreement with another symbol is weighted too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelfree import progress
from labelfree.ocr.book import Book, Floats, Ints, Reading
from labelfree.ocr.correct.context import Text, list_spellings, novelty
from labelfree.ocr.correct.forms import find_forms
from labelfree.ocr.correct.lexicon import Vocabulary, WholeWords
from labelfree.ocr.correct.places import tiles_of
from labelfree.ocr.correct.settings import DEFAULT, CorrectSettings
from labelfree.workers import in_order

_AT_ONCE = 4000  # characters
_NEVER = -1e9


def revise(
    book: Book,
    reading: Reading,
    *,
    settled: NDArray[np.bool_] | None = None,
    seed: int = 0,
    settings: CorrectSettings = DEFAULT,
) -> list[Ints]:
    """What each line says once whole forms of characters have the symbol that the language says they are.

    Characters that are `settled` stay what they were read as.
    """
    lm, labels, tile_of = book.language.lm, reading.labels, tiles_of(book, reading)
    # A hyphen may part a word at a line's end, and what follows it the language model cannot see.
    is_fixed = np.array([symbol.isspace() or symbol == "-" for symbol in lm.alphabet.symbols])
    is_open = (tile_of >= 0) & ~is_fixed[labels]
    seen = np.flatnonzero(is_open if settled is None else is_open & ~settled)
    if not len(seen):
        return reading.line_labels
    progress.stage("looking again")
    search = _Search(book, reading, seen, tile_of[seen], np.flatnonzero(~is_fixed), seed, settings)
    while search.change():
        progress.stage("looking again")
    return search.text.labels(search.spelled)


class _Search:
    """Characters spelled as they are for now, and what there is to gain by other spellings.

    Those `seen` are shown by `tiles`, and may be any of some symbols or the end of a letter.
    """

    def __init__(
        self, book: Book, reading: Reading, seen: Ints, tiles: Ints, symbols: Ints, seed: int, settings: CorrectSettings
    ) -> None:
        self.seen, self.settings = seen, settings.forms
        lm, labels, words = book.language.lm, reading.labels, book.language.words
        spellings = list_spellings(lm, settings.forms)
        is_space = np.array([symbol.isspace() for symbol in lm.alphabet.symbols])
        self.text = Text(lm, spellings, reading.lengths, np.append(False, ~is_space[labels[:-1]]))
        self.candidates = np.concatenate([symbols, np.flatnonzero(spellings.joins)])
        self.forms = forms = find_forms(book.rows[tiles], labels[seen], seed, settings.forms)
        self.words = None
        if words is not None:
            vocabulary = Vocabulary(words, settings.words.new)
            self.words = WholeWords(reading.line_labels, lm, vocabulary, spellings, self.candidates)
        shown = [lm.alphabet.symbols[i] for i in symbols] + [""] * int(spellings.joins.sum())
        self.fit = book.log_fit(shown)[tiles]
        self.spelled = labels.copy()
        self.place = np.full(len(labels), -1, np.int64)  # of a character among those seen
        self.place[seen] = np.arange(len(seen))
        shape = (forms.likeness.shape[0], len(seen))
        weight = novelty(labels, self.text, lm, settings.forms.repeated)[seen]
        self.speaks = sparse.csr_array((weight, (forms.shape, np.arange(len(seen)))), shape=shape)
        self.size = np.asarray(self.speaks.sum(1), np.float64).ravel()
        self.n_characters = np.bincount(forms.shape, minlength=shape[0]).astype(np.float64)
        among = (forms.made_of @ forms.likeness).multiply(forms.made_of)
        self.own_likeness: Floats = np.asarray(among.sum(1), np.float64).ravel()
        self.told = np.zeros((len(seen), len(self.candidates)), np.float32)
        self.told_of_shape = np.zeros((len(self.size), len(self.candidates)))
        self.done: set[tuple[int, int]] = set()
        self._listen(seen)

    def change(self) -> int:
        """Make the best changes there are, no two of the same symbols; how many were made."""
        of_shape = self._symbol_of_shape()
        symbol = self._symbol_of_form(of_shape)
        gains = self._gains(of_shape, symbol)
        for tried in self.done:
            gains[tried] = _NEVER
        best = gains.argmax(1)
        gain = gains[np.arange(len(gains)), best]
        touched: set[int] = set()
        changed: list[Ints] = []
        for form in np.argsort(-gain, kind="stable").tolist():
            to = int(best[form])
            if gain[form] <= 0:
                break
            if touched & {int(symbol[form]), to}:
                continue
            self.done.add((form, to))
            touched |= {int(symbol[form]), to}
            members = self.forms.made_of.indices[slice(*self.forms.made_of.indptr[form : form + 2])]
            characters = self.seen[np.isin(self.forms.shape, members)]
            self.spelled[characters] = self.candidates[to]
            changed.append(characters)
        if changed:
            farthest = 2 * (self.text.reach + 1)  # characters, two of which may be one letter
            reach = np.arange(-farthest, farthest + 1)
            near = np.unique(np.clip(np.concatenate(changed)[:, None] + reach, 0, len(self.spelled) - 1))
            self._listen(near[self.place[near] >= 0])
        return len(changed)

    def _listen(self, characters: Ints) -> None:
        """Ask the text around some characters, their words and their look for the chance of each candidate."""
        places = self.place[characters]
        parts = [characters[start : start + _AT_ONCE] for start in range(0, len(characters), _AT_ONCE)]
        self.told[places] = np.concatenate(
            [np.empty((0, len(self.candidates)), np.float32), *in_order(self._heard, parts)]
        )
        if self.words is not None:
            self.told[places] += self.words.say(self.spelled, characters)
        self.told[places] += self.fit[places]
        shapes = np.unique(self.forms.shape[places])
        self.told_of_shape[shapes] = self.speaks[shapes] @ self.told

    def _heard(self, characters: Ints) -> NDArray[np.float32]:
        """What the text around some characters says of each candidate."""
        scores = self.text.evidence(self.spelled, characters, self.candidates)
        scores += self.text.spellings.prior[self.candidates]
        chances = np.exp(scores - scores.max(1, keepdims=True))
        logs = np.log(chances / chances.sum(1, keepdims=True) + self.settings.least_chance)
        return np.asarray(logs, np.float32)

    def _symbol_of_shape(self) -> Ints:
        """The candidate that each shape is spelled by."""
        place = np.full(len(self.text.spellings), -1, np.int64)
        place[self.candidates] = np.arange(len(self.candidates))
        found = np.zeros(len(self.size), np.int64)
        found[self.forms.shape] = place[self.spelled[self.seen]]
        return found

    def _symbol_of_form(self, of_shape: Ints) -> Ints:
        """The candidate that all shapes of each form are spelled by, or -1."""
        starts = self.forms.made_of.indptr[:-1]
        of_member = of_shape[self.forms.made_of.indices]
        first = np.minimum.reduceat(of_member, starts)
        return np.where(first == np.maximum.reduceat(of_member, starts), first, -1)

    def _gains(self, of_shape: Ints, symbol: Ints) -> Floats:
        """What every form gains by every candidate."""
        made_of = self.forms.made_of
        every = np.arange(made_of.shape[0])
        told = made_of @ self.told_of_shape
        size = made_of @ self.size
        counts = np.bincount(of_shape, self.size, len(self.candidates))
        usual = self.text.spellings.usual[self.candidates] * self.size.sum()
        more = counts + size[:, None]
        costs = np.where(usual > 0, size[:, None] * np.log(usual + more), _x_log_x(more + 1.0) - _x_log_x(counts + 1.0))
        here = counts[symbol]
        saved = np.where(
            usual[symbol] > 0,
            size * np.log(np.maximum(usual[symbol] + here, 1e-9)),
            _x_log_x(here + 1.0) - _x_log_x(np.maximum(here - size, 0) + 1.0),
        )
        alike = np.zeros((len(self.size), len(self.candidates)))
        alike[np.arange(len(self.size)), of_shape] = 1.0
        alike = made_of @ (self.forms.likeness @ alike)
        told -= told[every, symbol, None]
        alike += self.own_likeness[:, None] - alike[every, symbol, None]
        n_characters = made_of @ self.n_characters
        is_all = n_characters >= np.bincount(of_shape, self.n_characters, len(self.candidates))[symbol]
        alike[is_all] = np.minimum(alike, alike * (size / n_characters)[:, None])[is_all]
        settings = self.settings
        found: Floats = told + saved[:, None] - costs + settings.agreement * alike - settings.cost
        found[(told <= 1) & (alike <= 1)] -= settings.cost
        found[:, self.text.spellings.joins[self.candidates]] -= settings.cost_of_joining
        found[every, symbol] = _NEVER
        found[symbol < 0] = _NEVER
        return found


def _x_log_x(x: NDArray[np.floating]) -> NDArray[np.floating]:
    """What a symbol with so many characters, one or more, takes from the likelihood of their shapes."""
    found: NDArray[np.floating] = x * np.log(x)
    return found
