"""A book's own codebook of letter shapes: how common each shape is among its letters.

A shape seen many times is a character; two letters that happen to touch, or half a broken one, are seen seldom or
beside what they should have been. No label is needed to tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.segment.baseline import Band
from labelfree.ocr.segment.settings import DEFAULT, SegmentSettings

ROWS, COLUMNS = 10, 8
_LEAST_SHAPES, _MOST_SHAPES = 5, 256
_ROUNDS = 6
_SEED = 0
_CHUNK = 1024  # rows whose distances are held at a time


@dataclass(frozen=True, eq=False)
class Matches:
    """The shapes that explain n vectors best."""

    shape: NDArray[np.int64]  # (n,), numbers of the shapes
    distance: NDArray[np.float32]  # (n,), squared, from these
    cost: NDArray[np.float32]  # (n,), nats of each vector as one letter


@dataclass(frozen=True, eq=False)
class Codebook:
    """Shapes with their frequencies."""

    shapes: NDArray[np.float32]  # (k, d), means of vectors as `describe_shapes` gives them
    log_share: NDArray[np.float32]  # (k,), log of each shape's share among all letters, its variants counted in
    spread: float  # mean squared distance of a letter from its shape
    settings: SegmentSettings = DEFAULT

    def match(self, vectors: NDArray[np.float32]) -> Matches:
        """What each vector costs as one letter, and the shape that it then is."""
        settings = self.settings
        scale = np.float32(settings.surprise / self.spread)
        best, distance = _nearest(vectors, self.shapes, self.log_share / scale)
        cost = scale * distance - self.log_share[best] - settings.bonus
        wide = np.maximum(vectors[:, -1] / settings.geometry - 1, 0)
        return Matches(best, distance, cost + settings.wide * wide**2)

    def kin(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many letters each shape has, those of its variants, nearer than a letter usually is, counted in."""
        norms = (self.shapes**2).sum(1)
        is_near = norms[:, None] + norms - 2 * (self.shapes @ self.shapes.T) < self.spread
        found: NDArray[np.int64] = is_near @ counts
        return found


def describe_shapes(
    strokes: NDArray[np.bool_], boxes: NDArray[np.int64], band: Band, settings: SegmentSettings = DEFAULT
) -> NDArray[np.float32]:
    """Vectors of shape (n, ROWS * COLUMNS + 3): ink of each box on a coarse grid, its top, bottom and width."""
    total = np.zeros((strokes.shape[0] + 1, strokes.shape[1] + 1), np.float32)
    np.cumsum(strokes, 1, out=total[1:, 1:])
    for row in range(1, len(total)):  # several times faster than a cumulative sum along columns
        total[row] += total[row - 1]
    left, top, right, bottom = (boxes[:, k, None].astype(np.float32) for k in range(4))
    x = left + (right - left) * np.linspace(0, 1, COLUMNS + 1, dtype=np.float32)
    y = top + (bottom - top) * np.linspace(0, 1, ROWS + 1, dtype=np.float32)
    x_low = np.minimum(x.astype(np.int64), strokes.shape[1] - 1)
    y_low = np.minimum(y.astype(np.int64), strokes.shape[0] - 1)
    x_part, y_part = (x - x_low)[:, None, :], (y - y_low)[:, :, None]
    flat, stride = total.ravel(), total.shape[1]
    corner = y_low[:, :, None] * stride + x_low[:, None, :]
    upper = flat[corner] * (1 - x_part) + flat[corner + 1] * x_part
    lower = flat[corner + stride] * (1 - x_part) + flat[corner + stride + 1] * x_part
    sums = upper * (1 - y_part) + lower * y_part
    cells = np.diff(np.diff(sums, axis=1), axis=2) / ((right - left) * (bottom - top) / (ROWS * COLUMNS))[:, :, None]
    place = np.stack([*band.rise(boxes), (boxes[:, 2] - boxes[:, 0]) / band.x_height], 1)
    rows = [cells.reshape(len(boxes), ROWS * COLUMNS), settings.geometry * place]
    return np.concatenate(rows, 1).astype(np.float32)


