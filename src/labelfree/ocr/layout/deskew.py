"""The angle at which the lines of a page run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labelfree.ocr.layout.settings import DEFAULT, LayoutSettings


def skew_angle(boxes: NDArray[np.integer], letter: float, settings: LayoutSettings = DEFAULT) -> float:
    """Degrees by which the lines run downhill: the angle at which most letters stand on common baselines.

    Pieces of ink much smaller or larger than a letter have no say.

    Examples
    --------
    >>> feet = [(x, y + round(x * 0.03)) for y in (100, 140, 180) for x in range(0, 900, 25)]
    >>> round(skew_angle(np.array([(x, y - 20, x + 15, y) for x, y in feet]), letter=20), 1)
    1.7
    """
    heights = boxes[:, 3] - boxes[:, 1]
    boxes = boxes[(heights >= settings.smallest * letter) & (heights <= settings.pitch * letter)]
    if len(boxes) < settings.enough:
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

    steepest = settings.steepest
    # Over a narrow page a smaller turn moves no letter to another row.
    step = float(np.clip(np.rad2deg(2 * cell / max(np.ptp(x), 1.0)), steepest / 100, steepest / 20))
    coarse = np.arange(-steepest, steepest + step / 2, step)
    best = coarse[int(np.argmax([sharpness(angle) for angle in coarse]))]
    fine = np.arange(best - step, best + step + step / 10, step / 5)
    scores = [sharpness(angle) for angle in fine]
    # A page without lines stays as it is.
    if max(scores) < (1 + settings.negligible) * sharpness(0.0):
        return 0.0
    return float(fine[int(np.argmax(scores))])
