"""Character boxes for folders of line images: cut by Tesseract, labelled by aligning its reading with the truth.

Tesseract decides where characters and the gaps between words lie. What they are comes from the truth alone, and only
where the alignment leaves no doubt.
"""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from labelfree.errors import InputError
from labelfree.files import check_free, write_aside
from labelfree.ocr.sources.tesseract import BoxedText, CharBox, languages, read_with_boxes

TRUTH = ".gt.txt"
IMAGES = (".png", ".tif", ".tiff", ".jpg", ".jpeg")


@dataclass(frozen=True)
class BoxSummary:
    """What became of a folder.

    Attributes
    ----------
    lines, tiles : int
        Rows written and boxes in them.
    aligned_lines : int
        Rows in which every tile has its character and every character its tile.
    failures : tuple of str
        One message for each line image that gave no row.
    """

    lines: int
    tiles: int
    aligned_lines: int
    failures: tuple[str, ...]

    @property
    def failed_lines(self) -> int:
        """Line images that gave no row."""
        return len(self.failures)


@dataclass(frozen=True)
class BoxedLine:
    """Tiles of one line in reading order, with the truth of each, empty where it is in doubt."""

    line: str
    boxes: tuple[tuple[int, int, int, int], ...]
    labels: tuple[str, ...]
    aligned: bool

    def as_json(self) -> str:
        """The line as a row of a ``.tiles.jsonl.gz`` file."""
        return json.dumps(vars(self), ensure_ascii=False, separators=(",", ":"))


def make_boxes(
    folder: Path,
    out: Path,
    *,
    language: str = "eng",
    tessdata: Path | None = None,
    oem: int | None = None,
    workers: int = 2,
    progress: Callable[[int, int], None] | None = None,
) -> BoxSummary:
    """Box the characters of every line image in a folder that has its truth beside it.

    Parameters
    ----------
    folder : Path
        Holds images such as ``a_001.png`` and their text in ``a_001.gt.txt``.
    out : Path
        Gzipped file to write, one JSON object a line image: ``line``, ``boxes`` (``x0, y0, x1, y1`` in pixels from the
        top left corner), ``labels`` and ``aligned``. A file that is there is replaced.
    language, tessdata, oem
        As for `tesseract.recognise`. The older engine (``oem=0``) cuts far more exactly than the neural one, which is
        the only one in Debian's models.
    workers : int
        Lines to read at a time.
    progress : callable, optional
        Hears how many lines are done, of how many.
    """
    check_free(out, force=True)
    images = line_images(folder)
    known = languages(tessdata)
    for code in language.split("+"):
        if code not in known:
            raise InputError(
                f"no Tesseract model {code!r} found, one of {', '.join(known) or 'none'} wanted; "
                f"install it (Debian: apt install tesseract-ocr-{code}), or name its folder with tessdata"
            )

    def box(image: Path) -> BoxedLine | str:
        try:
            return boxed_line(image.stem, read_with_boxes(image, language, oem=oem, tessdata=tessdata), _truth(image))
        except InputError as error:
            return str(error)

    rows, failures = [], []
    with ThreadPoolExecutor(workers) as pool:
        for done, made in enumerate(pool.map(box, images), start=1):
            rows.append(made) if isinstance(made, BoxedLine) else failures.append(made)
            if progress is not None:
                progress(done, len(images))
    if not rows:
        raise InputError(f"{folder}: none of {len(images)} lines could be boxed; the first: {failures[0]}")
    write_aside(out, gzip.compress("".join(f"{row.as_json()}\n" for row in rows).encode(), mtime=0))
    return BoxSummary(len(rows), sum(len(row.boxes) for row in rows), sum(row.aligned for row in rows), tuple(failures))


