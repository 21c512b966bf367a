"""Groups of alike inputs: what the search runs on, so that its cost no longer depends on the amount of data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import PCA

from labelfree.scale.rows import Inputs, blocks
from labelfree.workers import in_order

_FIT_ROWS = 30_000  # centres move little beyond this many examples
_COMPONENTS = 50


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of every row.

    Attributes
    ----------
    labels : array of shape (T,)
    n_groups : int
    exact : bool
        Whether all rows of a group are equal, so that nothing is lost.
    """

    labels: NDArray[np.int64]
    n_groups: int
    exact: bool


def group_rows(features: NDArray[np.floating] | Inputs, n_groups: int, seed: int = 0) -> Groups:
    """Cut feature rows into groups: equal rows where there are few distinct ones, k-means otherwise.

    Rows are read block by block.

    Parameters
    ----------
    features : array of shape (T, d)
    n_groups : int
        At most so many groups.
    seed : int
        Of k-means.

    Examples
    --------
    >>> group_rows(np.array([[0.0], [7.0], [0.0]]), n_groups=5).labels.tolist()
    [0, 1, 0]
    """
    if isinstance(features, np.ndarray):
        features = torch.from_numpy(features)
    distinct = _distinct(features, n_groups)
    if distinct is not None:
        labels = [_places(np.asarray(features[block]), distinct) for block in blocks(len(features))]
        return Groups(np.concatenate(labels), len(distinct), exact=True)
    rng = np.random.default_rng(seed)
    drawn: slice | torch.Tensor = slice(0, len(features))
    if len(features) > _FIT_ROWS:
        drawn = torch.from_numpy(np.sort(rng.choice(len(features), _FIT_ROWS, replace=False)))
    sample = np.asarray(features[drawn])
    n_components = min(_COMPONENTS, *sample.shape)
    pca = PCA(n_components, random_state=seed).fit(sample)
    kmeans = MiniBatchKMeans(n_groups, n_init=3, init_size=3 * n_groups, batch_size=4096, random_state=seed)
    kmeans.fit(pca.transform(sample))
    pieces = (np.asarray(features[block]) for block in blocks(len(features)))
    labels = list(in_order(partial(_nearest, pca, kmeans), pieces, travels=True))
    used, compact = np.unique(np.concatenate(labels), return_inverse=True)
    return Groups(compact.astype(np.int64), len(used), exact=False)


def _nearest(pca: PCA, kmeans: MiniBatchKMeans, rows: NDArray[np.floating]) -> NDArray[np.int64]:
    """The group of every row."""
    found: NDArray[np.int64] = kmeans.predict(pca.transform(rows)).astype(np.int64)
    return found


def _distinct(features: Inputs, most: int) -> NDArray[np.floating] | None:
    """The distinct rows, sorted; None as soon as there are too many."""
    found = np.unique(np.asarray(features[: 50 * most]), axis=0)
    for block in blocks(len(features)):
        if len(found) > most:
            return None
        found = np.unique(np.concatenate([found, np.asarray(features[block])]), axis=0)
    return found if len(found) <= most else None


def _places(rows: NDArray[np.floating], distinct: NDArray[np.floating]) -> NDArray[np.int64]:
    """Which of the distinct rows each row is."""
    where = np.unique(np.concatenate([distinct, rows]), axis=0, return_inverse=True)[1]
    return where.reshape(-1)[len(distinct) :].astype(np.int64)
