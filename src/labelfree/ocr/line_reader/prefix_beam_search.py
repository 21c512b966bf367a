"""Reading frames with a language model: prefix beam search, many lines in step.

A prefix ``y_1 .. y_n`` of a line scores

    log P(frames so far spell it)  +  weight * sum_i log [p(y_i | y_{i-N+1} .. y_{i-1}) / p(y_i)]

where the probability sums over all ways to spread the symbols over the frames. That a symbol is rare is left out of the
language model's say, since the network has learned it from its labels already. Two numbers a prefix carry it from frame
to frame: the probability of those ways that end in its last symbol, and of those that end in the blank (the last
class), after which the same symbol may come again. A line is taken to follow a space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from labelfree.decode.checks import as_transitions
from labelfree.decode.transitions import Transitions
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.workers import in_processes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LINES = 128  # in step
_NEVER = -1e30  # log-probability of what cannot be, finite so that sums stay numbers
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to read a line."""

    labels: Ints
    network: float  # log-probability that the frames spell it
    language: float  # sum of log p(symbol | those before it) - log p(symbol), with no weight on it


def best_readings(
    log_posteriors: Sequence[NDArray[np.floating]],
    lm: NGramLM,
    n_best: int = 1,
    settings: LineReaderSettings = DEFAULT,
) -> list[list[Candidate]]:
    """Find the n-best readings of each line: those that score best together with the language model, the best first.

    Log-posteriors are those of `Recogniser.log_posteriors`. There are fewer readings where no others come near the
    best; the beam is at least `n_best` wide.

    Examples
    --------
    >>> lm = NGramLM.from_text("abab" * 20, order=2)
    >>> frames = np.log(np.array([[.9, .05, .05], [.05, .05, .9], [.5, .45, .05]]))
    >>> [found.labels.tolist() for found in best_readings([frames], lm, 2)[0]]
    [[0, 1], [0, 0]]
    """
    for i, frames in enumerate(log_posteriors):
        if frames.ndim != 2 or frames.shape[1] != len(lm.alphabet) + 1:
            raise InputError(
                f"log_posteriors[{i}] has shape {frames.shape}, (frames, {len(lm.alphabet) + 1}) wanted: a column for "
                "each symbol of the model and one for the blank; use the model that the recogniser was trained with"
            )
    if settings.beam < 1:
        raise InputError(f"beam is {settings.beam}, 1 or more wanted; give {DEFAULT.beam} for a start")
    transitions = as_transitions(lm, None, settings.lm_weight)
    opening = lm.alphabet.index(" ") if " " in lm.alphabet else None
    search = partial(_search, transitions, opening, replace(settings, beam=max(settings.beam, n_best)), n_best)
    telling = [_telling(frames, settings.margin) for frames in log_posteriors]
    longest_first = np.argsort([-len(frames) for frames in telling], kind="stable").tolist()
    groups = [longest_first[first : first + _LINES] for first in range(0, len(telling), _LINES)]
    found: list[list[Candidate]] = [[]] * len(telling)
    searched = in_processes(search, [[telling[i] for i in group] for group in groups])
    for group, readings in zip(groups, searched, strict=True):
        for i, line in zip(group, readings, strict=True):
            found[i] = line
    return found


def _telling(frames: NDArray[np.floating], margin: float) -> NDArray[np.floating]:
    """The frames that propose a symbol, and one blank between any two stretches of them."""
    kept = frames[:, :-1].max(1, initial=-np.inf) > -margin
    kept[1:] |= kept[:-1] & ~kept[1:]
    found: NDArray[np.floating] = frames[kept]
    return found


