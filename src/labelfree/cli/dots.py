"""Pictures as text: every character of the terminal shows a block of dots, two across and four down."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_ACROSS, _DOWN = 2, 4
_NO_DOTS = 0x2800
_WEIGHTS = np.array([[1, 8], [2, 16], [4, 32], [64, 128]])  # of the dots of a Braille pattern in Unicode
_DARK = 0.36  # share of a dot's place that ink must cover
_LEAST_HEIGHT = 7  # dots from the top of a line to its bottom, below which letters cannot be told
_SEAM = 0.1  # share of a strip in which it may end


def dotted(ink: NDArray[np.float32], columns: int) -> list[str]:
    r"""Show a line of print; one too long to be legible is cut between letters into strips of equal scale.

    Parameters
    ----------
    ink : array of shape (height, width)
        1 for ink and 0 for paper.
    columns : int
        Characters across at most.

    Returns
    -------
    list of str
        Rows of characters.

    Examples
    --------
    >>> slope = np.triu(np.ones((16, 32), np.float32))
    >>> print(*dotted(slope, 8), sep="\n")
    ⠙⢿⣿⣿⣿⣿⣿⣿
    ⠀⠀⠙⢿⣿⣿⣿⣿
    """
    ink = _cropped(ink)
    if not ink.size:
        return []
    height, width = ink.shape
    dots = _ACROSS * columns
    n_strips = ceil(_LEAST_HEIGHT * width / (height * dots))
    longest = width if n_strips == 1 else int(width / n_strips / (1 - _SEAM)) + 1
    scale = min(dots / longest, 1.0)
    return [row for strip in _strips(ink, longest) for row in _braille(_reduced(strip, scale))]


def _cropped(ink: NDArray[np.float32]) -> NDArray[np.float32]:
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] if rows.size else ink[:0]


def _strips(ink: NDArray[np.float32], longest: int) -> Iterator[NDArray[np.float32]]:
    """Parts of a line, each cut where the emptiest columns near its end have their middle."""
    while ink.shape[1] > longest:
        first = int(longest * (1 - _SEAM))
        filled = ink[:, first:longest].sum(0)
        emptiest = np.flatnonzero(filled == filled.min())
        end = first + int(emptiest[len(emptiest) // 2])
        yield ink[:, :end]
        ink = ink[:, end:]
    yield ink


def _reduced(ink: NDArray[np.float32], scale: float) -> NDArray[np.bool_]:
    size = [max(1, round(side * scale)) for side in ink.shape]
    picture = Image.fromarray((ink * 255).astype(np.uint8)).resize((size[1], size[0]), Image.Resampling.BOX)
    return np.asarray(picture) > 255 * _DARK


def _braille(dots: NDArray[np.bool_]) -> Iterator[str]:
    padded = np.pad(dots, [(0, -dots.shape[0] % _DOWN), (0, -dots.shape[1] % _ACROSS)])
    height, width = padded.shape
    blocks = padded.reshape(height // _DOWN, _DOWN, width // _ACROSS, _ACROSS)
    for row in np.einsum("rdca,da->rc", blocks, _WEIGHTS).tolist():
        yield "".join(chr(_NO_DOTS + pattern) for pattern in row)
