"""Characters read as one symbol, parted by how they look.

Those that look alike are a shape. Shapes of a symbol are joined two by two, the nearest first, until they are all one;
every set on the way is a form. Where two letters are read as one symbol, one form has the one and another the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from labelfree.ocr.book import Ints
from labelfree.ocr.correct.settings import DEFAULT, FormSettings


@dataclass(frozen=True, eq=False)
class Forms:
    """Shapes, and the forms made of them."""

    shape: Ints  # of each character
    made_of: sparse.csr_array  # (forms, shapes): 1 for each shape of a form
    likeness: sparse.csr_array  # (shapes, shapes): what those most like one say of it, at most its number of characters


def find_forms(
    rows: NDArray[np.floating], read_as: Ints, seed: int = 0, settings: FormSettings = DEFAULT.forms
) -> Forms:
    """Find the forms of every symbol, by the features of all characters and what each was read as."""
    shape = np.zeros(len(rows), np.int64)
    forms: list[Ints] = []
    centres: list[NDArray[np.floating]] = []
    n_shapes = 0
    for symbol in np.unique(read_as):
        same = np.flatnonzero(read_as == symbol)
        own, means = _shapes(rows[same], seed, settings)
        shape[same] = n_shapes + own
        centres.append(means)
        forms += [n_shapes + form for form in _joined(means)]
        n_shapes += len(means)
    size = np.bincount(shape, minlength=n_shapes)
    forms = [form for form in forms if size[form].sum() >= settings.least]
    ends = np.cumsum([0] + [len(form) for form in forms])
    members = np.concatenate([np.empty(0, np.int64), *(np.sort(form) for form in forms)])
    made_of = sparse.csr_array((np.ones(len(members)), members, ends), shape=(len(forms), n_shapes))
    return Forms(shape, made_of, _likeness(np.concatenate(centres), size, settings.near))


def _shapes(rows: NDArray[np.floating], seed: int, settings: FormSettings) -> tuple[Ints, NDArray[np.floating]]:
    from sklearn.cluster import MiniBatchKMeans

    each = settings.shape_size
    wanted = min(settings.most_shapes, len(rows) // each) if len(rows) > 2 * each else len(rows) // 4
    if wanted < 2:
        return np.zeros(len(rows), np.int64), rows.mean(0, keepdims=True)
    means = MiniBatchKMeans(wanted, batch_size=2048, n_init=1, max_iter=30, random_state=seed, init="random").fit(rows)
    used, own = np.unique(means.labels_, return_inverse=True)
    return own.astype(np.int64), means.cluster_centers_[used]


def _joined(centres: NDArray[np.floating]) -> list[Ints]:
    """Every shape, and every set of shapes that joining the nearest two makes."""
    from scipy.cluster.hierarchy import linkage

    found = [np.array([i]) for i in range(len(centres))]
    if len(centres) > 1:
        for one, other in linkage(centres, "average")[:, :2].astype(np.int64):
            found.append(np.concatenate([found[one], found[other]]))
    return found


def _likeness(centres: NDArray[np.floating], size: NDArray[np.integer], near_ones: int) -> sparse.csr_array:
    """How much the shapes nearest to each say of it: less than all there is to say where even the nearest is far."""
    from sklearn.neighbors import NearestNeighbors

    n = len(centres)
    n_near = min(near_ones, n - 1)
    if n_near < 1:
        return sparse.csr_array((n, n))
    distance, near = NearestNeighbors(n_neighbors=n_near + 1).fit(centres).kneighbors(centres)
    squared, near = distance[:, 1:] ** 2, near[:, 1:]
    scale = 2 * max(float(np.median(squared[:, 0])), 1e-9)
    found = np.exp(-squared / scale)
    belief = np.exp(-np.maximum(squared[:, :1] - scale / 2, 0) / scale)
    told = size[:, None] * (belief * found / (1e-9 + found.sum(1, keepdims=True)))
    return sparse.csr_array((told.ravel(), near.ravel(), np.arange(0, n * n_near + 1, n_near)), shape=(n, n))
