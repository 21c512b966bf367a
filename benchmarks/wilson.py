"""How sure a share of successes is."""

from __future__ import annotations

import math


def interval(successes: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of the probability of a success; 95 % by default.

    Examples
    --------
    >>> low, high = interval(18, 20)
    >>> round(low, 2), round(high, 2)
    (0.7, 0.97)
    """
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    scale = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / scale
    return max(0.0, middle - half), min(1.0, middle + half)
