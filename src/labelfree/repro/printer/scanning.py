"""What happens to a printed page until it is a scan: it lies askew, its ink is worn, the light is uneven."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from scipy.ndimage import map_coordinates

from labelfree.repro.printer.design import BookDesign
from labelfree.repro.tasks.typeset import Wear, degraded, draw_wear

Boxes = NDArray[np.float64]

_CELL = 96  # pixels of a page that move together
_SKEW = 0.4  # degrees, at full damage
_CURL = 0.35  # of the size, at the inner edge
_WOBBLE = 0.035  # of the size
_WOBBLE_LENGTH = 5.0  # sizes over which it changes
_SHOW_THROUGH = 0.22  # of the ink of the other side
_LIGHT = 0.3  # by which the edges are darker
_GAIN = 0.09  # of ink, over the whole book: letters are all thick or all thin
_SPECKS = 0.08  # to the square of a size
_SPARE = 512  # pixels by which the wear of a book is larger than its pages


@dataclass(frozen=True, eq=False)
class Warp:
    """How a page lies under the scanner.

    Attributes
    ----------
    shifts : array of shape (2, rows, columns)
        By which the places of a grid came from further right and further down.
    """

    shifts: NDArray[np.float64]

    def apply(self, ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The page as it lies."""
        height, width = ink.shape
        mesh = []
        for row, top in enumerate(range(0, height, _CELL)):
            for column, left in enumerate(range(0, width, _CELL)):
                right, bottom = left + _CELL, top + _CELL
                corners = ((row, column), (row + 1, column), (row + 1, column + 1), (row, column + 1))
                places = ((left, top), (left, bottom), (right, bottom), (right, top))
                quad = tuple(
                    float(at + self.shifts[axis, *corner])
                    for corner, place in zip(corners, places, strict=True)
                    for axis, at in enumerate(place)
                )
                mesh.append(((left, top, right, bottom), quad))
        # The mesh needs whole cells, so that the page is padded to them.
        padded = Image.new("L", (-(-width // _CELL) * _CELL, -(-height // _CELL) * _CELL))
        padded.paste(Image.fromarray(ink))
        warped = padded.transform(padded.size, Image.Transform.MESH, mesh, Image.Resampling.BILINEAR)
        return np.asarray(warped, np.uint8)[:height, :width]

    def moved(self, boxes: Boxes) -> Boxes:
        """Where boxes ``x0, y0, x1, y1`` of the page are found in the scan."""
        points = boxes.reshape(-1, 2)
        grid = points[:, ::-1].T / _CELL
        found = np.stack([map_coordinates(shift, grid, order=1, mode="nearest") for shift in self.shifts], 1)
        moved: Boxes = (points - found).reshape(boxes.shape)
        return moved


def lie_askew(shape: tuple[int, int], design: BookDesign, rng: np.random.Generator) -> Warp:
    """A page turned a little, bent near the spine, with lines that are not quite straight."""
    height, width = shape
    y, x = np.meshgrid(*(np.arange(-(-side // _CELL) + 1) * float(_CELL) for side in shape), indexing="ij")
    skew = np.deg2rad(_SKEW * design.damage * rng.normal())
    spine = x if rng.random() < 0.5 else width - x
    curl = _CURL * design.damage * design.pixels * rng.normal() * np.exp(-spine / (0.15 * width))
    down = skew * (x - width / 2) + curl * (0.5 + y / height)
    right = -skew * (y - height / 2)
    every = max(1, round(_WOBBLE_LENGTH * design.pixels / _CELL))
    wobble = _WOBBLE * design.damage * design.pixels * _wobble((2, *y.shape), every, rng)
    return Warp(np.stack([right, down]) + wobble)


class Scanner:
    """Scans the pages of one book; what ink and paper do to it is drawn once and laid over each page elsewhere.

    Parameters
    ----------
    design : BookDesign
    """

    def __init__(self, design: BookDesign) -> None:
        self._design = design
        self._rng = np.random.default_rng((design.seed, 4))
        self._gain = _GAIN * float(self._rng.normal())
        self._wear: Wear | None = None

    def scan(
        self, ink: NDArray[np.uint8], other_side: NDArray[np.uint8] | None, rng: np.random.Generator
    ) -> NDArray[np.uint8]:
        """A page as a scanner gives it, 255 for paper and 0 for ink.

        Parameters
        ----------
        ink : array of shape (height, width)
            Of the page as it lies, 255 for ink.
        other_side : array, optional
            Of the page behind it, which shows through.
        rng : numpy Generator
        """
        design = self._design
        coverage = ink.astype(np.float32) / np.float32(255)
        if design.damage:
            coverage = degraded(coverage, round(design.pixels), design.damage, self._wear_of(coverage.shape, rng))
            if other_side is not None:
                _show_through(coverage, other_side, design, rng)
            _shade(coverage, design, rng)
        if design.bilevel:
            return np.asarray(coverage <= 0.5, np.uint8) * np.uint8(255)
        grey: NDArray[np.uint8] = (np.clip(1 - coverage, 0, 1) * 235 + 10).astype(np.uint8)
        return grey

    def _wear_of(self, shape: tuple[int, int], rng: np.random.Generator) -> Wear:
        """A part of the wear, turned over at random."""
        design = self._design
        if self._wear is None or any(has < needs for has, needs in zip(self._wear.grain.shape, shape, strict=True)):
            whole = (shape[0] + _SPARE, shape[1] + _SPARE)
            drawn = draw_wear(whole, round(design.pixels), self._rng, _SPECKS * design.damage / design.pixels**2)
            self._wear = replace(drawn, inking=drawn.inking.astype(np.float32))
        y, x = (int(rng.integers(has - needs + 1)) for has, needs in zip(self._wear.grain.shape, shape, strict=True))
        turn = tuple(slice(None, None, step) for step in rng.choice([-1, 1], 2).tolist())
        parts = (
            each[y : y + shape[0], x : x + shape[1]][turn]
            for each in (self._wear.inking, self._wear.grain, self._wear.specks)
        )
        inking, grain, specks = parts
        return Wear(inking, grain, self._gain + float(rng.normal(0, 0.02)), specks)


def _show_through(
    coverage: NDArray[np.float32], other_side: NDArray[np.uint8], design: BookDesign, rng: np.random.Generator
) -> None:
    """Darken a page where there is ink on its other side."""
    # Paper scatters light, so that half of the pixels tell as much.
    behind = Image.fromarray(other_side[:, ::-1]).reduce(2).filter(ImageFilter.GaussianBlur(0.02 * design.pixels))
    blurred = np.asarray(behind.resize(other_side.shape[::-1], Image.Resampling.BILINEAR))
    height, width = (min(sides) for sides in zip(coverage.shape, other_side.shape, strict=True))
    share = np.float32(_SHOW_THROUGH * design.damage * rng.uniform(0, 1) / 255)
    coverage[:height, :width] += share * blurred[:height, :width]


def _shade(coverage: NDArray[np.float32], design: BookDesign, rng: np.random.Generator) -> None:
    """Darken a page away from the place where the light is best, and lighten it there."""
    by = _LIGHT * design.damage * rng.uniform(0, 1)
    for axis, side in enumerate(coverage.shape):
        away = (np.linspace(0, 1, side) - rng.uniform(0.2, 0.8)) ** 2
        shade = (by * (away - away.mean())).astype(np.float32)
        coverage += shade[:, None] if axis == 0 else shade[None, :]


def _wobble(shape: tuple[int, ...], every: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Smooth noise of deviation 1 on a grid, one value in so many drawn."""
    coarse = rng.normal(size=(shape[0], shape[1] // every + 2, shape[2] // every + 2))
    rows, columns = np.arange(shape[1]) / every, np.arange(shape[2]) / every
    grid = np.meshgrid(rows, columns, indexing="ij")
    return np.stack([map_coordinates(each, grid, order=1) for each in coarse])
