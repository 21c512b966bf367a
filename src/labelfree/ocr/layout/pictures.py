"""Pictures told from text: pieces of ink far larger than letters, and what stands within them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.layout.text_filter import alignment

_ROOM = 2.0  # squares of the letter height that a letter takes up on a printed page
_DOT = 5.0  # pixels of the largest dot of a photograph whose clusters are as small as letters
_DOTS = 2.0  # smaller than letters, to the square of the letter height: print has a tenth, a photograph several


def large_shapes(
    boxes: NDArray[np.int64], letter: float, settings: LayoutSettings = DEFAULT
) -> list[NDArray[np.int64]]:
    """Boxes of drawings, photographs and frames, given those of all pieces but rules; what overlaps is one.

    Examples
    --------
    >>> boxes = np.array([(0, 0, 300, 200), (290, 150, 500, 400), (600, 0, 615, 20)])
    >>> [box.tolist() for box in large_shapes(boxes, letter=20)]
    [[0, 0, 500, 400]]
    """
    found: list[NDArray[np.int64]] = []
    reach = settings.space * letter
    for box in boxes[_is_large(boxes, letter, settings)]:
        whole = box.copy()
        while near := [other for other in found if _touch(whole, other, reach)]:
            found = [other for other in found if not _touch(whole, other, reach)]
            whole = _around(np.array([whole, *near]))
        found.append(whole)
    return found


def are_pictures(
    shapes: Sequence[NDArray[np.int64]], letters: NDArray[np.int64], letter: float, settings: LayoutSettings = DEFAULT
) -> NDArray[np.bool_]:
    """Which large shapes hold too few letters to be frames around text, given the boxes of what may be letters."""
    shares = []
    for x0, y0, x1, y1 in shapes:
        room = max((x1 - x0) * (y1 - y0), 1) / (_ROOM * letter**2)
        shares.append(int(_inside(letters, np.array([x0, y0, x1, y1])).sum()) / room)
    return np.array(shares, np.float64) < settings.among_text / 2


def lines_in_pictures(
    lines: Sequence[NDArray[np.int64]],
    shapes: Sequence[NDArray[np.int64]],
    letter: float,
    settings: LayoutSettings = DEFAULT,
) -> NDArray[np.bool_]:
    """Which lines, given the boxes of their pieces, are strokes of a picture or lettering in one.

    A shape with as much text as a page of text is a frame, and all that is in it stays; so do whole lines in any.
    """
    small = [boxes[~_is_large(boxes, letter, settings)] for boxes in lines]
    counts, aligned = np.array([alignment(boxes, letter, settings) for boxes in small]).reshape(-1, 2).T
    sure = (counts >= settings.enough) & (aligned >= settings.aligned)
    inside = np.zeros(len(lines), np.float64)
    for shape in shapes:
        shares = np.array([_inside(boxes, shape).mean() for boxes in lines])
        here = shares > 0.5
        is_frame = (here & sure).sum() > 1 and counts[here & sure].sum() >= settings.among_text * counts[here].sum()
        inside += 0 if is_frame else shares
    return (inside > 0.5) & ~sure


def lines_in_halftone(
    lines: Sequence[NDArray[np.int64]],
    boxes: NDArray[np.int64],
    letter: float,
    settings: LayoutSettings = DEFAULT,
) -> NDArray[np.bool_]:
    """Which lines stand among as many dots as a photograph is made of, given the boxes of all pieces of the page."""
    dots = boxes[(boxes[:, 2:] - boxes[:, :2]).max(axis=1, initial=0) < max(settings.rule * letter, _DOT)]
    x, y = (dots[:, :2] + dots[:, 2:]).T / 2
    crowd = []
    for x0, y0, x1, y1 in map(_around, lines):
        number = int(((x >= x0) & (x < x1) & (y >= y0) & (y < y1)).sum())
        crowd.append(number * letter**2 / max((x1 - x0) * (y1 - y0), 1))
    # Where most rows are of dots, those that look like text by chance have fewer of them, but still more than text.
    is_photograph = bool(crowd) and float(np.median(crowd)) > _DOTS / 2
    return np.array(crowd, np.float64) > (_DOTS / 4 if is_photograph else _DOTS)


def _is_large(boxes: NDArray[np.int64], letter: float, settings: LayoutSettings) -> NDArray[np.bool_]:
    smaller_side = (boxes[:, 2:] - boxes[:, :2]).min(axis=1, initial=1 << 30)
    return np.asarray(smaller_side > settings.largest / 2 * letter)


def _inside(boxes: NDArray[np.int64], shape: NDArray[np.int64]) -> NDArray[np.bool_]:
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    x0, y0, x1, y1 = shape
    return np.asarray((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))


def _touch(one: NDArray[np.int64], other: NDArray[np.int64], reach: float) -> bool:
    return bool((np.maximum(one[:2], other[:2]) - np.minimum(one[2:], other[2:]) <= reach).all())


def _around(boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])
