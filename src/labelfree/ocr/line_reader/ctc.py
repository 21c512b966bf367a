"""What the frames of a line say: the likeliest symbols, where those that were read stand, and how sure each is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.checks import as_transitions
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.network import STRIDE
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LINES = 64  # in step


def best_path(log_posteriors: NDArray[np.floating]) -> Ints:
    """The likeliest class of each frame, repetitions once and blanks (the last class) left out.

    Examples
    --------
    >>> frames = np.log(np.array([[.8, .1, .1], [.8, .1, .1], [.1, .1, .8], [.7, .2, .1], [.2, .7, .1]]))
    >>> best_path(frames).tolist()
    [0, 0, 1]
    """
    path = log_posteriors.argmax(1) if len(log_posteriors) else np.empty(0, np.int64)
    fresh = np.append(True, path[1:] != path[:-1])[: len(path)]
    found: Ints = path[fresh & (path != log_posteriors.shape[1] - 1)].astype(np.int64)
    return found


def align(log_posteriors: Sequence[NDArray[np.floating]], labels: Sequence[Ints]) -> list[Ints]:
    """First and last frame of each symbol on the likeliest path that spells a line's labels, of shape (n, 2).

    In a line that has no room for all of its labels some share a frame.

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


def _align(log_posteriors: Sequence[NDArray[np.floating]], labels: Sequence[Ints]) -> Iterator[Ints]:
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


def extents(strip: Strip, frames: Ints, cut_cost: float = DEFAULT.cut_cost) -> Floats:
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


def confidences(
    log_posteriors: Sequence[NDArray[np.floating]],
    labels: Sequence[Ints],
    places: Sequence[Ints],
    lm: NGramLM | None = None,
    settings: LineReaderSettings = DEFAULT,
) -> list[Floats]:
    """How sure each symbol is: its share among its few likeliest rivals and nothing being there, all others as read.

    `places` are those of `align`. The language model weighs in with the symbol and those after it.
    """
    lengths = np.array([len(spelled) for spelled in labels], np.int64)
    if not lengths.sum():
        return [np.empty(0) for _ in labels]
    peaks = np.concatenate([_peaks(*line) for line in zip(log_posteriors, labels, places, strict=True)])
    read = np.concatenate(labels)
    n_symbols = peaks.shape[1] - 1
    rivals = np.argpartition(-peaks[:, :-1], min(settings.rivals, n_symbols) - 1, 1)[:, : settings.rivals]
    evidence = np.take_along_axis(peaks, rivals, 1)
    evidence[rivals == read[:, None]] = -np.inf  # the symbol itself is counted apart
    own = peaks[np.arange(len(read)), read]
    if lm is not None and settings.lm_weight:
        told = _told(lm, read, lengths, np.column_stack([read, rivals]), settings.lm_weight)
        evidence += told[:, 1:] - told[:, :1]
    against = np.logaddexp.reduce(np.column_stack([evidence, peaks[:, -1]]), 1) - own
    sure = 1.0 / (1.0 + np.exp(np.clip(against, -50.0, 50.0)))
    return np.split(sure, np.cumsum(lengths)[:-1])


def _peaks(frames: NDArray[np.floating], labels: Ints, places: Ints) -> Floats:
    """The frame that speaks most for each symbol, among its own."""
    found = np.empty((len(labels), frames.shape[1]))
    for row, (label, (first, last)) in enumerate(zip(labels.tolist(), places.tolist(), strict=True)):
        found[row] = frames[first + int(frames[first : last + 1, label].argmax())]
    return found


def _told(lm: NGramLM, read: Ints, lengths: Ints, candidates: Ints, weight: float) -> Floats:
    """What the model says of the text when each candidate takes its symbol's place, of shape (n, m)."""
    transitions = as_transitions(lm, None, weight)
    reach = transitions.order - 1
    alone = transitions.pairs(np.zeros(transitions.n_labels, np.int64), np.arange(transitions.n_labels), 0)
    # Every line between symbols that are none (-1), so that windows may reach beyond its ends.
    line = np.repeat(np.arange(len(lengths)), lengths)
    at = np.arange(len(read)) + reach * (2 * line + 1)
    padded = np.full(len(read) + 2 * reach * len(lengths), -1, np.int64)
    padded[at] = read
    total = -alone[candidates]
    for ahead in range(reach + 1):
        target = np.broadcast_to(padded[at + ahead][:, None], candidates.shape) if ahead else candidates
        context, known = np.zeros_like(candidates), np.zeros_like(candidates)
        for back in range(1, reach + 1):
            before = candidates if back == ahead else padded[at + ahead - back][:, None]
            is_next = (before >= 0) & (known == back - 1)
            context = context + np.where(is_next, before * transitions.n_labels ** (back - 1), 0)
            known = known + is_next
        for length in range(reach + 1):
            same = (known == length) & (target >= 0)
            total[same] += transitions.pairs(context[same], target[same], length)
    return total
