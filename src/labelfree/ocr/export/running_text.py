"""A book as running text: a line for each paragraph and heading, without what is printed on every page.

Headers, footers and page numbers are left out, and so are pictures. A paragraph goes on where a column or a page ends
within a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from labelfree.ocr.export.blocks import Block, blocks
from labelfree.ocr.export.hyphens import BookWords
from labelfree.ocr.export.markup import legal
from labelfree.ocr.types import Document, Page

_LEFT_OUT = ("header", "footer", "page-number", "picture")
_ENDS = tuple(".!?:")  # what a sentence, and so a paragraph, ends with
_CLOSING = "”’\"')]»«"  # what may follow that


@dataclass
class _Passage:
    """A paragraph or a heading, as far as it was read, and its last block."""

    text: str
    last: Block
    page: int

    def goes_on(self, block: Block, text: str, page: int) -> bool:
        """Whether a block is the rest of it: the sentence goes on at the head of another column or page."""
        is_at_head = page != self.page or 2 * block.box.y0 < self.last.box.y0 + self.last.box.y1
        is_open = not self.text.rstrip(_CLOSING).endswith(_ENDS) or text[:1].islower()
        return block.kind == self.last.kind == "paragraph" and is_at_head and is_open


def running_text(document: Document) -> bytes:
    """Paragraphs and headings, parted by empty lines."""
    words = BookWords.of((line.text for page in document.pages for line in page.lines), document.words)
    passages: list[_Passage] = []
    paragraph: _Passage | None = None  # the last one; notes in the margin and pictures do not end it
    for number, page in enumerate(document.pages):
        for block, text in _texts(page, words):
            if paragraph is not None and paragraph.goes_on(block, text, number):
                paragraph.text, paragraph.last, paragraph.page = words.joined(paragraph.text, text), block, number
                continue
            passages.append(_Passage(text, block, number))
            if block.kind != "marginalia":
                paragraph = passages[-1]
    return legal("\n".join(f"{passage.text}\n" for passage in passages)).encode()


def _texts(page: Page, words: BookWords) -> Iterator[tuple[Block, str]]:
    """Each block that is part of the text, and its lines as one."""
    for block in blocks(page):
        text = reduce(words.joined, (placed.line.text for placed in block.lines), "")
        if text and block.kind not in _LEFT_OUT:
            yield block, text
