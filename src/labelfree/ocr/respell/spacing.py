"""Spaces beside marks, left out where the language has none.

Some printers set a little room between a quotation mark and its word. Whether that is a space is the same throughout a
book, and the language tells it from all places together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM

Ints = NDArray[np.int64]

_LEAST = 4  # places
_GAIN = 1.0  # nats a place


def close_up(read: Sequence[Ints], lm: NGramLM) -> list[Ints]:
    """Leave out the spaces before a mark, or after it, if lines are likelier without.

    Parameters
    ----------
    read : sequence of arrays of int
        What each line was read as.
    lm : NGramLM

    Examples
    --------
    >>> lm = NGramLM.from_text("He said, «no,» and «yes,» and «oh,» and no more. " * 9, order=3)
    >>> lines = [lm.alphabet.encode(line) for line in ("He said, « no,» and", "« yes,» and « oh,» and", "« no,» more.")]
    >>> [lm.alphabet.decode(line) for line in close_up(lines, lm)]
    ['He said, «no,» and', '«yes,» and «oh,» and', '«no,» more.']
    """
    symbols = lm.alphabet.symbols
    is_space = np.array([symbol.isspace() for symbol in symbols])
    is_mark = np.array([not symbol.isalnum() for symbol in symbols]) & ~is_space
    beside: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(read):
        inner = 1 + np.flatnonzero(is_space[line[1:-1]])
        for side in (-1, 1):
            for place in inner[is_mark[line[inner + side]]].tolist():
                beside[int(line[place + side]), side].append((number, place))
    left_out: dict[int, list[int]] = defaultdict(list)
    for places in beside.values():
        if len(places) >= _LEAST and _gain(read, places, lm) > _GAIN * len(places):
            for number, place in places:
                left_out[number].append(place)
    return [np.delete(line, left_out[number]) if number in left_out else line for number, line in enumerate(read)]


def _gain(read: Sequence[Ints], places: Sequence[tuple[int, int]], lm: NGramLM) -> float:
    """How much likelier lines are without the spaces at some places."""
    before = [read[number][max(0, place - lm.order) : place] for number, place in places]
    after = [read[number][place + 1 : place + 1 + lm.order] for number, place in places]
    space = [read[number][place : place + 1] for number, place in places]
    without = [np.concatenate(parts) for parts in zip(before, after, strict=True)]
    with_space = [np.concatenate(parts) for parts in zip(before, space, after, strict=True)]
    return _log_probability(without, lm) - _log_probability(with_space, lm)


def _log_probability(lines: Sequence[Ints], lm: NGramLM) -> float:
    lengths = np.array([len(line) for line in lines], np.int64)
    return float(np.sum(lm.log_probabilities(np.concatenate(lines), lengths)))
