"""Files, folders and patterns as an ordered list of things to read."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from labelfree.errors import InputError
from labelfree.ocr.sources.images import IMAGE_SUFFIXES, PDF_SUFFIX
from labelfree.ocr.sources.xml_pages import XML_SUFFIX, read_xml_page

_WANTED = "images (PNG, JPEG, TIFF, BMP, PBM, WebP), PDF, PAGE XML or ALTO"

LeaveOut = Callable[[Path, InputError], None]
"""Called with a file that cannot be read, and why."""


def refuse(path: Path, error: InputError) -> None:
    """Leave nothing out: raise the error."""
    raise error


def unreadable(path: Path, error: Exception) -> InputError:
    """What is wrong with a file, whatever it is, so that the others are read all the same."""
    if isinstance(error, InputError):
        return error
    return InputError(f"{path} cannot be read ({type(error).__name__}: {error}); check the file, or leave it out")


@dataclass(frozen=True)
class Source:
    """A file to read: an image, a PDF, or an XML file with the `image` that it marks lines on."""

    path: Path
    image: Path | None = None

    @property
    def is_pdf(self) -> bool:
        return self.path.suffix.lower() == PDF_SUFFIX


def find_sources(inputs: Iterable[str | Path], leave_out: LeaveOut = refuse) -> list[Source]:
    """List what is to be read, each file once, in the order given, folders in the natural order of their names.

    Inputs are files, folders (their own files, not those of folders within), and patterns such as ``scans/*.png``.
    An image that an XML file marks lines on is read with that file, or by itself where the file cannot be read and
    `leave_out` does not raise. Files of other kinds are skipped in a folder; named one by one they are an error.
    """
    paths: dict[Path, bool] = {}  # whether each was named one by one
    for given in inputs:
        found, named = _expand(given)
        paths.update({path: named or paths.get(path, False) for path in found})
    sources, n_left_out = [], 0
    for path, named in paths.items():
        try:
            source = _source(path, named)
        except Exception as error:
            leave_out(path, unreadable(path, error))
            n_left_out += 1
        else:
            sources += [source] if source is not None else []
    marked = {source.image.resolve() for source in sources if source.image is not None}
    by_place: dict[Path, Source] = {}
    for source in sources:
        by_place.setdefault(source.path.resolve(), source)
    kept = [source for place, source in by_place.items() if source.image is not None or place not in marked]
    if not kept and not n_left_out:
        raise InputError(f"nothing to read was named; name files or folders with {_WANTED}")
    return kept


def _source(path: Path, named: bool) -> Source | None:
    if path.suffix.lower() != XML_SUFFIX:
        return Source(path)
    page = read_xml_page(path)
    if page is None and named:
        raise InputError(f"{path} is XML but neither PAGE nor ALTO; name {_WANTED}")
    return Source(path, page.image) if page is not None else None


def natural_order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts ``page 9`` before ``page 10``."""
    parts = re.findall(r"[0-9]+|[^0-9]+", str(path))
    return tuple((0, int(part), part) if part[0] in "0123456789" else (1, 0, part.casefold()) for part in parts)


def _expand(given: str | Path) -> tuple[list[Path], bool]:
    """Files that one input stands for, and whether it named them one by one."""
    path = Path(given)
    try:
        if path.is_dir():
            return _in_folder(path), False
        if path.is_file():
            if not _is_readable_kind(path):
                raise InputError(f"{path} is of no kind that can be read; name {_WANTED}")
            return [path], True
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{given} cannot be looked up ({getattr(error, 'strerror', error)}); name {_WANTED}") from None
    pattern = str(given)
    # Path.glob takes no absolute pattern.
    found = glob.glob(pattern, recursive=True) if glob.has_magic(pattern) else []  # noqa: PTH207
    matches = [Path(match) for match in found]
    files = sorted((match for match in matches if match.is_file() and _is_readable_kind(match)), key=natural_order)
    if files:
        return files, False
    if matches:
        raise InputError(f"{given} matches {len(matches)} files but none that can be read; name {_WANTED}")
    raise InputError(f"{given} is not there; name a file, a folder or a pattern that matches some")


def _in_folder(folder: Path) -> list[Path]:
    entries = list(folder.iterdir())
    files = [path for path in entries if not path.name.startswith(".") and path.is_file() and _is_readable_kind(path)]
    if not files:
        folders = sorted(path.name for path in entries if path.is_dir())
        hint = f"; it holds folders such as {folders[0]}: name those" if folders else ""
        raise InputError(f"{folder} holds nothing to read{hint}; a folder with {_WANTED} wanted")
    return sorted(files, key=natural_order)


def _is_readable_kind(path: Path) -> bool:
    suffix = path.suffix.lower()
    return suffix in IMAGE_SUFFIXES or suffix in (PDF_SUFFIX, XML_SUFFIX)
