"""A page made straight: turned level, at a size at which its letters are neither tiny nor huge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.ocr.layout.binarisation import Levels, grey_levels, ink_of, is_light_on_dark
from labelfree.ocr.layout.components import Components, contrast_of, find_components, is_faint, is_text, letter_height
from labelfree.ocr.layout.deskew import skew_angle
from labelfree.ocr.layout.paper import even_paper
from labelfree.ocr.layout.quarter_turn import is_sideways
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.types import Placement

_MOST_ENLARGED = 12_000_000  # pixels
_MOST_PIECES = 150_000  # the like of letters on a page; a broadsheet of a newspaper has half as many


@dataclass(frozen=True, eq=False)
class Sheet:
    """A page made straight: its pieces of ink, the height of its letters, and where its pixels lie on the page."""

    components: Components
    contrast: NDArray[np.float64]  # (n,), grey levels by which each piece is darker than the paper
    letter: float
    placement: Placement


def straighten(
    page: PageImage, least_angle: float = 0.05, settings: LayoutSettings = DEFAULT, *, is_page: bool = False
) -> Sheet | None:
    """Turn a page level, at a size at which its letters are neither tiny nor huge; None for one without letters.

    A skew of less than `least_angle` degrees is left as it is. A picture that is a whole page is freed of shadows,
    show-through and what lies around the paper, and turned by a quarter where it lies on its side; it may stand on its
    head then.
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
    is_turned = is_page and is_sideways(components.boxes[is_text(components, letter, settings)], letter, settings)
    if is_turned:
        grey, survey = np.rot90(grey).copy(), np.rot90(survey).copy()
        levels = grey_levels(survey, settings)
        components, letter = _pieces(survey, levels, max(survey.shape) / 60, settings, is_even)
    angle = skew_angle(components.boxes[is_text(components, letter, settings)], letter, settings)
    angle = angle if abs(angle) >= least_angle else 0.0
    zoom = _zoom(letter * by, grey.size, settings)
    turned, placement = _turned(grey, angle, zoom)
    if turned is not survey:
        components, letter = _pieces(turned, grey_levels(grey, settings), 2 * letter * by * zoom, settings, is_even)
    contrast = contrast_of(components, turned)
    if is_turned:
        placement = placement.turned_back(len(grey))
    return Sheet(components, contrast, letter, placement.on_larger(page.reduction)) if letter else None


def _pieces(
    grey: NDArray[np.uint8], levels: Levels, window: float, settings: LayoutSettings, is_even: bool
) -> tuple[Components, float]:
    """Pieces of ink, and the height of letters among them: 0 where there are none, or more than print has."""
    ink = ink_of(grey, levels, int(max(window, settings.wanted_letter)) | 1, settings, is_even=is_even)
    components = find_components(ink)
    if is_even:
        components = components.only(~is_faint(components, contrast_of(components, grey), settings))
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
