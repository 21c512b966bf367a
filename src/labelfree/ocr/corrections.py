"""What the lines of a book were read as, put right by the language: of tiles and of whole lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from labelfree.lm import NGramLM
from labelfree.ocr.cutting import CutLine, near_the_one_before, of_each_tile
from labelfree.ocr.respell import respell, revise, tile_of_each
from labelfree.ocr.selftrain import LineReading
from labelfree.solvers.monitor import Monitor


def respelled(
    rows: NDArray[np.floating],
    cut: Sequence[CutLine],
    read: Sequence[NDArray[np.int64]],
    lm: NGramLM,
    *,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> list[NDArray[np.int64]]:
    """What lines say whose tiles, with `rows` for features, were `read` one by one: whole shapes are put right."""
    return respell(
        rows,
        np.concatenate(read),
        np.array([len(line.tiles) for line in cut], np.int64),
        lm,
        may_join=near_the_one_before(cut),
        in_capitals=of_each_tile([line.in_capitals for line in cut], cut),
        seed=seed,
        monitor=monitor,
    )


def revised(
    rows: NDArray[np.floating],
    cut: Sequence[CutLine],
    read: Sequence[LineReading],
    lm: NGramLM,
    *,
    seed: int = 0,
    monitor: Monitor | None = None,
) -> list[NDArray[np.int64]]:
    """What lines say that were `read` as a whole: forms of a symbol are put right by the tiles that show them."""
    before = np.cumsum([0] + [len(line.tiles) for line in cut[:-1]])
    shown = [tile_of_each(found.boxes, line.boxes) for found, line in zip(read, cut, strict=True)]
    tile_of = np.concatenate([np.where(tile < 0, -1, start + tile) for start, tile in zip(before, shown, strict=True)])
    return revise([line.labels for line in read], tile_of, rows, lm, seed=seed, monitor=monitor)
