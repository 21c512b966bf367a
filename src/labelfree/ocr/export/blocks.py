"""The parts of a page in reading order, each with its lines and a place that holds all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labelfree.ocr.types import Box, Line, Page, RegionKind


@dataclass(frozen=True)
class PlacedLine:
    """A line with a box that holds all its glyphs, on the page, and the name it would like to have."""

    line: Line
    box: Box
    name: str


@dataclass(frozen=True)
class Block:
    """A part of a page: what it is, where it stands, and its lines; a picture has none."""

    kind: RegionKind
    box: Box
    lines: tuple[PlacedLine, ...] = ()

    @classmethod
    def around(cls, kind: RegionKind, lines: Iterable[PlacedLine], *boxes: Box) -> Block:
        """Lines in a box that holds them and some boxes more."""
        placed = tuple(lines)
        return cls(kind, Box.around([*boxes, *(line.box for line in placed)]), placed)


def blocks(page: Page) -> Iterator[Block]:
    """The regions of a page; lines of none of them stand as a paragraph where they are read.

    Where a page has no regions, a new paragraph begins wherever reading goes back up.
    """
    placed = [_placed(line, number, page) for number, line in enumerate(page.lines, 1)]
    loose = dict.fromkeys(range(len(placed)))
    for index in (index for region in page.regions for index in region.lines):
        del loose[index]
    for region in page.regions:
        before = [index for index in loose if region.lines and index < min(region.lines)]
        yield from _down_the_page(placed[index] for index in before)
        for index in before:
            del loose[index]
        box = region.box.within(page.width, page.height)
        yield Block.around(region.kind, (placed[index] for index in region.lines), box)
    yield from _down_the_page(placed[index] for index in loose)


def _placed(line: Line, number: int, page: Page) -> PlacedLine:
    box = Box.around([line.box, *(glyph.box for glyph in line.glyphs)]).within(page.width, page.height)
    return PlacedLine(line, box, line.id or f"line_{number}")


def _down_the_page(lines: Iterable[PlacedLine]) -> Iterator[Block]:
    """Lines that follow each other down the page."""
    run: list[PlacedLine] = []
    for placed in lines:
        if run and placed.box.y1 <= run[-1].box.y0:
            yield Block.around("paragraph", run)
            run = []
        run.append(placed)
    if run:
        yield Block.around("paragraph", run)
