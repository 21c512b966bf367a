"""Dirt told from letters by the company that it keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings

_FEWEST = 3  # letters that are surely no dirt


def in_company(boxes: NDArray[np.integer], letter: float, settings: LayoutSettings = DEFAULT) -> NDArray[np.bool_]:
    """Which pieces of the size of letters have others beside them, as the letters of a word have.

    Examples
    --------
    >>> word = [(x, 100, x + 15, 120) for x in range(0, 100, 20)]
    >>> in_company(np.array(word + [(300, 100, 315, 120)]), letter=20).tolist()
    [True, True, True, True, True, False]
    """
    from scipy import ndimage

    if not len(boxes):
        return np.zeros(0, np.bool_)
    cell = max(1.0, letter / 4)
    x0, y0 = np.floor(boxes[:, :2] / cell).astype(np.int64).T
    x1, y1 = np.ceil(boxes[:, 2:] / cell).astype(np.int64).T
    reach = round(settings.space * letter / cell / 2) + 1
    steps = np.zeros((int(y1.max()) + 1, int(x1.max()) + 2 * reach + 1), np.int64)
    for y, x, step in ((y0, x0, 1), (y1, x1 + 2 * reach, 1), (y0, x1 + 2 * reach, -1), (y1, x0, -1)):
        np.add.at(steps, (y, x), step)
    groups, count = ndimage.label(steps.cumsum(axis=0).cumsum(axis=1) > 0)
    group = groups[y0, x0 + reach]
    return np.asarray(np.bincount(group, minlength=count + 1)[group] >= _FEWEST)


def without_strays(
    boxes: NDArray[np.int64],
    lines: Sequence[NDArray[np.int64]],
    letter: float,
    settings: LayoutSettings = DEFAULT,
) -> list[NDArray[np.int64]]:
    """The lines of a column, without what stands far before their first word or after their last and is none.

    What ends a line is judged by its size where it lies inside the column, by the number of its letters outside.
    """
    clusters = [_clusters(boxes, line, settings.space * letter) for line in lines]
    bodies = [max(parts, key=lambda part: _n_letters(boxes[part], letter, settings)) for parts in clusters if parts]
    if not bodies:
        return []
    long = [part for part in bodies if _n_letters(boxes[part], letter, settings) >= settings.enough] or bodies
    left = float(np.quantile([boxes[part, 0].min() for part in long], 0.1)) - letter
    right = float(np.quantile([boxes[part, 2].max() for part in long], 0.9)) + letter
    kept = []
    for parts, body in zip((parts for parts in clusters if parts), bodies, strict=True):
        at = next(index for index, part in enumerate(parts) if part is body)
        first, last = at, at

        def stands(part: NDArray[np.int64], gap: float) -> bool:
            count = _n_letters(boxes[part], letter, settings)
            inside = left <= boxes[part, 0].min() and boxes[part, 2].max() <= right
            near = gap < settings.pitch * letter
            return count >= _FEWEST or (count > 0 and (inside or near)) or (inside and near)

        while first > 0:
            gap = boxes[parts[first], 0].min() - boxes[parts[first - 1], 2].max()
            if not stands(parts[first - 1], gap):
                break
            first -= 1
        while last + 1 < len(parts):
            gap = boxes[parts[last + 1], 0].min() - boxes[parts[last], 2].max()
            if not stands(parts[last + 1], gap):
                break
            last += 1
        kept.append(np.concatenate(parts[first : last + 1]))
    return kept


def lines_of_print(
    lines: Sequence[NDArray[np.int64]],
    contrasts: Sequence[float],
    letter: float,
    settings: LayoutSettings = DEFAULT,
) -> NDArray[np.bool_]:
    """Which lines of a page are print rather than crumbs, show-through, strokes of a pen or a stamp on its side.

    Long lines are sure. A short one is print where it is as dark, made of letters rather than of crumbs, and not alone
    beside the text.
    """
    counts = np.array([_n_letters(boxes, letter, settings) for boxes in lines])
    solid = np.array([_solid(boxes, letter, settings) for boxes in lines])
    dark = np.asarray(contrasts)
    sure = (counts >= settings.enough) & (solid > 0.5)
    common = float(np.median(dark[sure])) if sure.any() else float(dark.max(initial=0.0))
    keep = (solid > 0.5) & (dark > (1 + settings.faint) / 2 * common)
    if not sure.any():
        return np.asarray(keep & (counts >= _FEWEST))
    left = min(boxes[:, 0].min() for boxes, is_sure in zip(lines, sure, strict=True) if is_sure) - letter
    right = max(boxes[:, 2].max() for boxes, is_sure in zip(lines, sure, strict=True) if is_sure) + letter
    inside = np.array([left <= boxes[:, 0].min() and boxes[:, 2].max() <= right for boxes in lines])
    return np.asarray(keep & ((counts >= _FEWEST) | inside))


def _solid(boxes: NDArray[np.int64], letter: float, settings: LayoutSettings) -> float:
    """Length of the pieces as tall as letters, against that of those and of crumbs; dashes are neither."""
    widths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    letters = widths[heights >= settings.smallest * letter].sum()
    crumbs = widths[np.maximum(widths, heights) < settings.smallest * letter].sum()
    return float(letters / max(letters + crumbs, 1))


def _clusters(boxes: NDArray[np.int64], line: NDArray[np.int64], space: float) -> list[NDArray[np.int64]]:
    """A line cut at its wide gaps."""
    order = line[np.argsort(boxes[line, 0], kind="stable")]
    if not len(order):
        return []
    ends = np.maximum.accumulate(boxes[order, 2])
    return list(np.split(order, np.flatnonzero(boxes[order[1:], 0] - ends[:-1] > space) + 1))


def _n_letters(boxes: NDArray[np.int64], letter: float, settings: LayoutSettings) -> int:
    """Pieces as tall as letters, and not much taller."""
    heights = boxes[:, 3] - boxes[:, 1]
    return int(((heights >= settings.smallest * letter) & (heights <= settings.pitch * letter)).sum())
