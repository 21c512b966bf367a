"""Shapes of the lexicon that are two letters: pairs that touch so often that they look like one.

Where both halves are letters of their own, each seen more often than the whole, the whole is a pair. Halves of ``m``
are no letters, but for the few that are broken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.codebook import Lexicon, squared_distances
from labelfree.ocr.segment.lattice import Runs

_ALIKE = 1.0  # shapes nearer than this many times the usual distance are variants of one
_FITS = 2.5  # a half farther from all shapes than this many times is no letter
_MOST = 0.5  # share of a shape's letters that must be such pairs


def without_compounds(
    lexicon: Lexicon, lines: Sequence[tuple[Runs, NDArray[np.float32]]], chosen: Sequence[NDArray[np.int64]]
) -> Lexicon:
    """The lexicon without the shapes that are two of its other shapes.

    Parameters
    ----------
    lexicon : Lexicon
    lines : sequence of (runs, vectors)
        All runs of each line with their shapes.
    chosen : sequence of arrays
        Numbers of the runs that are letters in each line.
    """
    n_shapes = len(lexicon.shapes)
    counts = np.zeros(n_shapes)
    splits: list[tuple[int, int, int]] = []
    for (runs, vectors), letters in zip(lines, chosen, strict=True):
        cost, shape = lexicon.surprise(vectors)
        fits = ((vectors - lexicon.shapes[shape]) ** 2).sum(1) < _FITS * lexicon.spread
        np.add.at(counts, shape[letters], 1)
        index = {(first, last): k for k, (first, last) in enumerate(np.stack([runs.first, runs.last], 1).tolist())}
        for k in letters[runs.last[letters] > runs.first[letters]].tolist():
            halves = [
                (index.get((int(runs.first[k]), cut)), index.get((cut + 1, int(runs.last[k]))))
                for cut in range(int(runs.first[k]), int(runs.last[k]))
            ]
            good = [
                (cost[a] + cost[b], a, b) for a, b in halves if a is not None and b is not None and fits[a] and fits[b]
            ]
            if good:
                _, a, b = min(good)
                splits.append((int(shape[k]), int(shape[a]), int(shape[b])))
    if not splits:
        return lexicon
    alike = (squared_distances(lexicon.shapes, lexicon.shapes) < _ALIKE * lexicon.spread).astype(np.float64)
    kin = alike @ counts
    whole, left, right = np.array(splits).T
    is_pair = (kin[left] > kin[whole]) & (kin[right] > kin[whole])
    pairs = np.bincount(whole[is_pair], minlength=n_shapes)
    kept = pairs <= _MOST * counts
    if not kept.any():
        return lexicon
    return Lexicon(lexicon.shapes[kept], lexicon.log_share[kept], lexicon.spread)
