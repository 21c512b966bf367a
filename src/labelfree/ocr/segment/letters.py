"""The letters of one line, before spaces: atoms of ink, and the ways to read them as letters."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment import components
from labelfree.ocr.segment.baseline import Band
from labelfree.ocr.segment.codebook import describe_shapes, find_marks
from labelfree.ocr.segment.lattice import Lattice, build_lattice
from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings
from labelfree.ocr.segment.spaces import measure_gaps


@dataclass(frozen=True, eq=False)
class Atoms:
    """The least pieces that letters are made of, in reading order."""

    band: Band
    owner: NDArray[np.int32]  # (height, width), number of each pixel's atom, -1 for paper
    lattice: Lattice  # runs of atoms that may be letters
    shapes: NDArray[np.float32]  # (edges of the lattice, d)
    settings: SegmentSettings


@dataclass(frozen=True, eq=False)
class Letters:
    """Letters in reading order."""

    band: Band
    boxes: NDArray[np.int64]
    owner: NDArray[np.int32]  # (height, width), number of each pixel's letter, -1 for paper
    gaps: NDArray[np.float64]  # between each letter and the next, in x-heights
    is_stop: NDArray[np.bool_]  # follows a word without a space: stops, commas, colons, ``?``, ``!``, double hyphens
    is_quote: NDArray[np.bool_]  # quotes and apostrophes


def find_atoms(strokes: NDArray[np.bool_], band: Band, settings: SegmentSettings = DEFAULT) -> Atoms | None:
    """Atoms of a line, or None where it has no ink but specks and strangers."""
    rise = components.rise_above(band, strokes.shape)
    whole = components.find_line_components(strokes, band, rise, settings)
    letter_of = components.assign_letters(whole, band, settings)
    labels, seams = components.cut_components(whole, letter_of, band, settings)
    pieces = components.describe(labels, band, rise, settings) if seams.columns else whole
    centres = pieces.core.mean(1).tolist()
    members: dict[tuple[int, int], list[int]] = {}
    place: dict[int, float] = {}
    for i, (name, centre) in enumerate(zip(seams.letter.tolist(), centres, strict=True)):
        if name >= 0:
            slot = bisect_right(seams.columns.get(name, ()), (centre, 0.0))
            members.setdefault((name, slot), []).append(i)
            place[name] = min(place.get(name, centre), centre)
    if not members:
        return None
    order = sorted(members, key=lambda key: (place[key[0]], key))
    rank = np.full(len(centres), -1, np.int32)
    for number, key in enumerate(order):
        rank[members[key]] = number
    own = np.concatenate([members[key] for key in order])
    starts = np.cumsum([0] + [len(members[key]) for key in order[:-1]])
    boxes = _unions(pieces.boxes[own], starts)
    letter = np.array([name for name, _ in order], dtype=np.int64)
    seam = np.array([seams.columns[name][slot - 1][1] if slot else 0.0 for name, slot in order])
    owner = np.concatenate([np.array([-1], np.int32), rank])[labels]
    lattice = build_lattice(
        boxes, measure_gaps(owner, boxes, band, settings.near), letter, seam, band.x_height, settings
    )
    return Atoms(band, owner, lattice, describe_shapes(owner >= 0, lattice.boxes, band, settings), settings)


def letters_of(atoms: Atoms, chosen: NDArray[np.int64]) -> Letters:
    """The letters that some edges of the lattice are."""
    lattice, small = atoms.lattice, atoms.settings.small * atoms.band.x_height
    is_stop, is_quote = find_marks(atoms.shapes[chosen], atoms.settings)
    n_atoms = lattice.last[chosen] - lattice.first[chosen] + 1
    begins = ~_are_second_quotes(lattice.boxes[chosen], is_quote, small)
    starts = np.flatnonzero(begins)
    boxes = _unions(lattice.boxes[chosen], starts)
    owner = np.append(np.repeat(np.cumsum(begins) - 1, n_atoms), -1).astype(np.int32)[atoms.owner]
    gaps = measure_gaps(owner, boxes, atoms.band, atoms.settings.near)
    return Letters(atoms.band, boxes, owner, gaps, is_stop[starts], is_quote[starts])


def _are_second_quotes(boxes: NDArray[np.int64], is_quote: NDArray[np.bool_], small: float) -> NDArray[np.bool_]:
    """Which letters are the second stroke of a double quote: narrow quotes beside another, no two in a row."""
    is_stroke = is_quote & (boxes[:, 2] - boxes[:, 0] < small)
    is_near = boxes[1:, 0] - boxes[:-1, 2] < small
    follows = np.concatenate([[False], is_stroke[1:] & is_stroke[:-1] & is_near])
    place = np.arange(len(follows))
    first = np.maximum.accumulate(np.where(follows, 0, place))
    second: NDArray[np.bool_] = (place - first) % 2 == 1
    return second


def _unions(boxes: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Boxes around those from each start to the next."""
    upper_left, lower_right = np.minimum.reduceat(boxes[:, :2], starts), np.maximum.reduceat(boxes[:, 2:], starts)
    return np.concatenate([upper_left, lower_right], axis=1)
