"""ALTO 4.4: strings and spaces of each line, and below the strings one glyph for each character.

What a block of text is, such as a heading, is told by the tag that it refers to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lxml import etree

from labelfree._version import __version__
from labelfree.ocr.export.blocks import Block, PlacedLine, blocks
from labelfree.ocr.export.markup import Ids, corners, language_tag, legal, share, to_bytes
from labelfree.ocr.export.pictures import image_of
from labelfree.ocr.export.records import plain_values
from labelfree.ocr.export.slant import baseline_points
from labelfree.ocr.scripts.direction import runs_to_left
from labelfree.ocr.types import Box, Document, Page, RegionKind, Word

NAMESPACE = "http://www.loc.gov/standards/alto/ns-v4#"
_SCHEMA = "http://www.loc.gov/standards/alto/v4/alto-4-4.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_PROCESSING = "reading"


def alto(page: Page, document: Document, created: datetime | None = None) -> bytes:
    """One page as an ALTO document."""
    root = etree.Element(f"{{{NAMESPACE}}}alto", nsmap={None: NAMESPACE, "xsi": _XSI})
    root.set(f"{{{_XSI}}}schemaLocation", f"{NAMESPACE} {_SCHEMA}")
    root.set("SCHEMAVERSION", "4.4")
    ids = Ids()
    _description(root, page, document, ids.take(_PROCESSING), created or datetime.now(UTC))
    parts = list(blocks(page))
    tag_of: dict[RegionKind, str] = {}
    if page.regions:
        tag_of = {block.kind: ids.take(f"tag_{block.kind}") for block in parts if block.kind != "picture"}
    if tag_of:
        tags = _child(root, "Tags")
        for kind, name in tag_of.items():
            _child(tags, "LayoutTag", ID=name, LABEL=kind)
    sheet = _child(_child(root, "Layout"), "Page", ID=ids.take(f"page_{page.index + 1}"))
    sheet.set("PHYSICAL_IMG_NR", str(page.index + 1))
    sheet.set("PROCESSINGREFS", _PROCESSING)
    sheet.set("HEIGHT", str(page.height))
    sheet.set("WIDTH", str(page.width))
    sheet.set("PC", share(page.confidence))
    if page.angle:
        sheet.set("ROTATION", f"{-page.angle:.3f}")
    if language := language_tag(document.language):
        sheet.set("LANG", language)
    space = _child(sheet, "PrintSpace", ID=ids.take("print_space"))
    _place(space, Box(0, 0, page.width, page.height), page)
    for number, block in enumerate(parts, 1):
        _block(space, block, ids.take(f"block_{number}"), tag_of, page, ids)
    return to_bytes(root)


def _description(root: Any, page: Page, document: Document, name: str, created: datetime) -> None:
    description = _child(root, "Description")
    _child(description, "MeasurementUnit").text = "pixel"
    _child(_child(description, "sourceImageInformation"), "fileName").text = legal(image_of(page.source).name)
    step = _child(description, "Processing", ID=name)
    _child(step, "processingCategory").text = "contentGeneration"
    _child(step, "processingDateTime").text = f"{created.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    if document.model:
        _child(step, "processingStepSettings").text = json.dumps(plain_values(document.model), ensure_ascii=False)
    software = _child(step, "processingSoftware")
    _child(software, "softwareName").text = "labelfree"
    _child(software, "softwareVersion").text = __version__


def _block(space: Any, block: Block, name: str, tag_of: Mapping[RegionKind, str], page: Page, ids: Ids) -> None:
    if block.kind == "picture":
        _place(_child(space, "Illustration", ID=name), block.box, page)
        return
    element = _child(space, "TextBlock", ID=name)
    if block.kind in tag_of:
        element.set("TAGREFS", tag_of[block.kind])
    _place(element, block.box, page)
    for placed in block.lines:
        _line(element, placed, page, ids)


def _line(block: Any, placed: PlacedLine, page: Page, ids: Ids) -> None:
    row = _child(block, "TextLine", ID=ids.take(placed.name))
    if runs_to_left(placed.line.text):
        row.set("BASEDIRECTION", "rtl")
    _place(row, placed.box, page)
    if points := baseline_points(placed.line, page):
        row.set("BASELINE", points)
    box = placed.box.within(page.width, page.height)  # once more, as kraken looks for a polygon alone
    _child(_child(row, "Shape"), "Polygon", POINTS=corners(box))
    if not placed.line.words:  # a line without a string is not allowed
        _place(_child(row, "String", ID=ids.take(f"{row.get('ID')}_w1"), CONTENT="", WC="0"), placed.box, page)
    for number, word in enumerate(placed.line.words, 1):
        if number > 1:
            before, after = placed.line.words[number - 2].box, word.box
            left, right = sorted((before.x1, after.x0))
            gap = Box(left, min(before.y0, after.y0), right, max(before.y1, after.y1))
            _place(_child(row, "SP"), gap, page)
        _string(row, word, f"{row.get('ID')}_w{number}", page, ids)


def _string(row: Any, word: Word, name: str, page: Page, ids: Ids) -> None:
    string = _child(row, "String", ID=ids.take(name), CONTENT=legal(word.text), WC=share(word.confidence))
    _place(string, word.box, page)
    characters = [part for glyph in word.glyphs for part in glyph.characters()]
    if len(characters) == len(word.text):
        doubts = (round(9 * (1 - character.confidence)) for character in characters)  # 9 for unsure
        string.set("CC", " ".join(map(str, doubts)))
    for other in word.alternatives:
        _child(string, "ALTERNATIVE").text = legal(other.text)
    for number, character in enumerate(characters, 1):
        glyph = _child(string, "Glyph", ID=ids.take(f"{string.get('ID')}_g{number}"), CONTENT=legal(character.text))
        glyph.set("GC", share(character.confidence))
        _place(glyph, character.box, page)
        for other in character.alternatives:
            if len(other.text) == 1:  # by the schema
                _child(glyph, "Variant", CONTENT=legal(other.text), VC=share(other.share))


def _place(element: Any, box: Box, page: Page) -> None:
    box = box.within(page.width, page.height)
    for name, value in (("HPOS", box.x0), ("VPOS", box.y0), ("WIDTH", box.width), ("HEIGHT", box.height)):
        element.set(name, str(value))


def _child(parent: Any, tag: str, **attributes: str) -> Any:
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)
