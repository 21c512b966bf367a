"""Everything that can be read, as pages of text lines, one page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np

from labelfree.errors import InputError
from labelfree.ocr.layout.outlines import outlined_lines
from labelfree.ocr.layout.page import line_count, page_lines, single_line
from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings
from labelfree.ocr.layout.tesseract_layout import tesseract_lines
from labelfree.ocr.sources.files import LeaveOut, Source, find_sources, refuse, unreadable
from labelfree.ocr.sources.images import PageImage, PageReader, page_count
from labelfree.ocr.sources.xml_pages import XML_SUFFIX, read_xml_page
from labelfree.ocr.types import PageKey, PageLines
from labelfree.workers import in_processes

Kind = Literal["auto", "line", "page"]
KINDS: tuple[Kind, ...] = ("auto", "line", "page")
Layout = Literal["builtin", "tesseract"]

_LAYOUTS: Mapping[Layout, Callable[[PageImage, LayoutSettings], PageLines]] = MappingProxyType(
    {"builtin": page_lines, "tesseract": tesseract_lines}
)

_MOST_ASKED = 15
_LINES_AT_ONCE = 32  # images of a line that one worker is given


@dataclass(frozen=True)
class PageRequest:
    """A page to lay out, small enough to be sent to another process."""

    source: Path  # an image, a PDF, or a PAGE or ALTO file that marks lines on an image
    index: int  # of the page in that file
    kind: Literal["line", "page"]  # what an image shows
    layout: Layout
    settings: LayoutSettings

    @property
    def key(self) -> PageKey:
        """Its file, and its index in that file."""
        return self.source, self.index


def read_lines(
    inputs: Iterable[str | Path],
    kind: Kind = "auto",
    layout: Layout = "builtin",
    *,
    leave_out: LeaveOut = refuse,
    progress: Callable[[int, int], None] | None = None,
    settings: LayoutSettings = DEFAULT,
) -> Iterator[PageLines]:
    """Read files, folders and patterns page by page, each with its lines in reading order.

    Parameters
    ----------
    inputs : iterable of str or Path
        As for `find_sources`.
    kind : {"auto", "line", "page"}
        Whether images show one line or a page each; by default what most of them show.
    layout : {"builtin", "tesseract"}
        What finds the lines of a page.
    leave_out : callable
        Called with each file that has something that cannot be read, and the error; the rest is read all the same.
        By default the error is raised, and so it is where nothing can be read.
    progress : callable, optional
        Called with how many pages are done, of how many.
    settings : LayoutSettings, optional
    """
    refused: list[InputError] = []

    def pass_over(path: Path, error: InputError) -> None:
        leave_out(path, error)
        refused.append(error)

    wanted = requests(inputs, kind, layout, leave_out=pass_over, settings=settings)
    size = _LINES_AT_ONCE if wanted and wanted[0].kind == "line" else 1
    pieces = [wanted[start : start + size] for start in range(0, len(wanted), size)]
    n_read = n_done = 0
    with PageReader() as reader:  # each process has its own, and its file open from piece to piece
        for piece, found in zip(pieces, in_processes(partial(_lay_out_piece, reader), pieces), strict=True):
            for request, page in zip(piece, found, strict=True):
                if progress is not None:
                    progress(n_done, len(wanted))
                n_done += 1
                if isinstance(page, InputError):
                    pass_over(request.source, page)
                else:
                    n_read += 1
                    yield page
    if progress is not None:
        progress(len(wanted), len(wanted))
    if refused and not n_read:
        several = f"none of {len(refused)} files can be read; the first: " if len(refused) > 1 else ""
        raise InputError(f"{several}{refused[0]}")


def requests(
    inputs: Iterable[str | Path],
    kind: Kind = "auto",
    layout: Layout = "builtin",
    *,
    leave_out: LeaveOut = refuse,
    settings: LayoutSettings = DEFAULT,
) -> list[PageRequest]:
    """List the pages of files, folders and patterns, in order; parameters are those of `read_lines`."""
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; one of {', '.join(KINDS)} wanted")
    if layout not in _LAYOUTS:
        raise InputError(f"layout is {layout!r}; one of {', '.join(_LAYOUTS)} wanted")
    sources = find_sources(inputs, leave_out)
    shown = kind_of(sources, settings) if kind == "auto" else kind
    found: list[PageRequest] = []
    for source in sources:
        try:
            count = 1 if source.image is not None else page_count(source.path)
        except Exception as error:
            leave_out(source.path, unreadable(source.path, error))
        else:
            kind_here = "page" if source.is_pdf else shown
            found += [PageRequest(source.path, index, kind_here, layout, settings) for index in range(count)]
    return found


def lay_out(request: PageRequest, reader: PageReader) -> PageLines:
    """Find the lines of one page; a `reader` that is used for all pages of a file opens it once.

    The result depends on nothing but the request and its file, so that pages can be laid out in any order and by any
    number of processes.
    """
    if request.source.suffix.lower() == XML_SUFFIX:
        marked = read_xml_page(request.source)
        if marked is None:
            raise InputError(f"{request.source} is neither PAGE nor ALTO any more; put back what was there")
        page = replace(reader.read(marked.image), source=request.source)
        return outlined_lines(page, marked.outlines, marked.size, marked.regions, request.settings)
    page = reader.read(request.source, request.index)
    find = single_line if request.kind == "line" else _LAYOUTS[request.layout]
    return find(page, request.settings)


def _lay_out_piece(reader: PageReader, piece: Sequence[PageRequest]) -> list[PageLines | InputError]:
    """Each page, or what is wrong with it."""
    found: list[PageLines | InputError] = []
    for request in piece:
        try:
            found.append(lay_out(request, reader))
        except Exception as error:
            found.append(unreadable(request.source, error))
    return found


def kind_of(sources: Sequence[Source], settings: LayoutSettings = DEFAULT) -> Literal["line", "page"]:
    """What most of a few images show; one that cannot be read does not count."""
    images = [source.path for source in sources if source.image is None and not source.is_pdf]
    chosen = np.unique(np.linspace(0, len(images) - 1, _MOST_ASKED).astype(int)) if images else ()
    votes = 0
    for index in chosen:
        with PageReader() as reader, suppress(Exception):
            votes += 1 if line_count(reader.read(images[index]), settings) == 1 else -1
    return "line" if votes > 0 else "page"
