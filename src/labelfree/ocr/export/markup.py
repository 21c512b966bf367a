"""What the XML formats share: legal characters, unique names, numbers."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from lxml import etree

from labelfree.ocr.types import Box

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


def legal(text: str) -> str:
    """The text with U+FFFD for every character that XML, or UTF-8, cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def language_tag(code: str) -> str | None:
    """The code, if it has the form of a language tag."""
    return code if _LANGUAGE.fullmatch(code) else None


def share(confidence: float) -> str:
    """A confidence as four decimals at most.

    Examples
    --------
    >>> share(0.5), share(2 / 3), share(1e-9)
    ('0.5', '0.6667', '0')
    """
    return f"{confidence:.4f}".rstrip("0").rstrip(".")


def corners(box: Box) -> str:
    """The corners of a box as ALTO and PAGE have points.

    Examples
    --------
    >>> corners(Box(1, 2, 30, 40))
    '1,2 30,2 30,40 1,40'
    """
    return f"{box.x0},{box.y0} {box.x1},{box.y0} {box.x1},{box.y1} {box.x0},{box.y1}"


def to_bytes(root: Any) -> bytes:
    """The document, indented and in UTF-8."""
    content: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return content


class Ids:
    """Names for elements, each legal in XML and given once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._count: Counter[str] = Counter()

    def take(self, wish: str) -> str:
        """The name wished for, or the nearest that is legal and free."""
        base = _NOT_IN_NAMES.sub("_", wish) or "_"
        if not (base[0].isalpha() or base[0] == "_"):
            base = f"_{base}"
        name = base
        while name in self._taken:
            self._count[base] += 1
            name = f"{base}.{self._count[base] + 1}"
        self._taken.add(name)
        return name
