"""Centre and scale of features, so that rates and penalties mean the same for all data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.scale.rows import Rows, blocks

_SQUARED_LENGTH = 200.0  # of a centred row of features, on average: the scale at which penalties and rates are set


def feature_scale(X: NDArray[np.floating] | Rows) -> tuple[NDArray[np.float64], float]:
    """Centre and scale of features: less the first and times the second, a row has squared length 200 on average.

    Features are read twice, block by block.

    Examples
    --------
    >>> center, scale = feature_scale(np.array([[1.0, 0.0], [3.0, 0.0]]))
    >>> center.tolist(), round(scale, 3)
    ([2.0, 0.0], 14.142)
    """
    center = sum(X[block].sum(0, dtype=np.float64) for block in blocks(len(X))) / len(X)
    with np.errstate(over="ignore"):
        spread = float(sum(np.square(X[block] - center).sum() for block in blocks(len(X)))) / len(X)
    if not np.isfinite(spread):
        largest = max(np.abs(X[block]).max() for block in blocks(len(X)))
        raise InputError(f"features as large as {largest:.3g} overflow; scale them, for example to 0..1")
    return center, float(np.sqrt(_SQUARED_LENGTH / spread)) if spread > 0 else 1.0
