"""The report on a book: the verdict, the learned alphabet, pages from the worst, how it was learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labelfree.ocr.alternatives import DOUBTFUL
from labelfree.ocr.types import Document, Glyph, Line, Page
from labelfree.report.curves import grams_plot, rounds_plot, search_plot
from labelfree.report.parts import Part, level, parts
from labelfree.report.pictures import LineSheet, Packing, line_sheets
from labelfree.report.record import BookRecord
from labelfree.report.render import rendered, write_page
from labelfree.report.specimen import Specimen, SpecimenSheet, x_height
from labelfree.report.truth import Change, Compared, compare

ROOM = 4_850_000  # characters that a report may have, so that 50 pages stay below 5 MB
_LEAST_ROOM = 0.25  # of that, for pictures of lines in any case
_TAKEN = {"all": 90_000, "symbol": 6_500, "line": 420, "doubtful": 95}  # characters besides those pictures'
_PILOT_PAGES = 8
_SINGLE = "Lines"
_TALLEST = 8.0  # x-heights that the picture of a line is shown in


@dataclass(frozen=True)
class LineView:
    """A line as it is shown."""

    id: str
    number: int
    parts: tuple[Part, ...]
    error: float
    picture: str
    ratio: float  # of the picture's width to its height
    height: float  # of the picture, in x-heights of the book
    changes: tuple[Change, ...] | None
    name: str = ""  # of its file, where each line has its own

    @property
    def is_wrong(self) -> bool:
        """Whether the truth is there and says otherwise."""
        return self.changes is not None and not all(change.is_right for change in self.changes)

    @property
    def is_doubtful(self) -> bool:
        """Whether a character is."""
        return any(part.level > 0 for part in self.parts)


@dataclass(frozen=True)
class PageView:
    """A page as it is shown: its lines, and where each lies on it in thousandths of its width."""

    title: str
    id: str
    number: int
    error: float
    lines: tuple[LineView, ...]
    boxes: tuple[tuple[int, int, int, int, float, str], ...] = ()  # x, y, width, height, expected error, line
    ratio: float = 1.0  # of its height to its width


def write_report(record: BookRecord, path: Path, *, truth: Path | None = None) -> Path:
    """Write the report on a reading as one HTML file."""
    return write_page(path, book_report(record, truth=truth))


def book_report(record: BookRecord, *, truth: Path | None = None) -> str:
    """The report on a reading as HTML."""
    document = record.document
    compared = compare(document, truth)
    pages, specimens = _looked_at(record, compared)
    counts = Counter(specimen.symbol for specimen in specimens)
    never = [gram for gram in record.grams.symbols if gram.symbols[0] not in counts and gram.symbols[0].strip()]
    lines = [line for page in document.pages for line in page.lines]
    return rendered(
        "book.html",
        title=_title(document),
        verdict=record.verdict,
        language=document.language,
        facts=[
            *([("language", document.language)] if document.language else []),
            *([("pages", f"{len(document.pages):,}")] if len(document.pages) != len(lines) else []),
            ("lines", f"{len(lines):,}"),
            ("characters", f"{sum(len(line.text) for line in lines):,}"),
            ("symbols", f"{len(specimens):,}"),
        ],
        families=_families(specimens),
        never=sorted(never, key=lambda gram: -gram.wanted),
        pages=sorted(pages, key=lambda page: -page.error),
        is_single=len(pages) == 1 and pages[0].title == _SINGLE,
        has_pictures=any(line.picture for page in pages for line in page.lines),
        n_without_picture=sum(not line.picture for page in pages for line in page.lines),
        compared=compared,
        search=search_plot(record.search),
        rounds=rounds_plot(record.rounds),
        grams=record.grams,
        symbols_plot=grams_plot(record.grams.symbols, ()),
        pairs_plot=grams_plot(record.grams.pairs, record.grams.mismatches),
    )


def _looked_at(record: BookRecord, compared: Compared | None) -> tuple[list[PageView], tuple[Specimen, ...]]:
    """Every page and the alphabet; each scan is opened once, but for a few that tell how large pictures may be."""
    document = record.document
    pages = document.pages
    n_lines = sum(len(page.lines) for page in pages)
    few = [pages[i * len(pages) // _PILOT_PAGES] for i in range(_PILOT_PAGES)] if pages else []
    pilot = [sheet for page in few for sheet in line_sheets(page) if sheet is not None]
    room = _room(document)
    packing, alphabet = Packing.fitting(pilot, n_lines, room), SpecimenSheet(document)
    small = x_height(pages)
    views: dict[int, PageView] = {}
    for p in sorted(range(len(pages)), key=lambda p: pages[p].confidence):
        sheets = list(line_sheets(pages[p]))
        alphabet.see(p, pages[p], sheets)
        pictures = []
        for sheet in sheets:
            picture = packing.uri(sheet) if sheet is not None and room > 0 else ""
            room -= len(picture)
            pictures.append(picture)
        views[p] = _page_view(p, record, sheets, pictures, small, compared)
    return _grouped([views[p] for p in range(len(pages))]), alphabet.draw()


def _room(document: Document) -> int:
    """Characters that pictures of lines may take, the rest of the report left aside."""
    glyphs = [glyph for page in document.pages for line in page.lines for glyph in line.glyphs]
    counts = {
        "all": 1,
        "symbol": len({glyph.text for glyph in glyphs}),
        "line": sum(len(page.lines) for page in document.pages),
        "doubtful": sum(glyph.confidence < DOUBTFUL for glyph in glyphs),
    }
    return int(max(ROOM - sum(_TAKEN[name] * count for name, count in counts.items()), _LEAST_ROOM * ROOM))


def _grouped(views: list[PageView]) -> list[PageView]:
    """Pages as they are, or all of them as one where each is the image of a single line."""
    if len(views) < 2 or any(len(view.lines) > 1 for view in views):
        return views
    lines = sorted((line for view in views for line in view.lines), key=lambda line: (-line.error, line.number))
    error = sum(line.error for line in lines) / max(len(lines), 1)
    return [PageView(_SINGLE, "lines", 0, error, tuple(lines))]


def _page_view(
    p: int,
    record: BookRecord,
    sheets: Sequence[LineSheet | None],
    pictures: Sequence[str],
    small: float,
    compared: Compared | None,
) -> PageView:
    page, others = record.document.pages[p], record.alternatives
    true = compared.lines.get(p) if compared else None
    alone = len(page.lines) == 1
    lines = tuple(
        LineView(
            f"p{p}l{i}",
            p + 1 if alone else i + 1,
            _parts(line, sheet, {g: others.get((p, i, g), ()) for g in range(len(line.glyphs))}),
            1 - line.confidence,
            picture,
            sheet.grey.shape[1] / sheet.grey.shape[0] if sheet is not None else 1.0,
            min(sheet.grey.shape[0] / (small * sheet.scale), _TALLEST) if sheet is not None else 0.0,
            None if true is None or i >= len(true) else true[i],
            _name(page) if alone else "",
        )
        for i, (line, sheet, picture) in enumerate(zip(page.lines, sheets, pictures, strict=True))
    )
    boxes = tuple(_on_page(line, page, view) for line, view in zip(page.lines, lines, strict=True))
    ratio = page.height / max(page.width, 1)
    return PageView(_name(page), f"p{p}", p + 1, 1 - page.confidence if page.lines else 0.0, lines, boxes, ratio)


def _parts(line: Line, sheet: LineSheet | None, others: dict[int, tuple[tuple[str, float], ...]]) -> tuple[Part, ...]:
    """A line's text with what is told of its doubtful characters."""
    places = sheet.shares.tolist() if sheet is not None else [(0.0, 0.0)] * len(line.glyphs)
    return parts(
        (Part(glyph.text, level(glyph.confidence), _told(glyph, others[g]), 100 * begin, 100 * (end - begin)))
        for g, (glyph, (begin, end)) in enumerate(zip(line.glyphs, places, strict=True))
    )


