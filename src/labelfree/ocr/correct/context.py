"""What a tile may stand for, and what a language model says of that, the tiles around it spelled as they are.

A spelling of a tile is a symbol, or the end of a letter that begins with the tile before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.checks import as_transitions
from labelfree.lm import NGramLM
from labelfree.ocr.book import Floats, Ints
from labelfree.ocr.correct.settings import DEFAULT, FormSettings

_NEVER = -1e3
_AT_ONCE = 400_000  # windows
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Spellings:
    """All that a tile may stand for; spelling ``x`` for a symbol x is the symbol alone."""

    symbols: Ints
    joins: NDArray[np.bool_]  # whether it takes the place of the symbol before
    prior: Floats  # log-odds against a symbol alone
    usual: Floats  # share of the tiles of the language's text; 0 for symbols alone, of which the text itself tells

    def __len__(self) -> int:
        return len(self.symbols)


def list_spellings(lm: NGramLM, settings: FormSettings = DEFAULT.forms) -> Spellings:
    """The symbols of a language, and every letter's end.

    Examples
    --------
    >>> spellings = list_spellings(NGramLM.from_text("abab ab ba" * 20, order=2))
    >>> len(spellings), int(spellings.joins.sum())
    (5, 2)
    """
    whole = np.arange(len(lm.alphabet))
    ends = np.flatnonzero([symbol.isalpha() for symbol in lm.alphabet.symbols])
    usual = np.asarray(lm.joint(1), np.float64)
    return Spellings(
        np.concatenate([whole, ends]),
        np.repeat([False, True], [len(whole), len(ends)]),
        np.repeat([0.0, settings.split], [len(whole), len(ends)]),
        np.concatenate([np.zeros(len(whole)), usual[ends]]),
    )


class Text:
    """Lines of so many tiles each, and what they spell; `may_join` tells tiles that may be the end of a letter."""

    def __init__(
        self, lm: NGramLM, spellings: Spellings, lengths: Ints, may_join: NDArray[np.bool_] | None = None
    ) -> None:
        self.spellings = spellings
        self.lengths = np.asarray(lengths, np.int64)
        self.line = np.repeat(np.arange(len(self.lengths)), self.lengths)
        self.is_first = np.append(True, self.line[1:] != self.line[:-1])[: len(self.line)]
        self._transitions = as_transitions(lm, None, 1.0)
        self.reach = self._transitions.order - 1
        self._opening = lm.alphabet.symbols.index(" ") if " " in lm.alphabet else -1
        self._may_join = ~self.is_first & (np.ones(len(self.line), np.bool_) if may_join is None else may_join)

    def labels(self, spelled: Ints) -> list[Ints]:
        """Symbols of every line, for the spelling of every tile."""
        kept = self._kept(spelled)
        counts = np.bincount(self.line[kept], minlength=len(self.lengths))
        return np.split(self.spellings.symbols[spelled][kept], np.cumsum(counts)[:-1])

    def evidence(self, spelled: Ints, tiles: Ints, candidates: Ints) -> Floats:
        """Log-probability of the text around each tile (row) with each candidate (column), up to a constant a row."""
        before, last, after, decided = self._around(spelled, tiles)
        found = np.zeros((len(tiles), len(candidates)))
        joins = self.spellings.joins[candidates]
        for is_join in np.unique(joins).tolist():
            chosen = np.flatnonzero(joins == is_join)
            own = self.spellings.symbols[candidates[chosen]]
            step = max(1, _AT_ONCE // len(chosen))
            for start in range(0, len(tiles), step):
                part = slice(start, start + step)
                row = [*before[part].T] if is_join else [*before[part].T, last[part]]
                known = self._score(row)  # is the same for all that come next
                columns = [
                    *(np.repeat(column, len(chosen)) for column in row[-self.reach :]),
                    np.tile(own, len(known)),
                    *(np.repeat(column, len(chosen)) for column in after[part].T),
                ]
                scores = self._score(columns, np.repeat(known, len(chosen))).reshape(len(known), len(chosen))
                found[part, chosen] = np.where(self._may_join[tiles[part], None], scores, _NEVER) if is_join else scores
        found[~decided] = 0.0
        return found

    def _kept(self, spelled: Ints) -> NDArray[np.bool_]:
        """Tiles whose symbol no later tile takes the place of."""
        kept = np.ones(len(spelled), np.bool_)
        kept[np.flatnonzero(self.spellings.joins[spelled] & ~self.is_first) - 1] = False
        return kept

    def _around(self, spelled: Ints, tiles: Ints) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
        """Symbols before the last one before each tile, that one, and those after the tile; -1 where there is none.

        The last value tells tiles that a later one takes the place of: there is nothing to decide of those.
        """
        kept, symbols = self._kept(spelled), self.spellings.symbols[spelled]
        padding = self.reach + 1
        # Every line stands between padding of its own, the nearest before it a space.
        survivors = np.concatenate([[0], np.cumsum(kept)])
        place = survivors[:-1] + padding * (2 * self.line + 1)
        row = np.full(int(survivors[-1]) + padding * (2 * len(self.lengths) + 2), -1, np.int64)
        row[place[kept]] = symbols[kept]
        row[place[self.is_first] - 1] = self._opening
        was_dropped = ~self.is_first[tiles] & ~kept[tiles - 1]
        last = np.where(was_dropped, symbols[tiles - 1], row[place[tiles] - 1])
        before = row[(place[tiles] - ~was_dropped)[:, None] + np.arange(-self.reach, 0)]
        after = row[(place[tiles] + kept[tiles])[:, None] + np.arange(self.reach)]
        return before, last, after, kept[tiles]

    def _score(self, columns: Sequence[Ints], known: Floats | None = None) -> Floats:
        """Log-probability of windows, added to what is `known`; their first symbols are context alone.

        Column i has the i-th symbol of every window, -1 where there is none.
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


def novelty(labels: Ints, text: Text, lm: NGramLM, repeated: float = DEFAULT.forms.repeated) -> Floats:
    """How much each character counts: a part of a word that occurs n times for n ** repeated all together.

    A word of one letter is told by the words around it alone, so it counts as a part of those.
    """
    n = len(labels)
    space = lm.alphabet.symbols.index(" ") if " " in lm.alphabet else -1
    is_letter = np.array([symbol.isalpha() for symbol in lm.alphabet.symbols])
    is_space = np.concatenate([[True], labels == space, [True]])
    is_edge = np.append(text.is_first, True)
    is_alone = is_letter[labels] & (is_space[:-2] | is_edge[:-1]) & (is_space[2:] | is_edge[1:])
    key = labels.astype(np.uint64) + np.uint64(1)
    for step in (-1, 1):
        in_word = np.ones(n, np.bool_)
        for reach in range(1, lm.order):
            place = np.arange(n) + step * reach
            at = np.clip(place, 0, n - 1)
            inside = in_word & (at == place) & (text.line[at] == text.line)
            key = (key * _FACTOR) ^ np.where(in_word, np.where(inside, labels[at], space) + 2, 0).astype(np.uint64)
            in_word = inside & ((labels[at] != space) | (is_alone & (reach == 1)))
    _, which, times = np.unique(key, return_inverse=True, return_counts=True)
    found: Floats = times[which] ** (repeated - 1.0)
    return found
