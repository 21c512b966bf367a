"""Everything that can be taken out of the studio, with what a person said in it."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from labelfree.errors import InputError
from labelfree.ocr.export import FORMATS, write_document
from labelfree.report.book import write_report
from labelfree.report.record import BookRecord
from labelfree.studio.learner import MODEL
from labelfree.studio.shelf import Shelf, hints_of

NAMES = (*FORMATS, "hints", "model", "report")
_WHOLE = {"txt": "book.txt", "pdf": "book.pdf"}  # files that hold the whole and are sent as they are


def export(shelf: Shelf, name: str, folder: Path) -> Path:
    """Write one format into a folder, and give the file to send: the whole, or a ZIP of its parts."""
    edition = shelf.edition()
    if edition is None:
        raise InputError("nothing was read yet, a reading wanted; learn first")
    document = edition.corrected(shelf.state)
    if name == "hints":
        path = folder / "hints.txt"
        path.write_text(hints_of(edition.index, shelf.state), "utf-8")
        return path
    if name == "report":
        record = edition.record
        corrected = BookRecord(document, record.verdict, {}, record.search, record.rounds, record.grams)
        return write_report(corrected, folder / "report.html")
    if name == "model":
        model = shelf.place(edition.number) / MODEL
        if not model.is_dir():
            raise InputError("this reading came without its model, one that was learned here wanted; learn again")
        return _zipped(model, folder / "model.zip", lambda path: Path(MODEL) / path.relative_to(model))
    written = folder / name
    write_document(document, [name], written)
    whole = written / _WHOLE.get(name, "")
    if whole.is_file():
        return whole
    return _zipped(written, folder / f"{name}.zip", lambda path: path.relative_to(written))


def _zipped(of: Path, path: Path, called: Callable[[Path], Path]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for each in sorted(of.rglob("*")):
            if each.is_file():
                packed.write(each, called(each))
    return path


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes once the file was sent."""
    return tempfile.TemporaryDirectory(prefix="labelfree-export-")
