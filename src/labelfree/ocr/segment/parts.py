"""Connected pieces of ink in a line: which of them are strangers, and which lie above each other in one letter."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from labelfree.ocr.segment.baseline import Band

# All in x-heights above the baseline, or in shares of a length of the line itself.
_CLIP_ABOVE, _CLIP_BELOW = 2.4, -1.15
_CORE_BOTTOM, _CORE_TOP = 0.08, 0.92
_UPPER = 0.8  # a piece whose lower end is higher is a dot, an accent or a quote
_COLON_TOP = 1.15  # the upper half of a colon is not higher
_LOWER = 0.05  # a piece whose upper end is lower is a tail or a stranger
_LETTER_TOP = 0.6  # what bears a dot is at least as high
_SPECK = 0.3  # of a stroke's width squared
_CROWD = 6.0  # pieces for each x-height of the line's length, at most
_STACKED = 0.5  # of the narrower piece's width that lies above or below the other
_REACH = 0.15  # a dot may stand beside its letter's body by so much
_TAIL_GAP = 0.35
_QUOTE_SIZE = np.array([0.45, 0.8])
_QUOTE_BOTTOM, _QUOTE_TAIL = 0.5, 0.15
_QUOTE_GAP = 0.35
_EIGHT_NEIGHBOURS = np.ones((3, 3), dtype=np.int64)


@dataclass(eq=False)
class Parts:
    """Pieces of ink, piece ``i`` being the pixels where `labels` is ``i + 1``.

    Attributes
    ----------
    labels : array of shape (height, width), int32
    boxes : array of shape (n, 4)
    core : array of shape (n, 2)
        Columns the piece takes between baseline and x-height, or all its columns where it has no ink there.
    top, bottom : arrays of shape (n,)
        Height above the baseline in x-heights.
    """

    labels: NDArray[np.int32]
    boxes: NDArray[np.int64]
    core: NDArray[np.int64]
    top: NDArray[np.float64]
    bottom: NDArray[np.float64]


def stroke_width(strokes: NDArray[np.bool_]) -> float:
    """Median length of the runs of ink along the rows."""
    padded = np.zeros((strokes.shape[0], strokes.shape[1] + 2), np.int8)
    padded[:, 1:-1] = strokes
    change = np.diff(padded.ravel())
    runs = np.flatnonzero(change == -1) - np.flatnonzero(change == 1)
    return float(np.median(runs)) if len(runs) else 1.0


def rise_above(band: Band, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Height of each pixel above the baseline, in x-heights."""
    height, width = shape
    baseline = band.baseline_at(np.arange(width)).astype(np.float32)
    rise: NDArray[np.float32] = (baseline[None, :] - np.arange(height, dtype=np.float32)[:, None]) / band.x_height
    return rise


def find_parts(strokes: NDArray[np.bool_], band: Band, rise: NDArray[np.float32], stroke: float) -> Parts:
    """The pieces of a line's own letters: without specks, and without those of the lines above and below."""
    height, width = strokes.shape
    labels, _ = ndimage.label(strokes & (rise < _CLIP_ABOVE) & (rise > _CLIP_BELOW), structure=_EIGHT_NEIGHBOURS)
    boxes = _boxes(labels)
    area = np.bincount(labels.ravel(), minlength=len(boxes) + 1)[1:]
    top, bottom = _rise(boxes, band)
    at_top, at_bottom = boxes[:, 1] == 0, boxes[:, 3] == height
    extent = (boxes[:, 3] - boxes[:, 1]) / band.x_height
    is_stranger = (
        (area < _SPECK * stroke**2)
        | ((at_top | (top > _CLIP_ABOVE - 0.1)) & (bottom > _UPPER))
        | ((at_bottom | (bottom < _CLIP_BELOW + 0.1)) & (top < _LOWER))
        | (at_top & at_bottom & (extent > 2.6))
    )
    kept = np.flatnonzero(~is_stranger)
    most = int(_CROWD * (width / band.x_height + 1))
    if len(kept) > most:  # noise, of which the largest pieces tell enough
        kept = np.sort(kept[np.argsort(-area[kept], kind="stable")[:most]])
    renumber = np.zeros(len(boxes) + 1, np.int32)
    renumber[kept + 1] = np.arange(1, len(kept) + 1)
    return describe(renumber[labels], band, rise, boxes[kept])


