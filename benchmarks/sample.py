"""Books for benchmarks that need many: printed ones of every style of type, and the beginnings of real ones.

The text of printed books is the last tenth of a language's text, and the language model is of the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import labelfree
from labelfree.files import write_aside
from labelfree.ocr.language import BookLanguage, book_language
from labelfree.repro.printer import designs, print_book
from labelfree.repro.tasks.spelling import folder_paragraphs
from shelf import GROUPS, groups_of, truth_of

Kind = Literal["line", "page"]


@dataclass(frozen=True)
class SampleBook:
    """A book to read.

    Attributes
    ----------
    name : str
    folder : str
        Of its images and their truth.
    kind : {"line", "page"}
        What an image shows.
    code : str
        Of its language.
    texts : tuple of str
        Files for its language model.
    long_s : bool
    characters : int
        About how many of it are read, from the first image on.
    """

    name: str
    folder: str
    kind: str
    code: str
    texts: tuple[str, ...]
    long_s: bool
    characters: int

    @property
    def truth(self) -> dict[str, str]:
        """What each image says, by its name."""
        total, chosen = 0, {}
        for name, text in truth_of(Path(self.folder)).items():
            if total >= self.characters:
                break
            chosen[name] = text
            total += len(text)
        return chosen

    @property
    def images(self) -> list[Path]:
        return [Path(self.folder) / f"{name}.png" for name in self.truth]

    @property
    def language(self) -> BookLanguage:
        return _language(self.texts, self.code, self.long_s)


@dataclass(frozen=True)
class Texts:
    """Text of each language, in files for its model, and paragraphs of it held out for printing.

    Attributes
    ----------
    files : mapping of str to tuple of str
    held_out : mapping of str to list of str
    """

    files: Mapping[str, tuple[str, ...]]
    held_out: Mapping[str, list[str]]

    @classmethod
    def of(cls, data: Path, folder: Path) -> Texts:
        """Share out the texts of a data folder; what is for models goes to another folder."""
        files, held_out = {}, {}
        folder.mkdir(parents=True, exist_ok=True)
        for group in GROUPS.values():
            first, *others = (data / text for text in group.texts)
            paragraphs = list(folder_paragraphs(first))
            cut = len(paragraphs) * 9 // 10
            place = folder / f"{group.language}.txt"
            write_aside(place, "".join(paragraphs[:cut]).encode())
            files[group.language] = (str(place), *map(str, others))
            held_out[group.language] = paragraphs[cut:]
        return cls(files, held_out)

    def passage(self, code: str, start: float, characters: float) -> list[str]:
        """Paragraphs of a language from a place on, as a share of what is held out."""
        paragraphs = self.held_out[code]
        first = last = int(len(paragraphs) * start)
        size = 0
        while size < characters and last < len(paragraphs):
            size, last = size + len(paragraphs[last]), last + 1
        return paragraphs[first:last]


def real_books(data: Path, names: Sequence[str], texts: Texts, characters: int) -> Iterator[SampleBook]:
    """The beginnings of books of a data folder."""
    for _, group, books in groups_of(data, names):
        for book in books:
            files = texts.files[group.language]
            yield SampleBook(book.name, str(book), "line", group.language, files, group.long_s, characters)


def printed_books(
    n: int, folder: Path, texts: Texts, characters: int, *, pages_every: int | None = None
) -> Iterator[SampleBook]:
    """Books of all styles of type, one in so many as pages; those that are in the folder already are not printed."""
    for i, design in enumerate(designs(n)):
        kind: Kind = "page" if pages_every and i % pages_every == pages_every - 1 else "line"
        passage = texts.passage(design.language, i / n, characters * (1 - design.lists))
        content = repr((asdict(design), kind, passage, source_digest("repro")))
        place = folder / hashlib.sha256(content.encode()).hexdigest()[:16]
        if not place.exists():
            folder.mkdir(parents=True, exist_ok=True)
            print_book(design, passage, place, kind)
        name = f"{design.face.style}: {design.typeface}"
        files = texts.files[design.language]
        yield SampleBook(name, str(place), kind, design.language, files, design.long_s, 2 * characters)


@lru_cache(maxsize=4)
def _language(texts: tuple[str, ...], code: str, long_s: bool) -> BookLanguage:
    return book_language([Path(text) for text in texts], code, old_spelling=long_s)


@lru_cache(maxsize=8)
def source_digest(*rooms: str) -> str:
    """A digest of the program, or of some rooms of it."""
    root = Path(labelfree.__file__).parent
    places = [root / room for room in rooms] or [root]
    digest = hashlib.sha256()
    for path in sorted(path for place in places for path in place.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
