"""Where the characters of a reading stand among the tiles of the same lines."""

from __future__ import annotations

import numpy as np

from labelfree.ocr.book import Book, Ints, Reading


def tiles_of(book: Book, reading: Reading) -> Ints:
    """For each character of all lines the tile that shows it, or -1."""
    shown = [tile_of_each(line.boxes, boxes) for line, boxes in zip(reading, book.line_boxes, strict=True)]
    found = [np.where(tile < 0, -1, start + tile) for start, tile in zip(book.starts, shown, strict=True)]
    return np.concatenate([np.empty(0, np.int64), *found])


def labels_of_tiles(book: Book, reading: Reading) -> Ints:
    """For each tile the label of the character that it shows, or -1."""
    tile_of = tiles_of(book, reading)
    found = np.full(len(book.tiles), -1, np.int64)
    found[tile_of[tile_of >= 0]] = reading.labels[tile_of >= 0]
    return found


def tile_of_each(characters: Ints, tiles: Ints) -> Ints:
    """For each box of a character on a line the tile that shows it, or -1; no tile shows two.

    Examples
    --------
    >>> characters = np.array([[0, 0, 8, 9], [9, 0, 15, 9], [30, 0, 40, 9]])
    >>> tile_of_each(characters, np.array([[1, 0, 7, 9], [8, 0, 40, 9]])).tolist()
    [0, -1, -1]
    """
    if not len(characters) or not len(tiles):
        return np.full(len(characters), -1, np.int64)
    apart = np.abs(characters[:, None, ::2].mean(2) - tiles[:, ::2].mean(1))
    width, tile_width = (boxes[:, 2] - boxes[:, 0] for boxes in (characters, tiles))
    nearest, every = apart.argmin(1), np.arange(len(characters))
    is_mutual = apart.argmin(0)[nearest] == every
    is_close = apart[every, nearest] < np.minimum(width, tile_width[nearest]) / 2
    return np.where(is_mutual & is_close, nearest, -1)
