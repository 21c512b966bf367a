"""Read print without one transcription.

A small book that any machine can print, learned from its pictures and other text in its language, and read:

>>> import tempfile
>>> from pathlib import Path
>>> from labelfree import ocr
>>> from labelfree.repro.tasks.book import book_text, print_book
>>> made = book_text(1_500)
>>> with tempfile.TemporaryDirectory() as folder:
...     print_book(made.lines, Path(folder))
...     pages = list(ocr.read_lines([folder]))
...     text = Path(folder) / "other.txt"
...     _ = text.write_text(" ".join(made.other), encoding="utf-8")
...     language = ocr.book_language([text], "en")
>>> reader = ocr.learn(pages, language, fast=True)
>>> document = reader.read(pages)
>>> len(document.pages) == len(made.lines)
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from labelfree.ocr.book import Book, Reading
    from labelfree.ocr.export import write_document
    from labelfree.ocr.language import BookLanguage, book_language
    from labelfree.ocr.layout.scans import read_lines
    from labelfree.ocr.metrics import score
    from labelfree.ocr.pipeline import STAGES, Settings
    from labelfree.ocr.reader import Reader, learn
    from labelfree.ocr.types import Document

_HOMES = {
    "STAGES": "pipeline",
    "Book": "book",
    "BookLanguage": "language",
    "Document": "types",
    "Reader": "reader",
    "Reading": "book",
    "Settings": "pipeline",
    "book_language": "language",
    "learn": "reader",
    "read_lines": "layout.scans",
    "score": "metrics",
    "write_document": "export",
}

__all__ = [
    "STAGES",
    "Book",
    "BookLanguage",
    "Document",
    "Reader",
    "Reading",
    "Settings",
    "book_language",
    "learn",
    "read_lines",
    "score",
    "write_document",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that the command line answers at once."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