@dataclass(frozen=True, eq=False)
class _Prefixes:
    """Prefixes of many lines, all of shape (p,), those of a line side by side."""

    line: Ints
    key: NDArray[np.uint64]  # names a prefix among those of all lines
    node: Ints  # where its last symbol stands in the trie
    last: Ints  # its last symbol, -1 for none
    context: Ints  # its last symbols as one number
    known: Ints  # how many these are
    in_symbol: Floats  # log-probability of the ways that end in its last symbol
    in_blank: Floats  # and of those that end in the blank
    prior: Floats  # what the language model says, weighted

    def take(self, chosen: Ints | slice) -> _Prefixes:
        return _Prefixes(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def followed_by(self, other: _Prefixes) -> _Prefixes:
        return _Prefixes(
            *(np.concatenate([getattr(self, field.name), getattr(other, field.name)]) for field in fields(self))
        )

    @property
    def spelled(self) -> Floats:
        """Log-probability of the frames."""
        total: Floats = np.logaddexp(self.in_symbol, self.in_blank)
        return total


def _longer_key(key: NDArray[np.uint64], symbol: Ints) -> NDArray[np.uint64]:
    """The key of a prefix with one more symbol."""
    mixed = (key + symbol.astype(np.uint64) + np.uint64(1)) * _FACTOR
    return mixed ^ (mixed >> np.uint64(29))


class _Trie:
    """The symbols of all prefixes that ever were in a beam, each with the node of the one before it; 0 is nothing."""

    def __init__(self) -> None:
        self.size = 1
        self._parents = [np.zeros(1, np.int64)]
        self._symbols = [np.zeros(1, np.int64)]

    def add(self, parents: Ints, symbols: Ints) -> Ints:
        """The nodes of some symbols after others."""
        self._parents.append(parents)
        self._symbols.append(symbols)
        self.size += len(parents)
        return np.arange(self.size - len(parents), self.size)

    def spelled(self, nodes: Ints) -> list[Ints]:
        """The symbols that lead to each node."""
        parents, symbols = np.concatenate(self._parents), np.concatenate(self._symbols)
        back, at = [], nodes
        while at.any():
            back.append(np.where(at > 0, symbols[at], -1))
            at = parents[at]
        table = np.array(back[::-1], np.int64).reshape(len(back), len(nodes)).T
        return [row[row >= 0] for row in table]


def _search(
    transitions: Transitions,
    opening: int | None,
    settings: LineReaderSettings,
    n_best: int,
    frames: Sequence[NDArray[np.floating]],
) -> list[list[Candidate]]:
    """The best readings of lines of falling length, in any process."""
    return _Search(transitions, opening, settings, frames).readings(n_best)


class _Search:
    """Lines of falling length in step."""

    def __init__(
        self,
        transitions: Transitions,
        opening: int | None,
        settings: LineReaderSettings,
        frames: Sequence[NDArray[np.floating]],
    ) -> None:
        self.sizes = np.array([len(line) for line in frames], np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.transitions, self.opening = transitions, opening
        self.beam, self.margin = settings.beam, settings.margin
        self.alone = transitions.pairs(np.zeros(transitions.n_labels, np.int64), np.arange(transitions.n_labels), 0)
        self.n_contexts = transitions.n_labels ** (transitions.order - 1)
        self.frames = np.concatenate([np.empty((0, transitions.n_labels + 1)), *frames])
        # What each frame proposes, one list after another.
        symbols, n_most = self.frames[:, :-1], min(self.beam, transitions.n_labels)
        least = np.partition(symbols, -n_most, 1)[:, -n_most:][:, :1] if len(symbols) else symbols[:, :1]
        frame, self.proposed = np.nonzero((symbols >= least) & (symbols > -self.margin))
        self.said = self.frames[frame, self.proposed]
        self.n_proposed = np.bincount(frame, minlength=len(self.frames))
        self.first_proposed = np.cumsum(self.n_proposed) - self.n_proposed
        self.trie = _Trie()

    def readings(self, n_best: int) -> list[list[Candidate]]:
        """The best readings of every line, the best first."""
        nothing = self._nothing_yet(len(self.sizes))
        n_filled = int(np.searchsorted(-self.sizes, 0))
        beams, done = nothing.take(slice(0, n_filled)), nothing.take(slice(n_filled, None))
        for t in range(int(self.sizes.max(initial=0))):
            beams = self._step(beams, t)
            running = int(np.searchsorted(beams.line, np.searchsorted(-self.sizes, -(t + 1))))
            ended = beams.take(slice(running, None))
            done = ended.take(np.flatnonzero(_ranks(ended.line) < n_best)).followed_by(done)
            beams = beams.take(slice(0, running))
        weight = self.transitions.weight
        language = done.prior / weight if weight else np.zeros(len(done.prior))
        readings = zip(self.trie.spelled(done.node), done.spelled.tolist(), language.tolist(), strict=True)
        found: list[list[Candidate]] = [[] for _ in self.sizes]
        for line, reading in zip(done.line.tolist(), readings, strict=True):
            found[line].append(Candidate(*reading))
        return found

    def _nothing_yet(self, n: int) -> _Prefixes:
        line, none = np.arange(n), np.zeros(n, np.int64)
        opened = self.opening is not None and self.transitions.order > 1
        context = none + (self.opening if self.opening is not None and opened else 0)
        never = np.full(n, _NEVER)
        key = _longer_key(np.zeros(n, np.uint64), line)
        return _Prefixes(line, key, none, none - 1, context, none + int(opened), never, np.zeros(n), np.zeros(n))

    def _step(self, old: _Prefixes, t: int) -> _Prefixes:
        """From one frame of every line to the next."""
        at = self.starts[old.line] + t
        spelled = old.spelled
        in_symbol = np.where(old.last >= 0, old.in_symbol + self.frames[at, old.last], _NEVER)
        in_blank = spelled + self.frames[at, -1]
        least = _best(old.line, np.logaddexp(in_symbol, in_blank) + old.prior) - self.margin
        one, symbol, said = self._proposals(at)
        grown = np.where(symbol == old.last[one], old.in_blank[one], spelled[one]) + said
        likely = np.flatnonzero(grown + old.prior[one] > least[old.line[one]])
        one, symbol, grown = one[likely], symbol[likely], grown[likely]
        # A prefix that is in the beam already is not made anew from the one before it.
        key = _longer_key(old.key[one], symbol)
        order = np.argsort(old.key)
        place = order[np.searchsorted(old.key[order], key).clip(max=len(order) - 1)]
        is_known = old.key[place] == key
        known, fresh = place[is_known], np.flatnonzero(~is_known)
        in_symbol[known] = np.logaddexp(in_symbol[known], grown[is_known])
        longer = self._longer(old.take(one[fresh]), symbol[fresh], key[fresh], grown[fresh])
        return self._pruned(replace(old, in_symbol=in_symbol, in_blank=in_blank), longer)

    def _proposals(self, at: Ints) -> tuple[Ints, Ints, Floats]:
        """Every prefix with every symbol that its frame proposes."""
        counts = self.n_proposed[at]
        one = np.repeat(np.arange(len(at)), counts)
        which = np.arange(len(one)) + np.repeat(self.first_proposed[at] - (np.cumsum(counts) - counts), counts)
        return one, self.proposed[which], self.said[which]

    def _longer(self, before: _Prefixes, symbol: Ints, key: NDArray[np.uint64], in_symbol: Floats) -> _Prefixes:
        """_Prefixes with one more symbol; their nodes are still those of the one before it."""
        return _Prefixes(
            before.line,
            key,
            before.node,
            symbol,
            (before.context * self.transitions.n_labels + symbol) % self.n_contexts,
            np.minimum(before.known + 1, self.transitions.order - 1),
            in_symbol,
            np.full(len(symbol), _NEVER),
            before.prior + self._charge(before.context, symbol, before.known),
        )

    def _pruned(self, stayed: _Prefixes, longer: _Prefixes) -> _Prefixes:
        """The prefixes of each line that score best, the best first."""
        both = stayed.followed_by(longer)
        scores = both.spelled + both.prior
        behind = _best(both.line, scores)[both.line] - scores
        close = np.flatnonzero(behind < self.margin)
        order = close[np.argsort(both.line[close] * (2 * self.margin) + behind[close], kind="stable")]
        chosen = order[_ranks(both.line[order]) < self.beam]
        kept = both.take(chosen)
        fresh = np.flatnonzero(chosen >= len(stayed.line))
        kept.node[fresh] = self.trie.add(kept.node[fresh], kept.last[fresh])
        return kept

    def _charge(self, contexts: Ints, symbols: Ints, known: Ints) -> Floats:
        """What the language model adds for one more symbol."""
        found = np.empty(len(symbols))
        for length in range(self.transitions.order):
            same = np.flatnonzero(known == length)
            if len(same):
                found[same] = self.transitions.pairs(contexts[same], symbols[same], length)
        return found - self.alone[symbols]


def _best(line: Ints, scores: Floats) -> Floats:
    """The highest score of each line."""
    best = np.full(int(line.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, line, scores)
    return best


def _ranks(line: Ints) -> Ints:
    """The place of each among those of its line, which stand side by side."""
    return np.arange(len(line)) - np.searchsorted(line, line)
