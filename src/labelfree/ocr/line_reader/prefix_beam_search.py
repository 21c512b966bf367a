"""Reading frames with a language model: a beam of beginnings, many lines in step.

A beginning ``y_1 .. y_n`` of a line scores

    log P(frames so far spell it)  +  weight * sum_i log [p(y_i | y_{i-N+1} .. y_{i-1}) / p(y_i)]  +  bonus * n

where the probability sums over all ways to spread the symbols over the frames. That a symbol is rare is left out of the
language model's say, since the network has learned it from its labels already. Two numbers a beginning carry it from
frame to frame: the probability of those ways that end in its last symbol, and of those that end in the blank (the last
class), after which the same symbol may come again. A line is taken to follow a space.

Shapes: ``b`` lines, ``k`` beginnings of each in the beam, ``m`` symbols that a frame proposes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet
from labelfree.decode.checks import as_transitions
from labelfree.decode.transitions import Transitions
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.prefixes import NEVER, Beginnings
from labelfree.ocr.line_reader.settings import DEFAULT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BEAM = DEFAULT.beam
WEIGHT = DEFAULT.lm_weight
_PROPOSED = 8  # symbols a frame
_UNLIKELY = -9.0  # log-posterior below which a frame proposes none
_BLANK = -0.002  # log-posterior of the blank above which a frame says nothing else
_LINES = 128  # in step
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def beam_search(
    log_posteriors: Sequence[NDArray[np.floating]],
    lm: NGramLM,
    *,
    weight: float = WEIGHT,
    bonus: float = 0.0,
    beam: int = BEAM,
    order: int | None = None,
) -> list[Ints]:
    """Find the labels of each line that score best together with the language model.

    Parameters
    ----------
    log_posteriors : sequence of arrays of shape (frames, C + 1)
        As `Recogniser.log_posteriors` gives them; C is the number of symbols of the model.
    lm : NGramLM
    weight : float
        Factor on the model's log probabilities.
    bonus : float
        Nats for every symbol: above 0 for longer readings, below it for shorter ones.
    beam : int
        Beginnings kept at each frame.
    order : int, optional
        Order at which the model is used, by default its own.

    Returns
    -------
    list of arrays of int64

    See Also
    --------
    best_readings : The runners-up as well.

    Examples
    --------
    >>> lm = NGramLM.from_text("abab" * 20, order=2)
    >>> frames = np.log(np.array([[.9, .05, .05], [.05, .05, .9], [.5, .45, .05]]))
    >>> [found.tolist() for found in beam_search([frames], lm)]
    [[0, 1]]
    """
    readings = best_readings(log_posteriors, lm, 1, weight=weight, bonus=bonus, beam=beam, order=order)
    return [line[0].labels for line in readings]


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
    n_best: int,
    *,
    weight: float = WEIGHT,
    bonus: float = 0.0,
    beam: int = BEAM,
    order: int | None = None,
) -> list[list[Candidate]]:
    """Find for each line some readings that score well together with the language model, the best first.

    Parameters
    ----------
    log_posteriors, lm, weight, bonus, beam, order
        As for `beam_search`.
    n_best : int
        Readings of each line; of a short line there may be fewer. More than `beam` widens the beam.

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
    for name, value in (("beam", beam), ("n_best", n_best)):
        if value < 1:
            raise InputError(f"{name} is {value}, 1 or more wanted; give {BEAM} for a start")
    transitions = as_transitions(lm, order, weight)
    telling = [_telling(np.asarray(frames, np.float64)) for frames in log_posteriors]
    found: list[list[Candidate]] = [[]] * len(telling)
    longest_first = np.argsort([-len(frames) for frames in telling], kind="stable")
    for first in range(0, len(telling), _LINES):
        group = longest_first[first : first + _LINES]
        search = _Search([telling[i] for i in group], transitions, _opening(lm.alphabet), bonus, max(beam, n_best))
        for i, readings in zip(group.tolist(), search.readings(n_best), strict=True):
            found[i] = readings
    return found


