"""A small book that every machine can print: running English that ships with Python, set line by line in one typeface.

Its pictures and their truth lie in a folder as scans do. The text that is left, without what repeats a passage of the
book, is for a language model.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from labelfree.errors import InputError
from labelfree.files import write_aside
from labelfree.ocr.scripts import script_named
from labelfree.repro.tasks.spelling import standard_library_english
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

TYPEFACE = "DejaVuSerif"
SIZE = 32  # pixels
STRENGTH = 0.3  # of the damage
LINE_LENGTH = 36  # characters
_SHORTEST_PARAGRAPH = 150
_PROSE = re.compile(r"[A-Z][A-Za-z0-9 ,.;:'\"()!?-]+[.!?]")
_CODE = re.compile(r"[a-z][A-Z]|\w\(|[A-Z]{2}|\w\.\w|[A-Za-z]\d|\d[A-Za-z]")
_REPEATED_WORDS = 6


@dataclass(frozen=True)
class BookText:
    """Lines of a book, and paragraphs of other text that share no passage with it."""

    lines: tuple[str, ...]
    other: tuple[str, ...]

    @property
    def characters(self) -> int:
        """How many the book has, line breaks not counted."""
        return sum(map(len, self.lines))


def book_text(characters: int, seed: int = 0, *, paragraphs: Iterable[str] | None = None) -> BookText:
    """Draw paragraphs for a book, break them into lines, and keep the others apart.

    Parameters
    ----------
    characters : int
        About how many the book has.
    seed : int
        Of the draw.
    paragraphs : iterable of str, optional
        Text to draw from; by default the English that ships with Python. Only running text is used, and what looks
        like code is not in the book.
    """
    pool = sorted(set(_prose(standard_library_english() if paragraphs is None else paragraphs)))
    candidates = [paragraph for paragraph in pool if not _CODE.search(paragraph)]
    available = sum(map(len, candidates))
    if not 0 < characters <= available:
        raise InputError(
            f"a book of {characters} characters asked for, 1 to {available} can be had; ask for another size"
        )
    book: list[str] = []
    for index in np.random.default_rng(seed).permutation(len(candidates)):
        if sum(map(len, book)) >= characters:
            break
        book.append(candidates[index])
    own = set().union(*map(_passages, book))
    other = tuple(paragraph for paragraph in pool if paragraph not in book and own.isdisjoint(_passages(paragraph)))
    return BookText(tuple(line for paragraph in book for line in textwrap.wrap(paragraph, LINE_LENGTH)), other)


def print_book(lines: Sequence[str], folder: Path, *, seed: int = 0, typeface: Path | None = None) -> None:
    """Set lines and degrade them like scans: ``0001.png`` with its truth in ``0001.gt.txt``, and so on.

    Parameters
    ----------
    lines : sequence of str
    folder : Path
        That is there already.
    seed : int
        Of the damage.
    typeface : Path, optional
        By default a serif face that comes with matplotlib.
    """
    if typeface is None:
        typeface = next(path for path in bundled_typefaces() if path.stem == TYPEFACE)
    for number, text in enumerate(lines, 1):
        line = set_line(text, typeface, SIZE, np.random.default_rng((seed, number)), strength=STRENGTH)
        picture = io.BytesIO()
        Image.fromarray(line.ink < 0.5).save(picture, "png")
        write_aside(folder / f"{number:04}.png", picture.getvalue())
        write_aside(folder / f"{number:04}.gt.txt", f"{text}\n".encode())


def _prose(paragraphs: Iterable[str]) -> Iterator[str]:
    """Running text in the shapes of print: whole sentences with nothing but letters, digits and the usual marks."""
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        if len(text) >= _SHORTEST_PARAGRAPH and _PROSE.fullmatch(text):
            yield script_named("antiqua").as_printed(text)


def _passages(paragraph: str) -> set[tuple[str, ...]]:
    """All runs of a few words."""
    words = re.findall(r"\w+", paragraph.lower())
    return set(zip(*(words[start:] for start in range(_REPEATED_WORDS)), strict=False))
