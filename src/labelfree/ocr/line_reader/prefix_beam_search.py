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
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.decode.checks import as_transitions
from labelfree.decode.transitions import Transitions
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.prefixes import NEVER, Prefixes, Trie, longer_key
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.workers import in_processes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LINES = 128  # in step


@dataclass(frozen=True, eq=False)
class Candidate:
    """One way to read a line.

    Attributes
    ----------
    labels : array of shape (n,), int64
    network : float
        Log-probability that the frames spell it.
    language : float
        What the language model says: the sum of log p(symbol | those before it) - log p(symbol), with no weight on it.
    """

    labels: Ints
    network: float
    language: float


def best_readings(
    log_posteriors: Sequence[NDArray[np.floating]],
    lm: NGramLM,
    n_best: int = 1,
    settings: LineReaderSettings = DEFAULT,
) -> list[list[Candidate]]:
    """Find the n-best readings of each line: those that score best together with the language model, the best first.

    Parameters
    ----------
    log_posteriors : sequence of arrays of shape (frames, C + 1)
        As `Recogniser.log_posteriors` gives them; C is the number of symbols of the model.
    lm : NGramLM
    n_best : int
        Readings of each line; there are fewer where no others come near the best. More than the beam widens it.
    settings : LineReaderSettings

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
    for name, value in (("beam", settings.beam), ("n_best", n_best)):
        if value < 1:
            raise InputError(f"{name} is {value}, 1 or more wanted; give {DEFAULT.beam} for a start")
    transitions = as_transitions(lm, None, settings.lm_weight)
    wide_enough = replace(settings, beam=max(settings.beam, n_best))
    search = _SearchLines(transitions, _opening(lm.alphabet), wide_enough, n_best)
    telling = [_telling(frames, settings.margin) for frames in log_posteriors]
    longest_first = np.argsort([-len(frames) for frames in telling], kind="stable").tolist()
    groups = [longest_first[first : first + _LINES] for first in range(0, len(telling), _LINES)]
    found: list[list[Candidate]] = [[]] * len(telling)
    searched = in_processes(search, [[telling[i] for i in group] for group in groups])
    for group, readings in zip(groups, searched, strict=True):
        for i, line in zip(group, readings, strict=True):
            found[i] = line
    return found


def _opening(alphabet: Alphabet) -> int | None:
    return alphabet.symbols.index(" ") if " " in alphabet else None


def _telling(frames: NDArray[np.floating], margin: float) -> NDArray[np.floating]:
    """The frames that propose a symbol, and one blank between any two stretches of them."""
    kept = frames[:, :-1].max(1, initial=-np.inf) > -margin
    kept[1:] |= kept[:-1] & ~kept[1:]
    found: NDArray[np.floating] = frames[kept]
    return found


@dataclass(frozen=True, eq=False)
class _SearchLines:
    """Searches lines together, in any process."""

    transitions: Transitions
    opening: int | None
    settings: LineReaderSettings
    n_best: int

    def __call__(self, frames: Sequence[NDArray[np.floating]]) -> list[list[Candidate]]:
        return _Search(frames, self.transitions, self.opening, self.settings).readings(self.n_best)


class _Search:
    """Lines of falling length in step."""

    def __init__(
        self,
        frames: Sequence[NDArray[np.floating]],
        transitions: Transitions,
        opening: int | None,
        settings: LineReaderSettings,
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
        self.trie = Trie()

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
        readings = zip(self.trie.spelled(done.node), done.spelled.tolist(), done.prior.tolist(), strict=True)
        found: list[list[Candidate]] = [[] for _ in self.sizes]
        for line, reading in zip(done.line.tolist(), readings, strict=True):
            found[line].append(self._candidate(*reading))
        return found

    def _candidate(self, labels: Ints, spelled: float, prior: float) -> Candidate:
        weight = self.transitions.weight
        return Candidate(labels, spelled, prior / weight if weight else 0.0)

    def _nothing_yet(self, n: int) -> Prefixes:
        line, none = np.arange(n), np.zeros(n, np.int64)
        opened = self.opening is not None and self.transitions.order > 1
        context = none + (self.opening if self.opening is not None and opened else 0)
        never = np.full(n, NEVER)
        key = longer_key(np.zeros(n, np.uint64), line)
        return Prefixes(line, key, none, none - 1, context, none + int(opened), never, np.zeros(n), np.zeros(n))

    def _step(self, old: Prefixes, t: int) -> Prefixes:
        """From one frame of every line to the next."""
        at = self.starts[old.line] + t
        spelled = old.spelled
        in_symbol = np.where(old.last >= 0, old.in_symbol + self.frames[at, old.last], NEVER)
        in_blank = spelled + self.frames[at, -1]
        least = _best(old.line, np.logaddexp(in_symbol, in_blank) + old.prior) - self.margin
        one, symbol, said = self._proposals(at)
        grown = np.where(symbol == old.last[one], old.in_blank[one], spelled[one]) + said
        likely = np.flatnonzero(grown + old.prior[one] > least[old.line[one]])
        one, symbol, grown = one[likely], symbol[likely], grown[likely]
        # A prefix that is in the beam already is not made anew from the one before it.
        key = longer_key(old.key[one], symbol)
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

    def _longer(self, before: Prefixes, symbol: Ints, key: NDArray[np.uint64], in_symbol: Floats) -> Prefixes:
        """Prefixes with one more symbol; their nodes are still those of the one before it."""
        return Prefixes(
            before.line,
            key,
            before.node,
            symbol,
            (before.context * self.transitions.n_labels + symbol) % self.n_contexts,
            np.minimum(before.known + 1, self.transitions.order - 1),
            in_symbol,
            np.full(len(symbol), NEVER),
            before.prior + self._charge(before.context, symbol, before.known),
        )

    def _pruned(self, stayed: Prefixes, longer: Prefixes) -> Prefixes:
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