def learn_codebook(vectors: NDArray[np.float32], settings: SegmentSettings = DEFAULT) -> Codebook | None:
    """Cluster letters by shape (k-means from spread-out seeds), or None where they are too few to tell."""
    n_shapes = min(_MOST_SHAPES, len(vectors) // settings.letters_a_shape)
    if n_shapes < _LEAST_SHAPES:
        return None
    shapes = _seeds(vectors, n_shapes)
    nearest, distance = _nearest(vectors, shapes)
    for _ in range(_ROUNDS):
        shapes = _means(vectors, nearest, len(shapes))
        nearest, distance = _nearest(vectors, shapes)
    found = Codebook(shapes, np.zeros(len(shapes), np.float32), float(distance.mean()), settings)
    kin = np.maximum(found.kin(np.bincount(nearest, minlength=len(shapes))), 1)  # a shape may have lost its last letter
    log_share = np.log(kin / len(vectors)).astype(np.float32)
    return replace(found, log_share=log_share, spread=max(found.spread, settings.least_spread))


def _nearest(
    vectors: NDArray[np.float32], shapes: NDArray[np.float32], credit: NDArray[np.float32] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The nearest shape of each vector, less the credit that a shape has, and the squared distance from it."""
    norms = (shapes**2).sum(1)
    offset = norms if credit is None else norms - credit
    best = np.empty(len(vectors), np.int64)
    distance = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _CHUNK):
        rows = vectors[start : start + _CHUNK]
        score = rows @ (-2 * shapes.T)
        score += offset
        found = score.argmin(1)
        best[start : start + _CHUNK] = found
        away = score[np.arange(len(rows)), found] + (rows**2).sum(1)
        distance[start : start + _CHUNK] = away if credit is None else away + credit[found]
    return best, np.maximum(distance, 0, out=distance)


def _means(vectors: NDArray[np.float32], nearest: NDArray[np.int64], n_shapes: int) -> NDArray[np.float32]:
    """The mean vector of each shape that has any."""
    from scipy.sparse import csr_array

    counts = np.bincount(nearest, minlength=n_shapes)
    members = csr_array(
        (np.ones(len(vectors), np.float32), np.argsort(nearest, kind="stable"), np.append(0, np.cumsum(counts))),
        shape=(n_shapes, len(vectors)),
    )
    means: NDArray[np.float32] = (members @ vectors)[counts > 0] / counts[counts > 0, None].astype(np.float32)
    return means


def _seeds(vectors: NDArray[np.float32], n_shapes: int) -> NDArray[np.float32]:
    """Letters unlike each other: each drawn in proportion to its squared distance from those before it."""
    rng = np.random.default_rng(_SEED)
    norms = (vectors**2).sum(1)
    chosen = [int(rng.integers(len(vectors)))]
    far = np.full(len(vectors), np.inf, np.float32)
    while True:
        last = chosen[-1]
        far = np.minimum(far, np.maximum(vectors @ (-2 * vectors[last]) + norms + norms[last], 0))
        reached = np.cumsum(far, dtype=np.float64)
        if len(chosen) == n_shapes or reached[-1] <= 0:
            return vectors[chosen]
        chosen.append(int(np.searchsorted(reached / reached[-1], rng.random(), side="right")))


def find_marks(
    vectors: NDArray[np.float32], settings: SegmentSettings = DEFAULT
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which shapes are stops, and which are quotes.

    Stops are small and stand on the baseline, or have paper across them below x-height, as ``:``, ``?`` and the double
    hyphen have. Quotes hang high.
    """
    top, bottom, width = (vectors[:, -3:] / settings.geometry).T
    small = settings.small
    is_small = (top < small) & (np.abs(bottom + settings.reach) < settings.gap) & (width < small)
    middle = top[:, None] - (top - bottom)[:, None] * (np.arange(ROWS) + 0.5) / ROWS
    is_inked = vectors[:, :-3].reshape(-1, ROWS, COLUMNS).any(2)
    is_parted = (~is_inked & (middle < settings.upper)).any(1)
    return is_small | is_parted, bottom > small
