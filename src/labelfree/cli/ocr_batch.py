"""`labelfree ocr batch`: a folder of books, one after the other, and a table of what came of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from labelfree.cli import boundary
from labelfree.cli.ocr_report import ReadDocument
from labelfree.cli.ocr_work import LanguageOptions, LearnedLanguage, LearnOptions, OutputOptions, ScanOptions, run
from labelfree.cli.show import as_json, as_table, percent, warn
from labelfree.cli.stopping import go_on_with, keeping
from labelfree.errors import InputError, LabelfreeError
from labelfree.files import claimed, write_aside
from labelfree.limits import parse_json, read_bounded

TABLE = "books.json"


@dataclass(frozen=True)
class Outcome:
    """What came of a book: how it was read, or why it could not be."""

    book: str
    pages: int = 0
    characters: int = 0
    converged: bool = False
    expected_error: float | None = None
    seconds: float = 0.0
    error: str = ""

    @classmethod
    def of(cls, book: str, reading: ReadDocument) -> Outcome:
        """The verdict on a book that was read."""
        told = reading.as_dict()
        return cls(book, told["pages"], told["characters"], told["converged"], told["expected_error"], reading.seconds)

    @property
    def row(self) -> Sequence[object]:
        """For people."""
        if self.error:
            return self.book, "-", "-", "-", "-", self.error
        wrong = "-" if self.expected_error is None else percent(self.expected_error, 1)
        return self.book, self.pages, self.characters, wrong, f"{self.seconds:.0f}", "yes" if self.converged else "no"


@dataclass(frozen=True)
class Batch:
    """A folder of books, what they are written in, how each is learned, and where they are written."""

    books: Path
    scans: ScanOptions  # how lines are found in each
    language: LanguageOptions | LearnedLanguage
    how: LearnOptions
    output: OutputOptions

    def outcomes(self) -> Iterator[Outcome]:
        """Read each book, one that fails too, and keep the table; those that are done stay as they are."""
        books = find_books(self.books)
        with claimed(self.output.folder):
            done = self._done()
            with keeping(lambda: f"{len(done)} of {len(books)} books are done. {go_on_with()}"):
                for name, place in books.items():
                    if name not in done:
                        done[name] = self._read(name, place)
                        self._keep(done[name] for name in books if name in done)
                    yield done[name]

    def _read(self, name: str, place: Path) -> Outcome:
        output = replace(self.output, folder=self.output.folder / name)
        output = replace(output, resume=self.output.resume and output.checkpoint.is_dir())
        try:
            return Outcome.of(name, run(self.language, replace(self.scans, inputs=[str(place)]), self.how, output))
        except Exception as error:  # whatever is wrong with a book, the others are read
            reason = str(error) if isinstance(error, LabelfreeError) else boundary.told_of_defect(error)
            warn(f"{name}: {reason}")
            return Outcome(name, error=" ".join(reason.split()))

    def _done(self) -> dict[str, Outcome]:
        """The books of a batch that was stopped; those that could not be read are tried again."""
        table = self.output.folder / TABLE
        if not table.exists():
            self.output.folder.mkdir(parents=True, exist_ok=True)
            return {}
        if self.output.force:
            return {}
        if not self.output.resume:
            raise InputError(
                f"{table} is there, of a batch that was begun; give --resume to go on with it, or --force to begin anew"
            )
        return {row.book: row for row in read_table(table) if not row.error}

    def _keep(self, outcomes: Iterable[Outcome]) -> None:
        listed = {"books": [asdict(outcome) for outcome in outcomes]}
        write_aside(self.output.folder / TABLE, json.dumps(listed, ensure_ascii=False, indent=1).encode())


def find_books(folder: Path) -> dict[str, Path]:
    """The books of a folder by name: its folders, and its files where no other book has that name."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder, one of books wanted: a folder or a PDF for each; name another")
    found: dict[str, Path] = {}
    for place in sorted(folder.iterdir(), key=lambda each: (each.is_file(), each.name)):
        if not place.name.startswith("."):
            found.setdefault(place.stem if place.is_file() else place.name, place)
    if not found:
        raise InputError(f"{folder} is empty, books wanted: a folder or a PDF for each; name another folder")
    return found


def read_table(path: Path) -> list[Outcome]:
    """Read a table of a batch, every field checked."""
    try:
        rows = parse_json(read_bounded(path, "card").decode("utf-8"))["books"]
        found = [Outcome(**row) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise _not_a_table(path, error) from None
    if not all(_is_sound(row) for row in found):
        raise _not_a_table(path, "a field of another type")
    return found


def _is_sound(row: Outcome) -> bool:
    texts = isinstance(row.book, str) and isinstance(row.error, str)
    counts = all(type(count) is int and count >= 0 for count in (row.pages, row.characters))
    numbers = (row.seconds, 0.0 if row.expected_error is None else row.expected_error)
    return texts and counts and type(row.converged) is bool and all(_is_finite(number) for number in numbers)


def _is_finite(number: object) -> bool:
    return type(number) in (int, float) and math.isfinite(float(number))  # type: ignore[arg-type]


def _not_a_table(path: Path, found: object) -> InputError:
    return InputError(f"{path} is no table of a batch ({found}); give --force to begin anew")


def show(outcomes: Sequence[Outcome], output: Path, *, is_json: bool) -> int:
    """Print the table, and return the exit code: 1 unless every book was read and is believed."""
    if is_json:
        as_json({"books": [asdict(outcome) for outcome in outcomes], "table": str(output / TABLE)})
    else:
        columns = ["book", "pages", "characters", "expected error", "seconds", "believed"]
        as_table("Books", columns, [outcome.row for outcome in outcomes])
    return 0 if all(outcome.converged for outcome in outcomes) else 1
