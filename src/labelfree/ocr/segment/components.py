"""Connected components of a line's ink: strangers, those that are one letter, and columns where letters may touch."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from labelfree.ocr.layout.components import find_components
from labelfree.ocr.segment.baseline import Band
from labelfree.ocr.segment.settings import SegmentSettings

_CROWD = 6.0  # pieces for each x-height of the line's length at most: more are noise


@dataclass(frozen=True, eq=False)
class LineComponents:
    """Components of ink, component ``i`` being the pixels where `labels` is ``i + 1``."""

    labels: NDArray[np.int32]  # (height, width)
    boxes: NDArray[np.int64]  # (n, 4)
    core: NDArray[np.int64]  # (n, 2), columns between baseline and x-height, or all where it has no ink there
    top: NDArray[np.float64]  # (n,), height above the baseline in x-heights
    bottom: NDArray[np.float64]  # (n,), the same


def stroke_width(strokes: NDArray[np.bool_]) -> float:
    """Median length of the runs of ink along the rows."""
    flat = np.pad(strokes, ((0, 0), (1, 1))).ravel()
    turns = np.flatnonzero(flat[1:] != flat[:-1])
    runs = turns[1::2] - turns[::2]
    return float(np.median(runs)) if len(runs) else 1.0


def rise_above(band: Band, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Height of each pixel above the baseline, in x-heights."""
    height, width = shape
    baseline = band.baseline_at(np.arange(width)).astype(np.float32)
    rise: NDArray[np.float32] = (baseline[None, :] - np.arange(height, dtype=np.float32)[:, None]) / band.x_height
    return rise


def find_line_components(
    strokes: NDArray[np.bool_], band: Band, rise: NDArray[np.float32], settings: SegmentSettings
) -> LineComponents:
    """The components of a line's own letters: without specks, and without those of the lines above and below."""
    height, width = strokes.shape
    above, below, near = settings.clip_above, -1 - settings.reach, settings.near
    found = find_components(strokes & (rise < above) & (rise > below))
    top, bottom = band.rise(found.boxes)
    at_top, at_bottom = found.boxes[:, 1] == 0, found.boxes[:, 3] == height
    is_stranger = (
        (found.areas < settings.speck * stroke_width(strokes) ** 2)
        | ((at_top | (top > above - near)) & (bottom > settings.upper))
        | ((at_bottom | (bottom < below + near)) & (top < near / 2))
        | (at_top & at_bottom & (found.heights / band.x_height > above))
    )
    kept = np.flatnonzero(~is_stranger)
    most = int(_CROWD * (width / band.x_height + 1))
    if len(kept) > most:  # the largest components of noise tell enough
        kept = np.sort(kept[np.argsort(-found.areas[kept], kind="stable")[:most]])
    renumber = np.zeros(len(found) + 1, np.int32)
    renumber[kept + 1] = np.arange(1, len(kept) + 1)
    return describe(renumber[found.labels], band, rise, settings)


def describe(
    labels: NDArray[np.int32], band: Band, rise: NDArray[np.float32], settings: SegmentSettings
) -> LineComponents:
    """Measure the components of a map of labels."""
    found = [(x.start, y.start, x.stop, y.stop) for y, x in ndimage.find_objects(labels)]
    boxes = np.array(found, np.int64).reshape(-1, 4)
    core = boxes[:, [0, 2]].tolist()
    in_core = np.where((rise > settings.near) & (rise < 1 - settings.near), labels, 0)
    for i, found_core in enumerate(ndimage.find_objects(in_core)):
        if found_core is not None:
            core[i] = found_core[1].start, found_core[1].stop
    return LineComponents(labels, boxes, np.array(core, np.int64).reshape(-1, 2), *band.rise(boxes))


def assign_letters(components: LineComponents, band: Band, settings: SegmentSettings) -> NDArray[np.int64]:
    """The letter of each component (dots, accents, halves above each other belong to one), -1 for a stray tail."""
    n = len(components.boxes)
    letter = np.arange(n)
    is_upper = (components.bottom > settings.upper) & (components.top > 1 + settings.reach)
    is_lower = components.top < settings.near / 2
    body = np.flatnonzero(~is_upper & ~is_lower)
    body = body[np.argsort(components.core[body, 0], kind="stable")]
    _join_stacked(components, letter, body, band.x_height)
    core, centres = components.core, components.boxes[:, [0, 2]].mean(1)
    reach = settings.reach * band.x_height
    bearers = body[components.top[body] > settings.small]
    for i in np.flatnonzero(is_upper):
        inside = bearers[(core[bearers, 0] - reach <= centres[i]) & (centres[i] <= core[bearers, 1] + reach)]
        if len(inside):
            nearest = inside[np.argmin(np.abs(core[inside].mean(1) - centres[i]))]
            letter[i] = letter[nearest]
    _pair_quotes(components, letter, band.x_height, settings)
    for i in np.flatnonzero(is_lower):
        inside = body[(core[body, 0] <= centres[i]) & (centres[i] <= core[body, 1])]
        gaps = components.bottom[inside] - components.top[i]
        letter[i] = letter[inside[np.argmin(gaps)]] if len(inside) and gaps.min() < settings.gap else -1
    return letter


