"""What `labelfree ocr` says of scans and of what was read on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from labelfree.cli.show import as_facts, as_json, percent, warn
from labelfree.errors import InputError
from labelfree.ocr.export import pages_by_doubt
from labelfree.ocr.export.page_table import PageDoubt
from labelfree.ocr.reader import Reader
from labelfree.ocr.types import Document, Line, PageLines, TextLine
from labelfree.verdict import LanguageFound, ReadingVerdict, Remedy

ADVICE = {
    Remedy.MORE_DATA: "more lines of the same book",
    Remedy.NEARER_TEXT: "text of the same language and time (--text FILE)",
    Remedy.OTHER_LANGUAGE: "another language (--lang auto asks which)",
}
"""What helps who learns a book."""

ADVICE_TO_READERS = {
    Remedy.MORE_DATA: "more pages",
    Remedy.NEARER_TEXT: "a model learned from scans like these (labelfree ocr learn)",
}
"""What helps who reads with a model that is there."""

_MOST_NAMED = 10
_SAMPLES = 3
_TEXT_HELPS = "--text FILE: text of its time leaves about half the errors that a list of words does"


@dataclass(frozen=True, eq=False)
class FoundPages:
    """The pages of all scans.

    Attributes
    ----------
    pages : tuple of PageLines
    left_out : tuple of (Path, str)
        Files that cannot be read, and why.
    upside_down : tuple of Path
        Files with pages that stood on their heads, and were turned.
    asked : LanguageFound, optional
        The languages that were tried, where none was given.
    word_list : str, optional
        The language whose words by their frequency were all that is known of it.
    """

    pages: tuple[PageLines, ...]
    left_out: tuple[tuple[Path, str], ...]
    upside_down: tuple[Path, ...]
    asked: LanguageFound | None = None
    word_list: str | None = None

    @property
    def lines(self) -> list[TextLine]:
        """The lines of all pages."""
        return [line for page in self.pages for line in page.lines]

    @property
    def without_text(self) -> tuple[Path, ...]:
        """Files with pages on which no line was found."""
        return tuple(page.source for page in self.pages if not page.lines)

    def warn(self) -> None:
        """Say which scans were left out and which look wrong."""
        for _, reason in self.left_out[:_MOST_NAMED]:
            warn(f"left out: {reason}")
        if len(self.left_out) > _MOST_NAMED:
            warn(f"{len(self.left_out) - _MOST_NAMED} more files were left out; --json lists them all")
        if self.upside_down:
            warn(f"{_counted(self.upside_down)} found upside down and turned, {self.upside_down[0]} first; look at it")

    def check(self) -> None:
        """Refuse scans that show no text at all."""
        if not any(page.lines for page in self.pages):
            raise InputError(
                f"no line of text found on {_counted(self.pages)}, {self.pages[0].source} first; print in lines from "
                "left to right wanted, letters at least 8 pixels high; name other scans"
            )

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        return {
            "left_out": [{"file": str(path), "reason": reason} for path, reason in self.left_out],
            "without_text": [str(path) for path in self.without_text],
            "upside_down": [str(path) for path in self.upside_down],
            "word_list_alone": self.word_list,
            "languages_tried": None if self.asked is None else dict(self.asked.nats),
        }


@dataclass(frozen=True, eq=False)
class ReadDocument:
    """A document that was read and written.

    Attributes
    ----------
    document : Document
    reader : Reader
        That read it.
    found : FoundPages
        What it was read from.
    folder : Path
        Where it was written.
    n_files : int
        That were written.
    seconds : float
        That learning, if it was, and reading took.
    verdict : ReadingVerdict
        On what was read.
    stages : dict, optional
        The seconds of each stage of learning.
    """

    document: Document
    reader: Reader
    found: FoundPages
    folder: Path
    n_files: int
    seconds: float
    verdict: ReadingVerdict
    stages: dict[str, float] | None = None

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        lines = [line for page in self.document.pages for line in page.lines]
        glyphs = [glyph for line in lines for glyph in line.glyphs]
        is_learned = self.stages is not None
        return {
            "pages": len(self.document.pages),
            "lines": len(lines),
            "characters": len(self.document.text),
            **_facts_of(self.verdict, self.reader),
            "expected_error": 1 - sum(glyph.confidence for glyph in glyphs) / len(glyphs) if glyphs else None,
            "pages_by_doubt": [_of_page(each) for each in pages_by_doubt(self.document.pages)],
            "sample": [{"text": line.text, "expected_error": 1 - line.confidence} for line in _sample(lines)],
            "seconds_learning": self.seconds if is_learned else None,
            "seconds_reading": None if is_learned else self.seconds,
            "seconds_of_stages": self.stages or {},
            "files": self.n_files,
            "folder": str(self.folder),
            **self.found.as_dict(),
        }

    def show(self, json: bool) -> None:
        """Print it, for people or for programs."""
        facts = self.as_dict()
        if json:
            as_json(facts)
            return
        rows: list[tuple[str, object]] = [
            ("read", f"{facts['characters']:,} characters, {facts['lines']:,} lines, {facts['pages']:,} pages"),
            ("believed", _belief(self.verdict)),
            ("expected error", "-" if facts["expected_error"] is None else percent(facts["expected_error"], 1)),
            *(("sample" if not i else "", line["text"]) for i, line in enumerate(facts["sample"])),
            *self._lacking(),
            ("time", f"{self.seconds:.1f} s to {'learn and read' if self.stages is not None else 'read'}"),
            ("written", f"{self.n_files:,} files in {self.folder}"),
        ]
        as_facts(rows)

    def _lacking(self) -> list[tuple[str, object]]:
        counts = {
            "left out": len(self.found.left_out),
            "without text": len(self.found.without_text),
            "upside down": len(self.found.upside_down),
        }
        lacking: list[tuple[str, object]] = [(name, count) for name, count in counts.items() if count]
        return [*lacking, ("would help", _TEXT_HELPS)] if self.found.word_list is not None else lacking


@dataclass(frozen=True, eq=False)
class Model:
    """A reader that was learned from scans and kept in a folder, and the seconds of the whole and of each stage."""

    reader: Reader
    found: FoundPages
    folder: Path
    seconds: float
    stages: dict[str, float]

    def show(self, json: bool) -> None:
        """Print it, for people or for programs."""
        facts = {
            "model": str(self.folder),
            "lines": len(self.found.lines),
            **_facts_of(self.reader.verdict, self.reader),
            "seconds": self.seconds,
            "seconds_of_stages": self.stages,
        }
        if json:
            as_json(facts | self.found.as_dict())
            return
        as_facts(
            [
                ("learned from", f"{facts['lines']:,} lines"),
                ("believed", _belief(self.reader.verdict)),
                ("time", f"{self.seconds:.1f} s"),
                ("model", self.folder),
            ]
        )


def _of_page(doubt: PageDoubt) -> dict[str, Any]:
    return asdict(doubt) | {"source": str(doubt.source)}


def warn_of_doubt(verdict: ReadingVerdict | None, advice: Mapping[Remedy, str] = ADVICE) -> None:
    """Say why something is not believed, and what would help."""
    if verdict is None:
        warn("the model is of a former version, which kept no verdict on it; learn it again with labelfree ocr learn")
    else:
        warn(verdict.line(advice))


def _belief(verdict: ReadingVerdict | None) -> str:
    if verdict is None:
        return "no, learned by a former version"
    return f"{'yes' if verdict.converged else 'no'}, {verdict.reason}"


def _facts_of(verdict: ReadingVerdict | None, reader: Reader) -> dict[str, Any]:
    """What JSON has of a verdict."""
    return {
        "converged": verdict is not None and verdict.converged,
        "verdict": None if verdict is None else verdict.as_dict(),
        "kl": float(reader.classifier.kl_),
    }


def _sample(lines: Sequence[Line]) -> list[Line]:
    """A few lines from all over the book, none of them short."""
    lengths = sorted(len(line.text) for line in lines if line.text)
    usual = [line for line in lines if line.text and len(line.text) >= lengths[len(lengths) // 2]]
    places = {(2 * i + 1) * len(usual) // (2 * _SAMPLES) for i in range(_SAMPLES)} if usual else set()
    return [usual[place] for place in sorted(places)]


def _counted(pages: Sequence[object]) -> str:
    return "1 page" if len(pages) == 1 else f"{len(pages):,} pages"
