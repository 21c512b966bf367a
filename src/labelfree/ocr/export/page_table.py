"""A table of all pages, those with the most errors expected first: where a person should look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from labelfree.ocr.export.markup import legal
from labelfree.ocr.sources.names import output_stems
from labelfree.ocr.types import Page

PAGE_TABLE = "pages.tsv"
"""Name of the table in the folder of what was read."""

_COLUMNS = ("page", "expected_error", "characters", "lines", "source", "index")


@dataclass(frozen=True)
class PageDoubt:
    """How far a page is to be believed.

    Attributes
    ----------
    page : str
        The name of its files without their ending.
    expected_error : float or None
        Share of its characters that are expected to be wrong; None for a page on which nothing was read.
    characters, lines : int
    source : Path
    index : int
        In the source, from 0.
    """

    page: str
    expected_error: float | None
    characters: int
    lines: int
    source: Path
    index: int


def pages_by_doubt(pages: Iterable[Page]) -> list[PageDoubt]:
    """All pages, those with the most errors expected first and those without text last."""
    listed = list(pages)
    doubts = [
        PageDoubt(stem.as_posix(), page.expected_error, len(page.text), len(page.lines), page.source, page.index)
        for page, stem in zip(listed, output_stems([page.key for page in listed]), strict=True)
    ]
    return sorted(doubts, key=lambda each: -1.0 if each.expected_error is None else each.expected_error, reverse=True)


def page_table(pages: Iterable[Page]) -> bytes:
    """The table: a line of names, then a line for each page, with tabs between."""
    rows = [
        (each.page, _share(each.expected_error), each.characters, each.lines, each.source, each.index)
        for each in pages_by_doubt(pages)
    ]
    cells = ("\t".join(" ".join(legal(str(cell)).split()) for cell in row) for row in (_COLUMNS, *rows))
    return "".join(f"{row}\n" for row in cells).encode()


def _share(expected_error: float | None) -> str:
    return "" if expected_error is None else f"{expected_error:.4f}"
