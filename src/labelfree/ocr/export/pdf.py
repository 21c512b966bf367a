"""Searchable PDF: the picture of each page, and over it the text, which is there to find and copy but not to see."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from labelfree._version import __version__
from labelfree.ocr.export.glyphless import ASCENT, DESCENT, UNITS, Codes, font_file
from labelfree.ocr.export.markup import language_tag, legal
from labelfree.ocr.export.pictures import Picture, packed
from labelfree.ocr.export.slant import Slant
from labelfree.ocr.sources.images import PageReader
from labelfree.ocr.types import Document, Glyph, Line, Page

_POINTS_TO_THE_INCH = 72
_INVISIBLE = 3
_CATALOG, _PAGES, _FONT, _CID_FONT, _DESCRIPTOR, _FONT_FILE, _TO_UNICODE, _TO_GLYPHS, _INFO = range(1, 10)


def searchable_pdf(document: Document) -> bytes:
    """All pages as one PDF.

    A line's characters fill it from end to end, each over its own box, so that what is marked is what was meant. Text
    is found as it was read, whatever the script.
    """
    codes = Codes()
    file = _File()
    with PageReader() as reader:
        sheets = [_sheet(file, page, packed(page, reader), codes) for page in document.pages]
    kids = " ".join(f"{sheet} 0 R" for sheet in sheets)
    language = language_tag(document.language)
    lang = f" /Lang ({language})" if language else ""
    file.add(f"<< /Type /Catalog /Pages {_PAGES} 0 R{lang} >>", number=_CATALOG)
    file.add(f"<< /Type /Pages /Count {len(sheets)} /Kids [{kids}] >>", number=_PAGES)
    file.add(f"<< /Producer (labelfree {__version__}) >>", number=_INFO)
    _add_font(file, codes)
    return file.finished()


class _File:
    """Objects one after another, and where each begins."""

    def __init__(self) -> None:
        self._parts = [b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"]
        self._size = len(self._parts[0])
        self._offsets: dict[int, int] = {}
        self._last = _INFO

    def add(self, dictionary: str, data: bytes | None = None, number: int | None = None) -> int:
        """Add an object, a stream if it comes with data, and give its number."""
        if number is None:
            self._last += 1
            number = self._last
        self._offsets[number] = self._size
        stream = b"" if data is None else b"\nstream\n" + data + b"\nendstream"
        self._put(f"{number} 0 obj\n{dictionary}".encode("ascii") + stream + b"\nendobj\n")
        return number

    def add_packed(self, data: bytes, entries: str = "", number: int | None = None) -> int:
        """Add a stream packed by deflate."""
        small = zlib.compress(data)
        return self.add(f"<< /Filter /FlateDecode /Length {len(small)}{entries} >>", small, number)

    def finished(self) -> bytes:
        """The file with its table of objects."""
        start, n = self._size, len(self._offsets) + 1
        rows = "".join(f"{self._offsets[number]:010d} 00000 n \n" for number in range(1, n))
        trailer = f"trailer\n<< /Size {n} /Root {_CATALOG} 0 R /Info {_INFO} 0 R >>\nstartxref\n{start}\n%%EOF\n"
        self._put(f"xref\n0 {n}\n0000000000 65535 f \n{rows}{trailer}".encode("ascii"))
        return b"".join(self._parts)

    def _put(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)


def _sheet(file: _File, page: Page, picture: Picture, codes: Codes) -> int:
    """Add a page with its picture and its text."""
    image = file.add(
        f"<< /Type /XObject /Subtype /Image /Width {picture.width} /Height {picture.height} {picture.entries} "
        f"/Length {len(picture.data)} >>",
        picture.data,
    )
    scale = _POINTS_TO_THE_INCH / picture.dpi
    width, height = page.width * scale, page.height * scale
    drawing = [f"q {width:.3f} 0 0 {height:.3f} 0 0 cm /Picture Do Q", f"BT {_INVISIBLE} Tr"]
    for line in page.lines:
        drawing.extend(_typeset(line, page, scale, codes))
    drawing.append("ET")
    content = file.add_packed("\n".join(drawing).encode("ascii"))
    resources = f"<< /XObject << /Picture {image} 0 R >> /Font << /F {_FONT} 0 R >> >>"
    return file.add(
        f"<< /Type /Page /Parent {_PAGES} 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] /Contents {content} 0 R "
        f"/Resources {resources} >>"
    )


def _typeset(line: Line, page: Page, scale: float, codes: Codes) -> Iterator[str]:
    """The operators that set a line, anew at each place where reading goes back."""
    slant = Slant.of(page.angle)
    upper, lower = slant.band(line)
    size = max(lower - upper, 1.0) * scale
    baseline = lower + (lower - upper) * DESCENT / UNITS
    yield f"/F {size:.3f} Tf"
    for run in _runs(_one_space_between(line), slant):
        x, y = slant.on_page(run[0][1], baseline)
        turn = f"{slant.cos:.6f} {-slant.sin:.6f} {slant.sin:.6f} {slant.cos:.6f}"
        shown = " ".join(
            f"{100 * max(end - begin, 0.1) * scale / size:.2f} Tz <{codes.code(legal(text)):04X}> Tj"
            for text, begin, end in run
        )
        yield f"{turn} {x * scale:.3f} {(page.height - y) * scale:.3f} Tm {shown}"


def _one_space_between(line: Line) -> list[Glyph]:
    """The line's characters with the first space of any between two words."""
    kept: list[Glyph] = []
    for glyph in line.glyphs:
        if not glyph.is_space:
            kept.extend(glyph.characters())
        elif kept and kept[-1].text != " ":
            kept.append(Glyph(" ", glyph.box, glyph.confidence))
    return kept[:-1] if kept and kept[-1].text == " " else kept


