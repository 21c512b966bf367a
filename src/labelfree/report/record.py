"""What an output folder keeps of a reading besides its text, so that a report can be made of it at any time."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.files import write_aside
from labelfree.ocr.export.records import plain_values
from labelfree.ocr.reader import Reader
from labelfree.ocr.types import Alternative, Box, Document, Glyph, Line, Page, Region
from labelfree.progress import Record
from labelfree.report.alternatives import Alternatives, alternatives_of
from labelfree.report.grams import Grams
from labelfree.report.verdict import Verdict
from labelfree.verdict import ReadingVerdict

RECORD = "reading.json.gz"
_FORMAT, _VERSION = "labelfree reading", 1
_MOST_BYTES = 2**30  # unpacked


@dataclass(frozen=True, eq=False)
class BookRecord:
    """A reading, and what is known of how it came about.

    Attributes
    ----------
    document : Document
    verdict : Verdict
    alternatives : mapping
        What doubtful glyphs might be.
    search : tuple of Record
        Every look at the scores while characters were learned; without seconds, so that the same work is the same file.
    rounds : tuple of float
        The label-free score of each round of the line reader.
    grams : Grams
    """

    document: Document
    verdict: Verdict
    alternatives: Alternatives
    search: tuple[Record, ...]
    rounds: tuple[float, ...]
    grams: Grams

    @classmethod
    def of(
        cls,
        reader: Reader,
        document: Document,
        judged: ReadingVerdict,
        rounds: Iterable[float] = (),
    ) -> BookRecord:
        """Put together what a reader read, and how that was judged."""
        alphabet = reader.language.lm.alphabet
        lines = [
            np.array([alphabet.index(glyph.text) for glyph in line.glyphs], np.int64)
            for page in document.pages
            for line in page.lines
        ]
        return cls(
            document,
            Verdict.of_book(judged),
            alternatives_of(document),
            tuple(reader.classifier.history_),
            tuple(rounds),
            Grams.compare(reader.language.lm, lines),
        )

    def write(self, folder: Path) -> Path:
        """Keep it in an output folder."""
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "language": self.document.language,
            "model": self.document.model,
            "verdict": self.verdict.as_dict(),
            "search": [[record.stage, record.step, list(record.scores)] for record in self.search],
            "rounds": list(self.rounds),
            "grams": self.grams.as_dict(),
            "pages": [_of_page(page) for page in self.document.pages],
            "alternatives": [
                [*place, [part for other in others for part in other]] for place, others in self.alternatives.items()
            ],
        }
        plain = json.dumps(plain_values(content), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / RECORD
        write_aside(path, gzip.compress(plain.encode(), mtime=0))
        return path

    @classmethod
    def read(cls, folder: Path) -> BookRecord:
        """Read what `write` kept."""
        path = folder / RECORD
        if not path.is_file():
            raise InputError(
                f"{folder} holds no {RECORD}, a folder that `ocr run` or `ocr read` wrote wanted; read the scans again"
            )
        try:
            kept = json.loads(_unpacked(path))
            if kept["format"] != _FORMAT or kept["version"] != _VERSION:
                raise InputError(f"{path} is of another version, {_VERSION} wanted; read the scans again")
            pages = tuple(_to_page(page) for page in kept["pages"])
            return cls(
                Document(pages, str(kept["language"]), dict(kept["model"])),
                Verdict(**kept["verdict"]),
                {
                    (int(p), int(i), int(g)): tuple(
                        Alternative(str(text), float(share)) for text, share in zip(told[::2], told[1::2], strict=True)
                    )
                    for p, i, g, told in kept["alternatives"]
                },
                tuple(
                    Record(str(stage), int(step), tuple(map(float, scores)), 0.0)
                    for stage, step, scores in kept["search"]
                ),
                tuple(map(float, kept["rounds"])),
                Grams.from_dict(kept["grams"]),
            )
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path} is damaged ({error}); read the scans again") from None

    def with_scans_in(self, folder: Path) -> BookRecord:
        """The same with its scans looked for in another folder, by their names."""
        if not folder.is_dir():
            raise InputError(f"{folder} is no folder; name the one that the scans are in")
        places = {path.name: path for path in sorted(folder.rglob("*"), reverse=True) if path.is_file()}
        pages = (replace(page, source=places.get(page.source.name, page.source)) for page in self.document.pages)
        return replace(self, document=replace(self.document, pages=tuple(pages)))


def _unpacked(path: Path) -> bytes:
    with gzip.open(path) as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise InputError(f"{path} holds more than {_MOST_BYTES // 2**20} MB; read the scans again in parts")
    return content


def _of_page(page: Page) -> dict[str, Any]:
    return {
        "source": str(page.source.absolute()),
        "index": page.index,
        "size": [page.width, page.height],
        "angle": page.angle,
        "regions": [[region.kind, list(region.box), list(region.lines)] for region in page.regions],
        "lines": [
            {
                "id": line.id,
                "box": list(line.box),
                "text": [glyph.text for glyph in line.glyphs],
                "sure": [round(glyph.confidence, 3) for glyph in line.glyphs],
                "boxes": [edge for glyph in line.glyphs for edge in glyph.box],
            }
            for line in page.lines
        ],
    }


def _to_page(kept: dict[str, Any]) -> Page:
    width, height = map(int, kept["size"])
    return Page(
        Path(kept["source"]),
        int(kept["index"]),
        width,
        height,
        tuple(_to_line(line) for line in kept["lines"]),
        float(kept["angle"]),
        tuple(
            Region(kind, Box(*map(int, box)), tuple(map(int, lines))) for kind, box, lines in kept.get("regions", ())
        ),
    )


def _to_line(kept: dict[str, Any]) -> Line:
    boxes: NDArray[np.int64] = np.array(kept["boxes"], np.int64).reshape(-1, 4)
    glyphs = zip(kept["text"], boxes.tolist(), kept["sure"], strict=True)
    return Line(
        Box(*map(int, kept["box"])),
        tuple(Glyph(str(text), Box(*box), float(sure)) for text, box, sure in glyphs),
        str(kept["id"]),
    )
