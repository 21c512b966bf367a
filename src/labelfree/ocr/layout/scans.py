"""Everything that can be read, as pages of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from labelfree.errors import InputError
from labelfree.ocr.layout.outlines import outlined_lines
from labelfree.ocr.layout.page import line_count, page_lines, single_line
from labelfree.ocr.sources.files import LeaveOut, Source, find_sources, refuse
from labelfree.ocr.sources.images import PageImage, read_pages
from labelfree.ocr.sources.xml_pages import XmlPage
from labelfree.ocr.types import PageLines

Kind = Literal["auto", "line", "page"]
KINDS: tuple[Kind, ...] = ("auto", "line", "page")
_MOST_ASKED = 15


def read_lines(
    inputs: Iterable[str | Path],
    kind: Kind = "auto",
    layout: Callable[[PageImage], PageLines] = page_lines,
    *,
    leave_out: LeaveOut = refuse,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[PageLines]:
    """Read files, folders and patterns page by page, each with its lines in reading order.

    Parameters
    ----------
    inputs : iterable of str or Path
        As for `find_sources`.
    kind : {"auto", "line", "page"}
        Whether images show one line or a page each; by default what most of them show.
    layout : callable
        What finds the lines of a page: `page_lines` or `tesseract_lines`.
    leave_out : callable
        Hears of each file that cannot be read, and why; the rest is read all the same. By default it is an error, and
        so it is where no file can be read.
    progress : callable, optional
        Hears how many files are done, of how many.
    """
    if kind not in KINDS:
        raise InputError(f"kind is {kind!r}; one of {', '.join(KINDS)} wanted")
    refusals: list[InputError] = []

    def pass_over(path: Path, error: InputError) -> None:
        leave_out(path, error)
        refusals.append(error)

    sources = find_sources(inputs, pass_over)
    if kind == "auto":
        kind = kind_of(sources)
    n_pages = 0
    for done, source in enumerate(sources):
        if progress is not None:
            progress(done, len(sources))
        try:
            for page in lines_of(source, kind, layout):
                yield page
                n_pages += 1
        except InputError as error:
            pass_over(source.path, error)
    if progress is not None:
        progress(len(sources), len(sources))
    if refusals and not n_pages:
        several = f"none of {len(refusals)} files can be read; the first: " if len(refusals) > 1 else ""
        raise InputError(f"{several}{refusals[0]}")


def lines_of(
    source: Source, kind: Literal["line", "page"] | Kind, layout: Callable[[PageImage], PageLines] = page_lines
) -> Iterator[PageLines]:
    """Pages of one source; an XML file's lines are the ones it marks, a PDF holds pages whatever the kind."""
    if source.xml is not None:
        yield _marked_lines(source.xml)
        return
    find = single_line if kind == "line" and not source.is_pdf else layout
    for page in read_pages(source.path):
        yield find(page)


def _marked_lines(xml: XmlPage) -> PageLines:
    page = replace(next(read_pages(xml.image)), source=xml.path)
    return outlined_lines(page, xml.outlines, xml.size)


def kind_of(sources: Sequence[Source]) -> Literal["line", "page"]:
    """Whether most of the images, a few of them asked, show a line or a page; one that cannot be read has no vote."""
    images = [source for source in sources if source.xml is None and not source.is_pdf]
    if not images:
        return "page"
    chosen = np.unique(np.linspace(0, len(images) - 1, _MOST_ASKED).astype(int))
    votes = [_line_count(images[index]) for index in chosen]
    lines, pages = sum(vote == 1 for vote in votes), sum(vote > 1 for vote in votes)
    return "line" if lines > pages else "page"


def _line_count(source: Source) -> int:
    try:
        return line_count(next(read_pages(source.path)))
    except InputError:
        return 0
