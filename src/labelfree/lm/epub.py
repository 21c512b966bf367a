"""The text of an EPUB: its chapters in the order of reading."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from labelfree.errors import InputError
from labelfree.limits import check, check_ratio
from labelfree.lm.documents import text_of_document
from labelfree.markup import parsed_xml

_CONTAINER = "META-INF/container.xml"
_CHAPTERS = ("application/xhtml+xml", "text/html")


def chapters(path: Path) -> Iterator[str]:
    """Give the text of each chapter, as each is unpacked; see `labelfree.limits` for how large they may be."""
    try:
        check(f"{path} has", path.stat().st_size, "epub")
        with zipfile.ZipFile(path) as archive:
            book = _Archive(archive, path)
            for name in _spine(book):
                yield text_of_document(book.read(name), f"{path}/{posixpath.splitext(name)[0]}.xhtml") + "\n"
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{path} is no whole EPUB ({error}); fetch it again") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}); check the file") from None


class _Archive:
    """The files of an EPUB, unpacked one at a time, within the limits for one and for all of them."""

    def __init__(self, archive: zipfile.ZipFile, path: Path) -> None:
        self._archive, self._path, self._unpacked = archive, path, 0

    def read(self, name: str) -> bytes:
        try:
            found = self._archive.getinfo(name)
        except KeyError:
            raise InputError(f"{self._path} holds no {name[:60]!r}, which it names; fetch it again") from None
        check(f"{self._path}/{name} has", found.file_size, "xml")
        self._unpacked += found.file_size
        check_ratio(f"{self._path} has", self._unpacked, self._path.stat().st_size)
        check(f"{self._path} has", self._unpacked, "epub", "bytes unpacked")
        with self._archive.open(found) as stream:
            return stream.read(found.file_size)  # never more than was promised

    def xml(self, name: str) -> Any:
        return parsed_xml(self.read(name), f"{self._path}/{name}", "an EPUB")


def _spine(book: _Archive) -> list[str]:
    """Names of the chapters in the order in which they are read."""
    rootfile = book.xml(_CONTAINER).find(".//{*}rootfile")
    name = "" if rootfile is None else rootfile.get("full-path") or ""
    package = book.xml(name)
    items = {
        item.get("id"): posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(item.get("href") or "")))
        for item in package.iter("{*}item")
        if item.get("media-type") in _CHAPTERS
    }
    return [items[ref.get("idref")] for ref in package.iter("{*}itemref") if ref.get("idref") in items]
