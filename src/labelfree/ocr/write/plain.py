"""Plain text: UTF-8, a line for each line read."""

from __future__ import annotations

from labelfree.ocr.document import Book, Page
from labelfree.ocr.write.markup import legal


def plain_text(document: Page | Book) -> bytes:
    """The text of a page or a book."""
    return legal(document.text).encode()
