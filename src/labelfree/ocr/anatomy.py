"""The anatomy of type: what a symbol has in common in every typeface of a script.

A comma hangs from the baseline, a capital rises above the small letters, and an 8 closes in paper twice, whatever the
type. So a tile tells something of what it shows before any is known. Ranges are wide: they tell a quote from an e, not
one letter from another of its kind. A symbol that is not listed may look like anything.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.bays import BAYS, CORNERS, SIDES, Bay, measure_bays
from labelfree.ocr.tiles import Tiles

Logs = NDArray[np.float32]
Range = tuple[float, float]
Fits = Callable[[Sequence[str]], Logs]
"""How well the tiles of a book fit each of some symbols: `fit` with the tiles and the script given."""

_OUTSIDE = 10.0  # nats for an x-height outside of a range
_MOST = 3.0  # nats at most for those: a tile may be cut badly
_OPENED = 1.0  # nats for a counter that is not closed, as where print is faint
_CLOSED = 2.0  # nats for one too many, which is rarer
_COUNTERS = 2  # that are counted
_LEAST_COUNTER = 2  # pixels of a tile
_INK = (
    64,
    160,
)  # from which a pixel is part of a stroke, of 255: a stroke may be faint, or the paper beside it stained
_NEAR = 0.12  # of a tile's height, between where a counter is and where it is looked for
_FAR = 20.0  # nats for a tile's height beyond that
_FARTHEST = 2.0  # nats at most
_OPEN = 0.045  # of a tile, that a bay takes up at least
_SHUT = 0.035  # of a tile, at most where there is none
_OPEN_CORNER, _SHUT_CORNER = 0.16, 0.18
_OTHERWISE = 40.0  # nats for a tile that is open where it should not be, or the other way round
_MOST_OTHERWISE = 1.5  # nats at most, for each bay

_ANYWHERE: Range = (-np.inf, np.inf)
_NO_INK: Range = (0.0, 0.0)
_ON_THE_BASELINE: Range = (-0.25, 0.2)
_BELOW: Range = (-1.0, -0.2)
_ON_IT_OR_BELOW: Range = (-1.0, 0.2)
_ON_A_DOT: Range = (-0.14, 0.2)
_ON_A_COMMA: Range = (-0.9, -0.12)
_SMALL: Range = (0.8, 1.3)
_TALL: Range = (1.2, 2.2)
_FIGURE: Range = (1.15, 2.6)  # those beside a head in capitals are enlarged with it
_SMALL_FIGURE: Range = (0.8, 2.6)  # that which is no taller than small letters where figures are of old style
_OLD_FIGURE: Range = (0.8, 1.35)  # of old style, which some types have, and some of which hang below
_FIGURE_WIDTH: Range = (0.45, 2.0)
_HIGH: Range = (0.45, 1.7)
_MIDDLE: Range = (0.0, 0.8)
_NARROW: Range = (0.05, 0.7)
_CAPITAL: Range = (0.6, 3.5)

_LEFT = Bay.LEFT_ABOVE | Bay.LEFT_BELOW
_RIGHT = Bay.RIGHT_ABOVE | Bay.RIGHT_BELOW
_ENDS = Bay.TOP | Bay.BOTTOM

_ABOVE = 230  # combining class of accents above a letter


@dataclass(frozen=True)
class Anatomy:
    """What a symbol looks like.

    Attributes
    ----------
    top, bottom, width : (least, most)
        Of the ink, in x-heights above the baseline, as `Tiles` measures it.
    counters : tuple of float, optional
        The heights of the paper that strokes close in, as shares of the ink's height; None where that is not told,
        as of small letters, whose strokes smeared print joins.
    open, shut : Bay
        The bays that it has, and those that it has not; it may have any other.
    """

    top: Range = _ANYWHERE
    bottom: Range = _ANYWHERE
    width: Range = _ANYWHERE
    counters: tuple[float, ...] | None = None
    open: Bay = Bay.NONE
    shut: Bay = Bay.NONE

    def beside(self, other: Anatomy) -> Anatomy:
        """That of two symbols which are one piece of type."""
        return Anatomy(
            (max(self.top[0], other.top[0]), max(self.top[1], other.top[1])),
            (min(self.bottom[0], other.bottom[0]), min(self.bottom[1], other.bottom[1])),
            (max(self.width[0], other.width[0]), self.width[1] + other.width[1]),
        )


_LATIN = (
    (" ", Anatomy(_NO_INK, _NO_INK, _NO_INK)),
    ("i", Anatomy((0.8, 2.0), _ON_THE_BASELINE, (0.2, 0.9))),
    ("ı", Anatomy(_SMALL, _ON_THE_BASELINE, (0.2, 0.9))),
    ("j", Anatomy((0.8, 2.0), _BELOW, (0.2, 1.1))),
    ("t", Anatomy((1.0, 1.8), _ON_THE_BASELINE)),
    ("0", Anatomy(_SMALL_FIGURE, _ON_THE_BASELINE, _FIGURE_WIDTH, (0.5,), shut=SIDES | Bay.TOP_LEFT | Bay.TOP_RIGHT)),
    ("1", Anatomy(_SMALL_FIGURE, _ON_THE_BASELINE, (0.2, 1.6), (), shut=Bay.RIGHT_ABOVE | Bay.BOTTOM_RIGHT | _ENDS)),
    (
        "2",
        Anatomy(
            _SMALL_FIGURE,
            _ON_THE_BASELINE,
            _FIGURE_WIDTH,
            (),
            open=Bay.LEFT_ABOVE | Bay.RIGHT_BELOW,
            shut=Bay.RIGHT_ABOVE | _ENDS | Bay.TOP_RIGHT,
        ),
    ),
    ("3", Anatomy(_FIGURE, _ON_THE_BASELINE, _FIGURE_WIDTH, (), open=_LEFT, shut=_RIGHT | _ENDS | Bay.TOP_RIGHT)),
    ("3", Anatomy(_OLD_FIGURE, _BELOW, _FIGURE_WIDTH, (), open=_LEFT, shut=_RIGHT | _ENDS | Bay.TOP_RIGHT)),
    ("4", Anatomy(_FIGURE, _ON_THE_BASELINE, _FIGURE_WIDTH, (0.5,), open=Bay.TOP_LEFT, shut=Bay.LEFT_ABOVE | _ENDS)),
    ("4", Anatomy(_OLD_FIGURE, _BELOW, _FIGURE_WIDTH, (0.5,), open=Bay.TOP_LEFT, shut=Bay.LEFT_ABOVE | _ENDS)),
    (
        "5",
        Anatomy(
            _FIGURE,
            _ON_THE_BASELINE,
            _FIGURE_WIDTH,
            (),
            open=Bay.RIGHT_ABOVE | Bay.LEFT_BELOW,
            shut=Bay.LEFT_ABOVE | Bay.RIGHT_BELOW | _ENDS | Bay.TOP_RIGHT,
        ),
    ),
    (
        "5",
        Anatomy(
            _OLD_FIGURE,
            _BELOW,
            _FIGURE_WIDTH,
            (),
            open=Bay.RIGHT_ABOVE | Bay.LEFT_BELOW,
            shut=Bay.LEFT_ABOVE | Bay.RIGHT_BELOW | _ENDS | Bay.TOP_RIGHT,
        ),
    ),
    (
        "7",
        Anatomy(
            _FIGURE, _ON_THE_BASELINE, _FIGURE_WIDTH, (), open=Bay.BOTTOM_RIGHT, shut=_RIGHT | _ENDS | Bay.TOP_RIGHT
        ),
    ),
    ("7", Anatomy(_OLD_FIGURE, _BELOW, _FIGURE_WIDTH, (), open=Bay.BOTTOM_RIGHT, shut=_RIGHT | _ENDS | Bay.TOP_RIGHT)),
    (
        "9",
        Anatomy(
            _FIGURE,
            _ON_THE_BASELINE,
            _FIGURE_WIDTH,
            (0.67,),
            open=Bay.LEFT_BELOW,
            shut=SIDES & ~Bay.LEFT_BELOW | Bay.TOP_RIGHT,
        ),
    ),
    (
        "9",
        Anatomy(
            _OLD_FIGURE,
            _BELOW,
            _FIGURE_WIDTH,
            (0.67,),
            open=Bay.LEFT_BELOW,
            shut=SIDES & ~Bay.LEFT_BELOW | Bay.TOP_RIGHT,
        ),
    ),
    (
        "6",
        Anatomy(
            _FIGURE,
            _ON_THE_BASELINE,
            _FIGURE_WIDTH,
            (0.33,),
            open=Bay.RIGHT_ABOVE,
            shut=SIDES & ~Bay.RIGHT_ABOVE | Bay.TOP_RIGHT,
        ),
    ),
    ("8", Anatomy(_FIGURE, _ON_THE_BASELINE, _FIGURE_WIDTH, (0.72, 0.28), shut=SIDES | Bay.TOP_RIGHT)),
    (".", Anatomy((0.05, 0.6), _ON_A_DOT, _NARROW, ())),
    (",‚", Anatomy((0.0, 0.6), _ON_A_COMMA, _NARROW, ())),
    ("„", Anatomy((0.0, 0.6), _ON_A_COMMA, (0.4, 1.6), ())),
    (":", Anatomy((0.6, 1.4), _ON_A_DOT, _NARROW, ())),
    (";", Anatomy((0.6, 1.4), _ON_A_COMMA, _NARROW, ())),
    ("!", Anatomy(_TALL, _ON_THE_BASELINE, (0.05, 0.8), (), shut=_ENDS)),
    ("?", Anatomy(_TALL, _ON_THE_BASELINE, (0.3, 1.4), ())),
    ("‘’", Anatomy((1.0, 2.2), _HIGH, (0.05, 0.55), ())),
    ("“”", Anatomy((1.0, 2.2), _HIGH, (0.4, 1.6), ())),
    ("«»", Anatomy((0.5, 1.2), (-0.1, 0.6), (0.3, 1.6), ())),
    ("([", Anatomy(_TALL, _ON_IT_OR_BELOW, (0.15, 0.95), (), Bay.RIGHT_BELOW, _LEFT | _ENDS)),
    (")]", Anatomy(_TALL, _ON_IT_OR_BELOW, (0.15, 0.95), (), Bay.LEFT_ABOVE, _RIGHT | _ENDS)),
    ("-", Anatomy((0.3, 1.1), _MIDDLE, (0.2, 1.4), ())),
    ("–", Anatomy((0.3, 1.1), _MIDDLE, (0.5, 3.0), ())),
    ("—", Anatomy((0.3, 1.1), _MIDDLE, (0.9, 8.0), ())),
)

_ANTIQUA = (
    *_LATIN,
    ("acemnorsuvwxzæœ", Anatomy(_SMALL, _ON_THE_BASELINE)),
    ("bdhk", Anatomy(_TALL, _ON_THE_BASELINE)),
    ("l", Anatomy(_TALL, _ON_THE_BASELINE, (0.2, 1.1))),
    ("fſß", Anatomy(_TALL, _ON_IT_OR_BELOW)),
    ("gpqy", Anatomy((0.8, 1.4), _BELOW)),
    ("ÆŒ&", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL)),
    ("A", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, None, open=Bay.BOTTOM, shut=_LEFT | Bay.RIGHT_ABOVE | Bay.TOP)),
    ("B", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (0.72, 0.28), shut=_RIGHT | _ENDS)),
    ("C", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=_RIGHT, shut=_LEFT | Bay.TOP)),
    ("D", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (0.5,), shut=_RIGHT | Bay.TOP)),
    ("E", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.RIGHT_BELOW, shut=_ENDS)),
    ("F", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.BOTTOM_RIGHT, shut=Bay.TOP)),
    ("G", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.RIGHT_ABOVE, shut=_LEFT | _ENDS)),
    ("H", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, None, open=_ENDS)),
    ("K", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, ())),
    ("L", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.TOP_RIGHT, shut=Bay.BOTTOM)),
    ("M", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, None, open=_ENDS)),
    ("N", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=_ENDS)),
    ("O", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (0.5,), shut=SIDES)),
    ("P", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (0.7,), shut=Bay.RIGHT_ABOVE | _ENDS)),
    ("R", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (0.7,), open=Bay.BOTTOM, shut=Bay.RIGHT_ABOVE | Bay.TOP)),
    (
        "S",
        Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.RIGHT_ABOVE, shut=Bay.LEFT_ABOVE | Bay.RIGHT_BELOW),
    ),
    ("T", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), shut=Bay.TOP)),
    ("U", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.TOP, shut=_RIGHT | Bay.LEFT_BELOW | Bay.BOTTOM)),
    ("V", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.TOP, shut=SIDES & ~Bay.TOP)),
    ("W", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, None, open=Bay.TOP, shut=_LEFT | _RIGHT)),
    ("X", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.LEFT_ABOVE | Bay.RIGHT_BELOW)),
    ("Y", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.TOP, shut=Bay.RIGHT_ABOVE | Bay.BOTTOM)),
    ("Z", Anatomy(_TALL, _ON_THE_BASELINE, _CAPITAL, (), open=Bay.LEFT_ABOVE | Bay.RIGHT_BELOW, shut=_ENDS)),
    ("I", Anatomy(_TALL, _ON_THE_BASELINE, (0.2, 1.2), (), shut=_ENDS)),
    ("J", Anatomy(_TALL, _ON_IT_OR_BELOW, counters=(), shut=_RIGHT | _ENDS)),
    ("Q", Anatomy(_TALL, _ON_IT_OR_BELOW, shut=_LEFT | Bay.RIGHT_ABOVE | Bay.BOTTOM)),
)

_FRAKTUR = (
    *_LATIN,
    ("acemnorsuvwæœ", Anatomy((0.8, 1.5), _ON_THE_BASELINE)),
    ("xyzgpq", Anatomy((0.8, 1.5), _ON_IT_OR_BELOW)),
    ("bdk", Anatomy(_TALL, _ON_THE_BASELINE)),
    ("l", Anatomy(_TALL, _ON_THE_BASELINE, (0.2, 1.1))),
    ("hfſß", Anatomy(_TALL, _ON_IT_OR_BELOW)),
    ("ABCDEFGHIJKLMNOPQRSTUVWXYZ&", Anatomy(_TALL, _ON_IT_OR_BELOW, _CAPITAL)),
)


_SCRIPTS = {"antiqua": _ANTIQUA, "old antiqua": _ANTIQUA, "fraktur": _FRAKTUR, "signs": ()}


def anatomies_of(symbol: str, script: str) -> list[Anatomy]:
    """What a symbol of one or several characters may look like; with an accent it is taller, or hangs below.

    Parameters
    ----------
    symbol : str
    script : {"antiqua", "old antiqua", "fraktur", "signs"}

    Examples
    --------
    >>> [anatomy.top for symbol in ",é" for anatomy in anatomies_of(symbol, "antiqua")]
    [(0.0, 0.6), (1.1, 2.1)]
    """
    listed = _SCRIPTS[script]
    each = [_of_character(character, listed) for character in unicodedata.normalize("NFC", symbol)]
    return [reduce(Anatomy.beside, parts) if parts else Anatomy() for parts in product(*each)]


def _of_character(character: str, listed: Sequence[tuple[str, Anatomy]]) -> list[Anatomy]:
    base, *accents = list(unicodedata.normalize("NFD", character))
    base = "ı" if base == "i" and accents else base
    found = [anatomy for symbols, anatomy in listed if base in symbols] or [Anatomy()]
    return [_with_accents(anatomy, accents) for anatomy in found]


def _with_accents(anatomy: Anatomy, accents: Sequence[str]) -> Anatomy:
    for accent in accents:
        if unicodedata.combining(accent) == _ABOVE:
            anatomy = replace(anatomy, top=(anatomy.top[0] + 0.3, anatomy.top[1] + 0.8), counters=None)
        else:
            anatomy = replace(anatomy, bottom=_ON_IT_OR_BELOW, counters=None)
    return anatomy


def fit(tiles: Tiles, symbols: Sequence[str], script: str) -> Logs:
    """The log of how well tiles fit symbols: 0 where a tile looks as the symbol may, less where it does not.

    Parameters
    ----------
    tiles : Tiles
    symbols : sequence of str
        An empty one fits any tile.
    script : {"antiqua", "old antiqua", "fraktur", "signs"}

    Returns
    -------
    array of shape (tiles, symbols)
        0 throughout for a blank tile.
    """
    looks = [tuple(anatomies_of(symbol, script)) for symbol in symbols]
    strokes = [_Strokes(tiles.images >= ink) for ink in _INK]
    cost = {
        anatomy: _cost_of_place(tiles, anatomy) + np.minimum.reduce([each.cost(anatomy) for each in strokes])
        for anatomy in {each for look in looks for each in look}
    }
    least = {look: np.minimum.reduce([cost[anatomy] for anatomy in look]) for look in set(looks)}
    is_inked = tiles.geometry[:, 3:] > 0
    found: Logs = np.where(is_inked, -np.stack([least[look] for look in looks], 1), 0.0).astype(np.float32)
    return found


def _cost_of_place(tiles: Tiles, anatomy: Anatomy) -> NDArray[np.float64]:
    """What it costs each tile to be elsewhere, or of another size, in nats."""
    measures = tiles.geometry[:, :3]
    least, most = np.array([anatomy.top, anatomy.bottom, anatomy.width]).T
    outside = np.maximum(np.maximum(least - measures, measures - most), 0.0).sum(1)
    cost: NDArray[np.float64] = np.minimum(_MOST, _OUTSIDE * outside)
    return cost


class _Strokes:
    """What the strokes of tiles close in and leave open."""

    def __init__(self, strokes: NDArray[np.bool_]) -> None:
        self.counted, self.height = closed_counters(strokes)
        shares = measure_bays(strokes)
        is_corner = np.array([bay in CORNERS for bay in BAYS])
        missing = np.where(is_corner, _OPEN_CORNER, _OPEN) - shares
        beyond = shares - np.where(is_corner, _SHUT_CORNER, _SHUT)
        self.of_open, self.of_shut = (np.clip(_OTHERWISE * apart, 0.0, _MOST_OTHERWISE) for apart in (missing, beyond))

    def cost(self, anatomy: Anatomy) -> NDArray[np.float64]:
        """What it costs each tile to differ from an anatomy, in nats."""
        is_open, is_shut = (np.array([bay in bays for bay in BAYS]) for bays in (anatomy.open, anatomy.shut))
        cost: NDArray[np.float64] = self.of_open[:, is_open].sum(1) + self.of_shut[:, is_shut].sum(1)
        return cost if anatomy.counters is None else cost + self._cost_of_counters(anatomy.counters)

    def _cost_of_counters(self, wanted: tuple[float, ...]) -> NDArray[np.float64]:
        missing = len(wanted) - self.counted
        cost = np.where(missing > 0, _OPENED * missing, -_CLOSED * missing)
        if wanted:
            apart = np.abs(self.height[:, None] - np.array(wanted)).min(1)
            cost = cost + np.where(self.counted == 1, np.clip(_FAR * (apart - _NEAR), 0.0, _FARTHEST), 0.0)
        return cost


def closed_counters(strokes: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How often the strokes of each tile close in paper, up to twice, and at what height on average, from 0 to 1.

    Parameters
    ----------
    strokes : array of shape (n, side, side)
        Where there is ink.
    """
    from scipy import ndimage

    n, side, _ = strokes.shape
    if not n:
        return np.zeros(0, np.int64), np.zeros(0)
    paper = np.ones((n, side + 2, side + 2), np.bool_)
    paper[:, 1:-1, 1:-1] = ~strokes
    beside = np.zeros((3, 3, 3), np.bool_)
    beside[1] = ndimage.generate_binary_structure(2, 1)
    piece, n_pieces = ndimage.label(paper, beside)
    area = np.bincount(piece.ravel(), minlength=n_pieces + 1)
    row = np.broadcast_to(np.arange(side + 2)[None, :, None], piece.shape)
    middle = np.bincount(piece.ravel(), row.ravel(), n_pieces + 1) / np.maximum(area, 1)
    tile = np.zeros(n_pieces + 1, np.int64)
    tile[piece.reshape(n, -1)] = np.arange(n)[:, None]
    is_closed = area >= _LEAST_COUNTER
    is_closed[0] = False
    is_closed[piece[:, 0, 0]] = False
    counted = np.bincount(tile[is_closed], minlength=n)
    total = np.bincount(tile[is_closed], 1 - (middle[is_closed] - 0.5) / side, n)
    return np.minimum(counted, _COUNTERS), total / np.maximum(counted, 1)
