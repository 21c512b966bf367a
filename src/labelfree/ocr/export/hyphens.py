"""Words that the end of a line parts, put together again as the book's own words tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_WORD = re.compile(r"[^\W\d_]+")
_ENDS_IN_HYPHEN = re.compile(r"([\w’'-]*\w)-$")
_BEGINS = re.compile(r"\w[\w’'-]*")
_USUAL = 0.05  # times the lines that end in a hyphen, that small words joined by one stand within lines, to be usual


@dataclass(frozen=True)
class BookWords:
    """The words of a book, told by what stands within its lines, and those of its language.

    Attributes
    ----------
    whole : Counter
        Words in small letters.
    hyphenated : Counter
        Words with hyphens in them, in small letters.
    joins_small : bool
        Whether it is usual to join two words in small letters by a hyphen, as English does and German does not.
    language : container of str
    """

    whole: Counter[str]
    hyphenated: Counter[str]
    joins_small: bool
    language: Container[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, lines: Iterable[str], language: Container[str] = frozenset()) -> BookWords:
        """Count the words of lines; those at either end of a line may be parts, and are left out."""
        whole: Counter[str] = Counter()
        hyphenated: Counter[str] = Counter()
        n_broken = n_small = 0
        for line in lines:
            n_broken += line.endswith("-")
            inside = line.partition(" ")[2].rpartition(" ")[0]
            found = _HYPHENATED.findall(inside)
            n_small += sum(word.islower() for word in found)
            hyphenated.update(word.lower() for word in found)
            whole.update(word.lower() for word in _WORD.findall(_HYPHENATED.sub(" ", inside)))
        return cls(whole, hyphenated, n_small > _USUAL * n_broken, language)

    def joined(self, lines: Iterable[str]) -> str:
        """Lines as one; where a line ends in a hyphen, the word that it parts is put together.

        Examples
        --------
        >>> words = BookWords.of(["a well-known harbour town of old"], {"ferry"})
        >>> words.joined(["The fer-", "ry is well-", "known at", "sea."])
        'The ferry is well-known at sea.'
        """
        found = [""]
        for line in filter(None, lines):
            broken, rest = _ENDS_IN_HYPHEN.search(found[-1].rpartition(" ")[2]), _BEGINS.match(line)
            if broken is None or rest is None:
                found.append(" ")
            elif not self._keeps_hyphen(broken[1], rest[0]):
                found[-1] = found[-1][:-1]
            found.append(line)
        return "".join(found).strip()

    def _keeps_hyphen(self, first: str, second: str) -> bool:
        whole, parted = (first + second).lower(), f"{first}-{second}".lower()
        if self.whole[whole] or self.hyphenated[parted]:
            return self.hyphenated[parted] > self.whole[whole]
        if first[-1].isdecimal() or second[0].isdecimal() or (second[0].isupper() and not first.isupper()):
            return True
        if self._is_of_language(first + second):
            return False
        return self.joins_small and self._is_word(first) and self._is_word(second)

    def _is_word(self, word: str) -> bool:
        return bool(self.whole[word.lower()]) or self._is_of_language(word)

    def _is_of_language(self, word: str) -> bool:
        return word in self.language or word.lower() in self.language
