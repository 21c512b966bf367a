"""Text set in a typeface and degraded like a scan: the pictures of lines, and where each character stands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import gaussian_filter, zoom

from labelfree.errors import InputError

# Of the faces bundled with matplotlib those made for running text.
BUNDLED = (
    "DejaVuSans",
    "DejaVuSans-Bold",
    "DejaVuSans-Oblique",
    "DejaVuSerif",
    "DejaVuSerif-Bold",
    "DejaVuSerif-Italic",
    "DejaVuSansMono",
    "STIXGeneral",
    "STIXGeneralBol",
    "STIXGeneralItalic",
)
_SYSTEM_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "C:/Windows/Fonts")
_SPECKS = 1.5e-4  # of the pixels of a line at full strength
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def bundled_typefaces() -> tuple[Path, ...]:
    """The faces for running text that come with matplotlib, so that every machine has them."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return tuple(path for name in BUNDLED if (path := folder / f"{name}.ttf").is_file())


def system_typefaces() -> tuple[Path, ...]:
    """The scalable Latin faces installed on this machine."""
    found = [path for folder in _SYSTEM_FOLDERS for path in sorted(Path(folder).rglob("*.[to]tf"))]
    return tuple(path for path in found if _draws_letters(path))


@dataclass(frozen=True, eq=False)
class SetLine:
    """A line as it would be scanned.

    Attributes
    ----------
    ink : array of shape (height, width), float32
        1 for ink and 0 for paper.
    boxes : array of shape (n, 4)
        ``x0, y0, x1, y1`` of every character's cell.
    """

    ink: NDArray[np.float32]
    boxes: NDArray[np.int64]


def set_line(text: str, typeface: Path, size: int, rng: np.random.Generator, *, strength: float = 1.0) -> SetLine:
    """Set a line of text and degrade it.

    Parameters
    ----------
    text : str
    typeface : Path
        A TrueType or OpenType file.
    size : int
        Of the letters, in pixels.
    rng : numpy Generator
        Of the damage.
    strength : float
        0 for clean print; at 1 letters jump, strokes blur, touch and break, and paper is speckled.
    """
    spread = 0.03 * size * strength
    glyphs = [_glyph(typeface, size, character) for character in text]
    steps = np.array([glyph.advance for glyph in glyphs]) + rng.normal(-0.25 * spread, 0.5 * spread, len(text))
    edges = np.concatenate([[size // 2], size // 2 + np.cumsum(np.maximum(steps, 1.0))])
    height, width = 2 * size, int(edges[-1]) + size
    grey = np.zeros((height, width), np.float32)
    for glyph, x, dy in zip(glyphs, edges[:-1], rng.normal(0, 0.4 * spread, len(text)), strict=True):
        _paste(grey, glyph.ink, round(x) + glyph.left, round(dy) + glyph.top + size // 4)
    ink = degraded(grey, size, strength, draw_wear(grey.shape, size, rng, _SPECKS * strength)) if strength else grey
    cuts = np.rint(edges + rng.normal(0, 0.5 * spread, len(edges))).astype(np.int64)
    cuts = np.clip(np.maximum.accumulate(cuts), 0, width)
    rows = np.tile([0, height], (len(text), 1))
    boxes = np.stack([cuts[:-1], rows[:, 0], np.maximum(cuts[1:], cuts[:-1] + 1), rows[:, 1]], 1)
    return SetLine((ink > 0.5).astype(np.float32), boxes)


@dataclass(frozen=True, eq=False)
class Wear:
    """What ink and paper add to print at full strength.

    Attributes
    ----------
    inking : array of shape (height, width)
        Where there is more ink and where less, over the size of a letter.
    grain : array of shape (height, width)
        Of the paper.
    gain : float
        Of ink, everywhere.
    specks : array of shape (height, width)
        Dirt, above 0.5 where it is as dark as ink.
    """

    inking: NDArray[np.float32]
    grain: NDArray[np.float32]
    gain: float
    specks: NDArray[np.float32]


def draw_wear(shape: tuple[int, int], size: int, rng: np.random.Generator, specks: float) -> Wear:
    """Draw the wear of a picture.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    size : int
        Of the letters, in pixels.
    rng : numpy Generator
    specks : float
        Share of pixels on which there is dirt.
    """
    coarse = rng.normal(size=tuple(max(2, side // size + 1) for side in shape))
    factors = tuple(side / n for side, n in zip(shape, coarse.shape, strict=True))
    inking = zoom(coarse, factors, order=1, grid_mode=True, mode="nearest")[: shape[0], : shape[1]]
    grain = gaussian_filter(rng.normal(size=shape).astype(np.float32), 0.7)
    gain = rng.normal(0, 0.0375)
    is_speck = rng.random(shape) < specks
    return Wear(inking, grain, gain, 4 * gaussian_filter(is_speck.astype(np.float32), 0.7))


def degraded(grey: NDArray[np.float32], size: int, strength: float, wear: Wear) -> NDArray[np.float32]:
    """Blur, uneven inking that thickens strokes here and breaks them there, grain and specks.

    Parameters
    ----------
    grey : array of shape (height, width)
        1 for ink and 0 for paper.
    size : int
        Of the letters, in pixels.
    strength : float
        As in `set_line`.
    wear : Wear

    Returns
    -------
    array of shape (height, width)
        What is above 0.5 is taken for ink.
    """
    blurred = gaussian_filter(grey, 0.0225 * size * strength)
    worn = blurred + strength * (0.075 * wear.inking + 0.19 * wear.grain + wear.gain)
    dirty: NDArray[np.float32] = np.maximum(worn, wear.specks)
    return dirty


@dataclass(frozen=True, eq=False)
class _Glyph:
    ink: NDArray[np.float32]
    left: int
    top: int
    advance: float


@lru_cache(maxsize=8192)
def _glyph(typeface: Path, size: int, character: str) -> _Glyph:
    font = _font(typeface, size)
    left, top, right, bottom = font.getbbox(character)
    canvas = Image.new("L", (max(1, int(right - left)), max(1, int(bottom - top))))
    ImageDraw.Draw(canvas).text((-left, -top), character, fill=255, font=font)
    return _Glyph(np.asarray(canvas, np.float32) / np.float32(255), int(left), int(top), font.getlength(character))


@lru_cache(maxsize=256)
def _font(typeface: Path, size: int) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(os.fspath(typeface), size, layout_engine=ImageFont.Layout.BASIC)
    except OSError as error:
        raise InputError(f"{typeface} is no typeface that can be read ({error}); name a .ttf or .otf file") from None


def _draws_letters(typeface: Path) -> bool:
    """Whether all small letters of a face leave ink and differ."""
    try:
        shapes = {_glyph(typeface, 24, letter).ink.tobytes() for letter in _LETTERS}
    except (InputError, OSError, ValueError):
        return False
    return len(shapes) == len(_LETTERS)


def _paste(grey: NDArray[np.float32], ink: NDArray[np.float32], x: int, y: int) -> None:
    """Lay a glyph onto the line, cut at the edges."""
    height, width = ink.shape
    top, left = max(y, 0), max(x, 0)
    bottom, right = min(y + height, grey.shape[0]), min(x + width, grey.shape[1])
    if top < bottom and left < right:
        there = grey[top:bottom, left:right]
        np.maximum(there, ink[top - y : bottom - y, left - x : right - x], out=there)
