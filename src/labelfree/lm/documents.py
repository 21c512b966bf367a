"""The text of documents: HTML and hOCR, TEI, PAGE and ALTO, and EPUB; their lines stay lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from labelfree.errors import InputError
from labelfree.markup import parsed_html, parsed_xml

HTML_SUFFIXES = (".html", ".htm", ".xhtml", ".hocr")
XML_SUFFIXES = (".xml", ".tei")

_UNSEEN = {"head", "script", "style", "template", "noscript", "svg", "math"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "figcaption",
    "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre",
    "section", "table", "td", "th", "tr", "ul",
}  # fmt: skip
_LINES = ("ocr_line", "ocr_caption", "ocr_header", "ocr_textfloat", "ocrx_line")  # of hOCR

_NOT_PRINTED = {"teiHeader", "fw", "figDesc", "reg", "corr", "expan", "del", "facsimile", "standOff"}  # in TEI
_TEI_BLOCKS = {
    "ab", "argument", "body", "byline", "cb", "cell", "closer", "dateline", "div", "docAuthor", "docDate",
    "docImprint", "docTitle", "epigraph", "figure", "front", "group", "head", "imprimatur", "item", "l", "label",
    "lb", "lg", "list", "note", "opener", "p", "pb", "postscript", "row", "salute", "signed", "sp", "speaker",
    "stage", "table", "text", "titlePage", "titlePart", "trailer",
}  # fmt: skip
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")


def text_of_document(content: bytes, name: str) -> str:
    r"""The text of an HTML, hOCR, TEI, PAGE or ALTO file; the ending of its name says which of the two families.

    Examples
    --------
    >>> text_of_document(b"<body><p>One <i>line</i>.<p>Another.</body>", "a.html")
    'One line.\nAnother.'
    """
    if PurePosixPath(name.removesuffix(".gz")).suffix.lower() in HTML_SUFFIXES:
        return _tidied(_of_html(parsed_html(content, name)))
    root = parsed_xml(content, name, "a TEI, PAGE or ALTO file")
    kind = _tag(root)
    if kind == "PcGts":
        return _tidied(_of_page(root))
    if kind == "alto":
        return _tidied(_of_alto(root))
    if kind in ("TEI", "teiCorpus", "TEI.2"):
        return _tidied(_of_tei(root))
    if kind == "html":
        return _tidied(_of_html(root))
    raise InputError(f"{name} is XML with the root {kind[:60]!r}, TEI, PAGE or ALTO wanted; take the text out of it")


def _of_html(root: Any) -> Iterator[str]:
    """Text between the blocks of a page; a line of hOCR is a block too."""
    for event, element in _walk(root, _UNSEEN):
        is_block = _tag(element) in _BLOCKS or any(name in (element.get("class") or "").split() for name in _LINES)
        if event == "start":
            yield "\n" if is_block else ""
            yield _SPACE.sub(" ", element.text or "") if _tag(element) not in _UNSEEN else ""
        else:
            yield "\n" if is_block else ""
            yield _SPACE.sub(" ", element.tail or "")


def _of_tei(root: Any) -> Iterator[str]:
    """Text as it is printed: originals, not what editors made of them; no running heads."""
    for event, element in _walk(root, _NOT_PRINTED):
        name = _tag(element)
        starts_line = name in _TEI_BLOCKS and element.get("break") != "no"
        if event == "start":
            yield "\n" if starts_line else ""
            yield _SPACE.sub(" ", element.text or "") if name not in _NOT_PRINTED else ""
        else:
            yield "\n" if starts_line and name not in ("lb", "pb", "cb") else ""
            tail = _SPACE.sub(" ", element.tail or "")
            yield tail.lstrip(" ") if element.get("break") == "no" else tail


def _of_page(root: Any) -> Iterator[str]:
    """The text of each line of PAGE, the reading that comes first where there are several."""
    for line in root.iter("{*}TextLine"):
        readings = sorted(line.findall("{*}TextEquiv"), key=lambda each: (each.get("index") or "").zfill(9))
        words = [word.findtext("{*}TextEquiv/{*}Unicode") or "" for word in line.findall("{*}Word")]
        yield (readings[0].findtext("{*}Unicode") if readings else " ".join(words)) or ""
        yield "\n"


def _of_alto(root: Any) -> Iterator[str]:
    """The words of each line of ALTO, and the hyphen that ends it."""
    for line in root.iter("{*}TextLine"):
        yield " ".join(word.get("CONTENT") or "" for word in line.iter("{*}String"))
        yield "".join(hyphen.get("CONTENT") or "-" for hyphen in line.iter("{*}HYP"))
        yield "\n"


def _walk(root: Any, skipped: set[str]) -> Iterator[tuple[str, Any]]:
    """Elements as they begin and end, without what is inside of those skipped, comments or instructions."""
    from lxml import etree

    walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walker:
        if event in ("comment", "pi"):
            yield "end", element  # the text after it counts
            continue
        if event == "start" and _tag(element) in skipped:
            walker.skip_subtree()
        yield event, element


def _tag(element: Any) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _tidied(pieces: Iterator[str]) -> str:
    """Lines without spaces at their ends, and no empty ones."""
    lines = (_SPACE.sub(" ", line).strip() for line in "".join(pieces).split("\n"))
    return "\n".join(line for line in lines if line)
