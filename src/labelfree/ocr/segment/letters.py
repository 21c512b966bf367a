"""The letters of one line, before spaces: atoms of ink, and the ways to read them as letters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.band import Band, find_band
from labelfree.ocr.segment.cuts import cut_parts
from labelfree.ocr.segment.parts import describe, find_parts, stack_parts, stroke_width
from labelfree.ocr.segment.paths import Runs, choose_runs, list_runs
from labelfree.ocr.segment.shapes import Lexicon, describe_shapes, find_stops
from labelfree.ocr.segment.spaces import measure_gaps


@dataclass(frozen=True, eq=False)
class Atoms:
    """The least pieces that letters are made of, in reading order.

    Attributes
    ----------
    band : Band
    owner : array of shape (height, width)
        Number of the atom that each pixel belongs to, -1 for paper.
    letter : array of shape (n,)
        Atoms with the same number hang together.
    runs : Runs
        Runs of atoms that may be letters.
    vectors : array of shape (r, d)
        The shape of each run.
    """

    band: Band
    owner: NDArray[np.int32]
    letter: NDArray[np.int64]
    runs: Runs
    vectors: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Letters:
    """Letters in reading order, with the number of the letter that each pixel belongs to (-1 for paper).

    The gaps are those between each letter and the next, in x-heights; `is_stop` tells marks that follow a word without
    a space: stops, commas, colons, marks of question and exclamation, double hyphens.
    """

    band: Band
    boxes: NDArray[np.int64]
    owner: NDArray[np.int32]
    gaps: NDArray[np.float64]
    is_stop: NDArray[np.bool_]


def find_atoms(strokes: NDArray[np.bool_], x_height: float | None) -> Atoms:
    """Atoms of a line with ink."""
    band = find_band(strokes, x_height)
    whole = find_parts(strokes, band, stroke_width(strokes))
    labels, seams = cut_parts(whole, stack_parts(whole, band), band)
    parts = describe(labels, band)
    centre = parts.core.mean(1)
    keys = []
    for i, name in enumerate(seams.letter.tolist()):
        columns = [column for column, _ in seams.columns.get(name, [])]
        keys.append((name, int(np.searchsorted(columns, centre[i], side="right"))))
    members: dict[tuple[int, int], list[int]] = {}
    for i, key in enumerate(keys):
        if key[0] >= 0:
            members.setdefault(key, []).append(i)
    place: dict[int, float] = {}
    for (name, _), found in members.items():
        place[name] = min(place.get(name, np.inf), float(centre[found].min()))
    order = sorted(members, key=lambda key: (place[key[0]], key))
    number = np.full(len(keys) + 1, -1, np.int32)
    boxes = np.zeros((len(order), 4), np.int64)
    for rank, key in enumerate(order):
        found = members[key]
        number[np.array(found) + 1] = rank
        boxes[rank] = *parts.boxes[found, :2].min(0), *parts.boxes[found, 2:].max(0)
    letter = np.array([name for name, _ in order], dtype=np.int64)
    seam = np.array([seams.columns[name][slot - 1][1] if slot else 0.0 for name, slot in order])
    owner = number[labels]
    runs = list_runs(boxes, _gaps(owner, boxes, band), letter, seam, band.x_height)
    baseline = band.baseline_at(runs.boxes[:, [0, 2]].mean(1))
    return Atoms(band, owner, letter, runs, describe_shapes(owner >= 0, runs.boxes, baseline, band.x_height))


def read_letters(atoms: Atoms, lexicon: Lexicon | None) -> Letters:
    """Letters by the lexicon, or as the ink hangs together where there is none."""
    chosen = choose_runs(atoms.runs, atoms.vectors, lexicon, len(atoms.letter))
    boxes = atoms.runs.boxes[chosen]
    rank = np.repeat(np.arange(len(chosen)), atoms.runs.last[chosen] - atoms.runs.first[chosen] + 1)
    owner = np.append(rank, -1).astype(np.int32)[atoms.owner]
    is_stop = find_stops(atoms.vectors[chosen])
    return Letters(atoms.band, boxes, owner, _gaps(owner, boxes, atoms.band), is_stop)


def _gaps(owner: NDArray[np.int32], boxes: NDArray[np.int64], band: Band) -> NDArray[np.float64]:
    if len(boxes) < 2:
        return np.zeros(0)
    height, width = owner.shape
    middle = float(band.baseline_at(np.array([width / 2]))[0])
    rows = int(np.clip(middle - 1.05 * band.x_height, 0, height - 1)), int(np.clip(middle, 1, height))
    return measure_gaps(owner, boxes, rows) / band.x_height
