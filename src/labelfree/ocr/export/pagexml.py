"""PAGE XML of 2019-07-15: regions, lines, words and glyphs, each with its outline and its text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from unicodedata import combining

from lxml import etree

from labelfree._version import __version__
from labelfree.ocr.export.blocks import Block, PlacedLine, blocks
from labelfree.ocr.export.markup import Ids, corners, legal, share, to_bytes
from labelfree.ocr.export.pictures import image_of
from labelfree.ocr.export.records import plain_values
from labelfree.ocr.export.slant import baseline_points
from labelfree.ocr.scripts.direction import runs_to_left
from labelfree.ocr.types import Box, Document, Glyph, Page, Word

NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_LANGUAGES = {
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fi": "Finnish",
    "fr": "French",
    "hu": "Hungarian",
    "it": "Italian",
    "la": "Latin",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
}
"""Names that the schema has for codes; any other language is left unsaid."""


def page_xml(page: Page, document: Document, created: datetime | None = None) -> bytes:
    """One page as a PAGE XML document."""
    root = etree.Element(f"{{{NAMESPACE}}}PcGts", nsmap={None: NAMESPACE, "xsi": _XSI})
    root.set(f"{{{_XSI}}}schemaLocation", f"{NAMESPACE} {NAMESPACE}/pagecontent.xsd")
    _metadata(root, document, created or datetime.now(UTC))
    sheet = _child(root, "Page", imageFilename=legal(image_of(page.source).name))
    sheet.set("imageWidth", str(page.width))
    sheet.set("imageHeight", str(page.height))
    if page.angle:
        sheet.set("orientation", f"{-page.angle:.3f}")
    if name := _LANGUAGES.get(document.language.lower().partition("-")[0]):
        sheet.set("primaryLanguage", name)
    sheet.set("conf", share(page.confidence))
    ids = Ids()
    regions = [(ids.take(f"region_{number}"), block) for number, block in enumerate(blocks(page), 1)]
    if regions:
        order = _child(_child(sheet, "ReadingOrder"), "OrderedGroup", id=ids.take("reading_order"))
        for number, (region, _) in enumerate(regions):
            _child(order, "RegionRefIndexed", index=str(number), regionRef=region)
    for region, block in regions:
        _region(sheet, region, block, page, ids)
    return to_bytes(root)


def _metadata(root: Any, document: Document, created: datetime) -> None:
    metadata = _child(root, "Metadata")
    _child(metadata, "Creator").text = f"labelfree {__version__}"
    moment = f"{created.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    _child(metadata, "Created").text = moment
    _child(metadata, "LastChange").text = moment
    if document.model:
        step = _child(metadata, "MetadataItem", type="processingStep", name="reading", value=f"labelfree {__version__}")
        labels = _child(step, "Labels")
        for key, value in plain_values(document.model).items():
            _child(labels, "Label", value=str(value), type=key)


def _region(sheet: Any, name: str, block: Block, page: Page, ids: Ids) -> None:
    if block.kind == "picture":
        _outline(_child(sheet, "ImageRegion", id=name), block.box, page)
        return
    region = _child(sheet, "TextRegion", id=name, type=block.kind)
    if runs_to_left("".join(placed.line.text for placed in block.lines)):
        region.set("readingDirection", "right-to-left")
    _outline(region, block.box, page)
    for placed in block.lines:
        _line(region, placed, page, ids)
    _text(region, "\n".join(placed.line.text for placed in block.lines))


def _line(region: Any, placed: PlacedLine, page: Page, ids: Ids) -> None:
    row = _child(region, "TextLine", id=ids.take(placed.name))
    if runs_to_left(placed.line.text):
        row.set("readingDirection", "right-to-left")
    _outline(row, placed.box, page)
    if points := baseline_points(placed.line, page):
        _child(row, "Baseline", points=points)
    for number, word in enumerate(placed.line.words, 1):
        _word(row, word, f"{row.get('id')}_w{number}", page, ids)
    _text(row, placed.line.text, placed.line.confidence)


def _word(row: Any, word: Word, name: str, page: Page, ids: Ids) -> None:
    element = _child(row, "Word", id=ids.take(name))
    _outline(element, word.box, page)
    for number, glyph in enumerate(word.glyphs, 1):
        sign = _child(element, "Glyph", id=ids.take(f"{element.get('id')}_g{number}"))
        if sum(not combining(character) for character in glyph.text) > 1:
            sign.set("ligature", "true")
        _outline(sign, glyph.box, page)
        _readings(sign, glyph)
    _readings(element, word)


def _readings(element: Any, part: Word | Glyph) -> None:
    """What was read, and then what else it may be."""
    _text(element, part.text, part.confidence)
    if part.alternatives:
        element[-1].set("index", "0")
    for number, other in enumerate(part.alternatives, 1):
        _text(element, other.text, other.share)
        element[-1].set("index", str(number))


def _outline(element: Any, box: Box, page: Page) -> None:
    _child(element, "Coords", points=corners(box.within(page.width, page.height)))


def _text(element: Any, text: str, confidence: float | None = None) -> None:
    equivalent = _child(element, "TextEquiv")
    if confidence is not None:
        equivalent.set("conf", share(confidence))
    _child(equivalent, "Unicode").text = legal(text)


def _child(parent: Any, tag: str, **attributes: str) -> Any:
    return etree.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)
