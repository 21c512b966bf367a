"""Where the symbols of a reading stand: the frames that speak for each, and the columns between its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.recogniser.network import STRIDE
from labelfree.ocr.recogniser.strips import X_HEIGHT, Strip

_REACH = 0.4 * X_HEIGHT  # columns from the middle between two symbols within which they are parted
_PER_COLUMN = 0.15  # ink that a cut saves to be worth a column's distance


def best_path(log_posteriors: NDArray[np.floating]) -> NDArray[np.int64]:
    """The likeliest class of each frame, repetitions once and blanks (the last class) left out.

    Examples
    --------
    >>> frames = np.log(np.array([[.8, .1, .1], [.8, .1, .1], [.1, .1, .8], [.7, .2, .1], [.2, .7, .1]]))
    >>> best_path(frames).tolist()
    [0, 0, 1]
    """
    path = log_posteriors.argmax(1) if len(log_posteriors) else np.empty(0, np.int64)
    fresh = np.append(True, path[1:] != path[:-1])[: len(path)]
    found: NDArray[np.int64] = path[fresh & (path != log_posteriors.shape[1] - 1)].astype(np.int64)
    return found


def align(log_posteriors: NDArray[np.floating], labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """First and last frame of each symbol on the likeliest path that spells the labels, of shape (n, 2).

    Examples
    --------
    >>> frames = np.log(np.array([[.1, .1, .8], [.8, .1, .1], [.8, .1, .1], [.1, .8, .1], [.1, .1, .8]]))
    >>> align(frames, np.array([0, 1])).tolist()
    [[1, 2], [3, 3]]
    """
    n, n_labels = len(log_posteriors), len(labels)
    if n_labels == 0:
        return np.empty((0, 2), np.int64)
    states = np.full(2 * n_labels + 1, log_posteriors.shape[1] - 1)  # blank, symbol, blank, symbol, ..., blank
    states[1::2] = labels
    # From a symbol straight to the next one, unless both are the same.
    leaps = np.zeros(len(states), bool)
    leaps[3::2] = labels[1:] != labels[:-1]
    scores = np.full(len(states), -np.inf)
    scores[:2] = log_posteriors[0, states[:2]]
    moves = np.zeros((n, len(states)), np.int8)
    table = np.full((3, len(states)), -np.inf)
    for t in range(1, n):
        table[0] = scores
        table[1, 1:] = scores[:-1]
        table[2, 2:] = np.where(leaps[2:], scores[:-2], -np.inf)
        moves[t] = table.argmax(0)
        scores = table.max(0) + log_posteriors[t, states]
    at = np.empty(n, np.int64)
    at[-1] = len(states) - 1 if scores[-1] >= scores[-2] else len(states) - 2
    for t in range(n - 1, 0, -1):
        at[t - 1] = at[t] - moves[t, at[t]]
    symbols = 2 * np.arange(n_labels) + 1
    return np.stack([np.searchsorted(at, symbols), np.searchsorted(at, symbols, side="right") - 1], 1)


def extents(strip: Strip, frames: NDArray[np.int64]) -> NDArray[np.float64]:
    """First and last column of the line that each symbol takes up, of shape (n, 2).

    Two neighbours are parted near the middle between their frames, where the ink is thinnest.
    """
    if not len(frames):
        return np.empty((0, 2))
    centres = (frames.mean(1) + 0.5) * STRIDE
    ink = strip.image.sum(0)
    cuts = [_thinnest(ink, middle) for middle in ((centres[1:] + centres[:-1]) / 2).tolist()]
    inked = np.flatnonzero(ink > 0.5)
    left = min(inked[0] if len(inked) else 0, centres[0])
    right = max(inked[-1] + 1 if len(inked) else strip.width, centres[-1])
    edges = strip.columns(np.maximum.accumulate(np.array([left, *cuts, right], np.float64)))
    return np.stack([edges[:-1], edges[1:]], 1)


def _thinnest(ink: NDArray[np.floating], middle: float) -> float:
    around = np.arange(max(0, int(middle - _REACH)), min(len(ink), int(middle + _REACH) + 1))
    if not len(around):
        return middle
    return float(around[np.argmin(ink[around] + _PER_COLUMN * np.abs(around + 0.5 - middle))]) + 0.5
