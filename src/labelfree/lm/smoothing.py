"""From counts to probabilities that are never zero.

Every kind mixes what was seen after a context h with the next shorter context h' (below the shortest stands the uniform
distribution):

    additive      p(w|h) = (c(hw) + weight) / (c(h) + weight C)
    witten-bell   p(w|h) = (c(hw) + weight t(h) p(w|h')) / (c(h) + weight t(h))
    absolute      p(w|h) = (max(c(hw) - weight, 0) + m(h) p(w|h')) / c(h)
    kneser-ney    the same, where below the highest order c(hw) is the number of different symbols seen before h w

with t(h) the number of different symbols seen after h, and m(h) the mass that the discount takes off. A context never
seen passes on to the shorter one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from labelfree.errors import InputError
from labelfree.lm.backoff import BackOff, Floats, Ints, Level, look_up
from labelfree.lm.counting import DENSE_BINS, NGramCounts
from labelfree.lm.stationary import STATE_LIMIT

WEIGHTS: dict[str, tuple[float | None, ...]] = {
    "witten-bell": (1.0, 0.25, 0.5, 2.0, 4.0),
    "absolute": (None, 0.2, 0.5, 0.8, 0.95),
    "kneser-ney": (None, 0.2, 0.5, 0.8, 0.95),
    "additive": (0.5, 0.001, 0.01, 0.1, 1.0),
}
"""The kinds, each with the weights that are tried on held-out text; the first is taken where there is too little.

