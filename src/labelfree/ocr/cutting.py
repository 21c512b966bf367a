"""Lines of print cut into the tiles that a classifier sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.lines import TextLine
from labelfree.ocr.segment import BookStyle, LineTiles, segment_line
from labelfree.ocr.segment.band import find_band
from labelfree.ocr.segment_tesseract import tesseract_tiles
from labelfree.ocr.tiles import Tiles, cut_tiles
from labelfree.solvers.monitor import Monitor

Segmenter = Literal["builtin", "tesseract"]

_CUTTERS: Mapping[Segmenter, Callable[[TextLine, BookStyle | None], LineTiles]] = MappingProxyType(
    {"builtin": lambda line, style: segment_line(line.ink, style), "tesseract": tesseract_tiles}
)

_MEASURED = 50  # lines that tell the size of the type
_PLENTY = 18.0  # pixels of x-height that are enough
_LETTER = 0.7  # x-heights that a letter is tall at least
_TALL = 1.2  # x-heights from which a letter rises above the small ones
_RISING = 0.04  # of the letters of a line that may do so where the rest are capitals
_FEW = 12  # letters of which one must rise in a line of small ones
_FEW_LARGE = 4  # the same where they are taller than the book's
_LARGER = 1.15


@dataclass(frozen=True, eq=False)
class CutLine:
    """A line of print with its tiles, and where they are."""

    line: TextLine
    boxes: NDArray[np.int64]
    tiles: Tiles


def cut_lines(
    lines: Sequence[TextLine], style: BookStyle | None, segmenter: Segmenter = "builtin", monitor: Monitor | None = None
) -> list[CutLine]:
    """Cut lines into tiles.

    Parameters
    ----------
    lines : sequence of TextLine
    style : BookStyle, optional
        What `measure_book` found on the lines of the same book.
    segmenter : {"builtin", "tesseract"}
        Who says where characters begin and end.
    monitor : Monitor, optional
        Hears how far it is.
    """
    found, large = [], []
    for number, line in enumerate(lines, 1):
        cut = _CUTTERS[segmenter](line, style)
        tiles = cut_tiles(cut.ink, cut.boxes, baseline=cut.baseline, x_height=cut.x_height, owner=cut.owner)
        tiles.geometry[cut.is_space] = 0.0  # one space is like another, however wide
        found.append(CutLine(line, cut.boxes, tiles))
        large.append(style is not None and cut.x_height > _LARGER * style.x_height)
        if monitor:
            monitor.stage("cutting lines", number, len(lines))
    tall = tall_letter([line.tiles for line in found])
    return [
        replace(line, tiles=enlarged(line.tiles, tall)) if is_in_capitals(line.tiles, is_large=is_large) else line
        for line, is_large in zip(found, large, strict=True)
    ]


def shrinking_for(lines: Sequence[TextLine]) -> int:
    """By how much lines can be shrunk with all strokes of their letters still there."""
    inked = [line.ink >= 0.5 for line in lines]
    inked = [ink for ink in inked[:: max(1, len(inked) // _MEASURED)] if ink.any()]
    if not inked:
        return 1
    return max(1, int(np.median([find_band(ink).x_height for ink in inked]) // _PLENTY))


def is_in_capitals(tiles: Tiles, *, is_large: bool = False) -> bool:
    """Whether a line seems to be set in capitals: its letters have one height, as small ones without ascenders would.

    A text of so many letters has ascenders, so that a line without has capitals alone. Fewer letters are enough where
    they are taller than the small ones of other lines.
    """
    tops = _tops(tiles)
    return len(tops) >= (_FEW_LARGE if is_large else _FEW) and float(np.mean(tops > _TALL)) <= _RISING


def tall_letter(lines: Sequence[Tiles]) -> float:
    """How many x-heights a tall letter of the book has."""
    tops = np.concatenate([_tops(tiles) for tiles in lines]) if lines else np.empty(0)
    tall = tops[tops > _TALL]
    return float(np.median(tall)) if len(tall) else 1.0


def enlarged(tiles: Tiles, factor: float) -> Tiles:
    """Tiles of a line whose x-height is so many times smaller than was thought."""
    return Tiles(tiles.images, tiles.geometry * np.float32(factor))


def _tops(tiles: Tiles) -> NDArray[np.float32]:
    """How far letters rise above the baseline, in x-heights; marks left out."""
    top, _, _, height = tiles.geometry.T
    letters: NDArray[np.float32] = top[(height > _LETTER) & (top > _LETTER)]
    return letters
