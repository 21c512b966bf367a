"""Lines set in capitals: how they are told by the heights of their letters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.ocr.glyphs.settings import DEFAULT, GlyphSettings
from labelfree.ocr.glyphs.tiles import Tiles

_DIGITS = 3  # of the number of a page, which no book has thousands of


def are_of_one_height(tiles: Tiles, *, is_large: bool = False, settings: GlyphSettings = DEFAULT) -> bool:
    """Whether a line seems to be set in capitals that were taken for small letters, as all have one height.

    A text of so many letters has ascenders, so that a line without has capitals alone; words of a longer one may begin
    with a larger letter. Fewer letters are enough where they are taller than the small ones of other lines. Tall ones
    at the very ends may be the number of the page.
    """
    rises = _tops(tiles, settings) > settings.tall
    for _ in range(2):
        first = int(np.argmin(rises)) if len(rises) else 0
        rises = rises[first if first <= _DIGITS else 0 :][::-1]
    beyond = len(rises) - (settings.few_large if is_large else settings.few)
    return beyond >= 0 and float(rises.sum()) <= settings.rising * beyond


def are_capitals(tiles: Tiles, settings: GlyphSettings = DEFAULT) -> bool:
    """Whether nearly all letters of a line are tall."""
    tops = _tops(tiles, settings)
    return len(tops) >= settings.few_large and float(np.mean(tops > settings.tall)) > settings.letter


def capital_of(alphabet: Alphabet) -> NDArray[np.int64]:
    """The number of each symbol's capital, or its own where there is none.

    Examples
    --------
    >>> capital_of(Alphabet("abA")).tolist()
    [2, 1, 2]
    """
    numbers = {symbol: number for number, symbol in enumerate(alphabet.symbols)}
    return np.array([numbers.get(symbol.upper(), number) for symbol, number in numbers.items()], np.int64)


def tall_letter(lines: Sequence[Tiles], settings: GlyphSettings = DEFAULT) -> float:
    """How many x-heights a tall letter of the book has."""
    tops = np.concatenate([np.empty(0), *(_tops(tiles, settings) for tiles in lines)])
    tall = tops[tops > settings.tall]
    return float(np.median(tall)) if len(tall) else 1.0


def enlarged(tiles: Tiles, factor: float) -> Tiles:
    """Tiles of a line whose x-height is so many times smaller than was thought."""
    return Tiles(tiles.images, tiles.geometry * np.float32(factor))


def _tops(tiles: Tiles, settings: GlyphSettings) -> NDArray[np.float32]:
    """How far letters rise above the baseline, in x-heights; marks left out."""
    top, _, _, height = tiles.geometry.T
    letters: NDArray[np.float32] = top[np.minimum(height, top) > settings.letter]
    return letters
