"""JSON: every line with its words and glyphs, their boxes and confidences."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from labelfree.ocr.export.markup import legal
from labelfree.ocr.types import Box, Document, Glyph, Line, Page, Region, Word

FORMAT_VERSION = 1


def json_record(page: Page, document: Document) -> bytes:
    """One page as a JSON object.

    A box is ``[left, upper, right, lower]`` in pixels of the image. A line's ``glyphs`` hold its spaces too, its
    ``words`` do not. A region's ``lines`` count from 0 in the lines of the page. Doubtful
    glyphs and words have ``alternatives``, each with its probability.
    """
    record = {
        "format": "labelfree page",
        "version": FORMAT_VERSION,
        "source": str(page.source),
        "index": page.index,
        "width": page.width,
        "height": page.height,
        "angle": page.angle,
        "language": document.language,
        "model": document.model,
        "confidence": page.confidence,
        "regions": [_region(region, page) for region in page.regions],
        "lines": [_line(line, page) for line in page.lines],
    }
    return (json.dumps(plain_values(record), ensure_ascii=False, allow_nan=False) + "\n").encode()


def plain_values(value: Any) -> Any:
    """The value in what JSON has: numbers that are none become null, anything unknown its text."""
    match value:
        case None | bool() | int():
            return value
        case float():
            return round(value, 6) if math.isfinite(value) else None
        case str():
            return legal(value)
        case Mapping():
            return {legal(str(key)): plain_values(held) for key, held in value.items()}
        case list() | tuple():
            return [plain_values(held) for held in value]
        case _:
            return legal(str(value))


def _region(region: Region, page: Page) -> dict[str, Any]:
    return {"kind": region.kind, "box": _box(region.box, page), "lines": region.lines}


def _line(line: Line, page: Page) -> dict[str, Any]:
    return {
        "id": line.id,
        **_part(line, page),
        "words": [_part(word, page) | _others(word) for word in line.words],
        "glyphs": [_part(glyph, page) | _others(glyph) for glyph in line.glyphs],
    }


def _others(part: Word | Glyph) -> dict[str, Any]:
    """What else it might be, where that is known."""
    others = part.alternatives
    return {"alternatives": [{"text": text, "share": share} for text, share in others]} if others else {}


def _part(part: Line | Word | Glyph, page: Page) -> dict[str, Any]:
    return {"text": part.text, "box": _box(part.box, page), "confidence": part.confidence}


def _box(box: Box, page: Page) -> list[int]:
    return list(box.within(page.width, page.height))
