"""Figures, learned from the numbers of the pages.

A language model knows little of figures: any may follow any. But the numbers of a book's pages rise from head to head,
and that tells of each shape which figure it is (`number_sequence`), and of every figure elsewhere that looks like one
of them. Whether a rise is there at all is told by the same search among the same words in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree import progress
from labelfree.alphabet import Alphabet
from labelfree.ocr.book import Book, Floats, Ints, Reading
from labelfree.ocr.correct.number_sequence import LONGEST, Place, Rise, find_rise, settled_rise
from labelfree.ocr.correct.settings import DEFAULT, PageNumberSettings


@dataclass(frozen=True, eq=False)
class _Head:
    """A line that may have a number: where it is in the book, and the tiles of its first and last words, if short."""

    line: int
    words: list[Ints]
    is_one_word: bool


@dataclass(frozen=True, eq=False)
class Figures:
    """What the numbers of pages tell of figures."""

    rows: NDArray[np.floating]  # features of the tiles
    of_tile: Ints  # symbol that each tile of a page's number shows, -1 for all others
    settings: PageNumberSettings = DEFAULT.page_numbers

    @classmethod
    def none(cls, book: Book) -> Figures:
        """What a book without numbers tells."""
        return cls(book.rows, np.full(len(book.rows), -1))

    def __bool__(self) -> bool:
        """Whether they tell anything."""
        return bool((self.of_tile >= 0).any())

    def look_like(self, tiles: Ints) -> Ints:
        """Give the figure that each of some tiles looks like, or -1."""
        from sklearn.neighbors import NearestNeighbors

        known = np.flatnonzero(self.of_tile >= 0)
        if not len(tiles) or len(known) <= self.settings.near:
            return np.full(len(tiles), -1)
        nearest = NearestNeighbors(n_neighbors=self.settings.near).fit(self.rows[known])
        usual = 2 * float(np.median(nearest.kneighbors(self.rows[known])[0][:, 1] ** 2))
        distance, near = nearest.kneighbors(self.rows[tiles])
        figures, value = np.unique(self.of_tile[known], return_inverse=True)
        votes = np.zeros((len(tiles), len(figures)))
        np.add.at(votes, (np.arange(len(tiles))[:, None], value[near]), np.exp(-(distance**2) / usual))
        return np.where(distance[:, 0] ** 2 < self.settings.reach * usual, figures[votes.argmax(1)], -1)


def find_page_numbers(
    book: Book, reading: Reading, *, seed: int = 0, settings: PageNumberSettings = DEFAULT.page_numbers
) -> Figures:
    """Find the numbers of a book's pages among its tiles; there may be none.

    The reading is one of tiles, of which spaces and capitals have to be right, not more.
    """
    alphabet, of_tile = book.language.lm.alphabet, np.full(len(book.rows), -1)
    least, most = settings.places
    heads = _find_heads(reading.line_labels, alphabet, book.in_capitals)[:most]
    rise = None
    if len(heads) >= least and all(figure in alphabet for figure in "0123456789"):
        rise = _find_rise(heads, reading.labels, book, seed, settings)
    for head, number, which in zip(heads, rise.numbers, rise.words, strict=True) if rise else ():
        if number:
            of_tile[head.words[which]] = [alphabet.index(figure) for figure in str(number)]
    return Figures(book.rows, of_tile, settings)


def _find_heads(read: Sequence[Ints], alphabet: Alphabet, in_capitals: NDArray[np.bool_]) -> list[_Head]:
    """Lines in capitals, and lines that are no longer than a number."""
    symbols = alphabet.symbols
    is_space = np.array([symbol.isspace() for symbol in symbols])
    is_word = np.array([symbol.isalnum() for symbol in symbols])
    is_letter = np.array([symbol.isalpha() for symbol in symbols])
    is_capital = np.array([symbol.isupper() for symbol in symbols])
    found, start = [], 0
    for number, (line, capitals) in enumerate(zip(read, in_capitals, strict=True)):
        words = []
        for part in np.split(np.arange(len(line)), np.flatnonzero(is_space[line])):
            inked = part[is_word[line[part]]]
            if len(inked):
                words.append(start + np.arange(inked[0], inked[-1] + 1))  # no marks around it
        letters = line[is_letter[line]]
        is_head = capitals or (len(letters) > LONGEST and is_capital[letters].mean() > 0.5)
        short = [word for word in words[:1] + words[1:][-1:] if len(word) <= LONGEST]
        if short and (is_head or sum(map(len, words)) <= LONGEST):
            found.append(_Head(number, short, len(words) == 1))
        start += len(line)
    return found


def _find_rise(
    heads: Sequence[_Head], labels: Ints, book: Book, seed: int, settings: PageNumberSettings
) -> Rise | None:
    """The numbers of the pages, if there are any."""
    alphabet = book.language.lm.alphabet
    shape_of, share = _shapes(np.concatenate([word for head in heads for word in head.words]), book.rows, settings)
    spelled = [[alphabet.decode(labels[word]) for word in head.words] for head in heads]
    times = Counter(word for words in spelled for word in words)
    places = []
    for head, words in zip(heads, spelled, strict=True):
        shapes, costs = tuple(shape_of[word] for word in head.words), [0.0] * len(words)
        for i, word in enumerate(words):
            if not head.is_one_word and times[word] > 1 and word.isalpha():
                costs[i] = max(0.0, float(np.log(times[word] / times.total()) - np.log(share[shapes[i]]).sum()))
        places.append(Place(head.line, shapes, tuple(costs)))
    n_searches = len(settings.lines_a_page) + settings.shuffles + 1
    tried: dict[float, Rise] = {}
    for lines in settings.lines_a_page:
        progress.stage("counting pages", len(tried), n_searches)
        tried[lines] = find_rise(places, share, lines, settings=settings)
    lines_a_page, best = max(tried.items(), key=lambda each: each[1].score)
    rng = np.random.default_rng(seed)
    for shuffle in range(settings.shuffles):
        progress.stage("counting pages", len(tried) + shuffle, n_searches)
        order = rng.permutation(len(places))
        shuffled = [replace(places[i], line=here.line) for here, i in zip(places, order, strict=True)]
        found = find_rise(shuffled, share, lines_a_page, settings=settings)
        if found.score + settings.lead > best.score:
            return None
    return settled_rise(places, share, lines_a_page, best, settings)


def _shapes(tiles: Ints, rows: NDArray[np.floating], settings: PageNumberSettings) -> tuple[Ints, Floats]:
    """The shape of each tile of the book, -1 for those not asked for, and the share of each shape."""
    from sklearn.cluster import AgglomerativeClustering

    least, most = settings.shapes
    n_shapes = min(len(tiles), max(least, min(most, len(tiles) // settings.shape_size)))
    found = AgglomerativeClustering(n_shapes, linkage="ward").fit_predict(rows[tiles])
    shape_of = np.full(len(rows), -1)
    shape_of[tiles] = found
    return shape_of, np.bincount(found, minlength=n_shapes) / len(tiles)
