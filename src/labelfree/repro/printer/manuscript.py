"""The text of a book as a printer gets it: chapters, paragraphs, lists, notes, and how each word is to be set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from labelfree.errors import InputError
from labelfree.lm.oldspelling import count_words, long_s
from labelfree.ocr.scripts import script_named
from labelfree.ocr.scripts.typesetting import roman
from labelfree.repro.printer.design import BookDesign
from labelfree.repro.printer.founts import Shape, settable
from labelfree.repro.printer.phrases import PHRASES, Phrases

Kind = Literal["heading", "title", "paragraph", "entry"]

_CHAPTER = 3000  # characters, about
_SPANS = (1, 1, 1, 2, 3, 6)  # words of a span in italics
_IN_PARAGRAPHS = 0.4  # share of the italics that is whole paragraphs
_OPENING = 3  # words in small capitals with which a chapter begins
_NAME = re.compile(r"[A-ZÄÖÜÉ][a-zäöüßſéèê]{2,}[,.;]?")
_MOST_LISTS = 10.0  # times the text
_MARKS = ("*", "†")


@dataclass(frozen=True)
class Word:
    """A word and how it is set.

    Attributes
    ----------
    text : str
    shape : {"roman", "italic", "small capitals"}
    note : tuple of Word
        The footnote that it points to, if any, with its mark.
    """

    text: str
    shape: Shape = "roman"
    note: tuple[Word, ...] = ()


@dataclass(frozen=True)
class Block:
    """Words that are set together: a line or more.

    Attributes
    ----------
    kind : {"heading", "title", "paragraph", "entry"}
        An entry is one of a list; its lines after the first are indented.
    words : tuple of Word
    """

    kind: Kind
    words: tuple[Word, ...]


def manuscript(design: BookDesign, text: Iterable[str]) -> list[Block]:
    """Make a book of paragraphs.

    Parameters
    ----------
    design : BookDesign
    text : iterable of str
        Paragraphs of running text.
    """
    paragraphs = _spelled([" ".join(each.split()) for each in text], design)
    if not paragraphs:
        raise InputError("the text for a book is empty; name a file that holds paragraphs of text")
    return list(_blocks(paragraphs, design, np.random.default_rng((design.seed, 1))))


def _spelled(paragraphs: list[str], design: BookDesign) -> list[str]:
    """Paragraphs with the quotes, the letters and the long s of the print."""
    script = script_named("fraktur" if design.face.style == "blackletter" else "antiqua")
    whole = script.as_printed("\n".join(paragraphs))
    if design.long_s:
        whole = long_s(whole, design.language, count_words(whole))
    return [each.strip() for each in settable(whole, design.face).split("\n") if each.strip()]


def _blocks(paragraphs: list[str], design: BookDesign, rng: np.random.Generator) -> Iterator[Block]:
    clerk = _Clerk(design, rng)
    chapter, since = 0, _CHAPTER
    printed, listed = 0, 0
    for i, paragraph in enumerate(paragraphs):
        words = clerk.paragraph(paragraph)
        if since >= _CHAPTER:
            chapter, since = chapter + 1, 0
            yield from clerk.headings(chapter, paragraph)
            words = tuple(clerk.as_opening(word) if j < _OPENING else word for j, word in enumerate(words))
        yield Block("paragraph", words)
        since += len(paragraph)
        printed += len(paragraph)
        if since >= _CHAPTER or i == len(paragraphs) - 1:
            wanted = min(_MOST_LISTS, design.lists / max(1.0 - design.lists, 1e-9)) * printed
            while listed < wanted:
                entry = clerk.entry()
                yield Block("entry", entry)
                listed += sum(len(word.text) + 1 for word in entry)


class _Clerk:
    """Marks words for the printer and writes what the text has not."""

    def __init__(self, design: BookDesign, rng: np.random.Generator) -> None:
        self._design = design
        self._rng = rng
        self._phrases: Phrases = PHRASES[design.language]
        self._is_blackletter = design.face.style == "blackletter"
        self._number = int(rng.integers(1, 60))
        self._notes = 0

    def paragraph(self, text: str) -> tuple[Word, ...]:
        """The words of a paragraph, some in italics or small capitals, perhaps one with a note."""
        design, rng = self._design, self._rng
        words = [Word(each) for each in text.split()]
        if rng.random() < _IN_PARAGRAPHS * design.italics:
            words = [replace(word, shape="italic") for word in words]
        else:
            rate = (1 - _IN_PARAGRAPHS) * design.italics / np.mean(_SPANS)
            for start in np.flatnonzero(rng.random(len(words)) < rate).tolist():
                for i in range(start, min(start + int(rng.choice(_SPANS)), len(words))):
                    words[i] = replace(words[i], shape="italic")
        for i, word in enumerate(words):
            if word.shape == "roman" and _NAME.fullmatch(word.text) and rng.random() < design.small_capitals:
                words[i] = replace(word, shape="small capitals")
        if words and settable("*", design.face) and rng.random() < design.notes:
            place = int(rng.integers(len(words)))
            mark = settable(_MARKS[self._notes % 2], design.face)
            self._notes += 1
            words[place] = Word(words[place].text + mark, words[place].shape, (Word(mark), *self._note()))
        return tuple(words)

    def headings(self, chapter: int, paragraph: str) -> Iterator[Block]:
        """The number of a chapter, and often its title."""
        if self._is_blackletter:
            yield Block("heading", self._words(f"{chapter}. {self._phrases.chapter.capitalize()}."))
        else:
            yield Block("heading", self._words(f"{self._phrases.chapter.upper()} {roman(chapter)}."))
        if self._rng.random() < 0.7:
            title = " ".join(paragraph.split()[: int(self._rng.integers(3, 7))]).strip(".,;:—-“”„«»‘’ ") + "."
            shapes: tuple[Shape, ...] = ("roman", "italic", "small capitals")
            yield Block("title", self._words(title, shapes[int(self._rng.integers(3))]))

    def as_opening(self, word: Word) -> Word:
        """A word with which a chapter begins."""
        return (
            word if self._is_blackletter or not self._design.small_capitals else replace(word, shape="small capitals")
        )

    def entry(self) -> tuple[Word, ...]:
        """A person of a family's register."""
        self._number += 1
        rng, phrases = self._rng, self._phrases
        name = Word(f"{rng.choice(phrases.surnames)},", "small capitals" if rng.random() < 0.5 else "roman")
        if self._is_blackletter:
            name = replace(name, shape="roman")
        born = int(rng.integers(1640, 1890))
        died = born + int(rng.integers(1, 90))
        details = [f"{rng.choice(phrases.forenames)}, {phrases.born} {self._date(born)}"]
        if rng.random() < 0.4:
            details[0] += f" {phrases.at} {rng.choice(phrases.places)}"
        if rng.random() < 0.5:
            spouse = f"{rng.choice(phrases.forenames)} {rng.choice(phrases.surnames)}"
            details.append(f"{phrases.married} {self._date(born + int(rng.integers(18, 40)))} {spouse}")
        if rng.random() < 0.7:
            details.append(f"{phrases.died} {self._date(died)}")
        number = [f"{self._number}."] if rng.random() < 0.8 else []
        words = [*self._words(" ".join(number)), *self._words(name.text, name.shape), *self._words("; ".join(details))]
        last = f"{phrases.page} {int(rng.integers(2, 400))}."
        return (*words[:-1], Word(words[-1].text + "."), *(self._words(last) if rng.random() < 0.2 else ()))

    def _date(self, year: int) -> str:
        if self._rng.random() < 0.3:
            return str(year)
        return self._phrases.date.format(
            day=int(self._rng.integers(1, 29)), month=self._rng.choice(self._phrases.months), year=year
        )

    def _note(self) -> tuple[Word, ...]:
        """A reference to a book."""
        rng, phrases = self._rng, self._phrases
        who = f"{rng.choice(phrases.forenames)} {rng.choice(phrases.surnames)},"
        volume = f"{phrases.volume} {roman(int(rng.integers(1, 13))).lower() if not self._is_blackletter else 2},"
        where = f"{volume} {phrases.page} {int(rng.integers(2, 600))}."
        title = self._words(f"{rng.choice(phrases.books)} {phrases.of} {rng.choice(phrases.places)},", "italic")
        return (*self._words(f"{phrases.see} {who}"), *title, *self._words(where))

    def _words(self, text: str, shape: Shape = "roman") -> tuple[Word, ...]:
        if self._design.long_s:
            text = long_s(text, self._design.language, {})
        return tuple(Word(each, shape) for each in settable(text, self._design.face).split())
