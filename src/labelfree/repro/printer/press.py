"""Books printed from text, and their scans with what is written on them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelfree.errors import InputError
from labelfree.files import folder_aside
from labelfree.repro.printer.design import BookDesign
from labelfree.repro.printer.manuscript import manuscript
from labelfree.repro.printer.pages import Page, PlacedLine, pages
from labelfree.repro.printer.scanning import Scanner, Warp, lie_askew
from labelfree.repro.printer.typefaces import require

_PAD = 4  # pixels around the ink of a line
_NICKS = 0.02  # of the letters, that lack a bit at full damage
_JUMP = 0.03  # of the size, by which letters stand apart from where they should


@dataclass(frozen=True, eq=False)
class PrintedLine:
    """A line of a scan.

    Attributes
    ----------
    text : str
        As it is printed: broken words with their hyphens, small capitals as capitals.
    pieces : tuple of str
        Its letters and ligatures, without spaces.
    boxes : array of shape (n, 4)
        ``x0, y0, x1, y1`` of the ink of every piece, in pixels of the page.
    """

    text: str
    pieces: tuple[str, ...]
    boxes: NDArray[np.float64]

    def box(self, width: int, height: int, pad: int = 0) -> tuple[int, int, int, int]:
        """``x0, y0, x1, y1`` of its ink on a page of a size, with so many pixels around it."""
        x0, y0 = np.floor(self.boxes[:, :2].min(0)).astype(int) - pad
        x1, y1 = np.ceil(self.boxes[:, 2:].max(0)).astype(int) + pad
        return max(0, int(x0)), max(0, int(y0)), min(width, int(x1)), min(height, int(y1))


@dataclass(frozen=True, eq=False)
class PrintedPage:
    """A page of a scan.

    Attributes
    ----------
    number : int
    picture : array of shape (height, width)
        255 for paper and 0 for ink.
    lines : tuple of PrintedLine
        From top to bottom.
    """

    number: int
    picture: NDArray[np.uint8]
    lines: tuple[PrintedLine, ...]

    def cut(self, line: PrintedLine) -> NDArray[np.uint8]:
        """The picture of a line, and of what else is as high."""
        height, width = self.picture.shape
        x0, y0, x1, y1 = line.box(width, height, _PAD)
        return self.picture[y0:y1, x0:x1]


def printed_pages(design: BookDesign, text: Iterable[str]) -> Iterator[PrintedPage]:
    """Set paragraphs of text in type, print and scan them, page by page.

    Parameters
    ----------
    design : BookDesign
    text : iterable of str
        Paragraphs.
    """
    require([design.face])
    scanner = Scanner(design)
    before = None
    for i, page in enumerate(pages(manuscript(design, text), design)):
        rng = np.random.default_rng((design.seed, 5, i))
        ink, lines = _inked(page, design, rng)
        warp = lie_askew(ink.shape, design, rng)
        picture = scanner.scan(warp.apply(ink) if design.damage else ink, before, rng)
        yield PrintedPage(page.number, picture, tuple(_moved(line, warp) for line in lines))
        before = ink


def print_book(
    design: BookDesign, text: Iterable[str], folder: Path, kind: Literal["page", "line"] = "page"
) -> list[str]:
    """Print a book and write its scans with what is written on them.

    Parameters
    ----------
    design : BookDesign
    text : iterable of str
        Paragraphs, for example from `labelfree.repro.tasks.spelling.standard_library_english` or `folder_paragraphs`.
    folder : Path
        A new one, for ``0001.png``, ``0001.gt.txt`` and so on.
    kind : {"page", "line"}
        Whether an image shows a page, and its text all lines of it, or one line.

    Returns
    -------
    list of str
        All lines as they are printed.
    """
    if kind not in ("page", "line"):
        raise InputError(f"kind is {kind!r}; page or line wanted")
    if folder.exists():
        raise InputError(f"{folder} is there already, a new folder wanted; name another")
    said: list[str] = []
    number = 0
    with folder_aside(folder, may_replace=lambda _: False) as aside:
        for page in printed_pages(design, text):
            texts = [line.text for line in page.lines]
            shown = [(page.picture, texts)]
            if kind == "line":
                shown = [(page.cut(line), [line.text]) for line in page.lines]
            for picture, lines in shown:
                number += 1
                (aside / f"{number:04}.png").write_bytes(_png(picture, design))
                (aside / f"{number:04}.gt.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            said += texts
    return said


def _inked(page: Page, design: BookDesign, rng: np.random.Generator) -> tuple[NDArray[np.uint8], list[PrintedLine]]:
    """A page fresh from the press, 255 for ink."""
    canvas = np.zeros((page.height, page.width), np.uint8)
    lines = [_stamped(canvas, line, design, rng) for line in page.lines]
    if page.rule is not None:
        thick, x = max(1, round(0.03 * design.pixels)), round(page.lines[0].x)
        canvas[round(page.rule) - round(0.2 * design.pixels) :][:thick, x : x + page.width // 5] = 255
    return canvas, lines


def _stamped(
    canvas: NDArray[np.uint8], placed: PlacedLine, design: BookDesign, rng: np.random.Generator
) -> PrintedLine:
    jump = _JUMP * design.damage * design.pixels
    names, boxes = [], []
    for word in placed.line.words:
        places = placed.x + word.x + np.array([piece.x for piece in word.word.pieces])
        # Type is set a little too tight rather than too wide, so that some letters touch.
        places += rng.normal(-0.1 * jump, 0.3 * jump, len(places)) if jump else 0.0
        heights = placed.baseline + (rng.normal(0, 0.35 * jump, len(places)) if jump else np.zeros(len(places)))
        has_nick = rng.random(len(places)) < _NICKS * design.damage
        for piece, x, y, nick in zip(word.word.pieces, places, heights, has_nick, strict=True):
            ink, left, top = piece.ink(float(x), float(y))
            shown = _nicked(ink, design.pixels, rng) if nick else ink
            there = canvas[top : top + ink.shape[0], left : left + ink.shape[1]]
            np.maximum(there, shown[: there.shape[0], : there.shape[1]], out=there)
            names.append(piece.text)
            boxes.append((left, top, left + ink.shape[1], top + ink.shape[0]))
    return PrintedLine(placed.line.text, tuple(names), np.array(boxes, np.float64).reshape(-1, 4))


def _nicked(ink: NDArray[np.uint8], pixels: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A worn sort: one bit of its ink is missing."""
    inked = np.argwhere(ink > 128)
    if not len(inked):
        return ink
    row, column = inked[rng.integers(len(inked))]
    y, x = np.ogrid[: ink.shape[0], : ink.shape[1]]
    radius = rng.uniform(0.03, 0.08) * pixels
    return np.where((y - row) ** 2 + (x - column) ** 2 <= radius**2, 0, ink).astype(np.uint8)


def _moved(line: PrintedLine, warp: Warp) -> PrintedLine:
    return PrintedLine(line.text, line.pieces, warp.moved(line.boxes))


def _png(picture: NDArray[np.uint8], design: BookDesign) -> bytes:
    image = Image.fromarray(picture)
    if design.bilevel:
        image = image.convert("1", dither=Image.Dither.NONE)
    content = io.BytesIO()
    image.save(content, "png", dpi=(design.dpi, design.dpi), compress_level=3)
    return content.getvalue()
