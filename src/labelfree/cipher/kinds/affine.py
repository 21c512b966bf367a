"""Maps of the alphabet onto itself: plain text, Caesar, Atbash, affine; with p the plain letter, c = a p + b."""

from __future__ import annotations

from math import gcd, log

import numpy as np

from labelfree.cipher.kinds.letters import Letters, Reading


def affine(letters: Letters) -> list[Reading]:
    """The likeliest readings by an affine key, shifts first among them."""
    m = letters.size
    keys = [(a, b) for a in range(1, m) if gcd(a, m) == 1 for b in range(m)]
    tables = np.array([[pow(a, -1, m) * (c - b) % m for c in range(m)] for a, b in keys])
    part = letters.beginning(400)
    scores = part.scores(tables[:, part.x])
    prices = np.array([log(2 * m) if a == 1 or (a, b) == (m - 1, m - 1) else log(2 * len(keys)) for a, b in keys])
    best = int((scores - prices).argmax())
    plain = tables[best][letters.x]
    return [Reading(plain, _name(*keys[best], m), float(prices[best]), float(letters.scores(plain[None])[0]))]


def _name(a: int, b: int, m: int) -> str:
    if (a, b) == (1, 0):
        return "plain text already"
    if a == 1:
        return f"Caesar, shift {b}"
    if (a, b) == (m - 1, m - 1):
        return "Atbash"
    return f"affine, {a} p + {b}"
