"""`labelfree ocr groups`: the characters of a book in numbered groups, for a person to name."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labelfree.cli.ocr_report import FoundPages
from labelfree.cli.show import as_facts, as_json
from labelfree.files import write_aside
from labelfree.ocr.cutting import Segmenter, cut_book
from labelfree.ocr.glyphs.clusters import ClusterReading, cluster_readings, cluster_tiles, members
from labelfree.ocr.glyphs.clusters_picture import SHOWN, draw_clusters
from labelfree.ocr.glyphs.tiles import stack

if TYPE_CHECKING:
    from labelfree.cli.progress import Progress
    from labelfree.ocr.reader import Reader


def draw(
    found: FoundPages, reader: Reader | None, segmenter: Segmenter, out: Path, progress: Progress
) -> list[dict[str, Any]]:
    """Group the characters of a book and draw them; returns the size of each group and what it is read as."""
    book = cut_book([line for page in found.pages for line in page.lines], segmenter, progress)
    progress.stage("grouping characters", 0, 0)
    groups = cluster_tiles(stack([line.tiles for line in book.cut]))
    rows: list[dict[str, Any]] = [{"size": int(size)} for size in np.bincount(groups.labels)]
    readings: list[ClusterReading] | None = None
    if reader is not None:
        read, _ = reader.read_tiles(book.cut)
        labels = np.concatenate([line.labels for line in read])
        readings = cluster_readings(groups, labels, reader.language.lm.alphabet.symbols)
        for row, reading in zip(rows, readings, strict=True):
            row |= dataclasses.asdict(reading)
    write_aside(out, draw_clusters(members(groups, book.cut, SHOWN), book.style.x_height, readings))
    return rows


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
