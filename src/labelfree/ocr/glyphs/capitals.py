"""Lines set in capitals: how they are told by the heights of their letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.ocr.glyphs.tiles import Tiles

_LETTER = 0.7  # x-heights that a letter is tall at least
_TALL = 1.2  # x-heights from which a letter rises above the small ones
_RISING = 0.04  # of the letters of a line that may do so where the rest are capitals
_RISING_INITIALS = 0.11  # the same in a longer line, where words may begin with a larger one
_LONG = 30  # letters
_FEW = 12  # letters of which one must rise in a line of small ones
_FEW_LARGE = 4  # the same where they are taller than the book's
_NUMBER = 3  # digits of a page's number
_MOSTLY = 0.7  # of the letters of a line in capitals that are tall


def are_of_one_height(tiles: Tiles, *, is_large: bool = False) -> bool:
    """Whether a line seems to be set in capitals that were taken for small letters, as all have one height.

    A text of so many letters has ascenders, so that a line without has capitals alone. Fewer letters are enough where
    they are taller than the small ones of other lines. Tall ones at the very ends may be the number of the page.
    """
    rises = _without_number(_without_number(_tops(tiles) > _TALL)[::-1])
    most = _RISING if len(rises) < _LONG else _RISING_INITIALS
    return len(rises) >= (_FEW_LARGE if is_large else _FEW) and float(np.mean(rises)) <= most


def are_capitals(tiles: Tiles) -> bool:
    """Whether nearly all letters of a line are tall."""
    tops = _tops(tiles)
    return len(tops) >= _FEW_LARGE and float(np.mean(tops > _TALL)) > _MOSTLY


def capital_of(alphabet: Alphabet) -> NDArray[np.int64]:
    """The number of each symbol's capital, or its own where there is none.

    Examples
    --------
    >>> capital_of(Alphabet("abA")).tolist()
    [2, 1, 2]
    """
    numbers = {symbol: number for number, symbol in enumerate(alphabet.symbols)}
    return np.array([numbers.get(symbol.upper(), number) for symbol, number in numbers.items()], np.int64)


def tall_letter(lines: Sequence[Tiles]) -> float:
    """How many x-heights a tall letter of the book has."""
    tops = np.concatenate([_tops(tiles) for tiles in lines]) if lines else np.empty(0)
    tall = tops[tops > _TALL]
    return float(np.median(tall)) if len(tall) else 1.0


def enlarged(tiles: Tiles, factor: float) -> Tiles:
    """Tiles of a line whose x-height is so many times smaller than was thought."""
    return Tiles(tiles.images, tiles.geometry * np.float32(factor))


def _without_number(rises: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All but the tall ones that a line begins with, where these are no more than a number has digits."""
    first = int(np.argmin(rises)) if len(rises) else 0
    return rises[first:] if first <= _NUMBER else rises


def _tops(tiles: Tiles) -> NDArray[np.float32]:
    """How far letters rise above the baseline, in x-heights; marks left out."""
    top, _, _, height = tiles.geometry.T
    letters: NDArray[np.float32] = top[(height > _LETTER) & (top > _LETTER)]
    return letters
