"""How sure a reading is of each symbol: its share among those that could stand in its place, all others as read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.checks import as_transitions
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def confidences(
    log_posteriors: Sequence[NDArray[np.floating]],
    labels: Sequence[Ints],
    places: Sequence[Ints],
    lm: NGramLM | None = None,
    settings: LineReaderSettings = DEFAULT,
) -> list[Floats]:
    """Give each symbol's probability against its few likeliest rivals and against nothing being there.

    Parameters
    ----------
    log_posteriors : sequence of arrays of shape (frames, C + 1)
    labels : sequence of arrays of int
        What was read of each line.
    places : sequence of arrays of shape (n, 2)
        First and last frame of each symbol.
    lm : NGramLM, optional
        What the symbol and those after it weigh in with, given the ones before.
    settings : LineReaderSettings
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
