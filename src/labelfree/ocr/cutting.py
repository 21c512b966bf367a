"""Lines of print cut into the tiles that a classifier sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from labelfree.ocr.lines import TextLine
from labelfree.ocr.segment import BookStyle, LineTiles, segment_line
from labelfree.ocr.segment_tesseract import tesseract_tiles
from labelfree.ocr.tiles import Tiles, cut_tiles
from labelfree.solvers.monitor import Monitor

Segmenter = Literal["builtin", "tesseract"]

_CUTTERS: Mapping[Segmenter, Callable[[TextLine, BookStyle | None], LineTiles]] = MappingProxyType(
    {"builtin": lambda line, style: segment_line(line.ink, style), "tesseract": tesseract_tiles}
)


@dataclass(frozen=True, eq=False)
class CutLine:
    """A line of print with its tiles."""

    line: TextLine
    cut: LineTiles
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
    found = []
    for number, line in enumerate(lines, 1):
        cut = _CUTTERS[segmenter](line, style)
        tiles = cut_tiles(cut.ink, cut.boxes, baseline=cut.baseline, x_height=cut.x_height, owner=cut.owner)
        found.append(CutLine(line, cut, tiles))
        if monitor:
            monitor.stage("cutting lines", number, len(lines))
    return found
