"""The lines of a book in the order in which a person should look at them, with their pictures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from labelfree.ocr.export import output_stems
from labelfree.ocr.types import Line, Page
from labelfree.report.parts import level
from labelfree.report.pictures import Packing, line_sheets
from labelfree.report.record import BookRecord
from labelfree.studio.state import line_key

_PAGES_KEPT = 32  # pages whose pictures stay in memory
_LARGEST = 64  # pixels that the picture of a line is high


@dataclass(frozen=True, eq=False)
class QueuedLine:
    """A line and where it stands."""

    key: str
    name: str  # by which hints name it
    page_number: int
    number: int
    line: Line


class Queue:
    """The lines of a reading, the least sure first."""

    def __init__(self, record: BookRecord) -> None:
        self._record = record
        pages = record.document.pages
        stems = output_stems([page.key for page in pages])
        self.lines = tuple(
            QueuedLine(line_key(stem, line), _hint_name(stem, page, i), p, i, line)
            for p, (page, stem) in enumerate(zip(pages, stems, strict=True))
            for i, line in enumerate(page.lines)
        )
        self._by_key = {line.key: line for line in self.lines}
        self._ordered = sorted(self.lines, key=lambda line: (line.line.confidence, line.page_number, line.number))
        self._pictures = lru_cache(_PAGES_KEPT)(self._pictures_of)

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def next(self, done: Collection[str], count: int) -> list[dict[str, Any]]:
        """The lines to look at now, in what JSON has."""
        waiting = (line for line in self._ordered if line.key not in done)
        return [self._shown(line) for line, _ in zip(waiting, range(count), strict=False)]

    def text(self, said: Mapping[str, str]) -> str:
        """The whole text with what was said."""
        return "".join(f"{said.get(line.key, line.line.text)}\n" for line in self.lines)

    def hints(self, said: Mapping[str, str]) -> str:
        """What was said as a file of hints to learn from."""
        return "".join(f"{line.name}: {said[line.key]}\n" for line in self.lines if said.get(line.key, "").strip())

    def expected_error(self, said: Collection[str]) -> float:
        """Share of the characters expected to be wrong; lines that a person has read are right."""
        glyphs = [(glyph.confidence, line.key in said) for line in self.lines for glyph in line.line.glyphs]
        return sum(0.0 if is_said else 1 - sure for sure, is_said in glyphs) / max(len(glyphs), 1)

    def _shown(self, queued: QueuedLine) -> dict[str, Any]:
        others = self._record.alternatives
        p, i = queued.page_number, queued.number
        return {
            "key": queued.key,
            "name": queued.name,
            "text": queued.line.text,
            "error": round(1 - queued.line.confidence, 4),
            "picture": self._pictures(p)[i],
            "parts": [
                [glyph.text, level(glyph.confidence), [other for other, _ in others.get((p, i, g), ())]]
                for g, glyph in enumerate(queued.line.glyphs)
            ],
        }

    def _pictures_of(self, p: int) -> list[str]:
        sheets = line_sheets(self._record.document.pages[p])
        return [
            "" if sheet is None else Packing(max(1.0, sheet.grey.shape[0] / _LARGEST)).uri(sheet) for sheet in sheets
        ]


def _hint_name(stem: Path, page: Page, number: int) -> str:
    return stem.as_posix() if len(page.lines) == 1 else f"{stem.as_posix()}:{number + 1}"


def open_queue(folder: Path) -> Queue:
    """The lines of what `ocr run` or `ocr read` left in a folder."""
    return Queue(BookRecord.read(folder))
