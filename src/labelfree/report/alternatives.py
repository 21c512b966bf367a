"""What doubtful glyphs of a document might be, by their place."""

from __future__ import annotations

from collections.abc import Mapping

from labelfree.ocr.types import Alternative, Document

Place = tuple[int, int, int]  # of a glyph: its page, line and number there
Alternatives = Mapping[Place, tuple[Alternative, ...]]  # the likeliest first, each with its share


def alternatives_of(document: Document) -> Alternatives:
    """What the glyphs of a document know of what else they might be."""
    return {
        (p, i, g): glyph.alternatives
        for p, page in enumerate(document.pages)
        for i, line in enumerate(page.lines)
        for g, glyph in enumerate(line.glyphs)
        if glyph.alternatives
    }
