"""What `labelfree ocr` says of scans and of what was read on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelfree.cli.show import as_facts, as_json, percent, warn
from labelfree.errors import InputError
from labelfree.ocr.reader import Reader
from labelfree.ocr.types import Document, Line, PageLines

_MOST_NAMED = 10
_SAMPLES = 3


@dataclass(frozen=True, eq=False)
class FoundPages:
    """The pages of all scans.

    Attributes
    ----------
    pages : tuple of PageLines
    left_out : tuple of (Path, str)
        Files that cannot be read, and why.
    upside_down : tuple of Path
        Files with pages that seem to be.
    """

    pages: tuple[PageLines, ...]
    left_out: tuple[tuple[Path, str], ...]
    upside_down: tuple[Path, ...]

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
            warn(
                f"{_counted(self.upside_down)} as if upside down, {self.upside_down[0]} first; turn what is, read again"
            )

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
        }


@dataclass(frozen=True, eq=False)
class Reading:
    """A book that was read and written, by whom, from what, and how long it took apart from learning, if it was."""

    book: Document
    reader: Reader
    found: FoundPages
    folder: Path
    n_files: int
    seconds: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        lines = [line for page in self.book.pages for line in page.lines]
        glyphs = [glyph for line in lines for glyph in line.glyphs]
        return {
            "pages": len(self.book.pages),
            "lines": len(lines),
            "characters": len(self.book.text),
            "converged": self.reader.converged,
            "kl": float(self.reader.classifier.kl_),
            "expected_error": 1 - sum(glyph.confidence for glyph in glyphs) / len(glyphs) if glyphs else None,
            "sample": [{"text": line.text, "expected_error": 1 - line.confidence} for line in _sample(lines)],
            "seconds_reading": self.seconds,
            "files": self.n_files,
            "folder": str(self.folder),
            **self.found.as_dict(),
        }

    def show(self, json: bool, seconds_learning: float | None = None) -> None:
        """Print it, for people or for programs."""
        facts = self.as_dict()
        if seconds_learning is not None:
            facts["seconds_learning"] = seconds_learning
        if json:
            as_json(facts)
            return
        times = {
            "to learn" if self.seconds is not None else "to learn and read": seconds_learning,
            "to read": self.seconds,
        }
        shown = [f"{seconds:.1f} s {what}" for what, seconds in times.items() if seconds is not None]
        rows: list[tuple[str, object]] = [
            ("read", f"{facts['characters']:,} characters, {facts['lines']:,} lines, {facts['pages']:,} pages"),
            ("believed", _belief(self.reader)),
            ("expected error", "-" if facts["expected_error"] is None else percent(facts["expected_error"], 1)),
            *(("sample" if not i else "", line["text"]) for i, line in enumerate(facts["sample"])),
            *self._lacking(),
            ("time", ", ".join(shown)),
            ("written", f"{self.n_files:,} files in {self.folder}"),
        ]
        as_facts(rows)

    def _lacking(self) -> list[tuple[str, object]]:
        counts = {
            "left out": len(self.found.left_out),
            "without text": len(self.found.without_text),
            "upside down": len(self.found.upside_down),
        }
        return [(name, count) for name, count in counts.items() if count]


def show_model(reader: Reader, found: FoundPages, folder: Path, json: bool, seconds: float) -> None:
    """Print what was learned."""
    facts = {
        "model": str(folder),
        "lines": sum(len(page.lines) for page in found.pages),
        "converged": reader.converged,
        "kl": float(reader.classifier.kl_),
        "seconds": seconds,
    }
    if json:
        as_json(facts | found.as_dict())
        return
    as_facts(
        [
            ("learned from", f"{facts['lines']:,} lines"),
            ("believed", _belief(reader)),
            ("time", f"{seconds:.1f} s"),
            ("model", folder),
        ]
    )


def warn_of_doubt(reader: Reader) -> None:
    """Say what would help a reader that does not believe itself."""
    warn(
        f"{reader.classifier.diagnosis_.message or 'not converged'}; more lines of the same book, or text of the same "
        "language and time, would help"
    )


def _belief(reader: Reader) -> str:
    return f"{'yes' if reader.converged else 'no'} (divergence {reader.classifier.kl_:.3f} from the language)"


def _sample(lines: Sequence[Line]) -> list[Line]:
    """A few lines from all over the book, none of them short."""
    lengths = sorted(len(line.text) for line in lines if line.text)
    usual = [line for line in lines if line.text and len(line.text) >= lengths[len(lengths) // 2]]
    places = {(2 * i + 1) * len(usual) // (2 * _SAMPLES) for i in range(_SAMPLES)} if usual else set()
    return [usual[place] for place in sorted(places)]


def _counted(pages: Sequence[object]) -> str:
    return "1 page" if len(pages) == 1 else f"{len(pages):,} pages"
