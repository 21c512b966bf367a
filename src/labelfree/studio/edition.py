"""One reading of a book, opened: its lines by name, their pictures, and what a person said of them."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.export.pictures import open_page
from labelfree.ocr.sources.images import PageReader
from labelfree.ocr.types import Document
from labelfree.report.parts import level
from labelfree.report.pictures import LineSheet, Packing, line_sheets, webp
from labelfree.report.record import BookRecord
from labelfree.report.specimen import x_height
from labelfree.studio.alphabet import GlyphSheet
from labelfree.studio.corrected import Corrections, Index, LinePlace
from labelfree.studio.state import State

_PAGES_KEPT = 32  # pages whose pictures of lines stay in memory
_SCANS_KEPT = 6  # pages whose own picture does
_LARGEST = 64  # pixels that the picture of a line is high
_WIDEST = 1600  # pixels of a page's picture
_QUALITY = 60  # of its JPEG

Pictures = TypeVar("Pictures")


class Edition:
    """One reading of a book.

    Attributes
    ----------
    number : int
        Of the run that made it; 0 where the folder came with it.
    record : BookRecord
    index : Index
    """

    def __init__(self, number: int, record: BookRecord) -> None:
        self.number, self.record = number, record
        self.index = Index.of(record.document)
        self.x_height = x_height(record.document.pages)
        self.line_pictures = _once(lru_cache(_PAGES_KEPT)(self._line_pictures))
        self.page_picture = _once(lru_cache(_SCANS_KEPT)(self._page_picture))
        self._sheet_of_glyphs: GlyphSheet | None = None
        self._measuring = threading.Lock()
        self._corrections: tuple[int, Corrections] | None = None

    def corrections(self, state: State) -> Corrections:
        """What a person said of this reading."""
        version = state.version
        if self._corrections is None or self._corrections[0] != version:
            self._corrections = version, Corrections.of(self.index, state)
        return self._corrections[1]

    def corrected(self, state: State) -> Document:
        """The reading with what a person said laid over it."""
        return self.corrections(state).document(self.record.document)

    def measure_ahead(self) -> None:
        """Begin to measure how its characters look, so that nobody waits for it later."""
        threading.Thread(target=lambda: self.glyphs, name="measuring glyphs", daemon=True).start()

    @property
    def glyphs(self) -> GlyphSheet:
        """How its characters look, measured once."""
        with self._measuring:
            if self._sheet_of_glyphs is None:
                self._sheet_of_glyphs = GlyphSheet.measure(self.record.document)
            return self._sheet_of_glyphs

    def line_view(self, place: LinePlace, corrections: Corrections) -> dict[str, Any]:
        """A line in what JSON has: its text in parts, and where each begins and ends in its picture."""
        p, i = place
        page, others = self.record.document.pages[p], self.record.alternatives
        was = page.lines[i]
        line = corrections.line(place, was)
        said = place in corrections.lines
        left, width = was.box.x0, max(was.box.width, 1)
        return {
            "key": self.index.keys[p][i],
            "name": self.index.name(place),
            "place": [p, i],
            "text": line.text,
            "said": said,
            "error": 0.0 if said else round(1 - line.confidence, 4),
            "picture": f"line/{self.number}/{p}/{i}.webp",
            "ratio": round(width / max(was.box.height, 1), 3),
            "parts": [
                [
                    glyph.text,
                    level(glyph.confidence),
                    [] if said or (p, i, g) in corrections.marks else [each for each, _ in others.get((p, i, g), ())],
                    round((glyph.box.x0 - left) / width, 4),
                    round((glyph.box.x1 - left) / width, 4),
                ]
                for g, glyph in enumerate(line.glyphs)
            ],
        }

    def _line_pictures(self, p: int) -> list[bytes]:
        return [b"" if sheet is None else _packed(sheet) for sheet in line_sheets(self.record.document.pages[p])]

    def _page_picture(self, p: int) -> bytes:
        page = self.record.document.pages[p]
        try:
            with PageReader() as reader:
                sheet = open_page(page, reader)
        except (InputError, OSError):
            return b""
        sheet = sheet.convert("L") if sheet.mode not in ("L", "RGB") else sheet
        if sheet.width > _WIDEST:
            sheet = sheet.resize((_WIDEST, max(1, round(sheet.height * _WIDEST / sheet.width))))
        stream = io.BytesIO()
        sheet.save(stream, "JPEG", quality=_QUALITY)
        return stream.getvalue()


def _packed(sheet: LineSheet) -> bytes:
    rows, columns = sheet.grey.shape
    by = max(1.0, rows / _LARGEST)
    size = max(1, round(columns / by)), max(1, round(rows / by))
    return webp(Image.fromarray(sheet.grey).resize(size, Image.Resampling.LANCZOS), Packing().greys)


def _once(make: Callable[[int], Pictures]) -> Callable[[int], Pictures]:
    """Let one thread at a time open scans, so that many who ask for a page wait for one picture of it."""
    lock = threading.Lock()

    def made(p: int) -> Pictures:
        with lock:
            return make(p)

    return made
