"""Lines of print cut into the tiles that a classifier sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.ocr.glyphs.capitals import are_capitals, are_of_one_height, enlarged, tall_letter
from labelfree.ocr.glyphs.tiles import Tiles, cut_tiles
from labelfree.ocr.segment import BookStyle, LineTiles, measure_book, segment_line
from labelfree.ocr.segment.baseline import find_band
from labelfree.ocr.segment.tesseract_segmenter import tesseract_tiles
from labelfree.ocr.types import TextLine
from labelfree.progress import Monitor

Segmenter = Literal["builtin", "tesseract"]

_CUTTERS: Mapping[Segmenter, Callable[[TextLine, BookStyle | None], LineTiles]] = MappingProxyType(
    {"builtin": lambda line, style: segment_line(line.ink, style), "tesseract": tesseract_tiles}
)

LEAST_TILES = 1_000
_MEASURED = 50  # lines that tell the size of the type
_PLENTY = 18.0  # pixels of x-height that are enough
_LARGER = 1.15


@dataclass(frozen=True, eq=False)
class CutLine:
    """A line of print with its tiles, where they are, and whether the line is set in capitals."""

    line: TextLine
    boxes: NDArray[np.int64]
    tiles: Tiles
    in_capitals: bool = False


@dataclass(frozen=True, eq=False)
class CutBook:
    """The lines of a book as they are looked at when its type is learned.

    Attributes
    ----------
    shrinking : int
        Pixels of a scan to one that is looked at.
    lines : list of TextLine
        All lines, shrunk.
    style : BookStyle
    cut : list of CutLine
        The lines that have characters.
    """

    shrinking: int
    lines: list[TextLine]
    style: BookStyle
    cut: list[CutLine]


def cut_book(lines: Sequence[TextLine], segmenter: Segmenter = "builtin", monitor: Monitor | None = None) -> CutBook:
    """Measure the type of a book's lines and cut them into tiles; parameters are those of `cut_lines`."""
    if monitor:
        monitor.stage("measuring the type", 0, 0)
    shrinking = shrinking_for(lines)
    shrunk = [line.shrunk(shrinking) for line in lines]
    style = measure_book([line.ink for line in shrunk])
    cut = [found for found in cut_lines(shrunk, style, segmenter, monitor) if len(found.tiles)] if style else []
    n_tiles = sum(len(line.tiles) for line in cut)
    if style is None or n_tiles < LEAST_TILES:
        raise InputError(
            f"{n_tiles} characters found on {len(lines)} lines, at least {LEAST_TILES} wanted to learn from; "
            "give more pages of the same book, or read with a model that is learned already"
        )
    return CutBook(shrinking, shrunk, style, cut)


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
    sized = [
        replace(line, tiles=enlarged(line.tiles, tall)) if are_of_one_height(line.tiles, is_large=is_large) else line
        for line, is_large in zip(found, large, strict=True)
    ]
    return [replace(line, in_capitals=are_capitals(line.tiles)) for line in sized]


def shrinking_for(lines: Sequence[TextLine]) -> int:
    """By how much lines can be shrunk with all strokes of their letters still there."""
    inked = [line.strokes for line in lines]
    inked = [ink for ink in inked[:: max(1, len(inked) // _MEASURED)] if ink.any()]
    if not inked:
        return 1
    return max(1, int(np.median([find_band(ink).x_height for ink in inked]) // _PLENTY))


def of_each_tile(of_lines: Sequence[bool], lines: Sequence[CutLine]) -> NDArray[np.bool_]:
    """What holds of lines for each of their tiles."""
    return np.repeat(np.array(of_lines, np.bool_), [len(line.tiles) for line in lines])


def near_the_one_before(lines: Sequence[CutLine]) -> NDArray[np.bool_]:
    """Tiles of all lines no farther from the one before than is usual within words."""
    gap = np.concatenate([np.append(0, line.boxes[1:, 0] - line.boxes[:-1, 2]) for line in lines])
    is_ink = np.concatenate([line.tiles.geometry[:, 3] > 0 for line in lines])
    within = is_ink & np.append(False, is_ink[:-1])
    within[np.cumsum([0] + [len(line.boxes) for line in lines[:-1]])] = False
    found: NDArray[np.bool_] = within & (gap <= (np.median(gap[within]) if within.any() else 0))
    return found
