"""The files of a document, written page by page as it is read or all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from labelfree.errors import InputError, asked
from labelfree.files import check_name, unwritable, write_aside
from labelfree.ocr.export.alto import alto
from labelfree.ocr.export.hocr import hocr
from labelfree.ocr.export.markup import legal
from labelfree.ocr.export.pagexml import page_xml
from labelfree.ocr.export.pairs import pair_name, pairs
from labelfree.ocr.export.pdf import searchable_pdf
from labelfree.ocr.export.records import json_record
from labelfree.ocr.export.running_text import running_text
from labelfree.ocr.sources.names import RUNNING, WHOLE, FreeNames, output_stems
from labelfree.ocr.types import Document, Page, PageKey, Unread

FORMATS = ("txt", "text", "hocr", "alto", "page", "json", "pairs", "pdf")
"""What can be written."""

_TEXTS = ("txt", "text")

PAIRS_FOLDER = "pairs"
"""Folder of the training pairs, so that their texts do not mix with the others."""


def plain_text(document: Page | Document) -> bytes:
    """The text of a page or a document, a line for each line read."""
    return legal(document.text).encode()


_OF_EACH_PAGE: dict[str, tuple[str, Callable[[Page, Document, datetime], bytes]]] = {
    "txt": (".txt", lambda page, document, now: plain_text(page)),
    "hocr": (".hocr", lambda page, document, now: hocr(page, document)),
    "alto": (".alto.xml", alto),
    "page": (".page.xml", page_xml),
    "json": (".json", lambda page, document, now: json_record(page, document)),
}
_OF_THE_WHOLE: dict[str, tuple[str, Callable[[Document], bytes]]] = {
    "txt": (".txt", plain_text),
    "text": (RUNNING.removeprefix(WHOLE) + ".txt", running_text),
    "pdf": (".pdf", searchable_pdf),
}


class DocumentWriter:
    """Writes a document's files in some formats, replacing files of the same names.

    ``txt``, ``hocr``, ``alto``, ``page`` and ``json`` give a file for each page; ``txt``, ``text`` and ``pdf`` one for
    the whole, ``book.txt``, ``book.text.txt`` and ``book.pdf``; ``pairs`` two for each line, in the folder ``pairs``.
    `stems` has for each page the path of its files without their ending, as `output_stems` gives it. Lines of less than
    `least_confidence` become no pairs. ALTO and PAGE note the moment `created`, by default now. ``txt`` and ``text``
    have the mark of `unread`, where one is given, for what could not be read. `planned` is every path that will be
    written; for pairs, whose number depends on what is read, their folder.
    """

    def __init__(
        self,
        out_dir: Path,
        formats: Iterable[str],
        stems: Mapping[PageKey, Path],
        *,
        least_confidence: float = 0.0,
        created: datetime | None = None,
        unread: Unread | None = None,
    ) -> None:
        self._formats = tuple(dict.fromkeys(formats))
        if unknown := [name for name in self._formats if name not in FORMATS]:
            raise InputError(
                f"format {unknown[0]!r} is not known; one of {', '.join(FORMATS)} wanted: name one of those"
            )
        self._out_dir, self._stems, self._least_confidence = out_dir, stems, least_confidence
        self._created, self._unread = created or datetime.now(UTC), unread
        self._pair_names = FreeNames()
        for stem in stems.values() if "pairs" in self._formats else ():
            check_name(stem.with_name(f"{stem.name}_0001.gt.txt"))
        self.planned = (
            *(path for stem in stems.values() for path in self._of_page(stem).values()),
            *self._of_whole().values(),
            *([out_dir / PAIRS_FOLDER] if "pairs" in self._formats else []),
        )

    def page(self, page: Page, document: Document) -> list[Path]:
        """Write the files of one page; of the document only language and model are used, so pages may be missing."""
        return self._page(self._stems[page.key], page, document)

    def _page(self, stem: Path, page: Page, document: Document) -> list[Path]:
        written = []
        for form, path in self._of_page(stem).items():
            _, content = _OF_EACH_PAGE[form]
            (shown,) = self._shown(form, replace(document, pages=(page,))).pages
            written.append(_write(path, content(shown, document, self._created)))
        if "pairs" in self._formats:
            for pair in pairs(page, self._least_confidence):
                name = self._out_dir / self._pair_names.take(PAIRS_FOLDER / pair_name(stem, pair, page))
                written.append(_write(name.with_name(name.name + ".png"), pair.image))
                written.append(_write(name.with_name(name.name + ".gt.txt"), pair.text))
        return written

    def whole(self, document: Document) -> list[Path]:
        """Write the files that hold all pages."""
        return [
            _write(path, _OF_THE_WHOLE[form][1](self._shown(form, document))) for form, path in self._of_whole().items()
        ]

    def _shown(self, form: str, document: Document) -> Document:
        """The document as a format has it: texts have no room for confidence, and so marks instead."""
        return document.marked(self._unread) if self._unread is not None and form in _TEXTS else document

    def _of_page(self, stem: Path) -> dict[str, Path]:
        """The file of each format for one page."""
        endings = {form: _OF_EACH_PAGE[form][0] for form in self._formats if form in _OF_EACH_PAGE}
        return {form: self._out_dir / stem.with_name(stem.name + ending) for form, ending in endings.items()}

    def _of_whole(self) -> dict[str, Path]:
        endings = {form: _OF_THE_WHOLE[form][0] for form in self._formats if form in _OF_THE_WHOLE}
        return {form: self._out_dir / (WHOLE + ending) for form, ending in endings.items()}


def write_document(
    document: Document,
    formats: Iterable[str],
    out_dir: Path,
    *,
    least_confidence: float = 0.0,
    created: datetime | None = None,
    unread: Unread | None = None,
) -> list[Path]:
    """Write a document that is read already, replacing files of the same names.

    Parameters
    ----------
    document : Document
    formats : iterable of str
        Some of ``txt``, ``text``, ``hocr``, ``alto``, ``page``, ``json``, ``pairs`` and ``pdf``.
    out_dir : Path
        Folder, made where there is none.
    least_confidence : float
        Of the lines that become pairs.
    created : datetime, optional
        The moment noted in ALTO and PAGE; by default now.
    unread : Unread, optional
        What the texts have for characters that could not be read; by default what was read.

    Returns
    -------
    list of Path
        The files written.
    """
    keys = [page.key for page in document.pages]
    stems = output_stems(keys)
    plan = dict(zip(keys, stems, strict=True))
    writer = DocumentWriter(out_dir, formats, plan, least_confidence=least_confidence, created=created, unread=unread)
    written = []
    for stem, page in zip(stems, document.pages, strict=True):  # a page that comes twice has two stems
        written += writer._page(stem, page, document)
    return written + writer.whole(document)


def check_outputs(paths: Iterable[Path], *, force: bool) -> None:
    """Refuse to write where something is already, unless told to, or where no folder can be."""
    wanted = list(paths)
    for path in wanted:
        check_name(path)
    for folder in dict.fromkeys(path.parent for path in wanted):
        nearest = next((above for above in (folder, *folder.parents) if above.exists()), folder)
        if nearest.exists() and not nearest.is_dir():
            raise InputError(f"{nearest} is no folder; name another place for what is read")
    there = [path for path in wanted if path.exists() or path.is_symlink()]
    if there and not force:
        raise InputError(
            f"{there[0]} exists already ({len(there):,} in all); name another folder, or give "
            f"{asked('--force', 'force=True')} to replace"
        )


def _write(path: Path, content: bytes) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path.parent, error) from None
    write_aside(path, content)
    return path
