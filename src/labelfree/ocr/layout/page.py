"""Pages to lines: straightened, divided into columns and lines in reading order, each line freed of its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.columns import Separators, reading_blocks
from labelfree.ocr.layout.components import Components, is_text
from labelfree.ocr.layout.dirt import in_company, lines_of_print, without_strays
from labelfree.ocr.layout.line_assignment import cut_between, find_bands, share_out, without_loose_ends
from labelfree.ocr.layout.line_detection import find_ridges
from labelfree.ocr.layout.pictures import are_pictures, large_shapes, lines_in_halftone, lines_in_pictures
from labelfree.ocr.layout.rules import find_rules
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.layout.straighten import Sheet, straighten
from labelfree.ocr.layout.text_filter import text_lines
from labelfree.ocr.layout.titles import find_titles
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.types import Box, PageLines, Placement, TextLine

_MOST_CROSSINGS = 5_000_000  # pieces times rows in one column; what has more is a picture


def page_lines(page: PageImage, settings: LayoutSettings = DEFAULT) -> PageLines:
    """Find the lines of a page in reading order: what spans the columns, then each column from top to bottom."""
    sheet = straighten(page, settings=settings, is_page=True)
    lines = _lines_of(sheet, page, settings) if sheet is not None else ()
    angle = sheet.placement.angle if sheet is not None else 0.0
    return PageLines(page.source, page.page, page.width, page.height, angle, tuple(lines))


def single_line(page: PageImage, settings: LayoutSettings = DEFAULT) -> PageLines:
    """Take a picture of one line, freed of what it shows of the lines above and below; a blank one has none."""
    sheet = straighten(page, settings.least_line_angle, settings)
    lines: tuple[TextLine, ...] = ()
    if sheet is not None:
        components, parts = _lines_of_one_column(sheet, settings)
        if parts:
            longest = max(parts, key=lambda part: int(components.areas[part].sum()))
            lines = (_text_line(components, longest, sheet.placement, page),)
    angle = lines[0].angle if lines else 0.0
    return PageLines(page.source, page.page, page.width, page.height, angle, lines)


def line_count(page: PageImage, settings: LayoutSettings = DEFAULT) -> int:
    """About how many lines a picture shows, those cut off at its upper and lower edge not counted."""
    sheet = straighten(page, settings.least_line_angle, settings)
    if sheet is None:
        return 0
    height = len(sheet.components.labels)
    if height < (1 + settings.pitch) * sheet.letter:
        return 1
    components, parts = _lines_of_one_column(sheet, settings)
    boxes = [components.boxes[part] for part in parts]
    whole = [box[:, 1].min() > 0 and box[:, 3].max() < height for box in boxes]
    return int(max(sum(whole), min(len(parts), 1)))


def _lines_of(sheet: Sheet, page: PageImage, settings: LayoutSettings) -> list[TextLine]:
    components, letter = sheet.components, sheet.letter
    outside, at_edge = _beyond(sheet, page, settings.edge)
    rules = find_rules(components, letter, settings)
    large = np.maximum(components.widths, components.heights) > settings.pitch * letter
    may_be_text = is_text(components, letter, settings) & ~rules.is_rule & ~outside & ~(large & at_edge)
    titles = _titles(components, ~rules.is_rule & ~outside & ~(large & at_edge), letter, settings)
    is_title = np.zeros(len(components), np.bool_)
    is_title[np.concatenate([np.zeros(0, np.int64), *titles])] = True
    may_be_text &= ~is_title
    letters = may_be_text & (components.heights >= settings.smallest * letter) & ~at_edge
    letters[letters] = in_company(components.boxes[letters], letter, settings)
    separators = Separators(rules.across, rules.down)
    shapes = large_shapes(components.boxes[~rules.is_rule & ~is_title & ~outside & ~at_edge], letter, settings)
    pictures = are_pictures(shapes, components.boxes[letters], letter, settings)
    shown = np.concatenate(
        [
            components.boxes[letters | is_title],
            *(shape[None] for shape, is_one in zip(shapes, pictures, strict=True) if is_one),
        ]
    )
    blocks = reading_blocks(shown, letter, settings, separators)
    owners = _block_of_each(components.boxes, blocks)
    owners[~may_be_text] = -1
    title_block = [int(_block_of_each(_around(components.boxes[title])[None], blocks)[0]) for title in titles]
    found: list[NDArray[np.int64]] = []
    for block in range(len(blocks)):
        components, parts = _column_lines(components, np.flatnonzero(owners == block), at_edge, letter, settings)
        parts = without_strays(components.boxes, parts, letter, settings)
        here = [title for title, owner in zip(titles, title_block, strict=True) if owner == block]
        found += sorted(parts + here, key=lambda part: _middle(components.boxes[part])) if here else parts
    boxes = [components.boxes[part] for part in found]
    is_line = np.array(text_lines(boxes, letter, settings), np.bool_)
    is_line &= ~lines_in_pictures(boxes, shapes, letter, settings)
    is_line &= ~lines_in_halftone(boxes, sheet.components.boxes, letter, settings)
    is_line &= lines_of_print(boxes, [_contrast(sheet, part) for part in found], letter, settings)
    return [
        _text_line(components, part, sheet.placement, page) for part, keep in zip(found, is_line, strict=True) if keep
    ]


def _titles(
    components: Components, may_be_text: NDArray[np.bool_], letter: float, settings: LayoutSettings
) -> list[NDArray[np.int64]]:
    chosen = np.flatnonzero(may_be_text)
    return [chosen[title] for title in find_titles(components.boxes[chosen], letter, settings)]


def _contrast(sheet: Sheet, part: NDArray[np.int64]) -> float:
    """How dark the ink of a line is; pieces that were cut off since are left out."""
    known = part[part < len(sheet.contrast)]
    areas = sheet.components.areas[known]
    return float((sheet.contrast[known] * areas).sum() / max(areas.sum(), 1)) if len(known) else 0.0


def _around(boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])


def _middle(boxes: NDArray[np.int64]) -> float:
    return float(np.median(boxes[:, 1] + boxes[:, 3])) / 2


def _lines_of_one_column(sheet: Sheet, settings: LayoutSettings) -> tuple[Components, list[NDArray[np.int64]]]:
    chosen = np.flatnonzero(is_text(sheet.components, sheet.letter, settings))
    nowhere = np.zeros(len(sheet.components), np.bool_)
    return _column_lines(sheet.components, chosen, nowhere, sheet.letter, settings)


def _beyond(sheet: Sheet, page: PageImage, edge: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pieces lie in the filled corners beyond the page, and which at its edge."""
    boxes = sheet.components.boxes
    corners = [sheet.placement.points(boxes[:, [x, y]]) for x in (0, 2) for y in (1, 3)]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    size = np.array([page.width, page.height])
    middle = (low + high) / 2
    outside = ((middle <= 0) | (middle >= size)).any(axis=1)
    return np.asarray(outside), np.asarray(((low <= edge) | (high >= size - edge)).any(axis=1))


