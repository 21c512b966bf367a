"""A book's own codebook of letter shapes: how common each shape is among its letters.

A shape seen many times is a character; two letters that happen to touch, or half a broken one, are seen seldom or
beside what they should have been. No label is needed to tell them apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS = 10, 8
_GEOMETRY = 4.0  # weight of an x-height against that of a black cell
_SURPRISE = 3.5  # nats that a letter's usual distance from its shape costs
_BONUS = 4.0  # nats that each letter is spared, lest few wide ones always be cheaper
_WIDE = 6.0  # nats for the square of each x-height beyond the first in a letter's width
_ALIKE = 1.0  # shapes nearer than this many times the usual distance count as one
_LEAST_SPREAD = 1.0  # print cleaner than this still has to bear a scratch
_LEAST_LETTERS = 60
_LETTERS_A_SHAPE = 12
_MOST_SHAPES = 256
_ROUNDS = 6
_KIN_PRIOR = 0.1
_SEED = 0
_STOP_TOP, _STOP_BOTTOM, _STOP_OFF, _STOP_WIDTH = 0.6, -0.15, 0.35, 0.6
_PARTED_INK, _PARTED_TOP, _PARTED_WIDTH, _PARTED_BOTTOM = 0.05, 0.85, 0.95, 0.5
_QUOTE_BOTTOM, _QUOTE_HEIGHT, _QUOTE_WIDTH = 0.6, 0.9, 1.2
_CHUNK = 1024  # rows whose distances are held at a time


@dataclass(frozen=True, eq=False)
class Matches:
    """Shapes that some vectors are nearest to.

    Attributes
    ----------
    shape : array of shape (n,)
        Number of the shape that explains each vector best.
    distance : array of shape (n,)
        Squared distance from it.
    cost : array of shape (n,)
        Nats that each vector costs as one letter.
    """

    shape: NDArray[np.int64]
    distance: NDArray[np.float32]
    cost: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Codebook:
    """Shapes with their frequencies.

    Attributes
    ----------
    shapes : array of shape (k, d)
        Means of vectors as `describe_shapes` gives them.
    log_share : array of shape (k,)
        Logarithm of each shape's share among all letters, its variants counted in.
    spread : float
        Mean squared distance of a letter from its shape.
    """

    shapes: NDArray[np.float32]
    log_share: NDArray[np.float32]
    spread: float

    def match(self, vectors: NDArray[np.float32]) -> Matches:
        """What each vector costs as one letter, and the shape that it then is."""
        scale = np.float32(_SURPRISE / self.spread)
        best, distance = _nearest(vectors, self.shapes, self.log_share / scale)
        wide = np.maximum(vectors[:, -1] / _GEOMETRY - 1, 0)
        return Matches(best, distance, scale * distance - self.log_share[best] - _BONUS + _WIDE * wide**2)

    def only(self, kept: NDArray[np.bool_]) -> Codebook:
        """The codebook without some of its shapes."""
        return Codebook(self.shapes[kept], self.log_share[kept], self.spread)


def describe_shapes(
    strokes: NDArray[np.bool_], boxes: NDArray[np.int64], baseline: NDArray[np.float64], x_height: float
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
    place = np.stack([baseline - boxes[:, 1], baseline - boxes[:, 3], boxes[:, 2] - boxes[:, 0]], 1) / x_height
    return np.concatenate([cells.reshape(len(boxes), ROWS * COLUMNS), _GEOMETRY * place], 1).astype(np.float32)


def alike(shapes: NDArray[np.float32], most: float) -> NDArray[np.bool_]:
    """Which shapes are variants of each other, as an array of shape (k, k)."""
    norms = (shapes**2).sum(1)
    near: NDArray[np.bool_] = norms[:, None] + norms - 2 * (shapes @ shapes.T) < most
    return near


def learn_codebook(vectors: NDArray[np.float32]) -> Codebook | None:
    """Cluster letters by shape (k-means from spread-out seeds), or None where they are too few to tell."""
    if len(vectors) < _LEAST_LETTERS:
        return None
    shapes = _seeds(vectors)
    nearest, distance = _nearest(vectors, shapes)
    for _ in range(_ROUNDS):
        shapes = _means(vectors, nearest, len(shapes))
        nearest, distance = _nearest(vectors, shapes)
    counts = np.bincount(nearest, minlength=len(shapes))
    spread = float(distance.mean())
    kin = alike(shapes, _ALIKE * spread) @ counts
    log_share = np.log((kin + _KIN_PRIOR) / len(vectors)).astype(np.float32)
    return Codebook(shapes, log_share, max(spread, _LEAST_SPREAD))


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


def _seeds(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Letters unlike each other: each drawn in proportion to its squared distance from those before it."""
    rng = np.random.default_rng(_SEED)
    n_shapes = min(_MOST_SHAPES, max(2, len(vectors) // _LETTERS_A_SHAPE))
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


def find_marks(vectors: NDArray[np.float32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which shapes are stops, and which are quotes.

    Stops are small and stand on the baseline, or have paper across them below x-height, as ``:``, ``?`` and the double
    hyphen have. Quotes are small and hang high.
    """
    cells = vectors[:, :-3].reshape(-1, ROWS, COLUMNS)
    top, bottom, width = (vectors[:, -3:] / _GEOMETRY).T
    is_small = (top < _STOP_TOP) & (np.abs(bottom - _STOP_BOTTOM) < _STOP_OFF) & (width < _STOP_WIDTH)
    middle = top[:, None] - (top - bottom)[:, None] * (np.arange(ROWS) + 0.5) / ROWS
    is_paper = (cells.max(2) < _PARTED_INK) & (middle < _PARTED_TOP)
    is_parted = is_paper.any(1) & (width < _PARTED_WIDTH) & (bottom < _PARTED_BOTTOM)
    is_quote = (bottom > _QUOTE_BOTTOM) & (top - bottom < _QUOTE_HEIGHT) & (width < _QUOTE_WIDTH)
    return is_small | is_parted, is_quote
