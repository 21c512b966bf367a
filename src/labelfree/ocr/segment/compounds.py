"""Shapes of the codebook that are two letters: pairs that touch so often that they look like one.

Where both halves are letters of their own, each seen more often than the whole, the whole is a pair. Halves of ``m``
are no letters, but for the few that are broken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.codebook import Codebook, Matches
from labelfree.ocr.segment.lattice import MOST_ATOMS, Lattice


def are_compounds(
    codebook: Codebook, lattice: Lattice, matches: Matches, letters: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which shapes of a codebook are two of its other shapes.

    Parameters
    ----------
    codebook : Codebook
    lattice : Lattice
        Of the lines that it was learned on.
    matches : Matches
        The shape of every edge.
    letters : array
        Numbers of the edges that are letters.
    """
    n_shapes = len(codebook.shapes)
    counts = np.bincount(matches.shape[letters], minlength=n_shapes)
    kin = codebook.kin(counts)
    fits = matches.distance < codebook.settings.fits * codebook.spread
    whole, left, right = _halves(lattice, matches, fits, letters)
    is_pair = (kin[left] > kin[whole]) & (kin[right] > kin[whole])
    are: NDArray[np.bool_] = np.bincount(whole[is_pair], minlength=n_shapes) > counts / 2
    return are


def _halves(
    lattice: Lattice, matches: Matches, fits: NDArray[np.bool_], letters: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Shapes of the letters of several atoms that can be two letters, and of their likeliest halves: (3, n)."""
    edge_of = np.full((lattice.n_atoms + 1, MOST_ATOMS + 1), -1)  # by first atom and number of atoms
    length = lattice.last - lattice.first + 1
    is_short = length <= MOST_ATOMS
    edge_of[lattice.first[is_short], length[is_short]] = np.flatnonzero(is_short)
    letters = letters[(length[letters] > 1) & (length[letters] <= 2 * MOST_ATOMS)]
    first, length = lattice.first[letters], length[letters]
    best = np.full(len(letters), np.inf)
    halves = np.zeros((2, len(letters)), np.int64)
    for n_left in range(1, MOST_ATOMS + 1):
        n_right = length - n_left
        is_cut = (n_right >= 1) & (n_right <= MOST_ATOMS)
        left = edge_of[first, n_left]
        right = edge_of[np.where(is_cut, first + n_left, 0), np.where(is_cut, n_right, 0)]
        is_cut &= (left >= 0) & (right >= 0) & fits[left] & fits[right]
        cost = np.where(is_cut, matches.cost[left] + matches.cost[right], np.inf)
        is_better = cost < best
        best[is_better] = cost[is_better]
        halves[:, is_better] = left[is_better], right[is_better]
    found = np.isfinite(best)
    shapes: NDArray[np.int64] = matches.shape[np.stack([letters, *halves])[:, found]]
    return shapes
