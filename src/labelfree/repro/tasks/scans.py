"""Scanned print: line images with character boxes, cut into tiles.

A folder of line images stands beside ``<folder>.tiles.jsonl.gz``, one JSON object a line of print: ``line`` names the
image, ``boxes`` holds ``[x0, y0, x1, y1]`` of every tile, gaps between words included, and ``labels`` the true
character of each, empty where there is none to one tile. The paper's selection keeps runs of its 29 symbols.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import Tiles
from labelfree.repro.tasks.boxed_line import cut_boxes
from labelfree.repro.tasks.printed import PrintTask, TileSequences, join

MIN_LENGTH = 20  # a printed line holds no segment of 100 characters
TEST_SHARE = 0.2
BOXES_SUFFIX = ".tiles.jsonl.gz"


@dataclass(frozen=True, eq=False)
class BoxedLine:
    """One line of print: its tiles, and the true character of each or an empty string."""

    name: str
    tiles: Tiles
    labels: tuple[str, ...]


def scanned_task(
    folders: Sequence[Path],
    *,
    alphabet: Alphabet | None = PAPER_ALPHABET,
    min_length: int = MIN_LENGTH,
    test_share: float = TEST_SHARE,
    seed: int = 0,
) -> PrintTask:
    """Tiles of one book, or of several mixed into one data set.

    Parameters
    ----------
    folders : sequence of Path
        Folders of line images, each with its file of boxes beside it.
    alphabet : Alphabet, optional
        Symbols that a run may hold; None for every symbol there is.
    min_length : int
        Shortest run, in tiles.
    test_share : float
        Share of the lines to test on; lines are drawn from every book alike.
    seed : int
        Of the draw.
    """
    books = [list(read_boxes(folder)) for folder in folders]
    if alphabet is None:
        alphabet = Alphabet(sorted({label for lines in books for line in lines for label in line.labels if label}))
    rng = np.random.default_rng(seed)
    train, test = [], []
    for lines in books:
        drawn = rng.permutation(len(lines))
        n_test = round(test_share * len(lines))
        test += [run for i in drawn[:n_test] for run in _runs(lines[i], alphabet, min_length)]
        train += [run for i in drawn[n_test:] for run in _runs(lines[i], alphabet, min_length)]
    if not train or not test:
        raise InputError(
            f"{folders[0]}: {len(train) + len(test)} runs of at least {min_length} known characters found, at least 2 "
            "wanted; lower the minimum length, or give a larger alphabet"
        )
    return PrintTask(join(train), join(test), (), alphabet)


def read_boxes(folder: Path) -> Iterator[BoxedLine]:
    """The lines of a book whose tiles and characters match one to one, in the order of its file of boxes."""
    file = folder.with_name(folder.name + BOXES_SUFFIX)
    if not file.is_file():
        raise InputError(f"{file}: no such file, character boxes wanted; make them with labelfree.repro.tasks.boxes")
    try:
        with gzip.open(file, "rt", encoding="utf-8") as rows:
            for number, row in enumerate(rows, 1):
                name, boxes, labels = _checked(file, number, row)
                if labels is not None:
                    ink = line_ink(_image_of(folder, name))
                    yield BoxedLine(name, cut_boxes(ink, boxes), labels)
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read ({error}); make it again, or name another folder") from None


def line_ink(path: Path) -> NDArray[np.float32]:
    """A line image as ink: 1 for black, 0 for white."""
    try:
        with Image.open(path) as image:
            grey = np.asarray(image.convert("L"), np.float32)
    except (OSError, ValueError, SyntaxError) as error:
        raise InputError(f"{path} cannot be read as an image ({error}); replace it") from None
    return 1 - grey / np.float32(255)


def _runs(line: BoxedLine, alphabet: Alphabet, min_length: int) -> Iterator[TileSequences]:
    """The stretches of known characters of a line, the short ones left out."""
    known = [label in alphabet for label in line.labels]
    start = 0
    for end in range(len(known) + 1):
        if end == len(known) or not known[end]:
            if end - start >= min_length:
                labels = np.array([alphabet.index(label) for label in line.labels[start:end]], dtype=np.int64)
                yield TileSequences(line.tiles[slice(start, end)], labels, np.array([end - start]))
            start = end + 1


def _image_of(folder: Path, name: str) -> Path:
    if Path(name).name != name:
        raise InputError(f"{folder}: a box file names the image {name!r}, a plain file name wanted; make it again")
    return folder / (name if name.endswith(".png") else name + ".png")


def _checked(file: Path, number: int, row: str) -> tuple[str, NDArray[np.int64], tuple[str, ...] | None]:
    """A row's name, boxes and labels, the last None where tiles and characters do not match; or one clear line."""
    try:
        found: dict[str, Any] = json.loads(row)
        boxes = np.array(found["boxes"], dtype=np.int64).reshape(-1, 4)
        labels = tuple(map(str, found["labels"]))
        name = str(found["line"])
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise InputError(f"{file}, line {number}: no row of boxes ({error}); make the file again") from None
    if len(boxes) != len(labels):
        raise InputError(f"{file}, line {number}: {len(boxes)} boxes but {len(labels)} labels; make the file again")
    return name, boxes, labels if found.get("aligned") else None
