"""Reading order: lines that were read are looked up in the truth, and those that stand elsewhere counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelfree.alignment import anchors, longest_rise
from labelfree.ocr.metrics.lines import kept, one_line

_RUN = 8  # characters that tell a place in the truth


@dataclass(frozen=True)
class Order:
    """The order of the lines of a text.

    Attributes
    ----------
    found : int
        Lines that were read and stand in the truth somewhere.
    moved : int
        The fewest of these that have to be put elsewhere for all to stand as in the truth.
    in_order : str
        What was read, with its lines in the order of the truth; a line that is not found follows the one before it.
    """

    found: int
    moved: int
    in_order: str


def reading_order(read: str, truth: str) -> Order:
    r"""Compare the order of lines that were read with that of the truth, which may have other lines.

    Examples
    --------
    >>> order = reading_order("second is this line\nand a first line", "and a first line\nsecond is this line")
    >>> order.found, order.moved, order.in_order.splitlines()[0]
    (2, 1, 'and a first line')
    """
    lines = kept("", "", read).truth.split("\n")
    places = _places(lines, one_line(truth.splitlines(), frozenset()))
    known = np.array([place for place in places if place is not None], np.int64)
    moved = len(known) - len(longest_rise(known))
    keys: list[tuple[float, int]] = []
    for number, place in enumerate(places):
        keys.append((place if place is not None else keys[-1][0] if keys else -1.0, number))
    ordered = [lines[number] for _, number in sorted(keys)] if moved else lines
    return Order(len(known), moved, "\n".join(ordered))


def _places(lines: Sequence[str], truth: str) -> list[float | None]:
    """Where each line stands in the truth, by the runs of characters that occur once in both."""
    begins = np.cumsum([0, *(len(line) + 1 for line in lines)])
    at, to = anchors("\n".join(lines), truth, _RUN)
    owner = np.searchsorted(begins, at, "right") - 1
    places: list[float | None] = []
    for number in range(len(lines)):
        own = to[owner == number] - (at[owner == number] - begins[number])
        places.append(float(np.median(own)) if len(own) else None)
    return places
