"""Lines that were corrected elsewhere, as in eScriptorium or Transkribus: texts of ALTO and PAGE files."""

from __future__ import annotations

from pathlib import Path

from labelfree.ocr.sources.xml_texts import MarkedText, read_texts
from labelfree.ocr.types import Box, Page
from labelfree.studio.corrected import LinePlace, nearest
from labelfree.studio.edition import Edition


def corrected_elsewhere(edition: Edition, path: Path) -> dict[str, str]:
    """The text of each line that a file says otherwise than it was read, by the line's key."""
    marked = read_texts(path)
    places = _page_of(edition, path, marked)
    if places is None:
        return {}
    page = edition.record.document.pages[places]
    by = (page.width / marked.size[0], page.height / marked.size[1]) if marked.size else (1.0, 1.0)
    found: dict[LinePlace, str] = {}
    for outline, text in marked.lines:
        x0, y0 = (outline.min(0) * by).round().astype(int).tolist()
        x1, y1 = (outline.max(0) * by).round().astype(int).tolist()
        i = nearest(Box(x0, y0, x1, y1), [line.box for line in page.lines])
        if i is not None and " ".join(text.split()) != page.lines[i].text:
            found[places, i] = " ".join(text.split())
    return {edition.index.keys[p][i]: text for (p, i), text in found.items()}


def _page_of(edition: Edition, path: Path, marked: MarkedText) -> int | None:
    """The page that a file speaks of: by the name of its image, or by its own."""
    names = {Path(marked.image.replace("\\", "/")).name.casefold(), path.name.casefold()}
    stems = {name.split(".")[0] for name in names if name}
    for p, (page, stem) in enumerate(zip(edition.record.document.pages, edition.index.stems, strict=True)):
        if _is_of(page, stem, names, stems):
            return p
    return 0 if len(edition.record.document.pages) == 1 else None


def _is_of(page: Page, stem: Path, names: set[str], stems: set[str]) -> bool:
    is_whole = page.index == 0 and page.source.name.casefold() in names and stem.name == page.source.stem
    return is_whole or stem.name.casefold() in stems
