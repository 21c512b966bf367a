"""A line cut into characters where Tesseract sees them, in place of our own segmentation.

Only the places are Tesseract's: what it takes the characters for is not looked at. Its neural engine places boxes
roughly, a stroke or a letter too early or too late. So ink that hangs together goes to one box as a whole, unless it
fills several, and ink and boxes are matched in step from left to right.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.layout.components import find_components
from labelfree.ocr.segment import BookStyle, LineTiles
from labelfree.ocr.segment.baseline import Band, find_band
from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings
from labelfree.ocr.segment.spaces import GapModel
from labelfree.ocr.sources.tesseract import BoxedText, CharBox, read_with_boxes
from labelfree.ocr.types import TextLine


def tesseract_tiles(line: TextLine, style: BookStyle | None) -> LineTiles:
    """Cut a line into the characters and spaces that the program ``tesseract`` finds.

    Parameters
    ----------
    line : TextLine
    style : BookStyle, optional
        Of the book: the x-height to expect.

    Returns
    -------
    LineTiles
        Without tiles where Tesseract finds no character.
    """
    strokes, settings = line.strokes, style.settings if style else DEFAULT
    reading = _read(line, strokes) if strokes.any() else BoxedText("", ())
    band = find_band(strokes, style.x_height if style else None, settings) if reading.boxes else Band(0.0, 0.0, 1.0)
    letters = np.array([(box.x0, box.y0, box.x1, box.y1) for box in reading.boxes], np.int64).reshape(-1, 4)
    owner = own_ink(strokes, letters, settings)
    inked = np.unique(owner[owner >= 0])
    rank = np.full(len(letters) + 1, -1, np.int64)
    rank[inked] = np.arange(len(inked))
    owner, letters = rank[owner], _boxes_around(rank[owner], len(inked))
    starts = _word_starts(reading, letters, inked, band, style)
    place = np.arange(len(letters)) + np.cumsum(starts)
    boxes = np.zeros((len(letters) + int(starts.sum()), 4), np.int64)
    is_space = np.ones(len(boxes), np.bool_)
    is_space[place], boxes[place] = False, letters
    for at in np.flatnonzero(is_space):
        boxes[at] = _gap(boxes[at - 1], boxes[at + 1], band)
    tile_of = np.append(place, -1).astype(np.int32)[owner]
    baseline = band.baseline_at(boxes[:, [0, 2]].mean(1))
    ink = np.where(tile_of >= 0, line.ink, np.float32(0))
    return LineTiles(boxes, is_space, baseline, band.x_height, ink, tile_of)


def own_ink(
    strokes: NDArray[np.bool_], boxes: NDArray[np.int64], settings: SegmentSettings = DEFAULT
) -> NDArray[np.int64]:
    """The number of the box that each pixel of ink belongs to, -1 for paper.

    Parameters
    ----------
    strokes : array of shape (height, width)
    boxes : array of shape (n, 4)
        In reading order.
    settings : SegmentSettings

    Examples
    --------
    >>> strokes = np.zeros((3, 12), bool); strokes[1, 1:4] = strokes[1, 6:12] = True
    >>> own_ink(strokes, np.array([[0, 0, 3, 3], [5, 0, 9, 3], [9, 0, 12, 3]]))[1].tolist()
    [-1, 0, 0, 0, -1, -1, 1, 1, 1, 2, 2, 2]
    """
    if not len(boxes):
        return np.full(strokes.shape, -1, np.int64)
    components = find_components(strokes)
    piece_of, begin, end = components.labels.astype(np.int64), components.boxes[:, 0], components.boxes[:, 2]
    for number, (x0, y0, x1, y1) in enumerate(components.boxes.tolist(), 1):
        cuts = _cuts(boxes, x0, x1, settings.fills)
        if len(cuts):
            part = piece_of[y0:y1, x0:x1]
            later = np.searchsorted(cuts, np.arange(x0, x1) + 0.5)
            numbers = np.append(number, len(begin) + 1 + np.arange(len(cuts)))
            part[...] = np.where(part == number, numbers[later], part)
            begin, end = np.append(begin, cuts), np.append(end, [*cuts[1:], x1])
            end[number - 1] = cuts[0]
    middles = (begin + end) / 2
    order = np.argsort(middles, kind="stable")
    owner_of = np.full(len(middles) + 1, -1, np.int64)
    owner_of[order + 1] = _in_step(middles[order], boxes)
    return owner_of[piece_of]


def _cuts(boxes: NDArray[np.int64], x0: int, x1: int, fills: float) -> NDArray[np.int64]:
    """Columns at which ink from x0 to x1 is cut: between the boxes that it runs through and fills."""
    shared = np.minimum(boxes[:, 2], x1) - np.maximum(boxes[:, 0], x0)
    through = boxes[shared >= (boxes[:, 2] - boxes[:, 0]) / 2]
    if len(through) < 2 or x1 - x0 < fills * (through[:, 2].max() - through[:, 0].min()):
        return np.zeros(0, np.int64)
    left, right = through[:-1], through[1:]
    middles = (left[:, [0, 2]].sum(1) + right[:, [0, 2]].sum(1)) // 4
    cuts = np.where(left[:, 2] > right[:, 0], middles, (left[:, 2] + right[:, 0]) // 2)
    return np.unique(cuts[(cuts > x0) & (cuts < x1)])


def _in_step(middles: NDArray[np.float64], boxes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The box of each piece of ink, both from left to right: near, and none left empty where that can be."""
    n = len(boxes)
    empty = 2 * float(np.median(boxes[:, 2] - boxes[:, 0]))  # ink moves two boxes rather than leave one empty
    far = np.abs(middles[:, None] - boxes[:, [0, 2]].sum(1) / 2)
    skipped = empty * np.arange(n)
    cost = skipped + far[0]
    came_from = np.zeros(far.shape, np.int64)
    for i in range(1, len(middles)):
        passed = cost - skipped
        best = np.minimum.accumulate(passed)
        first = np.maximum.accumulate(np.where(passed == best, np.arange(n), 0))
        onward = np.append(np.inf, best[:-1] + skipped[:-1])
        came_from[i] = np.where(cost <= onward, np.arange(n), np.append(0, first[:-1]))
        cost = np.minimum(cost, onward) + far[i]
    chosen = np.zeros(len(middles), np.int64)
    chosen[-1] = int(np.argmin(cost + skipped[::-1]))
    for i in range(len(middles) - 1, 0, -1):
        chosen[i - 1] = came_from[i, chosen[i]]
    return chosen


