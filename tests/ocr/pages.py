"""Pages made of line images: margins, a running head, columns, a little skew and dirt, with the truth beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from labelfree.ocr.types import Box

Ink = NDArray[np.bool_]

_SENTENCES = (
    "The ferry leaves the old harbour long before sunrise, and nobody on the quay waves a lantern any more. "
    "Quiet mills turn beside the river; their wheels were mended in spring by six joiners from the next valley. "
    "A grey heron, patient as a judge, waits among the reeds until every fish has forgotten that it is there. "
    "My aunt keeps forty jars of plums, labelled by year, behind the kitchen door where the cat likes to sleep. "
    "Snow fell on Thursday; by Friday the road to Kell was closed, and the post came over the ridge on a sledge. "
    "What the clock maker wanted, he said, was neither gold nor praise but one dry room with a window to the north."
)


@dataclass(frozen=True, eq=False)
class MadePage:
    """A grey page and the boxes of the ink of its lines, in reading order."""

    grey: NDArray[np.uint8]
    boxes: list[Box]


def rendered_lines(
    count: int, seed: int = 0, size: int = 42, width: int = 1800, font: str = "DejaVuSerif"
) -> list[Ink]:
    """Lines of words in random order, set with a font that comes with matplotlib."""
    import matplotlib

    rng = np.random.default_rng(seed)
    face = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{font}.ttf"), size)
    words, lines = _SENTENCES.split(), []
    while len(lines) < count:
        text = ""
        while face.getlength(text) < width - 4 * size:
            text += str(rng.choice(words)) + " "
        lines.append(text_ink(text.strip(), face))
    return lines


def text_ink(text: str, face: ImageFont.FreeTypeFont) -> Ink:
    """One line of text, cut to its ink."""
    left, top, right, bottom = face.getbbox(text)
    picture = Image.new("L", (int(right - left) + 2, int(bottom - top) + 2), 255)
    ImageDraw.Draw(picture).text((1 - left, 1 - top), text, font=face, fill=0)
    return trimmed(np.asarray(picture) < 128)


def book_lines(folder: Path, start: int, count: int) -> list[Ink]:
    """Lines of a folder of black-and-white line images, cut to their ink; those with bits of other lines left out."""
    paths = sorted(folder.glob("*.png"))[start : start + count]
    lines = [trimmed(np.asarray(Image.open(path).convert("L")) < 128) for path in paths]
    common = np.median([len(line) for line in lines])
    return [line for line in lines if line.size and len(line) <= 1.25 * common]


def trimmed(ink: Ink) -> Ink:
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else ink[:0, :0]


def make_page(
    lines: Sequence[Ink],
    *,
    columns: int = 1,
    head: Ink | None = None,
    skew: float = 0.0,
    scale: float = 1.0,
    leading: float = 1.15,
    gutter: float = 1.5,
    dirt: bool = False,
    seed: int = 0,
) -> MadePage:
    """Set lines onto a page.

    Parameters
    ----------
    lines : sequence of boolean arrays
        Shared out evenly among the columns.
    columns : int
        Side by side, `gutter` line heights apart.
    head : boolean array or None
        A running head, set in the middle above all columns.
    skew : float
        Degrees by which the lines run downhill.
    scale : float
        Size of the page against that of the lines.
    leading : float
        Line pitch in heights of the common line.
    dirt : bool
        Whether the paper is grey and uneven, with noise, specks, and a shadow along one edge.
    """
    rng = np.random.default_rng(seed)
    common = int(np.median([len(line) for line in lines]))
    width = max(line.shape[1] for line in lines)
    share = -(-len(lines) // columns)
    margin, between = 4 * common, round(gutter * common)
    page_width = 2 * margin + columns * width + (columns - 1) * between
    placed = []
    top = margin
    if head is not None:
        placed.append((max(0, (page_width - head.shape[1]) // 2), top, head))
        top += len(head) + round(1.5 * common)
    bottom = top
    for column in range(columns):
        y = top
        for line in lines[column * share : (column + 1) * share]:
            placed.append((margin + column * (width + between), y + max(0, (common - len(line)) // 2), line))
            y += max(round(leading * common), len(line) + 2)
        bottom = max(bottom, y)
    ink = np.zeros((bottom + margin, page_width), np.bool_)
    for x, y, line in placed:
        ink[y : y + len(line), x : x + line.shape[1]] |= line
    grey = np.where(ink, np.uint8(0), np.uint8(255))
    size = (round(page_width * scale), round(len(ink) * scale))
    turned = np.asarray(_turned(Image.fromarray(grey), skew).resize(size, Image.Resampling.BOX))
    boxes = [_turned_box(line, x, y, skew, grey.shape, scale) for x, y, line in placed]
    return MadePage(_dirty(turned, rng) if dirt else turned, boxes)


def _turned(picture: Image.Image, skew: float) -> Image.Image:
    return picture.rotate(-skew, Image.Resampling.BICUBIC, fillcolor=255) if skew else picture


def _turned_box(line: Ink, x: int, y: int, skew: float, shape: tuple[int, ...], scale: float) -> Box:
    rows, columns = np.nonzero(line)
    across, down = x + columns + 0.5 - shape[1] / 2, y + rows + 0.5 - shape[0] / 2
    turn = np.deg2rad(skew)
    page_x = np.cos(turn) * across - np.sin(turn) * down + shape[1] / 2
    page_y = np.sin(turn) * across + np.cos(turn) * down + shape[0] / 2
    low, high = np.array([page_x.min(), page_y.min()]) - 0.5, np.array([page_x.max(), page_y.max()]) + 0.5
    return Box(*(round(float(value)) for value in (*(low * scale), *(high * scale))))


def _dirty(grey: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    height, width = grey.shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    paper = 245 - 50 * (x / width) * (y / height)
    shadow = 150 * np.exp(-x / (0.01 * width)) * (0.8 + 0.2 * np.sin(y / 50))
    picture = np.where(grey < 255, 45 + grey.astype(np.float32) * (paper - 45) / 255, paper) - shadow
    speck = Image.new("L", (width, height))
    draw = ImageDraw.Draw(speck)
    for _ in range(height * width // 40_000):
        radius = rng.uniform(0.3, 1.2)
        left, top = rng.uniform(0, width), rng.uniform(0, height)
        draw.ellipse((left - radius, top - radius, left + radius, top + radius), fill=255)
    picture = np.where(np.asarray(speck) > 0, 90, picture) + rng.normal(0, 4, grey.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


def overlap(one: Box, other: Box) -> float:
    """Area in common over area together."""
    common = one.clipped(other)
    area = common.width * common.height
    return area / (one.width * one.height + other.width * other.height - area) if area else 0.0


def found_in_order(truth: Sequence[Box], found: Sequence[Box], least: float = 0.6) -> float:
    """Share of the true lines that were found, in the right order; each line found too many costs one."""
    matches = [
        next((index for index, box in enumerate(truth) if overlap(box, candidate) > least), None) for candidate in found
    ]
    longest: list[int] = []  # tails of the rising subsequences
    for index in (match for match in matches if match is not None):
        place = int(np.searchsorted(longest, index))
        longest[place : place + 1] = [index]
    return max(0.0, (len(longest) - (len(found) - len([m for m in matches if m is not None]))) / len(truth))
