"""A book as running text: a line for each paragraph and heading, without what is printed on every page.

Headers, footers and page numbers are left out, and so are pictures. A paragraph goes on where a column or a page ends
within a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from labelfree.ocr.export.blocks import Block, blocks
from labelfree.ocr.export.hyphens import BookWords
from labelfree.ocr.export.markup import legal
from labelfree.ocr.types import Document

_LEFT_OUT = ("header", "footer", "page-number", "picture")
_ENDS = tuple(".!?:")  # what a sentence, and so a paragraph, ends with
_CLOSING = "”’\"')]»«"  # what may follow that


@dataclass
class _Passage:
    """A paragraph or a heading, as far as it was read: its lines, its last block and the page of that."""

    lines: list[str]
    last: Block
    page: int

    def goes_on(self, block: Block, page: int) -> bool:
        """Whether a block is the rest of it: the sentence goes on at the head of another column or page."""
        is_at_head = page != self.page or 2 * block.box.y0 < self.last.box.y0 + self.last.box.y1
        is_open = not self.lines[-1].rstrip(_CLOSING).endswith(_ENDS) or _lines(block)[0][:1].islower()
        return block.kind == self.last.kind == "paragraph" and is_at_head and is_open


def running_text(document: Document) -> bytes:
    """Paragraphs and headings, parted by empty lines."""
    words = BookWords.of((line.text for page in document.pages for line in page.lines), document.words)
    passages: list[_Passage] = []
    paragraph: _Passage | None = None  # the last one; notes in the margin and pictures do not end it
    for number, page in enumerate(document.pages):
        for block in blocks(page):
            if block.kind in _LEFT_OUT or not _lines(block):
                continue
            if paragraph is not None and paragraph.goes_on(block, number):
                paragraph.lines += _lines(block)
                paragraph.last, paragraph.page = block, number
                continue
            passages.append(_Passage(_lines(block), block, number))
            if block.kind != "marginalia":
                paragraph = passages[-1]
    return legal("\n".join(f"{words.joined(passage.lines)}\n" for passage in passages)).encode()


def _lines(block: Block) -> list[str]:
    """What its lines say, those of nothing left out."""
    return [placed.line.text for placed in block.lines if placed.line.text]
