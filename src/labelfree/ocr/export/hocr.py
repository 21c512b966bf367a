"""hOCR 1.2: an XHTML page whose classes and titles say where each line, word and character stands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from lxml import etree

from labelfree._version import __version__
from labelfree.ocr.export.blocks import Block, PlacedLine, blocks
from labelfree.ocr.export.markup import Ids, language_tag, legal, to_bytes
from labelfree.ocr.export.pictures import image_of
from labelfree.ocr.scripts.direction import runs_to_left
from labelfree.ocr.types import Box, Document, Page, RegionKind, Word

XHTML = "http://www.w3.org/1999/xhtml"
_AREAS: Mapping[RegionKind, str] = MappingProxyType(
    {
        "paragraph": "ocr_carea",
        "heading": "ocr_carea",
        "header": "ocr_header",
        "footer": "ocr_footer",
        "page-number": "ocr_pageno",
        "marginalia": "ocr_textfloat",
        "picture": "ocr_photo",
    }
)
_CLASSES = " ".join(
    ["ocr_page", *dict.fromkeys(_AREAS.values()), "ocr_par ocr_line ocrx_word ocrx_cinfo alternatives alt"]
)
_STYLE = (
    ".ocr_line { display: block } .ocr_page > div { margin: 1em } "
    ".alt { text-decoration: none } del.alt { display: none }"
)
_LEAST_SHARE = 1e-9  # of what has a logarithm


def hocr(page: Page, document: Document) -> bytes:
    """One page as an hOCR document."""
    root = etree.Element(f"{{{XHTML}}}html", nsmap={None: XHTML})
    language = language_tag(document.language)
    if language:
        root.set("{http://www.w3.org/XML/1998/namespace}lang", language)
        root.set("lang", language)
    name = legal(image_of(page.source).name)
    _head(root, name, language)
    body = _child(root, "body")
    ids = Ids()
    image = name.replace('"', "%22").replace(";", "%3B")  # what would end the name, or the property
    place = f'image "{image}"; bbox 0 0 {page.width} {page.height}; ppageno {page.index}'
    sheet = _child(body, "div", "ocr_page", ids.take(f"page_{page.index + 1}"), place)
    for number, block in enumerate(blocks(page), 1):
        _area(sheet, block, number, page, ids)
    return to_bytes(root)


def _area(sheet: Any, block: Block, number: int, page: Page, ids: Ids) -> None:
    area = _child(sheet, "div", _AREAS[block.kind], ids.take(f"block_{number}"), _bbox(block.box))
    if block.kind == "picture":
        return
    tag = "h2" if block.kind == "heading" else "p"
    paragraph = _child(area, tag, "ocr_par", ids.take(f"par_{number}"), _bbox(block.box))
    paragraph.text = "\n"
    if runs_to_left("".join(placed.line.text for placed in block.lines)):
        paragraph.set("dir", "rtl")
    for placed in block.lines:
        _line(paragraph, placed, page, ids)


def _head(root: Any, name: str, language: str | None) -> None:
    head = _child(root, "head")
    _child(head, "title").text = name
    _child(head, "meta").set("charset", "utf-8")
    notes = {"ocr-system": f"labelfree {__version__}", "ocr-capabilities": _CLASSES, "ocr-number-of-pages": "1"}
    if language:
        notes["ocr-langs"] = language
    for key, value in notes.items():
        meta = _child(head, "meta")
        meta.set("name", key)
        meta.set("content", value)
    _child(head, "style").text = _STYLE


def _line(paragraph: Any, placed: PlacedLine, page: Page, ids: Ids) -> None:
    slope = f"; textangle {-page.angle:.3f}" if page.angle else ""
    row = _child(paragraph, "span", "ocr_line", ids.take(placed.name), _bbox(placed.box) + slope)
    row.tail = "\n"
    if runs_to_left(placed.line.text):
        row.set("dir", "rtl")
    for word in placed.line.words:
        _word(row, word, page, ids)


def _word(row: Any, word: Word, page: Page, ids: Ids) -> None:
    if len(row):
        row[-1].tail = " "
    sure = " ".join(f"{100 * glyph.confidence:.2f}" for glyph in word.glyphs)
    box = word.box.within(page.width, page.height)
    title = f"{_bbox(box)}; x_wconf {round(100 * word.confidence)}; x_confs {sure}"
    span = _child(row, "span", "ocrx_word", ids.take(f"{row.get('id')}_w{len(row) + 1}"), title)
    if not word.alternatives:
        _characters(span, word, page)
        return
    choices = _child(span, "span", "alternatives")
    as_read = math.prod(glyph.confidence for glyph in word.glyphs)
    _characters(_child(choices, "ins", "alt", title=_negative_log(as_read)), word, page)
    for other in word.alternatives:
        _child(choices, "del", "alt", title=_negative_log(other.share)).text = legal(other.text)


def _characters(parent: Any, word: Word, page: Page) -> None:
    for glyph in word.glyphs:
        box = glyph.box.within(page.width, page.height)
        title = f"x_bboxes {box.x0} {box.y0} {box.x1} {box.y1}; x_confs {100 * glyph.confidence:.2f}"
        _child(parent, "span", "ocrx_cinfo", title=title).text = legal(glyph.text)


def _negative_log(share: float) -> str:
    return f"nlp {-math.log(max(share, _LEAST_SHARE)) + 0.0:.4f}"


def _bbox(box: Box) -> str:
    return f"bbox {box.x0} {box.y0} {box.x1} {box.y1}"


def _child(parent: Any, tag: str, kind: str = "", name: str = "", title: str = "") -> Any:
    element = etree.SubElement(parent, f"{{{XHTML}}}{tag}")
    for key, value in (("class", kind), ("id", name), ("title", title)):
        if value:
            element.set(key, value)
    return element
