"""Equation (2) at N = 2 over a whole grid of linear classifiers at once.

The logits of a linear classifier are linear in theta, so those at any point of a plane are an affine combination of
three arrays. Along one side of the grid they grow by equal steps, and the posteriors of a few neighbours are those of
their middle times powers of one ratio, normalised again: an exponential serves many points.

Shapes: ``r`` rows of data, ``c`` classes, ``m`` neighbours on the grid.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch
from torch import Tensor

from labelfree.core import Windows
from labelfree.errors import InputError
from labelfree.workers import one_thread

_ROWS = 512  # of data at a time, so that all neighbours stay in cache
_NEIGHBOURS = 13
_LANES = 16  # classes are filled up to a multiple of this; products of such matrices run half as fast again
_LARGEST_EXPONENT = 20.0  # of a ratio: what vanished in single precision at the middle stays far below it


@dataclass(frozen=True, eq=False)
class AffineLogits:
    """Logits ``origin + a * first + b * second`` over a plane of parameters; all three of shape (r, c)."""

    origin: Tensor
    first: Tensor
    second: Tensor


@torch.no_grad()
def expected_bigrams(logits: AffineLogits, windows: Windows, a: Tensor, b: Tensor) -> Tensor:
    """Expected bigram frequency at every point of a grid.

    Parameters
    ----------
    logits : AffineLogits
    windows : Windows
        Of two neighbouring rows each.
    a : Tensor of shape (p,)
    b : Tensor of shape (q,)
        Evenly spaced.

    Returns
    -------
    Tensor of shape (p, q, c, c)

    Examples
    --------
    >>> from labelfree.core import subsequences
    >>> zero, certain = torch.zeros(3, 2), torch.tensor([[0.0, 99.0], [0.0, 99.0], [99.0, 0.0]])
    >>> grid = expected_bigrams(AffineLogits(zero, zero, certain), subsequences([3], 2), zero[0, :1], torch.arange(2.0))
    >>> grid[0, 0].tolist(), grid[0, 1].round(decimals=2).tolist()
    ([[0.25, 0.25], [0.25, 0.25]], [[0.0, 0.0], [0.5, 0.5]])
    """
    weight = _weight_of_rows(windows)
    step = _even_step(b)
    n_classes = logits.origin.shape[1]
    width = n_classes + -n_classes % _LANES
    total = torch.zeros(len(a), len(b), width, width)
    # Every point is summed by one worker in the order of the data: the same bits whatever their number.
    shares = torch.arange(len(a)).chunk(torch.get_num_threads())
    with one_thread(), ThreadPoolExecutor(len(shares), initializer=torch.set_num_threads, initargs=(1,)) as pool:
        tasks = [
            pool.submit(_fill, total, share.tolist(), logits, weight, a.tolist(), b.tolist(), step) for share in shares
        ]
        for task in tasks:
            task.result()
    return total[..., :n_classes, :n_classes]


@torch.no_grad()
def _fill(
    total: Tensor, lines: list[int], logits: AffineLogits, weight: Tensor, a: list[float], b: list[float], step: float
) -> None:
    """Sum the bigrams of some lines of the grid, block by block of the data."""
    width = total.shape[-1]
    for start in range(0, len(weight) - 1, _ROWS):
        rows = slice(start, start + _ROWS + 1)  # the last row is only the right half of a window
        origin = _class_major(logits.origin[rows], width, float("-inf"))
        first, second = (_class_major(part[rows], width, 0.0) for part in (logits.first, logits.second))
        second -= (second.amax(0) + second.amin(0)) / 2  # the same for all classes, so that ratios stay near 1
        reach = min(_NEIGHBOURS // 2, int(_LARGEST_EXPONENT / max(1e-30, step * float(second.abs().max()))))
        ratios = (step * torch.arange(-reach, reach + 1.0)[:, None, None] * second).exp()  # (m, c, r)
        for i in lines:
            line = torch.add(origin, first, alpha=a[i])
            for left in range(0, len(b), len(ratios)):
                middle = torch.softmax(torch.add(line, second, alpha=b[left] + reach * step), 0)
                cells = total[i, left : left + len(ratios)]
                _add_bigrams(cells, middle * ratios[: len(cells)], weight[rows])


def _add_bigrams(total: Tensor, unnormalised: Tensor, weight: Tensor) -> None:
    """Add (m, c, c) bigrams of (m, c, r) posteriors that are still to be normalised."""
    scale = unnormalised.sum(1).reciprocal_()
    scale = (scale[:, :-1] * scale[:, 1:]).mul_(weight[: scale.shape[1] - 1])
    left = unnormalised[..., :-1] * scale[:, None]
    torch.baddbmm(total, left, unnormalised[..., 1:].mT, out=total)


def _class_major(rows: Tensor, width: int, fill: float) -> Tensor:
    """(r, c) as (width, r) with filled up classes."""
    filled = rows.new_full((width, len(rows)), fill)
    filled[: rows.shape[1]] = rows.T
    return filled


def _even_step(b: Tensor) -> float:
    steps = b.diff()
    if len(b) > 1 and not torch.allclose(steps, steps.mean(), rtol=1e-3):
        raise InputError(f"steps from {float(steps.min())} to {float(steps.max())} found, even ones wanted")
    return float(steps.mean()) if len(b) > 1 else 0.0


def _weight_of_rows(windows: Windows) -> Tensor:
    """The share of the window that begins at each row, zero where none does."""
    if windows.order != 2 or bool((windows.rows.diff(dim=1) != 1).any()):
        raise InputError("windows of other than two neighbouring rows; draw profiles of features at order 2")
    weight = torch.zeros(windows.n_rows)
    weight[windows.rows[:, 0]] = windows.weight.float()
    return weight
