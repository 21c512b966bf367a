"""The learned alphabet, symbol by symbol, with every place of each: strangers first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from labelfree.ocr.types import Document
from labelfree.report.alternatives import Place
from labelfree.report.pictures import line_sheets
from labelfree.report.specimen import (
    LITTLE_SUPPORT,
    Specimen,
    SpecimenSheet,
    alphabetically,
    family,
    glyph_tiles,
    word_at,
    x_height,
)
from labelfree.studio.corrected import Corrections

_SMALLER = 4  # pixels of a glyph brought to size to one by which places are compared
_LEAST_TO_PART = 8  # places below which no two looks are told apart


@dataclass(frozen=True, eq=False)
class GlyphSheet:
    """How every character of a reading looks: small pictures of one size, and the specimen of each symbol."""

    row_of: Mapping[Place, int]
    rows: NDArray[np.float32]  # (n, pixels), ink 1 and paper 0
    specimens: Mapping[str, Specimen]

    @classmethod
    def measure(cls, document: Document) -> GlyphSheet:
        """Cut every character out of the scans; those that cannot be opened any more have none."""
        specimen, small = SpecimenSheet(document), x_height(document.pages)
        row_of: dict[Place, int] = {}
        rows: list[NDArray[np.float32]] = []
        for p, page in enumerate(document.pages):
            sheets = list(line_sheets(page))
            specimen.see(p, page, sheets)
            for i, (line, sheet) in enumerate(zip(page.lines, sheets, strict=True)):
                if sheet is None:
                    continue
                wanted = [g for g, glyph in enumerate(line.glyphs) if not glyph.is_space]
                for g, tile in zip(wanted, glyph_tiles(sheet, wanted, small * sheet.scale), strict=True):
                    if tile is not None:
                        row_of[p, i, g] = len(rows)
                        rows.append(_reduced(tile))
        stacked = np.stack(rows) if rows else np.empty((0, 1), np.float32)
        return cls(row_of, stacked, {each.symbol: each for each in specimen.draw()})

    def strangeness(self, places: Sequence[Place]) -> NDArray[np.float64]:
        """How unlike the mean of all each place is, from 0 to 1; where no scan shows it, 0."""
        found = np.zeros(len(places))
        at = [k for k, place in enumerate(places) if place in self.row_of]
        if at:
            rows = self.rows[[self.row_of[places[k]] for k in at]]
            mean = rows.mean(0)
            found[at] = 1 - np.minimum(rows, mean).sum(1) / np.maximum(np.maximum(rows, mean).sum(1), 1e-6)
        return found

    def looks(self, places: Sequence[Place]) -> list[int]:
        """Which of two looks each place has, 0 for that of most of them."""
        at = [k for k, place in enumerate(places) if place in self.row_of]
        found = np.zeros(len(places), np.int64)
        rows = self.rows[[self.row_of[places[k]] for k in at]] if at else self.rows[:0]
        if len(rows) >= _LEAST_TO_PART and len(np.unique(rows, axis=0)) > 1:
            parts = KMeans(2, n_init=3, random_state=0).fit(rows).labels_
            found[at] = parts if 2 * parts.sum() <= len(parts) else 1 - parts
        listed: list[int] = found.tolist()
        return listed


def places_of(document: Document) -> dict[str, list[Place]]:
    """Where each symbol of a reading stands, in the order of the alphabet."""
    found: dict[str, list[Place]] = {}
    for p, page in enumerate(document.pages):
        for i, line in enumerate(page.lines):
            for g, glyph in enumerate(line.glyphs):
                if not glyph.is_space:
                    found.setdefault(glyph.text, []).append((p, i, g))
    return {symbol: found[symbol] for symbol in sorted(found, key=alphabetically)}


def marked_places(document: Document, corrections: Corrections) -> dict[str, list[Place]]:
    """The same with single characters as a person named them; lines that were transcribed stand as they were read."""
    found = places_of(document)
    for place, symbol in corrections.marks.items():
        p, i, g = place
        was = document.pages[p].lines[i].glyphs[g].text
        if was != symbol and place in found.get(was, ()):
            found[was].remove(place)
            found.setdefault(symbol, []).append(place)
    return {symbol: found[symbol] for symbol in sorted(found, key=alphabetically) if found[symbol]}


def symbol_views(glyphs: GlyphSheet, places: Mapping[str, Sequence[Place]]) -> list[dict[str, Any]]:
    """Each symbol in what JSON has."""
    views = []
    for symbol, where in places.items():
        known = glyphs.specimens.get(symbol)
        views.append(
            {
                "symbol": symbol,
                "count": len(where),
                "family": family(symbol),
                "mean": known.mean if known else "",
                "width": round(known.width, 2) if known else 0.0,
                "sure": round(known.confidence, 3) if known else 1.0,
                "little": len(where) < LITTLE_SUPPORT,
                "twin": known.looks_like if known else "",
            }
        )
    return views


def place_views(
    document: Document, places: Sequence[Place], strangeness: Sequence[float], looks: Sequence[int], number: int
) -> list[dict[str, Any]]:
    """Places in what JSON has: which picture shows them, where in it, and the word they stand in."""
    views = []
    for (p, i, g), strange, look in zip(places, strangeness, looks, strict=True):
        line = document.pages[p].lines[i]
        glyph, width = line.glyphs[g], max(line.box.width, 1)
        views.append(
            {
                "place": [p, i, g],
                "picture": f"line/{number}/{p}/{i}.webp",
                "ratio": round(width / max(line.box.height, 1), 3),
                "begin": round((glyph.box.x0 - line.box.x0) / width, 4),
                "end": round((glyph.box.x1 - line.box.x0) / width, 4),
                "word": word_at(line.glyphs, g),
                "sure": round(glyph.confidence, 3),
                "strange": round(strange, 3),
                "look": look,
            }
        )
    return views


def _reduced(tile: NDArray[np.float32]) -> NDArray[np.float32]:
    height, width = tile.shape
    cut = tile[: height // _SMALLER * _SMALLER, : width // _SMALLER * _SMALLER]
    means: NDArray[np.float32] = cut.reshape(height // _SMALLER, _SMALLER, width // _SMALLER, _SMALLER).mean((1, 3))
    return means.reshape(-1)
