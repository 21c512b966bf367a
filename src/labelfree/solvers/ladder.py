"""Many starts at once, thinned out by the label-free score, on batches that grow: how any gradient method is run.

Small batches are noisy, and the noise carries a start across the barriers of J. Growing batches let it settle. Solved
and stuck starts differ early and clearly in their divergence from the language, so the worse ones are dropped at every
rung, and the rest of the effort goes to the better ones. None of this belongs to one cost or one optimiser: every
gradient method can be taken down the same ladder, so that two of them can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from labelfree.solvers.run import Run


@dataclass(frozen=True)
class Rung:
    """So many steps at this batch size, after which this share of the starts goes on.

    Attributes
    ----------
    steps : int
    batch_size : int or None
        Windows a step; None for all of them.
    keep : float
        Share of the starts that goes on; at least one does.
    l2 : float
        Times the method's own penalty.
    entropy : float
        Times the method's own penalty on the entropy of posteriors; of use once the basin is found.
    rate : float
        Times the method's own rate of theta.
    dual_rate : float
        Times that of the dual, where the method has one.
    order : int, optional
        N of the N-grams matched, where that is less than the problem's.
    falls : bool
        Whether the rate of theta falls to nothing on the way, so that the last steps settle.
    """

    steps: int
    batch_size: int | None
    keep: float = 1.0
    l2: float = 1.0
    entropy: float = 0.0
    rate: float = 1.0
    dual_rate: float = 1.0
    order: int | None = None
    falls: bool = False


Ladder = tuple[Rung, ...]


class Halving:
    """Which starts are left, and the last score of every one.

    Parameters
    ----------
    n_starts : int
    """

    def __init__(self, n_starts: int) -> None:
        self.alive = torch.arange(n_starts)
        self.last_scores = torch.full((n_starts,), math.inf)

    def descend(self, run: Run, rungs: Sequence[Rung]) -> None:
        """Take a run, which holds the starts that are left, down some rungs."""
        rate, l2, entropy, dual_rate = run.rate, run.l2, run.entropy, run.dual_rate
        for rung in rungs:
            run.batch_size = rung.batch_size
            run.rate, run.dual_rate = rung.rate * rate, rung.dual_rate * dual_rate
            run.l2, run.entropy = rung.l2 * l2, rung.entropy * entropy
            run.advance(rung.steps, falls=rung.falls)
            scores = run.scores()
            self.last_scores[self.alive] = scores
            survivors = scores.argsort()[: max(1, math.ceil(rung.keep * len(self.alive)))]
            run.keep(survivors)
            l2 = l2[survivors]
            self.alive = self.alive[survivors]

    def winner(self) -> Tensor:
        """Place, among the starts that are left, of the one with the lowest score; one number in an array."""
        return self.last_scores[self.alive].argmin(keepdim=True)


def shortened(ladder: Ladder, steps: int) -> Ladder:
    """The same rungs with so many steps in all, each with its share of them.

    Examples
    --------
    >>> [rung.steps for rung in shortened((Rung(300, 10), Rung(100, 20)), steps=10)]
    [8, 2]
    """
    total = sum(rung.steps for rung in ladder)
    ends = [round(steps * sum(rung.steps for rung in ladder[: i + 1]) / total) for i in range(len(ladder))]
    cut = [replace(rung, steps=end - begin) for rung, begin, end in zip(ladder, [0, *ends], ends, strict=False)]
    return tuple(rung for rung in cut if rung.steps)


def at_batch(ladder: Ladder, batch_size: int | None, n_windows: int, generosity: float = 1.0) -> Ladder:
    """The same ladder for a method whose batch does not grow, within the same budget.

    A rung has at most the steps that it had, and looks at most so many times as often at a window.

    Parameters
    ----------
    ladder : tuple of Rung
    batch_size : int or None
        None for all windows.
    n_windows : int
        How many there are.
    generosity : float
        How many times the windows of the ladder a step may see in all.

    Examples
    --------
    >>> [rung.steps for rung in at_batch((Rung(300, 10), Rung(100, 1000)), 100, n_windows=9000)]
    [30, 100]
    """
    size = batch_size or n_windows
    return tuple(
        replace(
            rung,
            batch_size=batch_size,
            steps=max(1, min(rung.steps, int(generosity * rung.steps * (rung.batch_size or n_windows) / size))),
        )
        for rung in ladder
    )