def _runs(characters: list[Glyph], slant: Slant) -> Iterator[list[tuple[str, float, float]]]:
    """Characters that follow each other, with where each begins and ends: where the next one begins."""
    reaches = [slant.reach(character.box) for character in characters]
    run: list[tuple[str, float, float]] = []
    for i, (begin, end) in enumerate(reaches):
        following = reaches[i + 1][0] if i + 1 < len(reaches) else None
        goes_on = following is not None and following >= begin
        run.append((characters[i].text, begin, following if goes_on and following is not None else end))
        if not goes_on:
            yield run
            run = []


def _add_font(file: _File, codes: Codes) -> None:
    name = "/BaseFont /Glyphless"
    file.add(
        f"<< /Type /Font /Subtype /Type0 {name} /Encoding /Identity-H /DescendantFonts [{_CID_FONT} 0 R] "
        f"/ToUnicode {_TO_UNICODE} 0 R >>",
        number=_FONT,
    )
    file.add(
        f"<< /Type /Font /Subtype /CIDFontType2 {name} /FontDescriptor {_DESCRIPTOR} 0 R /DW {UNITS} "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
        f"/CIDToGIDMap {_TO_GLYPHS} 0 R >>",
        number=_CID_FONT,
    )
    file.add(
        f"<< /Type /FontDescriptor /FontName /Glyphless /Flags 4 /FontBBox [0 {DESCENT} {UNITS} {ASCENT}] "
        f"/ItalicAngle 0 /Ascent {ASCENT} /Descent {DESCENT} /CapHeight {ASCENT} /StemV 80 "
        f"/FontFile2 {_FONT_FILE} 0 R >>",
        number=_DESCRIPTOR,
    )
    font = font_file()
    file.add_packed(font, f" /Length1 {len(font)}", _FONT_FILE)
    file.add_packed(codes.to_unicode(), number=_TO_UNICODE)
    file.add_packed(codes.to_glyphs(), number=_TO_GLYPHS)
