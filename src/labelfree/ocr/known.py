"""From what a person said of a book to labels of its lines and of its tiles.

A line may be cut wrongly, so that its tiles and its symbols do not count the same. But spaces part both into words, and
a word with as many tiles as symbols is hardly ever cut wrongly twice. Tiles of other words stay without a label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from labelfree.ocr.cutting import CutBook, CutLine
from labelfree.ocr.glyphs.clusters import cluster_tiles
from labelfree.ocr.glyphs.tiles import stack
from labelfree.ocr.hints import Hints
from labelfree.ocr.language import BookLanguage

UNKNOWN = -1


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """What is known of the lines of a book that were cut.

    Attributes
    ----------
    lines : dict
        The labels of a line, by its place among those cut.
    tiles : array of shape (T,)
        The label of each tile of all these lines, `UNKNOWN` where there is none.
    """

    lines: dict[int, NDArray[np.int64]]
    tiles: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        hints: Hints,
        transcribed: Mapping[int, NDArray[np.int64]],
        book: CutBook,
        language: BookLanguage,
    ) -> KnownLabels:
        """Bring hints to the lines that are cut.

        Parameters
        ----------
        hints : Hints
        transcribed : mapping
            What the hints say of lines, as `Hints.line_labels` gives it.
        book : CutBook
            The same lines, cut.
        language : BookLanguage
        """
        numbers = {id(line): number for number, line in enumerate(book.lines)}
        labels_of = [transcribed.get(numbers[id(line.line)]) for line in book.cut]
        lines = {i: labels for i, labels in enumerate(labels_of) if labels is not None}
        symbols = language.lm.alphabet
        space = symbols.index(" ") if " " in symbols else UNKNOWN
        parts = [
            align_words(_is_blank(line), lines[i], space) if i in lines else np.full(len(line.tiles), UNKNOWN)
            for i, line in enumerate(book.cut)
        ]
        tiles = np.concatenate(parts)
        if hints.groups:
            groups = cluster_tiles(stack([line.tiles for line in book.cut]))
            for group, label in hints.group_labels(groups.n_groups, language).items():
                tiles[(groups.labels == group) & (tiles == UNKNOWN)] = label
        return cls(lines, tiles)


def align_words(is_blank: NDArray[np.bool_], labels: NDArray[np.int64], space: int) -> NDArray[np.int64]:
    """The label of each tile of a line, in words that have as many tiles as symbols.

    Parameters
    ----------
    is_blank : array of shape (n,)
        Which tiles are spaces.
    labels : array of shape (m,)
        What the line says.
    space : int
        The label of the space.

    Returns
    -------
    array of shape (n,)
        `UNKNOWN` where a label cannot be told.

    Examples
    --------
    >>> align_words(np.array([0, 0, 1, 0, 1, 0, 0], bool), np.array([3, 4, 0, 5, 6, 0, 7, 8]), space=0)
    array([ 3,  4,  0, -1,  0,  7,  8])
    """
    found = np.full(len(is_blank), UNKNOWN)
    if (labels == space).any():
        found[is_blank] = space
    tile_words, label_words = _words(is_blank), _words(labels == space)
    blocks = LCSseq.opcodes([len(word) for word in tile_words], [len(word) for word in label_words])
    for block in blocks:
        if block.tag == "equal":
            pairs = zip(tile_words[block.src_start : block.src_end], label_words[block.dest_start :], strict=False)
            for tiles, symbols in pairs:
                found[tiles] = labels[symbols]
    return found


def _words(is_space: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """The places of each run without a space."""
    places = np.flatnonzero(~is_space)
    return [run for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(run)]


def _is_blank(line: CutLine) -> NDArray[np.bool_]:
    return np.asarray(~line.tiles.images.any((1, 2)))
