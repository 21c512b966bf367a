"""A book's own lexicon of shapes: how common each shape is among its letters.

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


@dataclass(frozen=True, eq=False)
class Lexicon:
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

    def surprise(self, vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Nats that each vector costs as one letter, and the shape it is nearest to in this sense."""
        cost = _SURPRISE / self.spread * squared_distances(vectors, self.shapes) - self.log_share
        best = cost.argmin(1)
        wide = np.maximum(vectors[:, -1] / _GEOMETRY - 1, 0)
        return cost[np.arange(len(vectors)), best] - _BONUS + _WIDE * wide**2, best


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


def squared_distances(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Squared distances of shape (len(a), len(b))."""
    product = a @ b.T
    product *= -2
    product += (a**2).sum(1)[:, None]
    product += (b**2).sum(1)
    nearest_zero: NDArray[np.float32] = np.maximum(product, 0, out=product)
    return nearest_zero


def learn_lexicon(vectors: NDArray[np.float32]) -> Lexicon | None:
    """Group letters by shape (k-means from spread-out seeds), or None where they are too few to tell."""
    if len(vectors) < _LEAST_LETTERS:
        return None
    shapes = _seeds(vectors)
    nearest = squared_distances(vectors, shapes).argmin(1)
    for _ in range(_ROUNDS):
        counts = np.bincount(nearest, minlength=len(shapes))
        sums = np.zeros_like(shapes)
        np.add.at(sums, nearest, vectors)
        shapes = (sums / np.maximum(counts, 1).astype(np.float32)[:, None])[counts > 0]
        distances = squared_distances(vectors, shapes)
        nearest = distances.argmin(1)
    counts = np.bincount(nearest, minlength=len(shapes))
    spread = float(distances[np.arange(len(vectors)), nearest].mean())
    kin = (squared_distances(shapes, shapes) < _ALIKE * spread) @ counts
    log_share = np.log((kin + 0.1) / len(vectors)).astype(np.float32)
    return Lexicon(shapes, log_share, max(spread, _LEAST_SPREAD))


def _seeds(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Letters unlike each other: each drawn in proportion to its squared distance from those before it."""
    rng = np.random.default_rng(0)
    n_shapes = min(_MOST_SHAPES, max(2, len(vectors) // _LETTERS_A_SHAPE))
    chosen = [int(rng.integers(len(vectors)))]
    far = squared_distances(vectors, vectors[chosen])[:, 0]
    while len(chosen) < n_shapes and far.sum() > 0:
        chosen.append(int(rng.choice(len(vectors), p=far.astype(np.float64) / far.sum(dtype=np.float64))))
        far = np.minimum(far, squared_distances(vectors, vectors[chosen[-1:]])[:, 0])
    return vectors[chosen]


def find_marks(vectors: NDArray[np.float32]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which shapes are stops, and which are quotes.

    Stops are small and stand on the baseline, or have paper across them below x-height, as ``:``, ``?`` and the double
    hyphen have. Quotes are small and hang high.
    """
    cells = vectors[:, :-3].reshape(-1, ROWS, COLUMNS)
    top, bottom, width = (vectors[:, -3:] / _GEOMETRY).T
    is_small = (top < 0.6) & (np.abs(bottom + 0.15) < 0.35) & (width < 0.6)
    middle = top[:, None] - (top - bottom)[:, None] * (np.arange(ROWS) + 0.5) / ROWS
    is_parted = ((cells.max(2) < 0.05) & (middle < 0.85)).any(1) & (width < 0.95) & (bottom < 0.5)
    return is_small | is_parted, (bottom > 0.6) & (top - bottom < 0.9) & (width < 1.2)