def describe(
    labels: NDArray[np.int32], band: Band, rise: NDArray[np.float32], boxes: NDArray[np.int64] | None = None
) -> Parts:
    """Measure the pieces of a map of labels, whose boxes may be known."""
    boxes = _boxes(labels) if boxes is None else boxes
    core = boxes[:, [0, 2]].copy()
    for i, found in enumerate(ndimage.find_objects(np.where((rise > _CORE_BOTTOM) & (rise < _CORE_TOP), labels, 0))):
        if found is not None:
            core[i] = found[1].start, found[1].stop
    top, bottom = _rise(boxes, band)
    return Parts(labels, boxes, core, top, bottom)


def stack_parts(parts: Parts, band: Band) -> NDArray[np.int64]:
    """Number of the letter that each piece belongs to (dots, accents, halves above each other), -1 for a stray tail."""
    n = len(parts.boxes)
    letter = np.arange(n)
    upper = (parts.bottom > _UPPER) & (parts.top > _COLON_TOP)
    lower = parts.top < _LOWER
    body = np.flatnonzero(~upper & ~lower)
    body = body[np.argsort(parts.core[body, 0], kind="stable")]
    core = parts.core
    for rank, i in enumerate(body):
        for j in body[rank + 1 :]:
            if min(core[j, 0], parts.boxes[j, 0]) > max(core[i, 1], parts.boxes[i, 2]) + band.x_height:
                break
            is_above = parts.bottom[i] > parts.top[j] or parts.bottom[j] > parts.top[i]
            if _overlap(*(parts.boxes[[i, j]][:, [0, 2]] if is_above else core[[i, j]])) > _STACKED:
                letter[letter == letter[j]] = letter[i]
    reach = _REACH * band.x_height
    centres = parts.boxes[:, [0, 2]].mean(1)
    bearers = body[parts.top[body] > _LETTER_TOP]
    for i in np.flatnonzero(upper):
        inside = bearers[(core[bearers, 0] - reach <= centres[i]) & (centres[i] <= core[bearers, 1] + reach)]
        if len(inside):
            nearest = inside[np.argmin(np.abs(core[inside].mean(1) - centres[i]))]
            letter[i] = letter[nearest]
    _pair_quotes(parts, letter, np.flatnonzero(letter == np.arange(n)), band)
    for i in np.flatnonzero(lower):
        inside = body[(core[body, 0] <= centres[i]) & (centres[i] <= core[body, 1])]
        gaps = parts.bottom[inside] - parts.top[i]
        letter[i] = letter[inside[np.argmin(gaps)]] if len(inside) and gaps.min() < _TAIL_GAP else -1
    return letter


def _overlap(one: NDArray[np.int64], other: NDArray[np.int64]) -> float:
    """Columns that two ranges share, as a share of the narrower."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return float(shared / max(1, min(one[1] - one[0], other[1] - other[0])))


def _pair_quotes(parts: Parts, letter: NDArray[np.int64], alone: NDArray[np.int64], band: Band) -> None:
    """Join two small pieces of one size side by side, above the letters or hanging below the baseline: ``"``."""
    size = (parts.boxes[:, 2:] - parts.boxes[:, :2]) / band.x_height
    small = (size < _QUOTE_SIZE).all(1) & ((parts.bottom > _QUOTE_BOTTOM) | (parts.bottom < -_QUOTE_TAIL))
    marks = alone[small[alone]]
    marks = marks[np.argsort(parts.boxes[marks, 0])]
    for i, j in pairwise(marks.tolist()):
        gap = (parts.boxes[j, 0] - parts.boxes[i, 2]) / band.x_height
        is_level = (
            abs(parts.top[i] - parts.top[j]) < _QUOTE_TAIL and abs(parts.bottom[i] - parts.bottom[j]) < _QUOTE_TAIL
        )
        if letter[i] == i and letter[j] == j and gap < _QUOTE_GAP and is_level:
            letter[j] = i


def _boxes(labels: NDArray[np.int32]) -> NDArray[np.int64]:
    found = [(s[1].start, s[0].start, s[1].stop, s[0].stop) for s in ndimage.find_objects(labels)]
    return np.array(found, dtype=np.int64).reshape(-1, 4)


def _rise(boxes: NDArray[np.int64], band: Band) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    baseline = band.baseline_at(boxes[:, [0, 2]].mean(1))
    return (baseline - boxes[:, 1]) / band.x_height, (baseline - boxes[:, 3]) / band.x_height
