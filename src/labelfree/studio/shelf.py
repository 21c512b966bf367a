"""What lies in the studio's folder: scans and texts that were dropped, and one folder for each run of learning.

    scans/  text/  runs/0001/  studio.sqlite

A folder that `ocr run` or `ocr read` wrote is one too: what it holds is reading 0, and its scans are where they were.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from labelfree.errors import InputError
from labelfree.files import check_name, file_aside
from labelfree.ocr.sources.images import IMAGE_SUFFIXES, PDF_SUFFIX
from labelfree.ocr.sources.xml_pages import XML_SUFFIX
from labelfree.report.record import RECORD, BookRecord
from labelfree.studio.corrected import Corrections, Index
from labelfree.studio.edition import Edition
from labelfree.studio.job import Job, Wishes
from labelfree.studio.state import State

Kind = Literal["scans", "text"]
SUFFIXES: dict[Kind, frozenset[str]] = {
    "scans": frozenset({*IMAGE_SUFFIXES, PDF_SUFFIX, XML_SUFFIX}),
    "text": frozenset({".txt", ".gz"}),
}
MOST_BYTES = 512 << 20  # of one file
MOST_IN_ALL = 8 << 30  # of all that was dropped
MOST_FILES = 5_000
_LONGEST_NAME = 120  # characters
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|]+")


class Shelf:
    """The studio's folder."""

    def __init__(self, folder: Path, state: State) -> None:
        self.folder, self.state = folder, state
        self._edition: Edition | None = None

    def files(self, kind: Kind) -> list[Path]:
        """What was dropped, by name."""
        place = self.folder / kind
        return sorted(path for path in place.iterdir() if path.is_file()) if place.is_dir() else []

    async def take(self, kind: Kind, name: str, content: AsyncIterator[bytes]) -> Path:
        """Write a file that is dropped, as it comes in; refuses one that is too large or of no use."""
        safe = safe_name(name)
        path = self.folder / kind / safe
        if path.suffix.lower() not in SUFFIXES[kind]:
            wanted = ", ".join(sorted(SUFFIXES[kind]))
            raise InputError(f"{safe} found, a file that ends in one of {wanted} wanted; drop another")
        taken = sum(each.stat().st_size for each in self.files("scans") + self.files("text"))
        if len(self.files(kind)) >= MOST_FILES:
            raise InputError(f"{MOST_FILES:,} files are here already, no more wanted; put the rest in another folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        check_name(path)
        size = 0
        with file_aside(path) as stream:
            async for piece in content:
                size += len(piece)
                if size > MOST_BYTES or taken + size > MOST_IN_ALL:
                    raise InputError(f"{safe} is larger than {MOST_BYTES >> 20} MB; cut it, or scan it more coarsely")
                stream.write(piece)
            if not size:
                raise InputError(f"{safe} is empty, a file with something in it wanted; drop another")
        return path

    def drop(self, kind: Kind, name: str) -> None:
        """Remove a file that was dropped."""
        path = self.folder / kind / safe_name(name)
        with suppress(FileNotFoundError):
            path.unlink()

    @property
    def runs(self) -> list[dict[str, Any]]:
        """Every run there was, the first one first."""
        found: list[dict[str, Any]] = self.state.fact("runs", [])
        return found

    def note(self, number: int, **facts: Any) -> None:
        """Note what became of a run."""
        self.state.keep(runs=[run | facts if run["number"] == number else run for run in self.runs])

    def place(self, number: int) -> Path:
        """The folder of a run; 0 is what the folder came with."""
        return self.folder / "runs" / f"{number:04d}" if number else self.folder

    def plan(self, wishes: Wishes) -> tuple[int, Job]:
        """Prepare a run with all that was dropped and said so far."""
        scans = [str(path) for path in self.files("scans")] or self._former_scans()
        if not scans:
            raise InputError("no scan found, at least one wanted; drop images of pages, or a PDF")
        number = max((run["number"] for run in self.runs), default=0) + 1
        texts = tuple(str(path) for path in self.files("text"))
        edition = self.edition()
        hints = "" if edition is None else hints_of(edition.index, self.state)
        job = Job(tuple(scans), texts, wishes, str(self.place(number)), hints)
        job.write()
        self.state.keep(runs=[*self.runs, {"number": number, "status": "learning", "of": self.current}])
        return number, job

    def _former_scans(self) -> list[str]:
        edition = self.edition()
        sources = () if edition is None else dict.fromkeys(page.source for page in edition.record.document.pages)
        return [str(path) for path in sources if path.is_file()]

    @property
    def current(self) -> int | None:
        """The run whose reading is shown."""
        found: int | None = self.state.fact("current")
        return 0 if found is None and (self.folder / RECORD).is_file() else found

    def show(self, number: int) -> None:
        """Show the reading of another run."""
        if not (self.place(number) / RECORD).is_file():
            raise InputError(f"reading {number} found, one that was learned wanted; choose another")
        self.state.keep(current=number)

    def edition(self) -> Edition | None:
        """The reading that is shown, opened; None before anything was read."""
        number = self.current
        if number is None:
            return None
        if self._edition is None or self._edition.number != number:
            self._edition = Edition(number, BookRecord.read(self.place(number)))
            self._edition.measure_ahead()
        return self._edition


def hints_of(index: Index, state: State) -> str:
    """What a person said of a reading, as a file of hints to learn from."""
    corrections = Corrections.of(index, state)
    lines = [f"{index.name(place)}: {text}" for place, text in sorted(corrections.lines.items()) if text.strip()]
    for (p, i, g), symbol in sorted(corrections.marks.items()):
        if (p, i) not in corrections.lines:
            box = ",".join(map(str, index.document.pages[p].lines[i].glyphs[g].box))
            lines.append(f"{index.name((p, i))} at {box} = {symbol}")
    return "".join(f"{line}\n" for line in lines)


def safe_name(name: str) -> str:
    """The name of a dropped file without folders and without what no name should hold.

    Examples
    --------
    >>> safe_name("../../etc/pass wd.png"), safe_name("a<b>.png"), safe_name("...")
    ('pass wd.png', 'a_b_.png', 'file')
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    stem, dot, ending = _UNSAFE.sub("_", last).strip(" .").rpartition(".")
    kept = f"{stem[: _LONGEST_NAME - len(ending)]}{dot}{ending[:10]}" if stem else ending[:_LONGEST_NAME]
    return kept.lstrip(".") or "file"


def listed(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Files in what JSON has."""
    return [{"name": path.name, "bytes": path.stat().st_size} for path in paths]
