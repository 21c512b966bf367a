r"""Equation (2): the expected N-gram frequency of the output.

.. math:: \bar p_\theta(i_1, \ldots, i_N) =
          \frac{1}{T} \sum_n \sum_t \prod_{k=0}^{N-1} p_\theta(y^n_{t-k} = i_{N-k} \mid x^n_{t-k})

Only whole windows count, and T is their number, so that the frequencies sum to 1 whatever the lengths of the sequences.

Shapes: ``s`` starts (any leading dimensions), ``r`` rows, ``w`` windows, ``c`` classes, ``u`` N-grams kept.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from labelfree.core.paths import followed_ngrams
from labelfree.core.support import Target
from labelfree.core.windows import Windows
from labelfree.errors import InputError

_PRODUCTS = 2**28  # of windows and prefixes of N-grams, beyond which only likely symbols are followed
_CHUNK_NUMBERS = 2**25  # numbers held at once by one chunk of windows: 128 MB of float32


def expected_ngrams(posteriors: Tensor, windows: Windows, target: Target | None = None) -> Tensor:
    """Expected N-gram frequency, equation (2), over plain or compressed data.

    Parameters
    ----------
    posteriors : Tensor of shape (..., r, c)
        p(y | x) of each row; leading dimensions are independent starts.
    windows : Windows
        The N-windows of the data, as positions or as merged groups.
    target : Target, optional
        Where it is sparse, only its N-grams are computed; where windows are many too, from the likely symbols of
        every row if these hold most of the probability (`followed_ngrams`).

    Returns
    -------
    Tensor of shape (..., c, ..., c), or (..., u) for a sparse target.

    Examples
    --------
    >>> from labelfree.core import subsequences
    >>> certain = torch.eye(2)[[0, 1, 1]]
    >>> expected_ngrams(certain, subsequences([3], order=2))
    tensor([[0.0000, 0.5000],
            [0.0000, 0.5000]])
    """
    if len(windows) == 0:
        raise InputError("no windows to take the expected N-grams of")
    table = windows.pair_table
    if table is not None and (target is None or target.ids is None):
        return posteriors.mT @ (table.to(posteriors.dtype) @ posteriors)
    starts, n_classes = posteriors.shape[:-2], posteriors.shape[-1]
    width = _width(n_classes, windows.order, target)
    if target is not None and target.ids is not None and width * len(windows) > _PRODUCTS:
        weight = windows.weight.to(posteriors.dtype)
        followed = [
            followed_ngrams(one, windows.rows, weight, target) for one in posteriors.reshape(-1, *posteriors.shape[-2:])
        ]
        found = [one for one in followed if one is not None]
        if len(found) == len(followed):
            return torch.stack(found).reshape(*starts, -1)
    chunk = max(1, _CHUNK_NUMBERS // (width * max(1, math.prod(starts))))
    total = posteriors.new_zeros(())
    for first in range(0, len(windows), chunk):
        rows = windows.rows[first : first + chunk]
        weight = windows.weight[first : first + chunk].to(posteriors.dtype)
        if len(windows) <= chunk or not posteriors.requires_grad:
            part = _weighted_sum(posteriors, rows, weight, target)
        else:
            part = checkpoint(_weighted_sum, posteriors, rows, weight, target, use_reentrant=False)
        total = total + part
    return total


def sampled_ngrams(posteriors: Tensor, target: Target | None = None) -> Tensor:
    """Equation (2) over a mini-batch: the mean over sampled windows.

    Parameters
    ----------
    posteriors : Tensor of shape (..., b, n, c)
        p(y | x) at the N positions of each of b windows, oldest first.

    Returns
    -------
    Tensor of shape (..., c, ..., c), or (..., u) for a sparse target.
    """
    positions = list(posteriors.unbind(-2))
    positions[-1] = positions[-1] / posteriors.shape[-3]
    return _sum_of_products(positions, target)


def _width(n_classes: int, order: int, target: Target | None) -> int:
    """How many numbers a single window takes on the way."""
    if target is not None and target.ids is not None:
        return int(target.prefixes[0].shape[0])
    return int(n_classes ** max(1, order - 1))


def _weighted_sum(posteriors: Tensor, rows: Tensor, weight: Tensor, target: Target | None) -> Tensor:
    """Sum over distinct windows of weight times the product of posteriors."""
    order = rows.shape[1]
    if target is not None and target.ids is not None:
        positions = [posteriors[..., rows[:, k], :] for k in range(order)]
        positions[-1] = positions[-1] * weight[:, None]
        return _sum_of_products(positions, target)
    # From the last position back: windows that share their first rows are added up before they are multiplied out.
    value = posteriors[..., rows[:, -1], :] * weight[:, None]  # (s, w, c)
    for k in range(order - 1, 0, -1):
        rows, value = _merge_prefixes(rows[:, :k], value)
        if k > 1:
            outer = posteriors[..., rows[:, -1], :, None] * value[..., None, :]
            value = outer.flatten(-2)  # (s, w', c ** (N - k + 1))
    if order == 1:
        return value.sum(-2)
    grams = posteriors[..., rows[:, 0], :].mT @ value  # (s, c, c ** (N - 1))
    return grams.reshape(*grams.shape[:-1], *(posteriors.shape[-1],) * (order - 1))


def _merge_prefixes(prefix: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Add up the values of neighbouring windows whose prefixes are equal; windows are sorted."""
    is_new = torch.ones(prefix.shape[0], dtype=torch.bool)
    is_new[1:] = (prefix[1:] != prefix[:-1]).any(1)
    if bool(is_new.all()):
        return prefix, value
    where = torch.cumsum(is_new, 0) - 1
    distinct = prefix[is_new]
    merged = value.new_zeros((*value.shape[:-2], distinct.shape[0], value.shape[-1]))
    return distinct, merged.index_add(-2, where, value)


def _sum_of_products(positions: list[Tensor], target: Target | None) -> Tensor:
    """Sum over windows of the product of posteriors; ``positions`` holds N tensors of shape (..., w, c)."""
    *earlier, last = positions
    n_classes = last.shape[-1]
    if target is not None and target.ids is not None:
        prefixes, where, symbol = target.prefixes
        prefix = torch.ones_like(last[..., :1])
        for k, position in enumerate(earlier):
            prefix = prefix * position[..., prefixes[:, k]]
        table = prefix.mT @ last  # (s, distinct prefixes, c)
        return table[..., where, symbol]
    if not earlier:
        return last.sum(-2)
    left = earlier[0]
    for position in earlier[1:]:
        left = (left[..., :, None] * position[..., None, :]).flatten(-2)
    grams = left.mT @ last
    return grams.reshape(*grams.shape[:-2], *(n_classes,) * len(positions))
