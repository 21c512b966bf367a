"""The words of a language and how frequent each is, as a say in what a line reads beside a model of characters.

A word and the symbol behind it have, with w the word, s the symbol, f and g shares of the text and p the N-grams,

    (1 - u) f(w) g(s)  +  u p(w s),

so that a word nobody has seen is still spelled by the characters; u is the share of words seen for the first time, as
Good and Turing estimate it: that of the words seen once.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.lm.model import NGramLM

Ints = NDArray[np.int64]

_WORD = re.compile(r"[^\W\d_]+(?:’[^\W\d_]+)*")
_BROKEN_OFF = re.compile(rf"({_WORD.pattern})- ?$")
_BROKEN = 0.15  # of the lines, taken to end within a word
_CAPITALISED = 0.05  # of a word, taken to begin with a capital where the text does not say
_CAPITALS = 0.01  # of a word, taken to stand in capitals
_LAST = "\U0010ffff"  # sorts behind every letter
_MOST_WORDS = 10**15
_LEAST_SHARE = 1e-6  # of words that are new, however much text there was


class WordList:
    """Words and how often each occurs.

    Parameters
    ----------
    counts : mapping of str to int

    Examples
    --------
    >>> words = WordList.from_text("The cat sat, and the cat’s tail sat too late.")
    >>> words.share("cat’s"), words.share("cat"), words.share("CAT") < words.share("Cat") < words.share("cat")
    (0.1, 0.1, True)
    >>> words.share_of_beginning("t")
    0.3
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        if not counts or min(counts.values()) < 1 or sum(counts.values()) > _MOST_WORDS:
            raise InputError(f"{len(counts)} words, some that occur wanted; give text in the language of the book")
        self._counts = dict(sorted(counts.items()))
        self._sorted = list(self._counts)
        self._before = np.concatenate([[0], np.cumsum(list(self._counts.values()))])
        self._total = int(self._before[-1])
        once = sum(count == 1 for count in self._counts.values())
        self.new = min(0.5, max(_LEAST_SHARE, once / self._total))

    @classmethod
    def from_text(cls, text: str) -> WordList:
        """Count the words of a text; what a hyphen at the end of a line parts is one."""
        return cls(Counter(_WORD.findall(text.replace("-\n", ""))))

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each word occurs, in the order of the words."""
        return MappingProxyType(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def share(self, word: str) -> float:
        """How large a share of a text a word makes up, or of its capitalised forms the part that is usual."""
        count: float = self._counts.get(word, 0)
        small = word.lower()
        if word != small:
            count += _CAPITALISED * self._counts.get(small, 0) if word[1:] == small[1:] else 0.0
            if len(word) > 1 and word.isupper():
                count += _CAPITALS * (self._counts.get(small, 0) + self._counts.get(word.capitalize(), 0))
        return count / self._total

    def share_of_beginning(self, beginning: str) -> float:
        """How large a share of a text words make up that begin so."""
        first, last = bisect_left(self._sorted, beginning), bisect_left(self._sorted, beginning + _LAST)
        return float(self._before[last] - self._before[first]) / self._total

    def gains(self, lines: Sequence[Ints], lm: NGramLM, before: Sequence[Ints] | None = None) -> NDArray[np.float64]:
        """Give by how many nats words make each line likelier than N-grams alone, or less likely.

        Parameters
        ----------
        lines : sequence of arrays of int
        lm : NGramLM
            The N-grams; its alphabet is that of the lines.
        before : sequence of arrays of int, optional
            The line before each: a word that it breaks off goes on in this.

        Returns
        -------
        (len(lines),) float64 array
        """
        contexts = [np.empty(0, np.int64)] * len(lines) if before is None else before
        if len(contexts) != len(lines):
            raise InputError(f"{len(contexts)} lines before {len(lines)}, one for each wanted; give each its own")
        if not lines:
            return np.zeros(0)
        spelled = _after_space(lines, lm)
        follows = _log_shares_of_marks(lm)
        found = np.zeros(len(lines))
        for i, (line, logs, context) in enumerate(zip(lines, spelled, contexts, strict=True)):
            found[i] = sum(
                self._line_gains(line, logs, lm.alphabet.decode(context[-40:]), lm.alphabet.symbols, follows)
            )
        return found

    def _line_gains(
        self, line: Ints, logs: NDArray[np.float64], before: str, symbols: Sequence[str], follows: NDArray[np.float64]
    ) -> Iterator[float]:
        """The gain of each word of a line; `logs` are those of its symbols among N-grams."""
        written = [symbols[i] for i in line.tolist()]
        starts = np.repeat(np.arange(len(written) + 1), [*map(len, written), 1])  # the symbol of each character
        sums = np.concatenate([[0.0], np.cumsum(logs)])
        text = "".join(written)
        for match in _WORD.finditer(text):
            first, end = int(starts[match.start()]), int(starts[match.end()])
            is_last = end == len(line)
            share = self._share_in_line(match, text, before)
            known = math.log(share) if share else -math.inf
            known += 0.0 if is_last else float(follows[line[end]])
            by_symbols = float(sums[end if is_last else end + 1] - sums[first])
            mixed = np.logaddexp(math.log1p(-self.new) + known, math.log(self.new) + by_symbols)
            yield float(mixed - by_symbols)

    def _share_in_line(self, match: re.Match[str], text: str, before: str) -> float:
        """The share of a word, which may be one end of a word that the end of a line breaks."""
        word = match[0]
        broken_off = _BROKEN_OFF.search(before) if match.start() == 0 else None
        if broken_off is not None:
            beginnings = self.share_of_beginning(broken_off[1])
            return self.share(broken_off[1] + word) / beginnings if beginnings else 0.0
        if text[match.end() :] == "-":
            return _BROKEN * self.share_of_beginning(word) + self.share(word)
        return self.share(word)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Arrays, all that `from_state` needs."""
        written = "\n".join(self._sorted).encode()
        return {"words": np.frombuffer(written, np.uint8), "counts": np.array(list(self._counts.values()), np.int64)}

    @classmethod
    def from_state(cls, arrays: Mapping[str, NDArray[np.generic]]) -> WordList:
        """Put together what `state` gave, checking that every word has its count."""
        try:
            words = arrays["words"].astype(np.uint8).tobytes().decode().split("\n")
            counts = arrays["counts"].astype(np.int64).ravel().tolist()
        except (KeyError, UnicodeDecodeError, ValueError) as error:
            raise InputError(f"word list: {error!r} found, words in UTF-8 and counts wanted; make it again") from None
        if len(words) != len(counts) or len(set(words)) != len(words):
            raise InputError(f"word list: {len(words)} words and {len(counts)} counts, as many wanted; make it again")
        return cls(dict(zip(words, counts, strict=True)))


def _after_space(lines: Sequence[Ints], lm: NGramLM) -> list[NDArray[np.float64]]:
    """Logs of the symbols of each line among N-grams, the line taken to follow a space."""
    opening = [lm.alphabet.index(" ")] if " " in lm.alphabet else []
    rows = [np.concatenate([np.array(opening, np.int64), line]) for line in lines]
    lengths = np.array([len(row) for row in rows], np.int64)
    logs = lm.log_probabilities(np.concatenate(rows), lengths)
    return [part[len(opening) :] for part in np.split(logs, np.cumsum(lengths)[:-1])]


def _log_shares_of_marks(lm: NGramLM) -> NDArray[np.float64]:
    """For each symbol that is no letter, the log of its share among those; what else follows a word is a letter's."""
    alone = np.asarray(lm.joint(1), np.float64)
    marks = np.array([not symbol.isalpha() for symbol in lm.alphabet])
    logs: NDArray[np.float64] = np.log(np.maximum(alone / max(alone[marks].sum(), 1e-300), 1e-12))
    return logs