A discount of None is estimated for each order from the N-grams seen once and twice."""

LEAST_HELD_OUT = 100
"""With fewer held-out N-grams than this nothing is chosen on them."""


@dataclass(frozen=True)
class Smoothing:
    """A kind of smoothing and its weight.

    Examples
    --------
    >>> Smoothing("absolute", 0.5)
    Smoothing(kind='absolute', weight=0.5)
    """

    kind: str
    weight: float | None

    def __post_init__(self) -> None:
        if self.kind not in WEIGHTS:
            raise InputError(f'smoothing is {self.kind!r}; give "auto" or one of {", ".join(WEIGHTS)}')
        discounts = self.kind in ("absolute", "kneser-ney")
        if self.weight is None and discounts:
            return
        if not (self.weight is not None and 0 < self.weight < (1 if discounts else np.inf)):
            wanted = "a number between 0 and 1" if discounts else "a positive number"
            raise InputError(f"the weight of {self.kind} smoothing is {self.weight}; give {wanted}")


def choose(kept: NGramCounts, held_out: NGramCounts, smoothing: str = "auto", weight: float | None = None) -> Smoothing:
    """Choose the smoothing under which held-out N-grams are likeliest.

    Parameters
    ----------
    kept, held_out : NGramCounts
        What to estimate from and what to judge on.
    smoothing : str
        "auto", or the kind to stay with.
    weight : float, optional
        The weight to stay with.

    Examples
    --------
    >>> from labelfree.lm.text import count_text
    >>> alphabet, tally = count_text("the cat sat on the mat. " * 99)
    >>> choose(tally.counts(held=False), tally.counts(held=True))
    Smoothing(kind='additive', weight=0.001)
    """
    kinds = list(WEIGHTS) if smoothing == "auto" else [smoothing]
    if smoothing == "auto" and weight is not None:
        raise InputError(f'weight is {weight}, but smoothing is "auto"; name the kind that the weight is for')
    if weight is not None or smoothing not in (*WEIGHTS, "auto"):
        return Smoothing(smoothing, weight)
    too_many = kept.codes[max(kept.order - 2, 0)].size * kept.size > DENSE_BINS
    if smoothing == "auto" and too_many:
        kinds.remove("additive")  # it would have to list every continuation
    if smoothing == "auto" and kept.size ** (kept.order - 1) > STATE_LIMIT:
        kinds.remove("kneser-ney")  # the joint probabilities then rest on lower orders, which it bends
    candidates = [Smoothing(kind, value) for kind in kinds for value in WEIGHTS[kind]]
    if held_out.counts[-1].sum() < LEAST_HELD_OUT or kept.total == 0:
        return candidates[0]
    scores = [
        float(held_out.counts[-1] @ estimate(kept, candidate).score(kept.order, held_out.codes[-1]))
        for candidate in candidates
    ]
    return candidates[int(np.argmax(scores))]


def estimate(counts: NGramCounts, smoothing: Smoothing) -> BackOff:
    """Estimate the back-off tables of a smoothed model.

    Examples
    --------
    >>> counts = NGramCounts.from_ids([0, 0, 1], [3], size=2, order=1)
    >>> np.exp(estimate(counts, Smoothing("additive", 1.0)).levels[0].log_prob)
    array([0.6, 0.4])
    """
    size = counts.size
    every = np.arange(size)
    first = np.zeros(size)
    first[counts.codes[0]] = _level_counts(counts, 1, smoothing)
    if first.sum() == 0:
        first += 1.0
    probability, _, _ = _smoothed(np.zeros(size, np.int64), first, np.full(size, 1 / size), smoothing, size)
    model = BackOff(size, (Level(every, np.log(probability), np.zeros(size)),))
    for n in range(2, counts.order + 1):
        model = _with_next_level(model, counts.codes[n - 1], _level_counts(counts, n, smoothing), smoothing)
    return model


def _with_next_level(model: BackOff, codes: Ints, counts: Floats, smoothing: Smoothing) -> BackOff:
    """Add the level above the highest, and the weights with which its contexts back off."""
    size, n = model.size, model.order + 1
    if smoothing.kind == "additive" and codes.size:
        seen = np.unique(codes // size)
        every = (seen[:, None] * size + np.arange(size)).ravel()
        spread = np.zeros(every.size)
        spread[np.searchsorted(every, codes)] = counts
        codes, counts = every, spread
    lower = np.exp(model.score(n - 1, codes % size ** (n - 1)))
    probability, contexts, weights = _smoothed(codes // size, counts, lower, smoothing, size)
    below = model.levels[-1]
    log_backoff = np.zeros(below.codes.size)
    log_backoff[np.searchsorted(below.codes, contexts)] = np.log(weights)
    complete = Level(below.codes, below.log_prob, log_backoff)
    level = Level(codes, np.log(probability), np.zeros(codes.size))
    return BackOff(size, (*model.levels[:-1], complete, level))


def _smoothed(
    contexts: Ints, counts: Floats, lower: Floats, smoothing: Smoothing, size: int
) -> tuple[Floats, Ints, Floats]:
    """Mix counts, sorted by context, with lower-order probabilities; give also each context and its weight."""
    if contexts.size == 0:
        return counts, contexts, counts
    first = np.flatnonzero(np.concatenate(([True], contexts[1:] != contexts[:-1])))
    many = np.diff(np.append(first, contexts.size))
    total = np.add.reduceat(counts, first)
    if smoothing.kind == "additive":
        weight = smoothing.weight or 0.0
        share = total + weight * size
        return (counts + weight) / np.repeat(share, many), contexts[first], weight * size / share
    if smoothing.kind == "witten-bell":
        kept = counts
        mass = (smoothing.weight or 0.0) * np.add.reduceat((counts > 0).astype(np.float64), first)
        share = total + mass
    else:
        discount = _discount(counts) if smoothing.weight is None else smoothing.weight
        kept = np.maximum(counts - discount, 0.0)
        share = total
        mass = np.add.reduceat(np.minimum(counts, discount), first)
    weights = mass / share
    return kept / np.repeat(share, many) + np.repeat(weights, many) * lower, contexts[first], weights


def _discount(counts: Floats) -> float:
    """Estimate the absolute discount from what was seen once and twice; one half where that says nothing."""
    once, twice = float((counts == 1).sum()), float((counts == 2).sum())
    return min(max(once / (once + 2 * twice), 0.05), 0.95) if once and twice else 0.5


def _level_counts(counts: NGramCounts, n: int, smoothing: Smoothing) -> Floats:
    """Give the counts of order n, or what Kneser-Ney takes in their place."""
    if smoothing.kind != "kneser-ney" or n == counts.order:
        return counts.counts[n - 1]
    place, found = look_up(counts.codes[n - 1], counts.codes[n] % counts.size**n)
    place = place[found]
    # What was only seen where a sequence begins has nothing before it; the beginning counts as one symbol.
    return np.maximum(np.bincount(place, minlength=counts.codes[n - 1].size).astype(np.float64), 1.0)
