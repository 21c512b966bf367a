"""Figures, learned from the numbers of the pages.

A language model knows little of figures: any may follow any. But the numbers of a book's pages rise from head to head,
and that tells of each shape which figure it is (`rising`), and of every figure elsewhere that looks like one of them.
Whether a rise is there at all is told by the same search among the same words in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree import progress
from labelfree.alphabet import Alphabet
from labelfree.ocr.book import Book, Reading
from labelfree.ocr.correct.number_sequence import LONGEST, Place, Rise, find_rise

Ints = NDArray[np.int64]

_PLACES = (8, 500)  # at least and at most
_CHARACTERS = 3  # of a shape, on average
_SHAPES = (10, 60)  # at least and at most
_LINES_A_PAGE = (20.0, 28.0, 40.0)
_SHUFFLES = 2
_LEAD = 10.0  # nats by which a rise explains more than the same words in another order
_OFTEN = 3  # times that a word is found at the ends of heads, from which on it is a word
_CAPITALS = 0.6  # of the letters of a head
_NEAR = 5
_REACH = 2.0  # times the distance between figures that are alike


@dataclass(frozen=True, eq=False)
class _Head:
    """A line that may have a number: where it is in the book, and the tiles of its first and last words, if short."""

    line: int
    words: list[Ints]
    is_one_word: bool


@dataclass(frozen=True, eq=False)
class Figures:
    """What the numbers of pages tell of figures.

    Attributes
    ----------
    rows : array of shape (tiles, d)
        Features of the tiles.
    of_tile : array of shape (tiles,)
        The symbol that each tile of a page's number shows, -1 for all others.
    """

    rows: NDArray[np.floating]
    of_tile: Ints

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
        if not len(tiles) or len(known) <= _NEAR:
            return np.full(len(tiles), -1)
        nearest = NearestNeighbors(n_neighbors=_NEAR).fit(self.rows[known])
        usual = 2 * float(np.median(nearest.kneighbors(self.rows[known])[0][:, 1] ** 2))
        distance, near = nearest.kneighbors(self.rows[tiles])
        figures, value = np.unique(self.of_tile[known], return_inverse=True)
        votes = np.zeros((len(tiles), len(figures)))
        np.add.at(votes, (np.arange(len(tiles))[:, None], value[near]), np.exp(-(distance**2) / usual))
        return np.where(distance[:, 0] ** 2 < _REACH * usual, figures[votes.argmax(1)], -1)


def find_page_numbers(book: Book, reading: Reading, *, seed: int = 0) -> Figures:
    """Find the numbers of a book's pages among its tiles; there may be none.

    Parameters
    ----------
    book : Book
    reading : Reading
        Tile by tile: spaces and capitals have to be right, not more.
    seed : int
    """
    rows, alphabet = book.rows, book.language.lm.alphabet
    of_tile = np.full(len(rows), -1)
    least, most = _PLACES
    heads = _find_heads(reading.line_labels, alphabet, book.in_capitals)[:most]
    digits = [alphabet.index(figure) for figure in "0123456789" if figure in alphabet]
    rise = None
    if len(heads) >= least and len(digits) == 10:
        rise = _find_rise(heads, reading.labels, rows, alphabet, seed)
    for head, number, which in zip(heads, rise.numbers, rise.words, strict=True) if rise else ():
        if number:
            of_tile[head.words[which]] = [digits[int(figure)] for figure in str(number)]
    return Figures(rows, of_tile)


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
        is_head = capitals or (len(letters) > LONGEST and is_capital[letters].mean() > _CAPITALS)
        short = [word for word in words[:1] + words[1:][-1:] if len(word) <= LONGEST]
        if short and (is_head or sum(map(len, words)) <= LONGEST):
            found.append(_Head(number, short, len(words) == 1))
        start += len(line)
    return found


def _find_rise(
    heads: Sequence[_Head],
    labels: Ints,
    rows: NDArray[np.floating],
    alphabet: Alphabet,
    seed: int,
) -> Rise | None:
    """The numbers of the pages, if there are any."""
    shape_of, share = _shapes(np.concatenate([word for head in heads for word in head.words]), rows)
    spelled = [[alphabet.decode(labels[word]) for word in head.words] for head in heads]
    times = Counter(word for words in spelled for word in words)

    def cost(head: _Head, shapes: Ints, word: str) -> float:
        if head.is_one_word or times[word] < _OFTEN or not word.isalpha():
            return 0.0
        return max(0.0, float(np.log(times[word] / times.total()) - np.log(share[shapes]).sum()))

    places = []
    for head, words in zip(heads, spelled, strict=True):
        shapes = tuple(shape_of[word] for word in head.words)
        places.append(Place(head.line, shapes, tuple(map(cost, [head] * len(words), shapes, words))))
    n_searches = len(_LINES_A_PAGE) + _SHUFFLES + 1
    tried: dict[float, Rise] = {}
    for lines in _LINES_A_PAGE:
        progress.stage("counting pages", len(tried), n_searches)
        tried[lines] = find_rise(places, share, lines)
    lines_a_page, best = max(tried.items(), key=lambda each: each[1].score)
    rng = np.random.default_rng(seed)
    for shuffle in range(_SHUFFLES):
        progress.stage("counting pages", len(tried) + shuffle, n_searches)
        order = rng.permutation(len(places))
        shuffled = [replace(places[i], line=here.line) for here, i in zip(places, order, strict=True)]
        if find_rise(shuffled, share, lines_a_page).score + _LEAD > best.score:
            return None
    return find_rise(places, share, lines_a_page, best.figure)  # again, as nothing was known at the first numbers


def _shapes(tiles: Ints, rows: NDArray[np.floating]) -> tuple[Ints, NDArray[np.float64]]:
    """The shape of each tile of the book, -1 for those not asked for, and the share of each shape."""
    from sklearn.cluster import AgglomerativeClustering

    least, most = _SHAPES
    n_shapes = min(len(tiles), max(least, min(most, len(tiles) // _CHARACTERS)))
    found = AgglomerativeClustering(n_shapes, linkage="ward").fit_predict(rows[tiles])
    shape_of = np.full(len(rows), -1)
    shape_of[tiles] = found
    return shape_of, np.bincount(found, minlength=n_shapes) / len(tiles)
