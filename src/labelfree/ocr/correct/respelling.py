"""The search for what each shape stands for.

Tiles that look alike are one shape, and a shape has one spelling wherever it occurs, so that what a reading gets wrong
again and again - a capital taken for a small letter, a letter in two pieces, two letters in one - is put right by all
of its occurrences together. Spellings maximise

    log p(text)  +  fit  -  sum_s N_s log N_s  +  agreement of neighbouring shapes  -  COST for every spelling changed

where the first term is the language model's, the second says how well tiles look like what they stand for in any type
(`anatomy`), and the third is the likelihood of the shapes given that, `N_s` tiles being spelled s: it keeps a symbol
that the book must have from being left without a shape. Tiles of a word count for less the more often it occurs, or
else the name in a running head would outvote the text. The search is by chance at first and ends where no change of one
shape helps. It is made a few times with other shapes, and a tile is spelled as most times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree import progress
from labelfree.ocr.book import Book, Reading
from labelfree.ocr.correct.context import Text
from labelfree.ocr.correct.counts import novelty, x_log_x
from labelfree.ocr.correct.forms import say_of_the_nearest
from labelfree.ocr.correct.page_numbers import Figures
from labelfree.ocr.correct.spellings import Spellings, list_spellings

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_DRAWS = 3
_TILES = 25  # of a shape, on average
_HEARD = 40  # tiles of a shape at most
_AT_ONCE = 400  # shapes
_NEAR = 8
_AGREEMENT = 1.0
_COST = 10.0
_FEW = 10.0  # tiles that every symbol is taken to have besides
_LEAST_CHANCE = 1e-6  # of any spelling of a tile, since the text around it may be wrong
_SETTLED = 3.0  # nats a tile by which the best spelling leads
_SWEEPS = 150
_STILL = 10  # sweeps at the end without chance
_SHARE = 0.1  # of the open shapes that are looked at in a sweep
_HEAT = 3.0


@dataclass(frozen=True, eq=False)
class _Shapes:
    """Tiles grouped by how they look.

    Attributes
    ----------
    of_tile : array of shape (n,)
        The shape of each tile.
    size : array of shape (k,)
        Tiles of each shape, one in a word that occurs again and again for less.
    speaks_for : array of shape (n,)
        For how much of its shape's size each tile speaks; 0 for all but some of every shape.
    near : array of shape (k, m)
        The shapes most like each.
    likeness : array of shape (k, m)
        How much those say of it.
    """

    of_tile: Ints
    size: Floats
    speaks_for: Floats
    near: Ints
    likeness: Floats

    def tiles(self, chosen: Ints) -> tuple[Ints, Ints, Floats]:
        """Tiles of some shapes, the place among the chosen of each one's shape, and for how many tiles it speaks."""
        place = np.full(len(self.size), -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        found = np.flatnonzero((place[self.of_tile] >= 0) & (self.speaks_for > 0))
        return found, place[self.of_tile[found]], self.speaks_for[found]


def respell(book: Book, reading: Reading, figures: Figures, *, seed: int = 0) -> list[Ints]:
    """Correct what a reading of tiles gets wrong of whole shapes.

    Parameters
    ----------
    book : Book
    reading : Reading
        Tile by tile.
    figures : Figures
        What page numbers tell; these tiles are settled.
    seed : int

    Returns
    -------
    list of arrays
        Symbols of every line, not always as many as it has tiles.
    """
    lm = book.language.lm
    is_told = figures.of_tile >= 0
    labels = np.where(is_told, figures.of_tile, reading.labels)
    spellings = list_spellings(lm)
    text = Text(lm, spellings, book.lengths, book.is_near_before, book.is_tile_in_capitals)
    if not len(labels):
        return text.labels(labels)
    weight = novelty(labels, text, lm)
    fit = book.log_fit(spellings.shown(lm))
    found = []
    for draw in range(_DRAWS):
        shapes = _group(book.rows, weight, seed + draw)
        first = _commonest(shapes, labels, len(lm.alphabet))
        spelled = _search(text, spellings, shapes, fit, first, np.random.default_rng(seed + draw), draw)
        changed = (spelled != first)[shapes.of_tile] & (labels == first[shapes.of_tile])
        found.append(np.where(changed, spelled[shapes.of_tile], labels))
    return text.labels(np.where(is_told, labels, _most_said(np.stack(found))))


def _most_said(found: Ints) -> Ints:
    """Of several spellings of every tile, of shape (draws, n), the one that most draws have, or else the first."""
    times = (found[:, None] == found[None]).sum(1)
    said: Ints = np.take_along_axis(found, times.argmax(0)[None], 0)[0]
    return said


def _group(rows: NDArray[np.floating], weight: Floats, seed: int) -> _Shapes:
    from sklearn.cluster import MiniBatchKMeans

    n_shapes = max(1, len(rows) // _TILES)
    means = MiniBatchKMeans(n_shapes, batch_size=4096, n_init=1, max_iter=15, random_state=seed, init="random")
    of_tile = means.fit_predict(rows).astype(np.int64)
    size: Floats = np.bincount(of_tile, weight, n_shapes).astype(np.float64)
    centres = means.cluster_centers_
    square = (centres**2).sum(1)
    n_near = min(_NEAR, n_shapes - 1)
    near, distance = np.zeros((n_shapes, n_near), np.int64), np.zeros((n_shapes, n_near))
    for start in range(0, n_shapes, 1024):
        part = slice(start, start + 1024)
        apart = square[part, None] + square[None] - 2 * centres[part] @ centres.T
        apart[np.arange(len(apart)), np.arange(start, start + len(apart))] = np.inf
        apart[:, size == 0] = np.inf
        near[part] = np.argsort(apart, 1)[:, :n_near]
        distance[part] = np.take_along_axis(apart, near[part], 1)
    likeness = say_of_the_nearest(distance) if n_near else distance
    return _Shapes(of_tile, size, _some_of_each(of_tile, weight, size, np.random.default_rng(seed)), near, likeness)


def _some_of_each(of_tile: Ints, weight: Floats, size: Floats, rng: np.random.Generator) -> Floats:
    """For how much each tile speaks: at most so many of every shape, the newest of them, for all of its size."""
    by_shape = np.lexsort((rng.random(len(of_tile)), -weight, of_tile))
    ordered = of_tile[by_shape]
    heard = by_shape[np.arange(len(ordered)) - np.searchsorted(ordered, ordered) < _HEARD]
    found = np.zeros(len(of_tile))
    found[heard] = weight[heard]
    return found * (size / np.maximum(np.bincount(of_tile, found, len(size)), 1e-9))[of_tile]


def _commonest(shapes: _Shapes, labels: Ints, n_symbols: int) -> Ints:
    """The symbol that most tiles of each shape were read as."""
    counts = np.zeros((len(shapes.size), n_symbols), np.int64)
    np.add.at(counts, (shapes.of_tile, labels), 1)
    found: Ints = counts.argmax(1)
    return found


def _search(
    text: Text,
    spellings: Spellings,
    shapes: _Shapes,
    fit: NDArray[np.float32],
    first: Ints,
    rng: np.random.Generator,
    draw: int,
) -> Ints:
    spelled = first.copy()
    weight = _Weights(spellings, shapes, first)
    active = np.flatnonzero(shapes.size)
    for sweep in range(_SWEEPS + 1):
        progress.stage("spelling shapes", draw * _SWEEPS + sweep, _DRAWS * _SWEEPS)
        heat = _HEAT * (1 - sweep / (_SWEEPS - _STILL)) if 0 < sweep < _SWEEPS - _STILL else 0.0
        is_whole = sweep in (0, _SWEEPS)
        chosen = active if is_whole else rng.permutation(active)[: max(1, int(_SHARE * len(active)))]
        if not len(chosen):
            break
        told = _told(text, spellings, shapes, fit, spelled, chosen)
        weight.choose(spelled, chosen, told, heat, rng)
        if sweep == 0:
            leading = np.partition(told, -2, 1)
            lead = (leading[:, -1] - leading[:, -2]) / shapes.size[chosen]
            active = chosen[lead < _SETTLED]
    return spelled


def _told(
    text: Text, spellings: Spellings, shapes: _Shapes, fit: NDArray[np.float32], spelled: Ints, chosen: Ints
) -> Floats:
    """What the text says for each spelling of some shapes, of shape (shapes, spellings)."""
    found = np.zeros((len(chosen), len(spellings)))
    for start in range(0, len(chosen), _AT_ONCE):
        tiles, place, speaks_for = shapes.tiles(chosen[start : start + _AT_ONCE])
        scores = text.evidence(spelled[shapes.of_tile], tiles, np.arange(len(spellings))) + spellings.prior
        scores -= scores.max(1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(1, keepdims=True)
        np.add.at(found, start + place, speaks_for[:, None] * (np.log(chances + _LEAST_CHANCE) + fit[tiles]))
    return found


class _Weights:
    """What there is to say for a shape's spelling besides the text."""

    def __init__(self, spellings: Spellings, shapes: _Shapes, first: Ints) -> None:
        self.shapes, self.first = shapes, first
        self.usual = spellings.usual * shapes.size.sum()

    def choose(self, spelled: Ints, chosen: Ints, told: Floats, heat: float, rng: np.random.Generator) -> None:
        """Give each chosen shape its best spelling, or with heat one by chance."""
        size = self.shapes.size
        counts = np.bincount(spelled, weights=size, minlength=len(self.usual))
        for which in rng.permutation(len(chosen)):
            shape = chosen[which]
            n = size[shape]
            counts[spelled[shape]] -= n
            alone = x_log_x(counts + n + _FEW) - x_log_x(counts + _FEW)
            score = told[which] - np.where(self.usual > 0, n * np.log(self.usual + counts + n), alone)
            score[self.first[shape]] += _COST
            np.add.at(score, spelled[self.shapes.near[shape]], _AGREEMENT * n * self.shapes.likeness[shape])
            if heat:
                score = score / np.sqrt(n) + heat * rng.gumbel(size=len(score))
            spelled[shape] = score.argmax()
            counts[spelled[shape]] += n
