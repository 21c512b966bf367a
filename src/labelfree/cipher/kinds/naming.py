"""What a text that was not read may be: index of coincidence, period and pairs."""

from __future__ import annotations

import numpy as np

from labelfree.cipher.kinds.letters import Ints, Letters

_LIKE_LANGUAGE = 0.85  # of the way of the index of coincidence from even letters to the language's
_UNEVEN = 0.45
_LIKE_LETTERS = 0.12  # nats between frequencies, above what so many letters differ by chance
_LONGEST_PERIOD = 30
_LEAST_COLUMN = 6


def coincidence(x: Ints, m: int) -> float:
    """The index of coincidence: the chance that two letters drawn are alike.

    Examples
    --------
    >>> round(coincidence(np.array([0, 0, 1, 1]), 2), 3)
    0.333
    """
    counts = np.bincount(x, minlength=m)
    return float((counts * (counts - 1)).sum() / max(1, len(x) * (len(x) - 1)))


def has_own_letters(letters: Letters) -> bool:
    """Whether the letters are as frequent as in the language: plain, or in another order."""
    n = max(1, len(letters.x))
    counts = np.bincount(letters.x, minlength=letters.size)
    shares = counts[counts > 0] / n
    away = float((shares * np.log(shares / np.maximum(letters.frequencies[counts > 0], 1e-4))).sum())
    return away < _LIKE_LETTERS + (letters.size - 1) / (2 * n)


def unevenness(letters: Letters, period: int = 1) -> float:
    """The index of coincidence within columns, 0 for even letters and 1 for the language's."""
    m = letters.size
    columns = [letters.x[start::period] for start in range(period)]
    weights = np.array([len(column) * (len(column) - 1) for column in columns], np.float64)
    found = np.array([coincidence(column, m) for column in columns]) @ weights / max(1.0, weights.sum())
    language = float((letters.frequencies**2).sum())
    return float((found - 1 / m) / (language - 1 / m))


def named(letters: Letters) -> str:
    """The kind that the statistics speak for.

    Examples
    --------
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_language("en", order=2)
    >>> named(Letters(np.random.default_rng(0).integers(26, size=600), lm))
    'letters as even as chance makes them: no substitution of single letters'
    """
    if len(letters.x) < 2 * _LEAST_COLUMN:
        return "too short to tell its kind"
    if has_own_letters(letters):
        return "perhaps a transposition: its letters are as frequent as the language's"
    whole = unevenness(letters)
    if whole >= _LIKE_LANGUAGE:
        return "perhaps a simple substitution: its letters are as uneven as the language's"
    periods = range(2, min(_LONGEST_PERIOD, len(letters.x) // _LEAST_COLUMN) + 1)
    found = {period: unevenness(letters, period) for period in periods}
    likely = [period for period in periods if found[period] >= max(_LIKE_LANGUAGE, whole + 0.3)]
    if likely:
        return f"perhaps Vigenere with period {likely[0]}"
    pairs = letters.x[: len(letters.x) // 2 * 2].reshape(-1, 2)
    expected = coincidence(letters.x, letters.size) * len(pairs)
    if expected > _LEAST_COLUMN and not (pairs[:, 0] == pairs[:, 1]).any():
        return "perhaps a cipher of pairs of letters, as Playfair: no pair is a letter twice"
    if whole >= _UNEVEN:
        return "letters less uneven than the language's: perhaps several signs a letter, or a long period"
    return "letters as even as chance makes them: no substitution of single letters"
