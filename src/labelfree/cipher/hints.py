"""What a person knows of a cipher: the readings of some signs, or words that stand somewhere in the plaintext."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from labelfree.cipher.transcription import Layout
from labelfree.errors import InputError
from labelfree.lm import NGramLM

_MOST_PLACES = 12
"""At how many places a crib is tried."""

Fixed = dict[int, int]


@dataclass(frozen=True)
class Hints:
    """Hints of a person, which may be wrong: a key is sought without them where none is found that has them.

    Parameters
    ----------
    known : mapping of str to str
        Signs and what they read as.
    crib : str
        Words of the plaintext.
    start : mapping of str to str
        A key near which the search begins, and which it may correct; of all signs or some.
    """

    known: Mapping[str, str] = field(default_factory=dict)
    crib: str = ""
    start: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parsed(cls, known: str = "", crib: str = "") -> Hints:
        """Read hints as they are typed.

        Examples
        --------
        >>> Hints.parsed("12=e 45=t").known
        {'12': 'e', '45': 't'}
        """
        pairs = [re.fullmatch(r"(.+)=(.+)", word) for word in known.split()]
        wrong = next((word for word, pair in zip(known.split(), pairs, strict=True) if pair is None), None)
        if wrong is not None:
            raise InputError(f"--known {wrong!r}, a sign, = and its letter wanted; give for example '12=e 45=t'")
        return cls({pair[1]: pair[2] for pair in pairs if pair}, crib)

    def beginning(self, layout: Layout, lm: NGramLM) -> Fixed:
        """What signs read as to begin with; signs that the text does not have, and other letters, say nothing."""
        numbers = {sign: number for number, sign in enumerate(layout.signs)}
        read = {numbers.get(sign, numbers.get(sign.lower(), -1)): letter.lower() for sign, letter in self.start.items()}
        if self.start and not set(read) - {-1}:
            raise InputError("the key to begin with has no sign of the ciphertext; give one of this text")
        return {sign: lm.alphabet.index(letter) for sign, letter in read.items() if sign >= 0 and letter in lm.alphabet}

    def readings(self, layout: Layout, lm: NGramLM) -> Iterator[Fixed]:
        """The readings of signs to search with, one after the other; nothing fixed comes last."""
        known = self._known(layout, lm)
        for placed in self._placed(layout, lm) if self.crib else [{}]:
            if all(known.get(sign, letter) == letter for sign, letter in placed.items()) and (placed or known):
                yield placed | known
        yield {}

    def _known(self, layout: Layout, lm: NGramLM) -> Fixed:
        numbers = {sign: number for number, sign in enumerate(layout.signs)}
        fixed = {}
        for sign, letter in self.known.items():
            found = sign if sign in numbers else sign.lower()
            if found not in numbers:
                raise InputError(f"no sign {sign!r} in the ciphertext, one of its signs wanted; see --key for them")
            if letter.lower() not in lm.alphabet:
                raise InputError(f"{sign}={letter}: the language has no letter {letter!r}; give one of its letters")
            fixed[numbers[found]] = lm.alphabet.index(letter.lower())
        return fixed

    def _placed(self, layout: Layout, lm: NGramLM) -> list[Fixed]:
        """Where the crib may stand, and what its signs then read as; the places with most repeated signs first."""
        space = layout.space is not None
        crib = " ".join("".join(c if c in lm.alphabet and c.isalpha() else " " for c in self.crib.lower()).split())
        letters = lm.alphabet.encode(crib if space else crib.replace(" ", ""))
        if not len(letters):
            raise InputError(f"--crib {self.crib!r} has no letter of the language; give words of the plaintext")
        is_space = np.array([lm.alphabet.symbols[letter] == " " for letter in letters])
        one_to_one = len(layout.signs) <= len(lm.alphabet)
        found: list[tuple[int, Fixed]] = []
        for place in range(len(layout.x) - len(letters) + 1):
            signs = layout.x[place : place + len(letters)]
            if space and ((signs == layout.space) != is_space).any():
                continue
            pairs = Counter(zip(signs[~is_space].tolist(), letters[~is_space].tolist(), strict=True))
            if len({sign for sign, _ in pairs}) == len(pairs) and (
                not one_to_one or len({letter for _, letter in pairs}) == len(pairs)
            ):
                found.append((len(pairs), dict(pairs.keys())))
        found.sort(key=lambda each: each[0])
        return [fixed for _, fixed in found[:_MOST_PLACES]]


def parse_key(text: str) -> dict[str, str]:
    r"""Read a key as `labelfree decipher` writes it: a table, a line a sign, or JSON; or as ``sign=letter``.

    Examples
    --------
    >>> parse_key("the text\n\n12\te\t0.98\n45\tt\t0.40\n"), parse_key("12=e 45=t")
    ({'12': 'e', '45': 't'}, {'12': 'e', '45': 't'})
    """
    if text.lstrip().startswith("{"):
        told = json.loads(text)
        key = told.get("key", told)
        if isinstance(key, dict) and key and all(isinstance(letter, str) for letter in key.values()):
            return key
        raise InputError("a JSON object without a key found, wanted one whose 'key' has a letter for each sign")
    rows = [line.split("\t") for line in text.splitlines()]
    key = {row[0]: row[1] for row in rows if len(row) in (2, 3) and row[0] and row[1]}
    key = key or dict(pair for pair in re.findall(r"(\S+)=(\S+)", text))
    if not key:
        raise InputError("no key found, lines of a sign, a tab and its letter wanted, as decipher --key prints them")
    return key
