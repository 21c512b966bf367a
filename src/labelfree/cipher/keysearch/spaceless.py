"""The same language without one of its symbols, as a cipher without word spaces needs it."""

from __future__ import annotations

import numpy as np

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lm.counting import NGramCounts
from labelfree.lm.model import NGramLM

CHAINS = 4096
LENGTH = 600


def without_symbols(lm: NGramLM, dropped: str = " ", *, seed: int = 0) -> NGramLM:
    """Give a model of the texts of another with some symbols left out.

    What is left of a Markov chain when symbols are dropped is none any more, so long texts are drawn from the model
    and counted anew. From a language's name or a text it is better to build the model over letters alone:
    ``NGramLM.from_language("en", Alphabet("abc..."))``.

    Parameters
    ----------
    lm : NGramLM
        The model.
    dropped : str
        The symbols to leave out; those that the model does not have count as left out.
    seed : int
        Of the drawing.

    Examples
    --------
    >>> lm = NGramLM.from_text("ab " * 999, order=3)
    >>> shorter = without_symbols(lm)
    >>> shorter.alphabet.symbols, bool(shorter.conditional(2)[1, 0] > 0.9)
    (('a', 'b'), True)
    """
    kept = np.array([place for place, symbol in enumerate(lm.alphabet) if symbol not in dropped], np.int64)
    if kept.size == 0:
        raise InputError(f"nothing is left of the alphabet {lm.alphabet!r} without {dropped!r}; drop fewer symbols")
    if kept.size == len(lm.alphabet):
        return lm
    texts = _drawn(lm, np.random.default_rng(seed))
    places = np.full(len(lm.alphabet), -1)
    places[kept] = np.arange(kept.size)
    left = places[texts]
    lengths = (left >= 0).sum(axis=1)
    alphabet = Alphabet([lm.alphabet.symbols[place] for place in kept], fold_case=lm.alphabet.fold_case)
    parts = []
    for rows in (slice(CHAINS // 16), slice(CHAINS // 16, None)):
        ids = left[rows][left[rows] >= 0]
        parts.append(NGramCounts.from_ids(ids, lengths[rows], kept.size, lm.order))
    chosen = NGramLM.from_counts(parts[1], alphabet, held_out=parts[0]).smoothing
    if chosen is None:
        return NGramLM.from_counts(parts[0] + parts[1], alphabet)
    return NGramLM.from_counts(parts[0] + parts[1], alphabet, smoothing=chosen.kind, weight=chosen.weight)


def _drawn(lm: NGramLM, rng: np.random.Generator) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Draw (chains, length) texts."""
    texts = np.zeros((CHAINS, LENGTH), np.int64)
    for place in range(LENGTH):
        context = texts[:, max(place - lm.order + 1, 0) : place]
        ladder = np.exp(lm.log_conditional(context)).cumsum(axis=1)
        drawn = rng.random(CHAINS) * ladder[:, -1]
        texts[:, place] = np.minimum((ladder < drawn[:, None]).sum(axis=1), ladder.shape[1] - 1)
    return texts
