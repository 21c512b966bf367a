"""What the freedom of a reader costs: the nats that it takes to say which of all readings it chose.

Were a reading chosen before the inputs were seen, a language model would save s nats on inputs without order with a
probability below exp(-s). It was chosen among many, and a choice that takes so many nats to tell makes as much more
likely; so they are taken off. A key costs the log of the number of keys. A classifier of features has no such number.
Its labels are told one block after the other, each by what the labels of the blocks before teach: the few that a
simple rule explains are cheap, those of a rule bent to fit noise cost as much as they save.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_COMPONENTS = 50
_FIRST = 16  # rows of the first block, each later one as long as all before
_NEAREST = 5
_SPREAD = 0.5  # how far rows of a class lie from its centre, against how far centres lie apart, before any are seen
_POWERS = (1.0, 0.5, 0.25)  # of the likelihoods of centres: columns that vary together are counted too often


def price_of_key(n_signs: int, n_symbols: int, *, one_to_one: bool) -> float:
    """Nats that it takes to tell a key.

    Examples
    --------
    >>> round(price_of_key(26, 26, one_to_one=True)), round(price_of_key(26, 26, one_to_one=False))
    (61, 85)
    """
    if one_to_one:
        return float(gammaln(n_symbols + 1) - gammaln(n_symbols - n_signs + 1))
    return float(n_signs * np.log(n_symbols))


def price_of_labels(
    rows: NDArray[np.floating],
    labels: Ints,
    n_classes: int,
    evidence: NDArray[np.floating] | None = None,
    seed: int = 0,
) -> float:
    """Nats that it takes to tell the labels of rows to someone who sees the rows.

    Parameters
    ----------
    rows : array of shape (T, d)
    labels : array of shape (T,)
    n_classes : int
    evidence : array of shape (T, C), optional
        Log-likelihoods from another source, which the other side has too.
    seed : int
        Of the order in which rows are told: labels of neighbours must not teach each other.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = rng.integers(0, 4, 400)
    >>> rule = price_of_labels(8.0 * np.eye(4)[labels] + rng.normal(size=(400, 4)), labels, 4)
    >>> noise = price_of_labels(rng.normal(size=(400, 4)), labels, 4)
    >>> rule < 60 < 400 * np.log(4) < noise < 600
    True
    """
    distinct = np.unique(rows, axis=0)
    as_key = price_of_key(len(distinct), n_classes, one_to_one=False) if len(distinct) < len(rows) / 2 else np.inf
    order = np.random.default_rng(seed).permutation(len(rows))
    labels = labels[order]
    seen = _whitened(rows)[order]
    other = None if evidence is None else evidence[order].astype(np.float64)
    edges = [0, min(_FIRST, len(rows))]
    while edges[-1] < len(rows):
        edges.append(min(2 * edges[-1], len(rows)))
    told, weights = 0.0, None
    for begin, end in pairwise(edges):
        said = _told_by(seen, labels, begin, end, n_classes, other)
        weights = np.full(len(said), 1 / len(said)) if weights is None else weights
        shares = weights[:, None] * said
        told -= float(np.log(shares.sum(0)).sum())
        weights = 0.98 * (shares / shares.sum(0)).mean(1) + 0.02 / len(said)
    return float(min(told, as_key))


def _whitened(rows: NDArray[np.floating]) -> Floats:
    n_components = min(_COMPONENTS, *rows.shape)
    whole = PCA(n_components, random_state=0, svd_solver="covariance_eigh" if rows.shape[1] <= 500 else "randomized")
    reduced: Floats = whole.fit_transform(np.asarray(rows, np.float64))
    spread: Floats = reduced.std(0)
    varies = spread > 1e-9 * max(float(spread.max()), 1e-300)
    return reduced[:, varies] / spread[varies]


def _told_by(
    rows: Floats, labels: Ints, begin: int, end: int, n_classes: int, evidence: Floats | None
) -> NDArray[np.float64]:
    """How likely each way to predict takes the labels of a block to be, (ways, block), by those before it."""
    counts = np.bincount(labels[:begin], minlength=n_classes).astype(np.float64)
    frequency = (counts + 0.5) / (begin + 0.5 * n_classes)
    block = labels[begin:end]
    ways = [frequency[block]]
    if begin:
        nearest = NearestNeighbors(n_neighbors=min(_NEAREST, begin), algorithm="brute").fit(rows[:begin])
        voters = labels[:begin][nearest.kneighbors(rows[begin:end], return_distance=False)]
        ways.append(((voters == block[:, None]).sum(1) + frequency[block]) / (voters.shape[1] + 1))
    else:
        ways.append(frequency[block])
    centred = _log_by_centres(rows, labels, begin, end, counts)
    logs = [(power, 0.0) for power in _POWERS]
    logs += [] if evidence is None else [(0.0, 1.0), (_POWERS[-1], 1.0)]
    for power, weight in logs:
        way = power * centred + np.log(frequency)
        way = way if evidence is None or not weight else way + evidence[begin:end]
        ways.append(np.exp(way[np.arange(end - begin), block] - logsumexp(way, axis=1)))
    return np.maximum(np.stack(ways), 1e-12)


def _log_by_centres(rows: Floats, labels: Ints, begin: int, end: int, counts: Floats) -> Floats:
    """Log-likelihoods of rows, each class a cloud around its centre, all clouds alike."""
    width = rows.shape[1]
    if not begin or not width:
        return np.zeros((end - begin, len(counts)))
    sums = np.zeros((len(counts), width))
    np.add.at(sums, labels[:begin], rows[:begin])
    centres = sums / (counts + _SPREAD)[:, None]
    left = rows[:begin] - centres[labels[:begin]]
    freedom = max(1.0, begin - float((counts > 0).sum()))
    within = (left.T @ left + np.eye(width) * width * _SPREAD) / (freedom + width)
    half = np.linalg.cholesky(np.linalg.inv(within))
    seen, middle = rows[begin:end] @ half, centres @ half
    distance = (seen**2).sum(1)[:, None] - 2 * seen @ middle.T + (middle**2).sum(1)
    wider = 1 + 1 / (counts + _SPREAD)  # a centre is not known exactly
    logs: Floats = -0.5 * distance / wider - 0.5 * width * np.log(wider)
    return logs
