"""`labelfree ocr groups`: the characters of a book in numbered groups, for a person to name."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labelfree import progress
from labelfree.cli.ocr_report import FoundPages
from labelfree.cli.show import as_facts, as_json
from labelfree.files import write_aside
from labelfree.ocr.book import Book
from labelfree.ocr.glyphs.clusters import ClusterReading, cluster_readings, cluster_tiles, members
from labelfree.ocr.glyphs.clusters_picture import SHOWN, draw_clusters
from labelfree.ocr.language import unknown_language
from labelfree.ocr.tile_reader import read_tiles

if TYPE_CHECKING:
    from labelfree.ocr.reader import Reader


def draw(found: FoundPages, reader: Reader | None, out: Path) -> list[dict[str, Any]]:
    """Group the characters of a book and draw them; returns the size of each group and what it is read as."""
    language = reader.language if reader else unknown_language()
    book = Book.measure(found.lines, language)
    progress.stage("grouping characters")
    groups = cluster_tiles(book.tiles)
    rows: list[dict[str, Any]] = [{"size": int(size)} for size in np.bincount(groups.labels)]
    readings: list[ClusterReading] | None = None
    if reader is not None:
        seen = Book.cut(found.lines, reader.language, reader.type)
        read = read_tiles(seen.with_shapes(reader.settings.shape_prior), reader.classifier, reader.settings.tile_reader)
        readings = cluster_readings(groups, read.labels, reader.language.lm.alphabet.symbols)
        for row, reading in zip(rows, readings, strict=True):
            row |= dataclasses.asdict(reading)
    pictures = [[_ink(book, tile) for tile in tiles] for tiles in members(groups, SHOWN)]
    write_aside(out, draw_clusters(pictures, book.type.style.x_height, readings))
    return rows


def _ink(book: Book, tile: int) -> NDArray[Any]:
    """What a tile shows, at the size at which it is looked at."""
    x0, y0, x1, y1 = book.boxes[tile]
    ink: NDArray[Any] = book.lines[book.line_of_tile[tile]].ink[max(y0, 0) : y1, max(x0, 0) : x1]
    return ink


def show(rows: list[dict[str, Any]], found: FoundPages, out: Path, json: bool) -> None:
    """Print what was drawn, for people or for programs."""
    if json:
        as_json({"picture": str(out), "groups": rows, **found.as_dict()})
        return
    as_facts(
        [
            ("groups", f"{len(rows):,} of {sum(row['size'] for row in rows):,} characters"),
            ("picture", out),
            ("next", "write lines such as 'group 17 = æ' to a file, and learn again with --hints"),
        ]
    )
