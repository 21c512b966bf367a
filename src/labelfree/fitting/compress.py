"""Groups of alike inputs: what the search runs on, so that its cost no longer depends on the amount of data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans
from sklearn.decomposition import PCA

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


def group_rows(features: NDArray[np.floating], n_groups: int, seed: int = 0) -> Groups:
    """Cut feature rows into groups: equal rows where there are few distinct ones, k-means otherwise.

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
    head = np.unique(features[: 50 * n_groups], axis=0)
    if len(head) <= n_groups:
        distinct, labels = np.unique(features, axis=0, return_inverse=True)
        if len(distinct) <= n_groups:
            return Groups(labels.reshape(-1).astype(np.int64), len(distinct), exact=True)
    rng = np.random.default_rng(seed)
    sample = features
    if len(features) > _FIT_ROWS:
        sample = features[np.sort(rng.choice(len(features), _FIT_ROWS, replace=False))]
    n_components = min(_COMPONENTS, *sample.shape)
    pca = PCA(n_components, random_state=seed).fit(sample)
    kmeans = MiniBatchKMeans(n_groups, n_init=3, init_size=3 * n_groups, batch_size=4096, random_state=seed)
    kmeans.fit(pca.transform(sample))
    labels = kmeans.predict(pca.transform(features))
    used, compact = np.unique(labels, return_inverse=True)
    return Groups(compact.astype(np.int64), len(used), exact=False)
