"""The books of a data folder: where they are, what they are written in, and how a reading of one compares with its
truth.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

import torch

from labelfree.ocr.language import BookLanguage, LanguageSettings, book_language
from labelfree.ocr.metrics import score_texts
from labelfree.ocr.scripts import Script
from labelfree.workers import use_workers

Found = TypeVar("Found")


@dataclass(frozen=True)
class Group:
    """Books of one kind: where they are, what they are written in, and how few errors are wanted."""

    folders: str
    language: str
    texts: tuple[str, ...]
    long_s: bool
    engines: tuple[str, ...]
    wanted_fast: float
    wanted: float
    times_tesseract: tuple[tuple[str, float], ...]

    def books(self, data: Path, names: Sequence[str] | None = None) -> list[Path]:
        """The folders of line images, or those of some names."""
        found = [path for folder in sorted(data.glob(self.folders)) for path in sorted(folder.iterdir())]
        return [path for path in found if path.is_dir() and (not names or path.name in names)]

    def learn_language(self, data: Path, settings: LanguageSettings | None = None) -> BookLanguage:
        texts = [data / text for text in self.texts]
        return book_language(texts, self.language, old_spelling=self.long_s, settings=settings)


GROUPS = {
    "English": Group(
        "english_books*",
        "en",
        ("lm_english_novels/english_novels.txt.gz", "lm_english_speeches/us_speeches.txt.gz"),
        False,
        ("eng",),
        0.043,
        0.0085,
        (("eng", 2.0),),
    ),
    "Fraktur": Group(
        "fraktur_books*",
        "de",
        ("lm_german_novels/german_novels.txt.gz",),
        True,
        ("eng", "deu", "frk"),
        0.019,
        0.0095,
        (("deu", 1.0), ("frk", 2.0)),
    ),
    "French": Group(
        "french17*",
        "fr",
        ("lm_french17/french17_lm.txt.gz",),
        False,
        ("eng", "fra"),
        0.09,
        0.024,
        (("fra", 1.0),),
    ),
}


def groups_of(data: Path, names: Sequence[str] | None = None) -> Iterator[tuple[str, Group, list[Path]]]:
    """Every kind of books that a folder holds, with the books of it, or those of some names."""
    found = [(kind, group, group.books(data, names)) for kind, group in GROUPS.items()]
    if not any(books for *_, books in found):
        wanted = " or ".join(names or [f"folders {group.folders}" for group in GROUPS.values()])
        raise SystemExit(f"{data} holds no books, {wanted} wanted; name another folder")
    return ((kind, group, books) for kind, group, books in found if books)


def over_books(
    work: Callable[[Group, Path, BookLanguage], Found],
    data: Path,
    names: Sequence[str] | None = None,
    *,
    jobs: int = 1,
    rescoring: bool = False,
) -> list[Found]:
    """What `work(group, book, language)` gives of every book, some at a time in processes of their own.

    The longest books begin, so that none is left to run alone in the end.
    """
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=begin_worker, initargs=(jobs,)) as pool:
        asked = []
        for _, group, books in groups_of(data, names):
            language = group.learn_language(data, LanguageSettings(rescoring=rescoring))
            asked += [(book, group, language) for book in books]
        longest_first = sorted(asked, key=lambda each: -len(list(each[0].iterdir())))
        found = {book: pool.submit(work, group, book, language) for book, group, language in longest_first}
        return [found[book].result() for book, _, _ in asked]


def begin_worker(jobs: int) -> None:
    """Set up a process that reads books, of so many at a time."""
    torch.set_num_threads(1)
    use_workers(1 if jobs > 1 else None)
    warnings.simplefilter("ignore")


def truth_of(book: Path) -> dict[str, str]:
    """What each line says, by its name."""
    return {path.name.removesuffix(".gt.txt"): path.read_text("utf-8") for path in sorted(book.glob("*.gt.txt"))}


def compare(texts: Mapping[str, str], truth: Mapping[str, str], script: Script) -> dict[str, float]:
    """Error rates of a reading, both sides written as print writes them."""
    found = score_texts(
        (name, script.as_printed(texts.get(name, "")), script.as_printed(wanted)) for name, wanted in truth.items()
    )
    return {"cer": found.cer, "wer": found.wer}
