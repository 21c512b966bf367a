"""Which kinds are tried on a text, told by its statistics."""

from __future__ import annotations

import numpy as np

from labelfree.cipher.kinds.affine import affine
from labelfree.cipher.kinds.letters import Letters, Reading, alphabet_of
from labelfree.cipher.kinds.naming import has_own_letters, unevenness
from labelfree.cipher.kinds.periodic import periodic
from labelfree.cipher.kinds.transposition import transpositions
from labelfree.cipher.transcription import Layout
from labelfree.lm import NGramLM

_PERIODIC_BELOW = 0.85
"""Up to what unevenness of its letters a text is taken to be written with several alphabets."""


_LONGEST_IN_ORDER = 5000
"""How many letters a transposition may have to be tried."""


def by_map(letters: Letters) -> Reading | None:
    """The reading by shifts or an affine key, of one alphabet or several, that is to be believed, or none.

    Parameters
    ----------
    letters : Letters
        Among their spaces where these part words.
    """
    found = affine(letters)
    if unevenness(letters) < _PERIODIC_BELOW:
        found += sorted(periodic(letters), key=lambda reading: -reading.worth)
    return next(filter(letters.believed, found), None)


def by_order(letters: Letters) -> Reading | None:
    """The reading by another order of the letters that is to be believed, or none.

    Parameters
    ----------
    letters : Letters
        Without spaces.
    """
    if len(letters.x) > _LONGEST_IN_ORDER or not has_own_letters(letters):
        return None
    return next(filter(letters.believed, transpositions(letters)), None)


def letters_in(layout: Layout, lm: NGramLM) -> Letters | None:
    """The letters of a ciphertext, or none where its signs are not those of the language's alphabet.

    Parameters
    ----------
    layout : Layout
        Its spaces count where they are kept.
    lm : NGramLM
        A model of the letters, and of the space where spaces are kept.
    """
    alphabet = alphabet_of(lm)
    signs = [sign.lower() for sign in layout.signs]
    if len(set(signs)) < len(signs) or not {sign for sign in signs if sign != " "} <= set(alphabet):
        return None
    numbers = np.array([alphabet.find(sign) for sign in signs])[layout.x]
    is_letter = numbers >= 0
    before = np.cumsum(is_letter, dtype=np.int64)
    return Letters(numbers[is_letter], lm, before[~is_letter])


def symbols_of(layout: Layout, letters: Letters, reading: Reading) -> list[str]:
    """What stands at the places of a layout under a reading of its letters."""
    is_letter = layout.x != (-1 if layout.space is None else layout.space)
    plain = np.full(len(layout.x), " ")
    plain[is_letter] = np.array(list(letters.alphabet))[reading.plain]
    return [str(symbol) for symbol in plain]
