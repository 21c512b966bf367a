"""Plain text: UTF-8, a line for each line read."""

from __future__ import annotations

from labelfree.ocr.export.markup import legal
from labelfree.ocr.types import Document, Page


def plain_text(document: Page | Document) -> bytes:
    """The text of a page or a document."""
    return legal(document.text).encode()