def _join_stacked(
    components: LineComponents, letter: NDArray[np.int64], body: NDArray[np.int64], x_height: float
) -> None:
    """Give one letter to bodies that lie above each other, from left to right."""
    ranges, cores = components.boxes[body][:, [0, 2]].tolist(), components.core[body].tolist()
    tops, bottoms = components.top[body].tolist(), components.bottom[body].tolist()
    begins = [min(own[0], core[0]) for own, core in zip(ranges, cores, strict=True)]
    ends = [max(own[1], core[1]) + x_height for own, core in zip(ranges, cores, strict=True)]
    for i in range(len(body)):
        for j in range(i + 1, len(body)):
            if begins[j] > ends[i]:
                break
            is_above = bottoms[i] > tops[j] or bottoms[j] > tops[i]
            one, other = (ranges[i], ranges[j]) if is_above else (cores[i], cores[j])
            shared = min(one[1], other[1]) - max(one[0], other[0])
            if shared > max(1, min(one[1] - one[0], other[1] - other[0])) / 2:
                letter[letter == letter[body[j]]] = letter[body[i]]


def _pair_quotes(
    components: LineComponents, letter: NDArray[np.int64], x_height: float, settings: SegmentSettings
) -> None:
    """Join two small ones of one size side by side, above the letters or hanging below the baseline: ``"``."""
    boxes, top, bottom = components.boxes, components.top, components.bottom
    width = (boxes[:, 2] - boxes[:, 0]) / x_height
    is_mark = (letter == np.arange(len(letter))) & (width < 3 * settings.reach) & (top - bottom < settings.upper)
    marks = np.flatnonzero(is_mark & ((2 * bottom > 1) | (bottom < -settings.reach)))
    for i, j in pairwise(marks[np.argsort(boxes[marks, 0])].tolist()):
        is_level = max(abs(top[i] - top[j]), abs(bottom[i] - bottom[j])) < settings.reach
        if letter[i] == i and is_level and boxes[j, 0] - boxes[i, 2] < settings.gap * x_height:
            letter[j] = i


@dataclass(frozen=True, eq=False)
class Seams:
    """Where letters may be cut."""

    letter: NDArray[np.int64]  # the letter that each piece came from
    columns: dict[int, list[tuple[int, float]]]  # of a letter: its seams' columns, and ink in x-heights on each


def cut_components(
    components: LineComponents, letter: NDArray[np.int64], band: Band, settings: SegmentSettings
) -> tuple[NDArray[np.int32], Seams]:
    """Cut wide letters at every column that may be a seam; gives the map of pieces after all cuts."""
    left, width = components.boxes[:, 0], components.boxes[:, 2] - components.boxes[:, 0]
    start = np.cumsum(width) - width  # each component has a stretch of columns of its own, one after the other
    y, x = np.nonzero(components.labels)
    own = components.labels[y, x] - 1
    column = (start - left)[own] + x
    profile = np.bincount(column, minlength=int(width.sum())) / band.x_height
    may_be_two = (width >= settings.least_width * band.x_height) & (letter >= 0)
    margin = max(1, round(settings.least_piece * band.x_height))
    letters = letter.tolist()
    seams: dict[int, list[tuple[int, float]]] = {}
    piece_at = np.repeat(np.arange(1, len(letters) + 1, dtype=np.int32), width)
    for i, columns in _thin_columns(profile, np.where(may_be_two, width, 0), start, margin).items():
        for at in columns:
            letters.append(letters[i])
            piece_at[at : start[i] + width[i]] = len(letters)
            seams.setdefault(letters[i], []).append((int(left[i] - start[i] + at), float(profile[at])))
    labels = components.labels
    if seams:
        labels = labels.copy()
        labels[y, x] = piece_at[column]
    return labels, Seams(np.array(letters, dtype=np.int64), {name: sorted(found) for name, found in seams.items()})


def _thin_columns(
    profile: NDArray[np.float64], width: NDArray[np.int64], start: NDArray[np.int64], margin: int
) -> dict[int, list[int]]:
    """Columns of each component that hold least ink among their neighbours and less than half an x-height of it.

    Where they are crowded, the thinnest come first.
    """
    inner = np.maximum(width - 2 * margin - 2, 0)
    owner = np.repeat(np.arange(len(width)), inner)
    at = np.arange(len(owner)) + np.repeat(start + margin + 1 - (np.cumsum(inner) - inner), inner)
    ink = profile[at]
    is_low = (ink <= profile[at - 1]) & (ink <= profile[at + 1]) & (2 * ink <= 1)
    at, owner = at[is_low], owner[is_low]
    first = np.flatnonzero(np.diff(at, prepend=-2) > 1)  # columns side by side are one valley, cut in its middle
    middle = first + np.diff(first, append=len(at)) // 2
    found: dict[int, list[int]] = {}
    for i, column in zip(owner[middle].tolist(), at[middle].tolist(), strict=True):
        found.setdefault(i, []).append(column)
    for i, columns in found.items():
        chosen: list[int] = []
        for column in sorted(columns, key=profile.__getitem__):
            if all(abs(column - other) >= margin for other in chosen):
                chosen.append(column)
        found[i] = sorted(chosen)
    return found
