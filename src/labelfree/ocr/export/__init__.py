"""What was read, written to files: text, hOCR, ALTO, PAGE, JSON, training pairs and searchable PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from labelfree.errors import InputError
from labelfree.files import unwritable, write_aside
from labelfree.ocr.export.alto import alto
from labelfree.ocr.export.hocr import hocr
from labelfree.ocr.export.names import WHOLE, FreeNames, output_stems
from labelfree.ocr.export.pagexml import page_xml
from labelfree.ocr.export.pairs import pair_name, pairs
from labelfree.ocr.export.pdf import searchable_pdf
from labelfree.ocr.export.plain import plain_text
from labelfree.ocr.export.records import json_record
from labelfree.ocr.types import Document, Page

__all__ = [
    "FORMATS",
    "PAIRS_FOLDER",
    "alto",
    "hocr",
    "json_record",
    "output_stems",
    "page_xml",
    "pairs",
    "plain_text",
    "searchable_pdf",
    "write_document",
]

FORMATS = ("txt", "hocr", "alto", "page", "json", "pairs", "pdf")
"""What `write_document` can write."""

PAIRS_FOLDER = "pairs"
"""Folder of the training pairs, so that their texts do not mix with the others."""

_PageWriter = Callable[[Page, Document, datetime], bytes]
_OF_EACH_PAGE: dict[str, tuple[str, _PageWriter]] = {
    "txt": (".txt", lambda page, document, now: plain_text(page)),
    "hocr": (".hocr", lambda page, document, now: hocr(page, document)),
    "alto": (".alto.xml", alto),
    "page": (".page.xml", page_xml),
    "json": (".json", lambda page, document, now: json_record(page, document)),
}
_OF_THE_WHOLE: dict[str, tuple[str, Callable[[Document], bytes]]] = {
    "txt": (".txt", plain_text),
    "pdf": (".pdf", searchable_pdf),
}


def write_document(
    document: Document,
    formats: Iterable[str],
    out_dir: Path,
    *,
    least_confidence: float = 0.0,
    created: datetime | None = None,
) -> list[Path]:
    """Write a document in some formats.

    ``txt``, ``hocr``, ``alto``, ``page`` and ``json`` give a file for each page, of its image's stem (see
    `labelfree.ocr.export.names`); ``txt`` and ``pdf`` one for the whole, ``book.txt`` and ``book.pdf``; ``pairs`` two
    for each line, in the folder ``pairs``.

    Parameters
    ----------
    document : Document
    formats : iterable of str
        Some of `FORMATS`.
    out_dir : Path
        Folder, made where there is none; files of the same names in it are replaced.
    least_confidence : float
        Of the lines that become pairs.
    created : datetime, optional
        The moment noted in ALTO and PAGE; by default now.

    Returns
    -------
    list of Path
        The files written.
    """
    wanted = list(dict.fromkeys(formats))
    if unknown := [name for name in wanted if name not in FORMATS]:
        raise InputError(f"format {unknown[0]!r} is not known; one of {', '.join(FORMATS)} wanted: name one of those")
    now = created or datetime.now(UTC)
    stems = output_stems(document.pages)
    written: list[Path] = []

    def write(name: Path, content: bytes) -> None:
        path = out_dir / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(path.parent, error) from None
        write_aside(path, content)
        written.append(path)

    for form in wanted:
        if form in _OF_EACH_PAGE:
            ending, page_writer = _OF_EACH_PAGE[form]
            for stem, page in zip(stems, document.pages, strict=True):
                write(stem.with_name(stem.name + ending), page_writer(page, document, now))
        if form in _OF_THE_WHOLE:
            ending, book_writer = _OF_THE_WHOLE[form]
            write(Path(WHOLE + ending), book_writer(document))
    if "pairs" in wanted:
        free = FreeNames()
        for stem, page in zip(stems, document.pages, strict=True):
            for pair in pairs(page, least_confidence):
                name = free.take(PAIRS_FOLDER / pair_name(stem, pair, page))
                write(name.with_name(name.name + ".png"), pair.image)
                write(name.with_name(name.name + ".gt.txt"), pair.text)
    return written
