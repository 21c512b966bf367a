"""Text, from wherever it comes, into counted windows."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from labelfree import progress
from labelfree.alphabet import WHITE_SPACE, Alphabet, Codes, Cutter, code_points, last_fresh, nfc
from labelfree.errors import InputError
from labelfree.lm.counting import Tally
from labelfree.lm.sources import PIECE, TextSource, groups_of_files, sequences_of_pieces
from labelfree.workers import in_processes


def count_text(
    source: TextSource,
    alphabet: Alphabet | None = None,
    order: int = 3,
    *,
    outside: str | Mapping[str, str] = "drop",
) -> tuple[Alphabet, Tally]:
    """Count the windows of a text; see `NGramLM.from_text` for what a source may be.

    Many files are counted in groups, by as many workers as there are.

    Examples
    --------
    >>> alphabet, tally = count_text("abracadabra", order=2)
    >>> alphabet.symbols, tally.counts().counts[0]
    (('a', 'b', 'c', 'd', 'r'), array([5., 2., 1., 1., 2.]))
    """
    groups = groups_of_files(source)
    count = partial(_count, alphabet, order, outside)
    if len(groups) < 2:
        characters, tally = count(source)
    else:
        characters, tally = _added(in_processes(count, groups), len(groups))
    if alphabet is not None:
        return alphabet, tally
    if not characters:
        raise InputError("the text holds no character; give some text, or an alphabet")
    return Alphabet(characters), tally


def _count(
    alphabet: Alphabet | None, order: int, outside: str | Mapping[str, str], source: TextSource
) -> tuple[Sequence[str], Tally]:
    """Count a source by itself; gives the symbols, sorted where no alphabet is wanted, and the windows of them."""
    if alphabet is not None:
        cutter = Cutter(alphabet, outside, squeeze=True)
        return alphabet.symbols, _counted(source, cutter, Tally(len(alphabet), order))
    growing = _GrowingCutter()
    tally = _counted(source, growing, Tally(_FIRST_SIZE, order))
    points = np.array(growing.points, np.int64)
    tally.relabel(np.argsort(np.argsort(points)), max(1, points.size))
    return [chr(point) for point in sorted(growing.points)], tally


def _added(counted: Iterator[tuple[Sequence[str], Tally]], n: int) -> tuple[Sequence[str], Tally]:
    """The sum of so many counts, over the symbols of any of them."""
    progress.stage("counting", 0, n)
    symbols, total = next(counted)
    for done, (others, tally) in enumerate(counted, 2):
        if others != symbols:
            both = sorted({*symbols, *others})
            place = {symbol: i for i, symbol in enumerate(both)}
            for part, own in ((total, symbols), (tally, others)):
                part.relabel(np.array([place[symbol] for symbol in own], np.int64), max(1, len(both)))
            symbols = both
        total.absorb(tally)
        progress.stage("counting", done, n)
    return symbols, total


def _counted(source: TextSource, cutter: Cutter | _GrowingCutter, tally: Tally) -> Tally:
    """Feed a source through a cutter into a tally."""
    waiting: list[Codes] = []  # short texts are gathered first
    size = 0
    for pieces in sequences_of_pieces(source):
        for piece, last in _with_last(pieces):
            codes = cutter.feed(piece, last)
            if isinstance(cutter, _GrowingCutter) and len(cutter.points) > tally.size:
                tally.add(_joined(waiting))
                waiting, size = [], 0
                tally.relabel(np.arange(tally.size), max(2 * tally.size + 1, len(cutter.points)))
            waiting.append(codes)
            size += codes.size
            if size >= PIECE // 2:
                tally.add(_joined(waiting))
                waiting, size = [], 0
        waiting.append(np.array([tally.size], np.min_scalar_type(tally.size)))
        size += 1
        cutter.restart()
    tally.add(_joined(waiting))
    tally.finish()
    return tally


_FIRST_SIZE = 127
"""How many different characters are expected in a text of which nothing is known."""


class _GrowingCutter:
    """Turn text into indices of whatever characters it holds, numbered as they arrive."""

    def __init__(self) -> None:
        self.points: list[int] = []
        self._table = np.full(sys.maxunicode + 1, -1, np.int32)
        self.restart()

    def restart(self) -> None:
        self._held = ""
        self._after_space = False

    def feed(self, text: str, last: bool = False) -> Codes:
        text = self._held + text
        cut = len(text) if last else last_fresh(text)
        text, self._held = text[:cut], text[cut:]
        points = _white()[code_points(text if text.isascii() else nfc(text))]
        if points.size == 0:
            return points
        space = points == ord(" ")
        again = space.copy()
        again[0] &= self._after_space
        again[1:] &= space[:-1]
        self._after_space = bool(space[-1])
        points = points[~again]
        ids: Codes = self._table[points]
        if ids.min(initial=0) < 0:
            new = np.unique(points[ids < 0])
            self._table[new] = np.arange(len(self.points), len(self.points) + new.size)
            self.points += new.tolist()
            ids = self._table[points]
        return ids


@lru_cache(maxsize=1)
def _white() -> NDArray[np.uint32]:
    """Every code point, white space as the space."""
    table = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    table[[ord(character) for character in WHITE_SPACE]] = ord(" ")
    return table


def _with_last(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Say with each piece whether it is the last."""
    waiting = ""
    for number, piece in enumerate(pieces):
        if number:
            yield waiting, False
        waiting = piece
    yield waiting, True


def _joined(arrays: list[Codes]) -> Codes:
    if not arrays:
        return np.zeros(0, np.uint8)
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
