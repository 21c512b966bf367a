"""The text that PAGE XML and ALTO files have of each line, as tools write it in which people correct."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelfree.errors import InputError
from labelfree.limits import read_bounded
from labelfree.markup import parsed_xml
from labelfree.ocr.sources.xml_pages import Outline, alto_outline, elements, page_outline, page_size


@dataclass(frozen=True, eq=False)
class MarkedText:
    """What an XML file says of the text of a page."""

    image: str  # as the file names it; empty where it does not
    size: tuple[float, float] | None
    lines: tuple[tuple[Outline, str], ...]


def read_texts(path: Path) -> MarkedText:
    """Read the text of each line of a PAGE or ALTO file, which need not lie beside its image."""
    root = parsed_xml(read_bounded(path, "xml"), str(path), "a PAGE or ALTO file")
    kind, page = root.tag.rpartition("}")[2], root.find(".//{*}Page")
    if kind not in ("PcGts", "alto") or page is None:
        raise InputError(f"{path} is neither PAGE nor ALTO with a page, one of them wanted; export it anew")
    if kind == "PcGts":
        image, size = page.get("imageFilename") or "", page_size(page.get("imageWidth"), page.get("imageHeight"))
    else:
        image = next((element.text for element in elements(root, "fileName") if element.text), "")
        size = page_size(page.get("WIDTH"), page.get("HEIGHT"))
    lines = []
    for line in elements(page, "TextLine"):
        outline = page_outline(line) if kind == "PcGts" else alto_outline(line)
        text = _page_text(line) if kind == "PcGts" else _alto_text(line)
        if outline is not None and text is not None:
            lines.append((outline, text))
    return MarkedText(image, size, tuple(lines))


def _page_text(line: Any) -> str | None:
    """The text of a line of PAGE: the first of its own, not that of its words."""
    texts = [each.findtext("{*}Unicode") for each in line.findall("{*}TextEquiv")]
    return next((text for text in texts if text is not None), None)


def _alto_text(line: Any) -> str | None:
    words = [each.get("CONTENT") or "" for each in line.findall("{*}String")]
    return " ".join(words) if words else None