def _read(line: TextLine, strokes: NDArray[np.bool_]) -> BoxedText:
    """Text and boxes of a line, the boxes in pixels of its ink and from left to right."""
    height, width = strokes.shape
    margin = round(height / 2)  # Tesseract wants paper around its letters
    page = np.pad(np.where(strokes, np.uint8(0), np.uint8(255)), margin, constant_values=255)
    with tempfile.TemporaryDirectory(prefix="labelfree-") as folder:
        image = Path(folder) / "line.png"
        Image.fromarray(page).save(image, compress_level=1, dpi=(300, 300))
        try:
            reading = read_with_boxes(image)
        except InputError as error:
            raise InputError(str(error).replace(str(image), str(line.source))) from None
    moved = [
        CharBox(
            box.character,
            max(box.x0 - margin, 0),
            max(box.y0 - margin, 0),
            min(box.x1 - margin, width),
            min(box.y1 - margin, height),
        )
        for box in reading.boxes
    ]
    return BoxedText(reading.text, tuple(box for box in moved if box.x0 < box.x1 and box.y0 < box.y1))


def _boxes_around(owner: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The box around the ink of each owner."""
    from scipy.ndimage import find_objects

    boxes = [(x.start, y.start, x.stop, y.stop) for y, x in find_objects(owner + 1, count)]
    return np.array(boxes, np.int64).reshape(-1, 4)


def _word_starts(
    reading: BoxedText, letters: NDArray[np.int64], inked: NDArray[np.int64], band: Band, style: BookStyle | None
) -> NDArray[np.bool_]:
    """Which letters have a space before them: as the text says, or by the gaps where text and boxes disagree."""
    starts = np.zeros(len(letters), np.bool_)
    said = _first_letters(reading.text.split(), [box.character for box in reading.boxes])
    if said is not None:
        words = np.searchsorted(said, inked, side="right")
        starts[1:] = words[1:] > words[:-1]
    elif len(letters) > 1:
        gaps = (letters[1:, 0] - letters[:-1, 2]) / band.x_height
        starts[1:] = (style.gaps if style else GapModel()).is_space(gaps)
    return starts


def _first_letters(words: Sequence[str], characters: Sequence[str]) -> list[int] | None:
    """Boxes with which the words begin, or None where the boxes do not spell the words.

    Examples
    --------
    >>> _first_letters(["so", "fine"], ["s", "o", "fi", "n", "e"]), _first_letters(["so"], ["s"])
    ([0, 2], None)
    """
    if "".join(words) != "".join(characters):
        return None
    ends = np.cumsum([0, *map(len, characters)])
    begins = np.cumsum([0, *map(len, words)])[:-1]
    return [int(np.searchsorted(ends, begin)) for begin in begins]


def _gap(before: NDArray[np.int64], after: NDArray[np.int64], band: Band) -> tuple[int, int, int, int]:
    """From one letter to the next, as high as small letters."""
    left, right = sorted((int(before[2]), int(after[0])))
    baseline = float(band.baseline_at(np.array([(left + right) / 2]))[0])
    top = max(int(baseline - band.x_height), 0)
    return left, top, max(right, left + 1), max(int(baseline), top + 1)