def _block_of_each(boxes: NDArray[np.int64], blocks: list[Box]) -> NDArray[np.int64]:
    """Index of the block nearest to each piece's centre, the block's own pieces at distance 0."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    nearest, least = np.full(len(boxes), -1), np.full(len(boxes), np.inf)
    for block, (x0, y0, x1, y1) in enumerate(blocks):
        distance = np.hypot(np.maximum(np.maximum(x0 - x, x - x1), 0), np.maximum(np.maximum(y0 - y, y - y1), 0))
        nearest[distance < least] = block
        np.minimum(least, distance, out=least)
    return nearest


def _column_lines(
    components: Components,
    chosen: NDArray[np.int64],
    at_edge: NDArray[np.bool_],
    letter: float,
    settings: LayoutSettings,
) -> tuple[Components, list[NDArray[np.int64]]]:
    """Pieces of each line of a column."""
    if not chosen.size:
        return components, []
    ink, x0, y0 = components.cut_out(chosen)
    ridges = [ridge.moved(x0, y0) for ridge in find_ridges(ink, letter, settings)]
    if len(ridges) * len(chosen) > _MOST_CROSSINGS:
        return components, []
    bodies = find_bands(components.boxes[chosen], ridges, letter, settings)
    components, chosen = cut_between(components, chosen, bodies, letter, settings)
    owner = share_out(components.boxes[chosen], bodies, letter, settings)
    at_edge = np.append(at_edge, np.zeros(len(components) - len(at_edge), np.bool_))
    parts = [chosen[owner == index] for index in range(len(bodies))]
    parts = [part[without_loose_ends(components.boxes[part], at_edge[part], letter, settings)] for part in parts]
    return components, [part for part in parts if not at_edge[part].all()]


def _text_line(components: Components, pieces: NDArray[np.int64], placement: Placement, page: PageImage) -> TextLine:
    strokes, x0, y0 = components.cut_out(pieces)
    box = placement.box(components.boxes[pieces]).within(page.width, page.height)
    placed = placement.inside(float(x0), float(y0))
    return TextLine(page.source, page.page, box, strokes * np.uint8(255), placement.angle, placed)
