"""How much a character counts, and a symbol's characters together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.ocr.correct.context import Text

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def novelty(labels: Ints, text: Text, lm: NGramLM, repeated: float = 0.25) -> Floats:
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


def x_log_x(x: NDArray[np.floating]) -> NDArray[np.floating]:
    """What a symbol with so many characters takes from the likelihood of their shapes; nothing for one or fewer."""
    found: NDArray[np.floating] = x * np.log(np.maximum(x, 1.0))
    return found
