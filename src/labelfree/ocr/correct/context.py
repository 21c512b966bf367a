"""What a language model says of every spelling of a tile, the tiles around it spelled as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.checks import as_transitions
from labelfree.lm import NGramLM
from labelfree.ocr.correct.spellings import Spellings

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_NEVER = -1e3
_AT_ONCE = 400_000  # windows


class Text:
    """Lines of tiles, and what they spell.

    Parameters
    ----------
    lm : NGramLM
    spellings : Spellings
    lengths : array of int
        Tiles of each line.
    may_join : array of bool, optional
        Tiles near enough to the one before to be the end of the same letter; by default all.
    in_capitals : array of bool, optional
        Tiles that are one letter or mark and no small letter; by default none.
    """

    def __init__(
        self,
        lm: NGramLM,
        spellings: Spellings,
        lengths: Ints,
        may_join: NDArray[np.bool_] | None = None,
        in_capitals: NDArray[np.bool_] | None = None,
    ) -> None:
        self.spellings = spellings
        self.lengths = np.asarray(lengths, np.int64)
        self.line = np.repeat(np.arange(len(self.lengths)), self.lengths)
        self._start = np.cumsum(self.lengths) - self.lengths
        self.is_first = np.append(True, self.line[1:] != self.line[:-1])[: len(self.line)]
        self._transitions = as_transitions(lm, None, 1.0)
        self.reach = self._transitions.order - 1
        space = lm.alphabet.symbols.index(" ") if " " in lm.alphabet else -1
        self._opening = space
        n = len(self.line)
        self._may_join = ~self.is_first & (np.ones(n, np.bool_) if may_join is None else may_join)
        self._in_capitals = np.zeros(n, np.bool_) if in_capitals is None else in_capitals
        is_small = np.array([symbol != symbol.upper() for symbol in lm.alphabet.symbols] + [False])
        self._not_capital = is_small[spellings.symbols].any(1) | (spellings.length != 1) | spellings.joins

    def labels(self, spelled: Ints) -> list[Ints]:
        """Symbols of every line, for the spelling of every tile."""
        kept, symbols, _ = self._emitted(spelled)
        counts = np.bincount(np.repeat(self.line, self.spellings.length[spelled])[kept], minlength=len(self.lengths))
        return np.split(symbols[kept], np.cumsum(counts)[:-1])

    def evidence(self, spelled: Ints, tiles: Ints, candidates: Ints) -> Floats:
        """Log-probability of the text around some tiles under each candidate, up to a constant a tile.

        Returns
        -------
        array of shape (tiles, candidates)
        """
        before, last, after, decided = self._around(spelled, tiles)
        found = np.zeros((len(tiles), len(candidates)))
        length, joins = self.spellings.length[candidates], self.spellings.joins[candidates]
        for n, is_join in {(int(a), bool(b)) for a, b in zip(length, joins, strict=True)}:
            chosen = np.flatnonzero((length == n) & (joins == is_join))
            own = self.spellings.symbols[candidates[chosen], :n]
            step = max(1, _AT_ONCE // len(chosen))
            for start in range(0, len(tiles), step):
                part = slice(start, start + step)
                row = [*before[part].T] if is_join else [*before[part].T, last[part]]
                known = self._score(row)  # is the same for all that come next
                shape = (len(known), len(chosen))
                columns = [
                    *(np.repeat(column, len(chosen)) for column in row[-self.reach :]),
                    *(np.tile(column, len(known)) for column in own.T),
                    *(np.repeat(column, len(chosen)) for column in after[part].T),
                ]
                scores = self._score(columns, np.repeat(known, len(chosen))).reshape(shape)
                found[part, chosen] = np.where(self._may_join[tiles[part], None], scores, _NEVER) if is_join else scores
        found[np.ix_(self._in_capitals[tiles], self._not_capital[candidates])] = _NEVER
        found[~decided] = 0.0
        return found

    def _emitted(self, spelled: Ints) -> tuple[NDArray[np.bool_], Ints, Ints]:
        """Symbols of all tiles in a row, which of them no later tile takes the place of, and where each tile begins."""
        length = self.spellings.length[spelled]
        ends = np.cumsum(length)
        own = self.spellings.symbols[spelled]
        symbols = own[own >= 0]
        kept = np.ones(len(symbols), np.bool_)
        joining = np.flatnonzero(self.spellings.joins[spelled] & ~self.is_first)
        joining = joining[length[joining - 1] > 0]
        kept[ends[joining - 1] - 1] = False
        return kept, symbols, ends - length

    def _around(self, spelled: Ints, tiles: Ints) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
        """Symbols before the last one before each tile, that one, and those after the tile; -1 where there is none.

        The last value tells tiles that a later one takes the place of: there is nothing to decide of those.
        """
        kept, symbols, starts = self._emitted(spelled)
        length = self.spellings.length[spelled]
        padding = self.reach + 1
        # Every line stands between padding of its own, the nearest before it a space.
        place = np.cumsum(kept) - kept + padding * (2 * np.repeat(self.line, length) + 1)
        total = int(kept.sum()) + padding * (2 * len(self.lengths) + 1)
        row = np.full(total + padding, -1, np.int64)
        row[place[kept]] = symbols[kept]
        survivors = np.concatenate([[0], np.cumsum(kept)])
        first = np.flatnonzero(self.is_first)
        row[survivors[starts[first]] + padding * (2 * self.line[first] + 1) - 1] = self._opening
        at = survivors[starts[tiles]] + padding * (2 * self.line[tiles] + 1)
        has_before = starts[tiles] > starts[self._start[self.line[tiles]]]
        previous = np.maximum(starts[tiles] - 1, 0)
        was_dropped = has_before & ~kept[previous] if len(kept) else np.zeros(len(tiles), np.bool_)
        last = np.where(was_dropped, symbols[previous], row[at - 1]) if len(kept) else row[at - 1]
        base = at - np.where(was_dropped, 0, 1)
        before = row[base[:, None] + np.arange(-self.reach, 0)]
        ends = starts[tiles] + length[tiles]
        after = row[(survivors[ends] + padding * (2 * self.line[tiles] + 1))[:, None] + np.arange(self.reach)]
        own_last = np.maximum(ends - 1, 0)
        decided = ~((length[tiles] > 0) & ~kept[own_last]) if len(kept) else np.ones(len(tiles), np.bool_)
        return before, last, after, decided

    def _score(self, columns: Sequence[Ints], known: Floats | None = None) -> Floats:
        """Log-probability of all symbols after the first few, which are context alone, besides what is `known`.

        Parameters
        ----------
        columns : sequence of arrays of shape (n,)
            The symbols of n windows, one column after the other; -1 where there is none.
        known : array of shape (n,), optional
            By default nothing.
        """
        total = np.zeros(len(columns[0])) if known is None else known.copy()
        is_whole = np.logical_and.reduce([column >= 0 for column in columns])
        if is_whole.all():
            self._add_whole(total, columns)
            return total
        for rows, add in ((np.flatnonzero(is_whole), self._add_whole), (np.flatnonzero(~is_whole), self._add)):
            some = total[rows]
            add(some, [column[rows] for column in columns])
            total[rows] = some
        return total

    def _add_whole(self, total: Floats, columns: Sequence[Ints]) -> None:
        """Add to the totals of windows all of whose symbols are there."""
        n_labels, reach = self._transitions.n_labels, self.reach
        context = np.zeros(len(total), np.int64)
        for column in columns[:reach]:
            context = context * n_labels + column
        for column in columns[reach:]:
            total += self._transitions.pairs(context, column, reach)
            context = (context * n_labels + column) % n_labels**reach

    def _add(self, total: Floats, columns: Sequence[Ints]) -> None:
        """Add to the totals of any windows."""
        n_labels, reach = self._transitions.n_labels, self.reach
        for at in range(reach, len(columns)):
            target = columns[at]
            context, known = np.zeros(len(total), np.int64), np.zeros(len(total), np.int64)
            for back in range(1, reach + 1):
                symbol = columns[at - back]
                is_next = (symbol >= 0) & (known == back - 1)
                context += np.where(is_next, symbol * n_labels ** (back - 1), 0)
                known += is_next
            for length in range(reach + 1):
                same = np.flatnonzero((known == length) & (target >= 0))
                if len(same):
                    total[same] += self._transitions.pairs(context[same], target[same], length)
