"""A text read with a key, mended where signs were copied wrongly."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.decode import viterbi
from labelfree.errors import InputError
from labelfree.lm.model import NGramLM


def mend(
    x: ArrayLike,
    key: ArrayLike,
    lm: NGramLM,
    *,
    noise: float = 0.05,
    lengths: ArrayLike | None = None,
    fixed: ArrayLike = (),
    order: int | None = None,
    beam: int | None = None,
) -> NDArray[np.int64]:
    """Read a cipher with its key, where a share of the signs may be any other.

    Parameters
    ----------
    x : (T,) int array
        The cipher.
    key : (n_symbols,) int array
        What each sign reads as, -1 for signs that do not occur; see `search_key`.
    lm : NGramLM
        The language.
    noise : float
        The share of signs copied wrongly.
    lengths : (S,) int array, optional
        Where sequences end.
    fixed : (F,) int array
        Signs that are never wrong, as the space.
    order, beam : int, optional
        As in `labelfree.decode.viterbi`.

    Returns
    -------
    (T,) int array
        The likeliest plaintext.

    Examples
    --------
    >>> lm = NGramLM.from_text("abc" * 200, order=3)
    >>> mend([0, 1, 2, 0, 0, 2, 0, 1, 2], [0, 1, 2], lm).tolist()
    [0, 1, 2, 0, 1, 2, 0, 1, 2]
    """
    if not 0 < noise < 1:
        raise InputError(f"noise is {noise}, wanted a share above 0 and below 1; give the share of wrong signs")
    signs, readings = np.asarray(x, np.int64), np.asarray(key, np.int64)
    n_letters = len(lm.alphabet)
    used = readings >= 0
    taken = np.isin(np.arange(readings.size), np.asarray(fixed, np.int64))
    counts = np.bincount(signs, minlength=readings.size).astype(np.float64)
    # p(sign | letter): its own signs by how often they are used, any free sign by chance
    own = np.bincount(readings[used], counts[used], n_letters)
    emission = np.tile(np.where(taken, 0.0, noise / max(int((used & ~taken).sum()), 1)), (n_letters, 1))
    emission[readings[used], np.flatnonzero(used)] += (1 - noise) * counts[used] / own[readings[used]]
    emission[readings[taken & used]] = 0.0
    emission[readings[taken & used], np.flatnonzero(taken & used)] = 1.0
    with np.errstate(divide="ignore"):
        scores = np.log(emission.T)[signs]
    return viterbi(scores, lm, lengths=lengths, order=order, beam=beam)
