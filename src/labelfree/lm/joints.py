"""Where a part of a German word ends in s: at a joint of a compound, before an ending, before most consonants."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

_VOWELS = frozenset("aeiouäöüyéèê")

_AUS = re.compile(r"(?:un|her|hin|vor|dar|wor|hier|über|durch|neu|mit|ge)*aus$")
"""What may stand before and with the adverb aus."""

_NOT_AUS = ("ter", "tral")
"""What follows aus in words that do not hold it: Auſter, auſtraliſch."""

_LINKED = re.compile(r"(?:ung|heit|keit|schaft|ion|tät|tum|ling)s$")
"""Endings of nouns that take an s where a part of a compound follows."""

_DAY = re.compile(r"tag(?:e[ns]?|s\w*|lich\w*)?$")

_AFTER_WHOLE = ("seit", "selb")
"""What follows a word in s that is whole by itself: dies|seits, das|selbe."""

_BEGINNINGS = ("auf", "aus", "ent", "unter", "über")
"""What begins many words that follow a part in s, whether the rest of them is known or not."""

_PREFIXES = re.compile(r"(?:ab|an|auf|be|bei|da|durch|ein|ent|er|ge|her|hin|in|nach|so|um|un|unter|ur|ver|vor|zer|zu)$")
"""What often stands before a part that begins with s."""

_PARTICIPLE = re.compile(r"d(?:e[mnrs]?)?$")

_SHORTEST = 3
"""The fewest letters in a part of a compound that is looked up."""

_LINK_PENALTY = 0.3
"""How much less a part counts that is known only without its s."""

_PAIR_PENALTY = 0.05
"""How much less a part counts that is known only as two parts."""


class Joints:
    """Finds where a part of a word ends in s.

    Parameters
    ----------
    words : mapping of str to int
        Words as written, and how often each occurs. A word that is mostly written with a capital is a noun.

    Examples
    --------
    >>> joints = Joints({"Haus": 9, "Arbeit": 5})
    >>> joints.part_ends("Hausarbeit", 3), joints.part_ends("Gesang", 2)
    (True, False)
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        capital: Counter[str] = Counter()
        small: Counter[str] = Counter()
        for word, times in words.items():
            (small if word[:1].islower() else capital)[word.lower()] += times
        self._any = capital + small
        self._nouns = {word: times for word, times in capital.items() if times > small[word]}
        self._others = {word: times for word, times in small.items() if times >= capital[word]}
        self._rare = max(2.0, 2e-6 * sum(words.values()))
        self._old = words.get("daß", 0) >= words.get("dass", 0)
        self._strength = lru_cache(maxsize=None)(self._looked_up)

    def part_ends(self, word: str, place: int) -> bool:
        """Say whether the s at a place, which is not the last, ends a part or a closed syllable."""
        noun, word = word[0].isupper(), word.lower()
        left, right = word[: place + 1], word[place + 1 :]
        if place == 0 or not right[0].isalpha():
            return False
        if right[0] == "s":
            return self._before_s(left, right, noun)
        if left[-2] in "sß":
            return False
        if right.startswith("ch"):
            return noun and right in ("chen", "chens") and self._is_small(left)
        if right[0] in _VOWELS or right[0] in "ptc":
            return self._joined(left, right, noun)
        return not (right[0] in "lnr" and f"{left}e{right}" in self._any)  # unſre has lost an e

    def _before_s(self, left: str, right: str, noun: bool) -> bool:
        """Judge the first of two s: ſſ stands only after a vowel, mostly a short one, and before another vowel."""
        if len(right) < _SHORTEST:
            return False
        if left[-2] not in _VOWELS or (self._old and right[1] not in _VOWELS):
            return True
        if left[-3:-1] in ("au", "äu", "ei", "eu", "ie") and not left.startswith("chau"):
            return True
        if left in ("das", "des", "dies") and right.startswith(_AFTER_WHOLE):
            return True
        return self._joined(left, right, noun)

    def _joined(self, left: str, right: str, noun: bool) -> bool:
        """Say whether a part ends with the s: by what is known of parts, else by weighing it against none."""
        if len(right) < (_SHORTEST if noun else _SHORTEST + 1):
            return False
        if left.endswith("trans") or (_AUS.match(left) and not right.startswith(_NOT_AUS)):
            return True
        if (noun and _DAY.match(right)) or (_LINKED.search(left) and not right.startswith("te")):
            return True
        if right.startswith("inn"):  # wahnſinnig, beſinnen
            return False
        first = self._first(left)
        if first <= self._rare:
            return False
        if right.startswith(_BEGINNINGS):
            return True
        return min(first, self._strength(right, noun)) > max(self._without(left, right), self._rare)

    def _without(self, left: str, right: str) -> float:
        """Say how well a word is known in which no part ends with this s."""
        word = left + right
        whole = max(self._any[word], self._any[_PARTICIPLE.sub("", word)])
        last = self._any["s" + right]
        if _PREFIXES.match(left[:-1]):
            return math.inf if last else whole
        return max(whole, min(self._before(left[:-1]), last))

    def _before(self, part: str) -> float:
        """Say how well a part is known that one in s- follows; a prefix may stand between them."""
        known = self._first(part)
        for width in (2, 3):
            if _PREFIXES.match(part[-width:]):
                known = max(known, self._first(part[:-width]))
        return known

    def _first(self, part: str) -> float:
        """Say how well a part is known that others follow, with or without the s that links it to them."""
        known = max(self._strength(part, True), self._strength(part, False))
        if part.endswith("s"):
            known = max(known, _LINK_PENALTY * self._strength(part[:-1], True))
        return known

    def _looked_up(self, part: str, noun: bool) -> float:
        """Say how often a part occurs as a word; one that does not, by its own two parts."""
        if len(part) < _SHORTEST:
            return 0.0
        table = self._nouns if noun else self._others
        if part in table or len(part) < 2 * _SHORTEST:
            return table.get(part, 0.0)
        best = 0
        for at in range(_SHORTEST, len(part) - _SHORTEST + 1):
            last = table.get(part[at:], 0)
            if last > best:
                best = max(best, min(last, self._any[part[:at]]))
        return _PAIR_PENALTY * best

    def _is_small(self, stem: str) -> bool:
        """Say whether -chen makes a noun of a stem, such as Häus- or Näs-, small."""
        if f"{stem}chen" in self._others or f"{stem}ch" in self._nouns or stem[:-1] in self._nouns:
            return False  # erlöſchen, Hirſchen, Schillerſchen
        plain = stem.replace("äu", "au").replace("ä", "a").replace("ö", "o").replace("ü", "u")
        return any(noun in self._nouns for noun in (stem, plain, f"{stem}e", f"{plain}e"))
