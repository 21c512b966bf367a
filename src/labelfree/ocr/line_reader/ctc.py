"""Where the symbols of a reading stand: the frames that speak for each, and the columns between its neighbours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.line_reader.network import STRIDE
from labelfree.ocr.line_reader.settings import DEFAULT
from labelfree.ocr.line_reader.strips import Strip

_LINES = 64  # in step


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


def align(
    log_posteriors: Sequence[NDArray[np.floating]], labels: Sequence[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """First and last frame of each symbol on the likeliest path that spells a line's labels.

    Returns
    -------
    list of arrays of shape (n, 2)
        One a line. In a line that has no room for all of its labels some share a frame.

    Examples
    --------
    >>> frames = np.log(np.array([[.1, .1, .8], [.8, .1, .1], [.8, .1, .1], [.1, .8, .1], [.1, .1, .8]]))
    >>> align([frames], [np.array([0, 1])])[0].tolist()
    [[1, 2], [3, 3]]
    """
    found = [np.empty((0, 2), np.int64)] * len(labels)
    filled = [i for i, spelled in enumerate(labels) if len(spelled) and len(log_posteriors[i])]
    longest_first = sorted(filled, key=lambda i: -len(log_posteriors[i]))
    for first in range(0, len(filled), _LINES):
        group = longest_first[first : first + _LINES]
        places = _align([log_posteriors[i] for i in group], [labels[i] for i in group])
        for i, place in zip(group, places, strict=True):
            found[i] = place
    return found


def _align(
    log_posteriors: Sequence[NDArray[np.floating]], labels: Sequence[NDArray[np.int64]]
) -> Iterator[NDArray[np.int64]]:
    """Lines of falling length in step, each a walk through blank, symbol, blank, symbol, ..., blank."""
    sizes = np.array([len(frames) for frames in log_posteriors])
    n, n_states = len(sizes), 2 * max(len(spelled) for spelled in labels) + 1
    states = np.full((n, n_states), log_posteriors[0].shape[1] - 1)
    leaps = np.full((n, n_states), -np.inf)  # 0 where a symbol may follow another with no blank between
    for row, (leap, spelled) in enumerate(zip(leaps, labels, strict=True)):
        states[row, 1 : 2 * len(spelled) : 2] = spelled
        leap[3 : 2 * len(spelled) : 2] = np.where(spelled[1:] != spelled[:-1], 0.0, -np.inf)
    emitted = np.full((int(sizes[0]), n, n_states), -np.inf, np.float32)
    for row, frames in enumerate(log_posteriors):
        emitted[: len(frames), row] = frames[:, states[row]]
    scores = np.full((n, n_states), -np.inf)
    scores[:, :2] = emitted[0, :, :2]
    moves = np.zeros(emitted.shape, np.int8)
    for t in range(1, len(emitted)):
        running = int(np.searchsorted(-sizes, -t))
        ways = np.full((3, running, n_states), -np.inf)
        ways[0] = scores[:running]
        ways[1, :, 1:] = scores[:running, :-1]
        ways[2, :, 2:] = scores[:running, :-2] + leaps[:running, 2:]
        moves[t, :running] = ways.argmax(0)
        scores[:running] = ways.max(0) + emitted[t, :running]
    for row, spelled in enumerate(labels):
        at = np.empty(sizes[row], np.int64)
        end = 2 * len(spelled)
        at[-1] = end if scores[row, end] >= scores[row, end - 1] else end - 1
        for t in range(int(sizes[row]) - 1, 0, -1):
            at[t - 1] = at[t] - moves[t, row, at[t]]
        symbols = 2 * np.arange(len(spelled)) + 1
        first, last = np.searchsorted(at, symbols), np.searchsorted(at, symbols, side="right") - 1
        yield np.stack([first.clip(0, sizes[row] - 1), last.clip(0, sizes[row] - 1)], 1)


def extents(strip: Strip, frames: NDArray[np.int64], cut_cost: float = DEFAULT.cut_cost) -> NDArray[np.float64]:
    """First and last column of the line that each symbol takes up, of shape (n, 2).

    Two neighbours are parted between their frames, where there is little ink and the middle is near.
    """
    if not len(frames):
        return np.empty((0, 2))
    centres = (frames.mean(1) + 0.5) * STRIDE
    ink = strip.image.sum(0)
    cuts = [_thinnest(ink, left, right, cut_cost) for left, right in itertools.pairwise(centres.tolist())]
    first, last = strip.inked
    edges = np.array([min(first, centres[0]), *cuts, max(last, centres[-1])], np.float64)
    edges = strip.columns(np.maximum.accumulate(edges))
    return np.stack([edges[:-1], edges[1:]], 1)


def _thinnest(ink: NDArray[np.floating], left: float, right: float, cut_cost: float) -> float:
    middle = (left + right) / 2
    between = np.arange(min(int(left), len(ink) - 1), min(int(right) + 1, len(ink)))
    return float(between[np.argmin(ink[between] + cut_cost * np.abs(between + 0.5 - middle))]) + 0.5
