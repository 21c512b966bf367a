"""Concavities: paper beside the strokes of a character, open to one side, or to two in a corner.

C is open to the right, U to the top, 2 to the left above and to the right below, whatever the typeface.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.glyphs.bitrows import BitRows, pack, shifted, whole_row


def measure_concavities(strokes: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The share of each picture (n, height, width) that each of the `CONCAVITIES` takes up: (n, concavities).

    Paper that has ink on all four sides is part of the concavity that it opens to, if it is no counter.

    Examples
    --------
    >>> from labelfree.ocr.scripts.letterform import CONCAVITIES
    >>> u = np.array([[1, 0, 1], [1, 0, 1], [1, 1, 1]], bool)
    >>> found = measure_concavities(u[None])[0]
    >>> [concavity.name for concavity, share in zip(CONCAVITIES, found, strict=True) if share]
    ['TOP']
    """
    height, width = strokes.shape[1:]
    ink = pack(strokes)
    left, right, *others = _with_pockets(*_seen_from_outside(ink, width))
    middle = -(-height // 2)
    parts = (left[:middle], left[middle:], right[:middle], right[middle:], *others)
    pixels = [np.bitwise_count(part).sum(0, dtype=np.int64) for part in parts]
    shares: NDArray[np.float64] = np.stack(pixels, 1) / max(height * width, 1)
    return shares


def _seen_from_outside(ink: BitRows, width: int) -> tuple[BitRows, BitRows]:
    """Paper open to the left, the right, the top, the bottom and the four corners; and paper open to none of these.

    The first has shape (8, height, n). Paper open to two sides that are across from each other is in neither.
    """
    left, right, top, bottom = _ink_beside(ink, width)
    paper = ~ink & whole_row(ink, width)
    lines, columns = paper & left & right, paper & top & bottom
    corners = [
        paper & across & along & ~other & ~above
        for across, along, other, above in (
            (right, bottom, left, top),
            (left, bottom, right, top),
            (right, top, left, bottom),
            (left, top, right, bottom),
        )
    ]
    sides = [columns & right & ~left, columns & left & ~right, lines & bottom & ~top, lines & top & ~bottom]
    return np.stack([*sides, *corners]), lines & columns


def _ink_beside(ink: BitRows, width: int) -> tuple[BitRows, BitRows, BitRows, BitRows]:
    """Pixels that have ink to their left, to their right, above and below, those of ink themselves included."""
    left, right = ink, ink
    for step in range((width - 1).bit_length()):
        left, right = left | left << (1 << step), right | right >> (1 << step)
    top = np.bitwise_or.accumulate(ink, 0)
    bottom = np.bitwise_or.accumulate(ink[::-1], 0)[::-1]
    return left, right, top, bottom


def _with_pockets(opened: BitRows, hidden: BitRows) -> BitRows:
    """The same with hidden paper open to where the paper beside it is, from the outside in."""
    deep = np.flatnonzero((hidden != 0).any(0))
    hidden, coded = hidden[:, deep], _coded(opened[..., deep])
    growing = np.arange(len(deep))
    while len(growing):
        before, left = coded[..., growing], hidden.copy()
        after = before.copy()
        for beside in shifted(before):
            after |= beside & left
            left &= ~beside[0]
        coded[..., growing] = after
        has_grown = (left != hidden).any(0)
        growing, hidden = growing[has_grown], left[:, has_grown]
    opened[..., deep] = _decoded(coded)
    return opened


def _coded(opened: BitRows) -> BitRows:
    """Whether a pixel is open, and the three binary digits of what to: half as much to move as one layer for each."""
    digits = [np.bitwise_or.reduce(opened[[i for i in range(8) if i >> digit & 1]], 0) for digit in range(3)]
    return np.stack([np.bitwise_or.reduce(opened, 0), *digits])


def _decoded(coded: BitRows) -> BitRows:
    is_open, *digits = coded
    layers = [[value if i >> digit & 1 else ~value for digit, value in enumerate(digits)] for i in range(8)]
    return np.stack([np.bitwise_and.reduce([is_open, *layer]) for layer in layers])