def line_images(folder: Path) -> list[Path]:
    """The images of a folder that have their truth beside them, by name."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; name one with line images and their text in *{TRUTH} beside them")
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in IMAGES and _truth_path(path).is_file()]
    if not found:
        raise InputError(f"{folder}: no image with its text in *{TRUTH} beside it found; name another folder")
    return found


def boxed_line(line: str, reading: BoxedText, truth: str) -> BoxedLine:
    """Tiles of a line as Tesseract cut it, labelled by the truth.

    Examples
    --------
    >>> boxes = (CharBox("I", 0, 2, 5, 20), CharBox("f", 12, 0, 19, 20), CharBox("t", 20, 4, 27, 20))
    >>> found = boxed_line("a_001", BoxedText("I ft", boxes), "I it")
    >>> found.labels, found.aligned, found.boxes[1]
    (('I', ' ', 'i', 't'), True, (5, 0, 12, 20))
    """
    tiles = with_gaps(reading)
    if not tiles:
        raise InputError(f"{line}: Tesseract found no character; check that the image shows one line of text")
    labels, complete = aligned_labels([tile.character for tile in tiles], truth)
    boxes = tuple((tile.x0, tile.y0, tile.x1, tile.y1) for tile in tiles)
    return BoxedLine(line, boxes, tuple(labels), complete)


def with_gaps(reading: BoxedText) -> list[CharBox]:
    """Characters in reading order, and a tile from one word to the next wherever the text has a space."""
    starts = _word_starts(reading)
    tiles: list[CharBox] = []
    for place, box in enumerate(reading.boxes):
        if place in starts:
            tiles.append(_gap(reading.boxes[place - 1], box))
        tiles.append(box)
    return tiles


def aligned_labels(read: Sequence[str], truth: str) -> tuple[list[str], bool]:
    """Label each character as read with its partner in the truth.

    A misread character takes the place of its partner, unless a neighbour was added or lost, for then it is not certain
    which one, or unless one of the two is a space.

    Returns
    -------
    labels : list of str
        Empty where there is no certain partner.
    complete : bool
        Whether the two are partners one to one.

    Examples
    --------
    >>> aligned_labels("the rnill", "the mill")
    (['t', 'h', 'e', ' ', '', '', 'i', 'l', 'l'], False)
    """
    labels = [""] * len(read)
    steps = list(Levenshtein.opcodes(list(read), list(truth)))
    for place, step in enumerate(steps):
        neighbours = steps[max(place - 1, 0) : place + 2]
        certain = step.tag == "equal" or all(other.tag in ("equal", "replace") for other in neighbours)
        if step.tag in ("insert", "delete") or not certain:
            continue
        for i, partner in zip(range(step.src_start, step.src_end), truth[step.dest_start : step.dest_end], strict=True):
            if (read[i] == " ") == (partner == " "):
                labels[i] = partner
    return labels, len(read) == len(truth) and all(labels)


def _word_starts(reading: BoxedText) -> set[int]:
    """Boxes, but the first, with which a word of the text begins."""
    words = reading.text.split()
    owners = [place for place, box in enumerate(reading.boxes) for _ in box.character]
    steps = Levenshtein.opcodes("".join(words), "".join(box.character for box in reading.boxes))
    starts, begin = set(), 0
    for word in words[:-1]:
        begin += len(word)
        step = next(step for step in steps if step.src_start <= begin < step.src_end)
        start = min(step.dest_start + begin - step.src_start, step.dest_end)
        if start < len(owners):
            starts.add(owners[start])
    return starts - {0}


def _gap(before: CharBox, after: CharBox) -> CharBox:
    """From one character to the next, as high as both; a single column where they touch."""
    x0, x1 = before.x1, after.x0
    if x0 >= x1:
        x0 = (x0 + x1) // 2
        x1 = x0 + 1
    return CharBox(" ", x0, min(before.y0, after.y0), x1, max(before.y1, after.y1))


def _truth_path(image: Path) -> Path:
    return image.with_name(image.stem + TRUTH)


def _truth(image: Path) -> str:
    """The text beside an image, one space between words."""
    path = _truth_path(image)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read ({error}); give UTF-8 text") from None
    words = unicodedata.normalize("NFC", text).split()
    if not words:
        raise InputError(f"{path} is empty, the text of a line wanted; fill it or remove it")
    return " ".join(words)
