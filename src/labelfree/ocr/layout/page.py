"""Pages to lines: straightened, divided into columns and lines in reading order, each line freed of its neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.ocr.layout.binarisation import Levels, grey_levels, ink_of, is_light_on_dark
from labelfree.ocr.layout.columns import reading_blocks
from labelfree.ocr.layout.components import Components, find_components, is_text, letter_height, without_faint
from labelfree.ocr.layout.deskew import skew_angle
from labelfree.ocr.layout.line_assignment import cut_between, find_bands, share_out, without_loose_ends
from labelfree.ocr.layout.line_detection import find_ridges
from labelfree.ocr.layout.paper import even_paper
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.layout.text_filter import text_lines
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.types import Box, PageLines, Placement, TextLine

_MOST_ENLARGED = 12_000_000  # pixels
_MOST_CROSSINGS = 5_000_000  # pieces times rows in one column; what has more is a picture
_MOST_PIECES = 150_000  # the like of letters on a page; a broadsheet of a newspaper has half as many


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page made straight: its pieces of ink, the height of its letters, and where its pixels lie on the page."""

    components: Components
    letter: float
    placement: Placement


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


def straighten(
    page: PageImage, least_angle: float = 0.05, settings: LayoutSettings = DEFAULT, *, is_page: bool = False
) -> Sheet | None:
    """Turn a page level, at a size at which its letters are neither tiny nor huge; None for one without letters.

    A skew of less than `least_angle` degrees is left as it is. A picture that is a whole page is freed of shadows,
    show-through and what lies around the paper.
    """
    grey = page.grey
    is_even = is_page and not grey_levels(grey, settings).black_and_white
    by = max(1, round(max(grey.shape) / settings.survey_side))
    survey = np.asarray(Image.fromarray(grey).reduce(by)) if by > 1 else grey
    if is_light_on_dark(survey, settings):
        grey, survey = 255 - grey, 255 - survey
    if is_even:
        grey = even_paper(grey, settings)
        survey = np.asarray(Image.fromarray(grey).reduce(by)) if by > 1 else grey
    components, letter = _pieces(survey, grey_levels(survey, settings), max(survey.shape) / 60, settings, is_even)
    if not letter:
        return None
    angle = skew_angle(components.boxes[is_text(components, letter, settings)], letter, settings)
    angle = angle if abs(angle) >= least_angle else 0.0
    zoom = _zoom(letter * by, grey.size, settings)
    turned, placement = _turned(grey, angle, zoom)
    if turned is not survey:
        components, letter = _pieces(turned, grey_levels(grey, settings), 2 * letter * by * zoom, settings, is_even)
    return Sheet(components, letter, placement.on_larger(page.reduction)) if letter else None


def _pieces(
    grey: NDArray[np.uint8], levels: Levels, window: float, settings: LayoutSettings, is_even: bool
) -> tuple[Components, float]:
    """Pieces of ink, and the height of letters among them: 0 where there are none, or more than print has."""
    ink = ink_of(grey, levels, int(max(window, settings.wanted_letter)) | 1, settings, is_even=is_even)
    components = find_components(ink)
    if is_even:
        components = without_faint(components, grey, settings)
    letter = letter_height(components, settings)
    is_print = letter > 0 and int(is_text(components, letter, settings).sum()) <= _MOST_PIECES
    return components, letter if is_print else 0.0


def _zoom(letter: float, pixels: int, settings: LayoutSettings) -> float:
    if 2 * letter < settings.wanted_letter:
        return max(1.0, min(settings.wanted_letter / letter, float(np.sqrt(_MOST_ENLARGED / pixels))))
    return min(1.0, settings.pitch * settings.wanted_letter / letter)


def _turned(grey: NDArray[np.uint8], angle: float, zoom: float) -> tuple[NDArray[np.uint8], Placement]:
    """A picture turned and scaled, and the placement of its pixels on the first."""
    if not angle and zoom == 1.0:
        return grey, Placement()
    height, width = grey.shape
    turn = np.deg2rad(angle)
    cos, sin = abs(np.cos(turn)), abs(np.sin(turn))
    new_width, new_height = int((width * cos + height * sin) * zoom), int((width * sin + height * cos) * zoom)
    if zoom < 0.5:
        reduce = int(1 / zoom)
        reduced, placement = _turned(np.asarray(Image.fromarray(grey).reduce(reduce)), angle, zoom * reduce)
        return reduced, placement.on_larger(reduce)
    # Corners are filled with more of the edge, for white beside grey paper would look like ink.
    beyond_x, beyond_y = (int(np.ceil(side * sin)) // 2 + 2 for side in (height, width))
    wider = np.pad(grey, ((beyond_y, beyond_y), (beyond_x, beyond_x)), mode="edge")
    centred = Placement(angle=angle, scale=1 / zoom).points(np.array([[new_width / 2, new_height / 2]]))[0]
    placement = Placement((width / 2 - float(centred[0]), height / 2 - float(centred[1])), angle, 1 / zoom)
    (x, y), (across_x, across_y), (down_x, down_y) = placement.points(np.array([[0, 0], [1, 0], [0, 1]]))
    turned = Image.fromarray(wider).transform(
        (max(new_width, 1), max(new_height, 1)),
        Image.Transform.AFFINE,
        (across_x - x, down_x - x, x + beyond_x, across_y - y, down_y - y, y + beyond_y),
        Image.Resampling.BICUBIC if zoom > 1 else Image.Resampling.BILINEAR,
        fillcolor=255,
    )
    return np.asarray(turned), placement


def _lines_of(sheet: Sheet, page: PageImage, settings: LayoutSettings) -> list[TextLine]:
    components, letter = sheet.components, sheet.letter
    outside, at_edge = _beyond(sheet, page, settings.edge)
    large = np.maximum(components.widths, components.heights) > settings.pitch * letter
    is_kept = is_text(components, letter, settings) & ~outside & ~(large & at_edge)
    components, at_edge = components.only(is_kept), at_edge[is_kept]
    letters = (components.heights >= settings.smallest * letter) & ~at_edge
    owners = _block_of_each(components.boxes, reading_blocks(components.boxes[letters], letter, settings))
    found: list[NDArray[np.int64]] = []
    for block in range(int(owners.max(initial=-1)) + 1):
        components, parts = _column_lines(components, np.flatnonzero(owners == block), at_edge, letter, settings)
        found += parts
    is_line = text_lines([components.boxes[part] for part in found], letter, settings)
    return [
        _text_line(components, part, sheet.placement, page) for part, keep in zip(found, is_line, strict=True) if keep
    ]


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