def _opening(alphabet: Alphabet) -> int | None:
    return alphabet.symbols.index(" ") if " " in alphabet else None


def _telling(frames: Floats) -> Floats:
    """The frames that say something, and one blank between any two stretches of them."""
    silent = frames[:, -1] > _BLANK
    kept = ~silent
    kept[1:] |= silent[1:] & ~silent[:-1]
    return frames[kept]


class _Search:
    """Lines of falling length in step."""

    def __init__(
        self, frames: Sequence[Floats], transitions: Transitions, opening: int | None, bonus: float, beam: int
    ) -> None:
        self.sizes = np.array([len(line) for line in frames], np.int64)
        self.transitions, self.bonus, self.beam = transitions, bonus, beam
        self.alone = transitions.pairs(np.zeros(transitions.n_labels, np.int64), np.arange(transitions.n_labels), 0)
        self.n_contexts = transitions.n_labels ** (transitions.order - 1)
        n_classes = transitions.n_labels + 1
        stacked = np.concatenate([np.empty((0, n_classes)), *frames])
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.frames = stacked
        self.proposed = _most_likely(stacked[:, :-1], min(_PROPOSED, n_classes - 1))
        self.parents: list[Ints] = []
        self.symbols: list[Ints] = []
        self._opened = opening

    def readings(self, n_best: int) -> Iterator[list[Candidate]]:
        """The best readings of every line."""
        beams = self._nothing_yet(len(self.sizes))
        best = np.zeros((len(self.sizes), n_best), np.int64)
        scores = np.full((3, *best.shape), NEVER)  # of all, of the frames, of the language model and the bonus
        scores[:, :, 0] = 0.0  # a line without frames says nothing, and that for certain
        for t in range(int(self.sizes.max(initial=0))):
            running = int(np.searchsorted(-self.sizes, -t))
            beams = self._step(beams.first(running), self.starts[:running] + t)
            ends = np.flatnonzero(self.sizes[:running] == t + 1)
            order = np.argsort(-beams.scores[ends], 1, kind="stable")[:, :n_best]
            best[ends, : order.shape[1]] = order
            for kept, values in zip(scores, (beams.scores, beams.spelled, beams.prior), strict=True):
                kept[ends, : order.shape[1]] = np.take_along_axis(values[ends], order, 1)
        columns = [list(self._traced(place)) for place in best.T]
        for line in range(len(best)):
            filled = np.flatnonzero(scores[0, line] > NEVER / 2)
            yield [self._candidate(columns[i][line], *scores[1:, line, i].tolist()) for i in filled]

    def _candidate(self, labels: Ints, spelled: float, prior: float) -> Candidate:
        weight = self.transitions.weight
        return Candidate(labels, spelled, (prior - self.bonus * len(labels)) / weight if weight else 0.0)

    def _nothing_yet(self, n: int) -> Beginnings:
        whole = np.zeros((n, 1), np.int64)
        opened = self._opened is not None and self.transitions.order > 1
        context = np.full((n, 1), self._opened if opened else 0, np.int64)
        key = np.ones((n, 1), np.uint64)
        never = np.full((n, 1), NEVER)
        return Beginnings(
            key, 0 * key, whole - 1, context, whole + int(opened), never, np.zeros((n, 1)), np.zeros((n, 1))
        )

    def _step(self, old: Beginnings, at: Ints) -> Beginnings:
        """From one frame of every line, by its place in the stack, to the next."""
        frame, symbols = self.frames[at], self.proposed[at]  # (b, c + 1), (b, m)
        said = np.take_along_axis(frame, symbols, 1)[:, None, :]
        spelled = old.spelled
        in_blank = spelled + frame[:, -1:]
        in_symbol = np.where(old.last >= 0, old.in_symbol + np.take_along_axis(frame, old.last, 1), NEVER)
        again = symbols[:, None, :] == old.last[:, :, None]
        grown = np.where(again, old.in_blank[:, :, None], spelled[:, :, None]) + said  # (b, k, m)
        grown[np.broadcast_to(said < _UNLIKELY, grown.shape)] = NEVER
        # A beginning that is in the beam already is not made anew from the one before it.
        line, one, other = np.nonzero(old.key[:, :, None] == old.parent[:, None, :])
        row, which = np.nonzero(symbols[line] == old.last[line, other][:, None])
        line, one, other = line[row], one[row], other[row]
        in_symbol[line, other] = np.logaddexp(in_symbol[line, other], grown[line, one, which])
        grown[line, one, which] = NEVER
        stayed = replace(old, in_symbol=in_symbol, in_blank=in_blank)
        line, one, which = np.nonzero(
            grown + old.prior[:, :, None] > stayed.scores.max(1)[:, None, None] - DEFAULT.margin
        )
        charge = np.full_like(grown, NEVER)
        charge[line, one, which] = self._charge(old.context[line, one], symbols[line, which], old.known[line, one])
        return self._best(stayed, symbols, grown, charge)

    def _best(self, stayed: Beginnings, symbols: Ints, grown: Floats, charge: Floats) -> Beginnings:
        """The beginnings that score best, of those that stay as they are and those that grow."""
        n, k, m = grown.shape
        longer = (grown + charge + stayed.prior[:, :, None]).reshape(n, k * m)
        scores = np.concatenate([stayed.scores, longer], 1)
        best = np.argpartition(-scores, min(self.beam, k + k * m) - 1, 1)[:, : self.beam]
        line, is_new = np.arange(n)[:, None], best >= k
        parent, which = np.where(is_new, (best - k) // m, best), (best - k) % m
        symbol = np.where(is_new, symbols[line, which], -1)
        self.parents.append(parent)
        self.symbols.append(symbol)
        before = stayed.take(parent)
        key = (before.key + symbol.astype(np.uint64) + np.uint64(1)) * _FACTOR
        key ^= key >> np.uint64(29)
        context = (before.context * self.transitions.n_labels + symbol) % self.n_contexts
        # Places of the beam that nothing fills must not be taken for the beginnings that their numbers would name.
        filled = np.take_along_axis(scores, best, 1) > NEVER / 2
        return Beginnings(
            np.where(is_new, key, before.key) * filled,
            np.where(is_new, before.key, before.parent) * filled,
            np.where(is_new, symbol, before.last),
            np.where(is_new, context, before.context),
            np.where(is_new, np.minimum(before.known + 1, self.transitions.order - 1), before.known),
            np.where(is_new, grown[line, parent, which], before.in_symbol),
            np.where(is_new, NEVER, before.in_blank),
            before.prior + np.where(is_new, charge[line, parent, which], 0.0),
        )

    def _charge(self, contexts: Ints, symbols: Ints, known: Ints) -> Floats:
        """What the language model and the bonus add for one more symbol."""
        found = np.empty(len(symbols))
        for length in np.unique(known):
            same = known == length
            found[same] = self.transitions.pairs(contexts[same], symbols[same], int(length))
        return found - self.alone[symbols] + self.bonus

    def _traced(self, best: Ints) -> Iterator[Ints]:
        """Follow the best beginning of each line back to nothing."""
        table = np.full((len(best), len(self.symbols)), -1, np.int64)
        at = best.copy()
        for t in range(len(self.symbols) - 1, -1, -1):
            running = len(self.symbols[t])
            line = np.arange(running)
            table[:running, t] = self.symbols[t][line, at[:running]]
            at[:running] = self.parents[t][line, at[:running]]
        for row in table:
            yield row[row >= 0]


def _most_likely(frames: Floats, m: int) -> Ints:
    """The m likeliest symbols of each frame, in any order."""
    found: Ints = np.argpartition(-frames, m - 1, 1)[:, :m]
    return found
