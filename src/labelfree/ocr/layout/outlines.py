"""Lines cut from a page along outlines that are known already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from labelfree.errors import InputError
from labelfree.ocr.layout.binarisation import is_light_on_dark
from labelfree.ocr.layout.page import single_line
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.sources.xml_pages import XmlRegion
from labelfree.ocr.types import Box, PageLines, Region, TextLine

_MOST_COVERED = 30  # times a page, by the boxes of its lines; slanted ones overlap


def outlined_lines(
    page: PageImage,
    outlines: Sequence[NDArray[np.float64]],
    size: tuple[float, float] | None,
    regions: Sequence[XmlRegion] = (),
    settings: LayoutSettings = DEFAULT,
) -> PageLines:
    """Cut lines out of a page, each straightened and freed of what lies outside its outline.

    An outline is the corners x and y of a line, shape (n, 2); one with no ink inside gives no line. `size` is the
    page's width and height in the outlines' units, None for pixels. A region without a line or an outline is none.
    """
    grey = 255 - page.grey if is_light_on_dark(page.grey, settings) else page.grey
    units = np.array(size if size else (page.width, page.height), np.float64)
    pixels = np.array([grey.shape[1], grey.shape[0]]) / units
    _check_cover(page, [outline * pixels for outline in outlines], grey.shape)
    found = [_outlined(page, grey, outline * pixels, settings) for outline in outlines]
    lines = tuple(line for line in found if line is not None)
    angle = float(np.median([line.angle for line in lines])) if lines else 0.0
    numbers = {i: number for number, i in enumerate(i for i, line in enumerate(found) if line is not None)}
    scale = np.array([page.width, page.height]) / units
    placed = (_region(region, numbers, lines, scale) for region in regions)
    there = tuple(replace(each, box=each.box.within(page.width, page.height)) for each in placed if each is not None)
    return PageLines(page.source, page.page, page.width, page.height, angle, lines, there)


def _region(
    region: XmlRegion, numbers: Mapping[int, int], lines: Sequence[TextLine], scale: NDArray[np.float64]
) -> Region | None:
    """A region around those of its lines that are there; `numbers` has their places by those of their outlines."""
    own = tuple(numbers[i] for i in region.lines if i in numbers)
    boxes = [lines[i].box for i in own]
    if region.outline is not None and (own or region.kind == "picture"):
        corners = region.outline * scale
        left, upper = np.floor(corners.min(axis=0)).astype(int).tolist()
        right, lower = np.ceil(corners.max(axis=0)).astype(int).tolist()
        boxes.append(Box(left, upper, right, lower))
    return Region(region.kind, Box.around(boxes), own) if boxes else None


def _check_cover(page: PageImage, outlines: Sequence[NDArray[np.float64]], shape: tuple[int, ...]) -> None:
    """Refuse outlines that cover a page again and again, whose lines would take as many times its pixels."""
    edge = np.array([shape[1], shape[0]])
    sides = [np.ptp(np.clip(outline, 0, edge), axis=0) for outline in outlines]
    times = sum(float(side.prod()) for side in sides) / float(edge.prod())
    if times > _MOST_COVERED:
        raise InputError(
            f"{page.source} marks {len(outlines)} lines that cover the page {times:.0f} times, at most {_MOST_COVERED} "
            "times wanted; correct their outlines"
        )


def _outlined(
    page: PageImage, grey: NDArray[np.uint8], outline: NDArray[np.float64], settings: LayoutSettings
) -> TextLine | None:
    height, width = grey.shape
    x0, y0 = np.clip(np.floor(outline.min(axis=0)), 0, (width, height)).astype(int)
    x1, y1 = np.clip(np.ceil(outline.max(axis=0)) + 1, 0, (width, height)).astype(int)
    if x1 - x0 < 2 or y1 - y0 < 2:
        return None
    inside = Image.new("1", (int(x1 - x0), int(y1 - y0)))
    ImageDraw.Draw(inside).polygon([(float(x - x0), float(y - y0)) for x, y in outline], fill=1, outline=1)
    mask = np.asarray(inside)
    if not mask.any():
        return None
    part = grey[y0:y1, x0:x1]
    # Paper rather than white outside, for white beside grey paper would make the paper look like ink.
    paper = np.uint8(np.quantile(part[mask], 0.75))
    cut = np.where(mask, part, paper)
    lines = single_line(PageImage(page.source, page.page, cut, cut.shape[1], cut.shape[0]), settings).lines
    if not lines:
        return None
    left, upper, right, lower = np.add(lines[0].box, (x0, y0, x0, y0)) * page.reduction
    box = Box(int(left), int(upper), int(np.ceil(right)), int(np.ceil(lower)))
    placement = lines[0].placement and lines[0].placement.on_larger(page.reduction, int(x0), int(y0))
    return replace(lines[0], box=box, placement=placement)
