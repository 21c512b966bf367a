"""Shifts that come back with a period: Vigenere (c = p + k) and Beaufort (c = k - p)."""

from __future__ import annotations

import numpy as np

from labelfree.cipher.kinds.letters import Floats, Ints, Letters, Reading

LONGEST = 40
_EACH = 4  # letters that every letter of the key must read
_TRIED = 5  # periods, the likeliest ones by single letters
_SEARCHED = 800  # letters
_SWEEPS = 5


def periodic(letters: Letters) -> list[Reading]:
    """The likeliest readings by a key that comes back.

    Single letters propose periods and shifts, N-grams correct one shift after the other.
    """
    m, part = letters.size, letters.beginning(_SEARCHED)
    proposals: list[tuple[float, int, Ints]] = []
    for sign in (1, -1):
        for period in range(2, min(LONGEST, len(part.x) // _EACH) + 1):
            fits = column_fits(sign * part.x % m, period, letters.frequencies)
            proposals.append((float((fits.max(axis=1) - np.log(m)).sum()), sign, fits.argmax(axis=1)))
    proposals.sort(key=lambda each: -each[0])
    found = []
    for _, sign, key in proposals[:_TRIED]:
        shifts = _climbed(part, sign, key)
        plain = (sign * letters.x - np.resize(shifts, len(letters.x))) % m
        price = len(shifts) * np.log(m) + np.log(2 * LONGEST)
        word = "".join(letters.alphabet[shift] for shift in (sign * shifts % m).tolist())
        name = f"{'Vigenere' if sign == 1 else 'Beaufort'}, key {word}"
        found.append(Reading(plain, name, float(price), float(letters.scores(plain[None])[0])))
    return found


def column_fits(x: Ints, period: int, frequencies: Floats) -> Floats:
    """Log-likelihoods of single letters, (period, shifts), were every letter of a column shifted alike.

    Examples
    --------
    >>> column_fits(np.array([1, 2, 1, 2]), 2, np.array([0.8, 0.1, 0.1])).argmax(axis=1)
    array([1, 2])
    """
    m = len(frequencies)
    counts = np.bincount(np.arange(len(x)) % period * m + x, minlength=period * m).reshape(period, m)
    logs = np.log(np.maximum(frequencies, 1e-6))
    return np.asarray(counts @ logs[(np.arange(m)[:, None] - np.arange(m)) % m], np.float64)


def _climbed(part: Letters, sign: int, key: Ints) -> Ints:
    """Change one shift after the other until no change helps."""
    m, period = part.size, len(key)
    column = np.arange(len(part.x)) % period
    shifts = key.copy()
    best = -np.inf
    for _ in range(_SWEEPS):
        before = best
        for place in range(period):
            rows = np.tile((sign * part.x - shifts[column]) % m, (m, 1))
            rows[:, column == place] = (sign * part.x[column == place] - np.arange(m)[:, None]) % m
            scores = part.scores(rows)
            shifts[place], best = int(scores.argmax()), float(scores.max())
        if best <= before:
            break
    return shifts
