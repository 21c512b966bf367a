"""Words set in lines of one width: broken where they do not fit, spaced so that lines end alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from labelfree.repro.printer.founts import Fount, SetWord
from labelfree.repro.printer.manuscript import Word

Align = Literal["justified", "left", "centre"]

_TIGHTEST = 0.8  # of the usual space between words
_LOOSEST = 1.6  # of it, above which a word is broken
_AFTER_SENTENCE = 1.6  # of it, where points are loose
_VOWELS = frozenset("aeiouyäöüàâéèêëîïôùûœæ")
_TOGETHER = (
    *("ſch", "sch", "ch", "ck", "th", "ph", "sh", "ſh", "ſt", "st", "qu", "gh", "tz"),
    *(first + second for first in "bcdfgkpt" for second in "lr"),
)
_LEAST_BEFORE, _LEAST_AFTER = 2, 3  # letters of a broken word
_SENTENCE_ENDS = (".", "!", "?", ".”", "!”", "?”", ".’", ".“")


@dataclass(frozen=True)
class PlacedWord:
    """A word and where it begins on its line."""

    word: SetWord
    x: float


@dataclass(frozen=True)
class ComposedLine:
    """A line of print.

    Attributes
    ----------
    words : tuple of PlacedWord
    notes : tuple of tuple of Word
        Footnotes that belong on its page.
    """

    words: tuple[PlacedWord, ...]
    notes: tuple[tuple[Word, ...], ...] = ()

    @property
    def text(self) -> str:
        """As it is printed."""
        return " ".join(placed.word.text for placed in self.words)


@dataclass(frozen=True)
class Column:
    """Where lines go.

    Attributes
    ----------
    width : float
    first, others : float
        Indents of the first line and of all others.
    align : {"justified", "left", "centre"}
    """

    width: float
    first: float = 0.0
    others: float = 0.0
    align: Align = "justified"


class Compositor:
    """Sets words in lines.

    Parameters
    ----------
    fount : Fount
    loose_points : bool
        As in `BookDesign`.
    """

    def __init__(self, fount: Fount, *, loose_points: bool = False) -> None:
        self.fount = fount
        self._after_sentence = _AFTER_SENTENCE if loose_points else 1.0

    def lines(self, words: Iterable[Word], column: Column) -> Iterator[ComposedLine]:
        """Lines of a paragraph, a heading or a note."""
        waiting = list(reversed(list(words)))
        is_first = True
        while waiting:
            indent = column.first if is_first else column.others
            line = self._taken(waiting, column.width - indent)
            yield self._composed(line, column, indent, is_last=not waiting)
            is_first = False

    def row(self, words: Sequence[Word], x: float) -> tuple[PlacedWord, ...]:
        """Words at their usual distance from a place on."""
        placed = []
        for word in words:
            placed.append(PlacedWord(self._set(word), x))
            x += placed[-1].word.width + self._gap(word)
        return tuple(placed)

    def row_width(self, words: Sequence[Word]) -> float:
        """How wide `row` sets words."""
        return sum(self._set(word).width for word in words) + sum(self._gap(word) for word in words[:-1])

    def _taken(self, waiting: list[Word], room: float) -> list[Word]:
        """Take words for a line from the end of a list, and leave there what is left of a broken one."""
        line: list[Word] = []
        width = 0.0  # of the words, without what is between them
        gaps = 0.0
        while waiting:
            word = waiting[-1]
            if width + _TIGHTEST * gaps + self._set(word).width <= room:
                line.append(waiting.pop())
                width += self._set(word).width
                gaps += self._gap(word)
                continue
            if not line or width + _LOOSEST * (gaps - self._gap(line[-1])) < room:
                parts = self._broken(word, room - width - gaps, must=not line)
                if parts is not None:
                    line.append(parts[0])
                    waiting[-1] = parts[1]
                elif not line:
                    line.append(waiting.pop())
            break
        return line

    def _broken(self, word: Word, room: float, *, must: bool) -> tuple[Word, Word] | None:
        """A word in two parts, the first as long as there is room for."""
        places = break_points(word.text)
        if must and not places:
            places = list(range(2, len(word.text) - 1))
        for place in reversed(places):
            before, after = word.text[:place], word.text[place:]
            first = Word(before if before[-1] in "-—" else before + "-", word.shape)
            if self._set(first).width <= room:
                return first, Word(after, word.shape, word.note)
        return None

    def _composed(self, words: list[Word], column: Column, indent: float, *, is_last: bool) -> ComposedLine:
        notes = tuple(word.note for word in words if word.note)
        rest = column.width - indent - self.row_width(words)
        x = indent + (rest / 2 if column.align == "centre" else 0.0)
        placed = self.row(words, x)
        gaps = sum(self._gap(word) for word in words[:-1])
        if column.align == "justified" and not (is_last and rest > 0) and gaps:
            factor = rest / gaps
            before = 0.0
            justified = []
            for word, place in zip(words, placed, strict=True):
                justified.append(PlacedWord(place.word, place.x + factor * before))
                before += self._gap(word)
            placed = tuple(justified)
        return ComposedLine(placed, notes)

    def _set(self, word: Word) -> SetWord:
        return self.fount.word(word.text, word.shape)

    def _gap(self, word: Word) -> float:
        """The usual space after a word."""
        return self.fount.space * (self._after_sentence if word.text.endswith(_SENTENCE_ENDS) else 1.0)


def break_points(text: str) -> list[int]:
    """Where a word may be broken: after hyphens and dashes, and before a consonant with a vowel after it.

    Examples
    --------
    >>> [("father"[:i], "father"[i:]) for i in break_points("father")]
    [('fa', 'ther')]
    >>> [f"{'well-considered'[:i]}|" for i in break_points("well-considered")]
    ['well-|', 'well-con|', 'well-consi|', 'well-conside|']
    """
    places: set[int] = set()
    lower = text.lower()
    start = 0
    while start < len(text):
        if not lower[start].isalpha():
            start += 1
            continue
        end = start
        while end < len(text) and lower[end].isalpha():
            end += 1
        places.update(start + place for place in _syllables(lower[start:end]))
        if 0 < end < len(text) - 1 and text[end] in "-—" and text[end + 1].isalpha():
            places.add(end + 1)
        start = end
    return sorted(places)


def _syllables(word: str) -> Iterator[int]:
    """Where the syllables of a word without hyphens begin, but for the first."""
    for i in range(_LEAST_BEFORE, len(word) - 1):
        if word[i] in _VOWELS or word[i + 1] not in _VOWELS:
            continue
        place = i
        for letters in _TOGETHER:
            if word[: i + 1].endswith(letters):
                place = i + 1 - len(letters)
                break
        fits = place >= _LEAST_BEFORE and len(word) - place >= _LEAST_AFTER
        if fits and not _VOWELS.isdisjoint(word[:place]):
            yield place