def _told(glyph: Glyph, others: Sequence[tuple[str, float]]) -> str:
    """What is said of a doubtful character."""
    listed = ", ".join(f"{'␣' if other.isspace() else other} {share:.0%}" for other, share in others)
    return f"{glyph.confidence:.0%} sure" + (f", or {listed}" if listed else "")


def _on_page(line: Line, page: Page, view: LineView) -> tuple[int, int, int, int, float, str]:
    by = 1000 / max(page.width, 1)
    box = line.box
    at = (round(box.x0 * by), round(box.y0 * by), round(box.width * by), round(box.height * by))
    return (*at, view.error, view.id)


def _families(specimens: Sequence[Specimen]) -> list[tuple[str, list[Specimen]]]:
    names = dict.fromkeys(specimen.family for specimen in specimens)
    return [(name, [each for each in specimens if each.family == name]) for name in names]


def _name(page: Page) -> str:
    """The name of a page; folders are left out, as reports are shared."""
    return page.source.name + (f", page {page.index + 1}" if page.index else "")


def _title(document: Document) -> str:
    names = dict.fromkeys(page.source for page in document.pages)
    if len(names) == 1:
        return next(iter(names)).stem
    folders = {path.parent.name for path in names}
    return next(iter(folders)) if len(folders) == 1 and folders != {""} else "What was read"
