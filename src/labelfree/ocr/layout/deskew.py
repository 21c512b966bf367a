"""The angle at which the lines of a page run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STEEPEST = 5.0  # degrees
_STEP = 0.1
_FEWEST_LETTERS = 12
_LEAST_GAIN = 1.02  # over an upright page, so that a page without lines stays as it is


def skew_angle(boxes: NDArray[np.integer], letter: float) -> float:
    """Degrees by which the lines run downhill: the angle at which most letters stand on common baselines.

    Parameters
    ----------
    boxes : array of shape (n, 4)
        Of the pieces of ink.
    letter : float
        Letter height; pieces much smaller or larger have no say.

    Examples
    --------
    >>> feet = [(x, y + round(x * 0.02)) for y in (100, 140, 180) for x in range(0, 900, 25)]
    >>> round(skew_angle(np.array([(x, y - 20, x + 15, y) for x, y in feet]), letter=20), 1)
    1.1
    """
    heights = boxes[:, 3] - boxes[:, 1]
    boxes = boxes[(heights >= 0.5 * letter) & (heights <= 2.5 * letter)]
    if len(boxes) < _FEWEST_LETTERS:
        return 0.0
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, boxes[:, 3].astype(np.float64)
    x = x - x.mean()
    cell = max(letter / 10, 0.75)

    def sharpness(angle: float) -> float:
        rows = (y - np.tan(np.deg2rad(angle)) * x) / cell
        rows -= rows.min()
        low = np.floor(rows).astype(np.int64)
        share = rows - low
        profile = np.bincount(low, 1 - share, int(low.max()) + 2) + np.bincount(low + 1, share, int(low.max()) + 2)
        return float(np.square(profile).sum())

    # Over a narrow page a smaller turn moves no letter to another row.
    step = float(np.clip(np.rad2deg(2 * cell / max(np.ptp(x), 1.0)), _STEP, 5 * _STEP))
    coarse = np.arange(-STEEPEST, STEEPEST + step / 2, step)
    best = coarse[int(np.argmax([sharpness(angle) for angle in coarse]))]
    fine = np.arange(best - step, best + step + step / 10, step / 5)
    scores = [sharpness(angle) for angle in fine]
    if max(scores) < _LEAST_GAIN * sharpness(0.0):
        return 0.0
    return float(fine[int(np.argmax(scores))])
