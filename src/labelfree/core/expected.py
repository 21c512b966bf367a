r"""Equation (2): the expected N-gram frequency of the output.

.. math:: \bar p_\theta(i_1, \ldots, i_N) =
          \frac{1}{T} \sum_n \sum_t \prod_{k=0}^{N-1} p_\theta(y^n_{t-k} = i_{N-k} \mid x^n_{t-k})

Only whole windows count, and T is their number, so that the frequencies sum to 1 whatever the lengths of the sequences.

Shapes: ``s`` starts (any leading dimensions), ``r`` rows, ``w`` windows, ``c`` classes, ``u`` N-grams kept.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from labelfree.core.paths import followed_ngrams
from labelfree.core.support import Target
from labelfree.core.windows import Windows
from labelfree.errors import InputError

_PRODUCTS = 2**28  # of windows and prefixes of N-grams, beyond which only likely symbols are followed
_CHUNK_NUMBERS = 2**19  # numbers held at once by one chunk of windows: 2 MB of float32, about what a cache holds


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
    weight = windows.weight.to(posteriors.dtype)
    if len(windows) <= chunk:
        return _weighted_sum(posteriors, windows.rows, weight, target)
    total: Tensor = _ChunkedSum.apply(posteriors, windows.rows, weight, target, chunk)  # type: ignore[no-untyped-call]
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


class _ChunkedSum(torch.autograd.Function):
    """`_weighted_sum`, chunk by chunk; the way back multiplies each chunk out again, so that none has to be kept."""

    @staticmethod
    def forward(
        ctx: Any, posteriors: Tensor, rows: Tensor, weight: Tensor, target: Target | None, chunk: int
    ) -> Tensor:
        """Add up the chunks."""
        ctx.save_for_backward(posteriors, rows, weight)
        ctx.target, ctx.chunk = target, chunk
        total = posteriors.new_zeros(())
        for first in range(0, len(rows), chunk):
            part = slice(first, first + chunk)
            total = total + _weighted_sum(posteriors, rows[part], weight[part], target)
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """Add up the chunks' gradients; windows are sorted, so a chunk of plain data reads few rows."""
        posteriors, rows, weight = ctx.saved_tensors
        total = torch.zeros_like(posteriors)
        for first in range(0, len(rows), ctx.chunk):
            part = slice(first, first + ctx.chunk)
            least, most = rows[part].aminmax()
            mine = slice(int(least), int(most) + 1)
            with torch.enable_grad():
                leaf = posteriors[..., mine, :].detach().requires_grad_()
                factors = _factors(leaf, rows[part] - least, weight[part], ctx.target)
            total[..., mine, :] += _gradient(leaf, factors, gradients[0], ctx.target)
        return total, None, None, None, None


def _weighted_sum(posteriors: Tensor, rows: Tensor, weight: Tensor, target: Target | None) -> Tensor:
    """Sum over distinct windows of weight times the product of posteriors."""
    first, rest = _factors(posteriors, rows, weight, target)
    grams = first.mT @ rest
    if target is not None and target.ids is not None:
        _, where, symbol = target.prefixes
        return grams[..., where, symbol]
    return grams.reshape(*grams.shape[:-2], *(posteriors.shape[-1],) * rows.shape[1])


def _gradient(posteriors: Tensor, factors: tuple[Tensor, Tensor], pull: Tensor, target: Target | None) -> Tensor:
    """What a gradient in the sum is in the posteriors; of the sum itself nothing is multiplied out again."""
    first, rest = factors
    grams = pull.new_zeros(*first.shape[:-2], first.shape[-1], rest.shape[-1])
    if target is not None and target.ids is not None:
        _, where, symbol = target.prefixes
        grams[..., where, symbol] = pull
    else:
        grams = pull.reshape(grams.shape)
    if not first.requires_grad:  # where N is 1
        return torch.autograd.grad(rest, posteriors, first @ grams)[0]
    return torch.autograd.grad(factors, posteriors, (rest @ grams.mT, first @ grams))[0]


def _factors(posteriors: Tensor, rows: Tensor, weight: Tensor, target: Target | None) -> tuple[Tensor, Tensor]:
    """What the sum is the product of: a number of each window for the first symbols, and for those that follow.

    Of a sparse target these are all symbols but the last (s, w, prefixes), and the last (s, w, c). Of a dense one they
    are the first (s, w', c) and the rest (s, w', c ** (N - 1)), put together from the last position back: windows that
    share their first rows are added up before they are multiplied out.
    """
    order = rows.shape[1]
    value = posteriors.index_select(-2, rows[:, -1]) * weight[:, None]  # (s, w, c)
    if target is not None and target.ids is not None:
        return _of_prefixes([posteriors.index_select(-2, rows[:, k]) for k in range(order - 1)], value, target), value
    for k in range(order - 1, 0, -1):
        rows, value = _merge_prefixes(rows[:, :k], value)
        if k > 1:
            outer = posteriors.index_select(-2, rows[:, -1])[..., None] * value[..., None, :]
            value = outer.flatten(-2)  # (s, w', c ** (N - k + 1))
    if order == 1:
        return torch.ones_like(value[..., :1]), value
    return posteriors.index_select(-2, rows[:, 0]), value


def _of_prefixes(earlier: list[Tensor], last: Tensor, target: Target) -> Tensor:
    """The product of the posteriors of all symbols but the last, for every prefix of a sparse target."""
    prefixes = target.prefixes[0]
    found = torch.ones_like(last[..., :1])
    for k, position in enumerate(earlier):
        found = found * position[..., prefixes[:, k]]
    return found


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
        _, where, symbol = target.prefixes
        table = _of_prefixes(earlier, last, target).mT @ last  # (s, distinct prefixes, c)
        return table[..., where, symbol]
    if not earlier:
        return last.sum(-2)
    left = earlier[0]
    for position in earlier[1:]:
        left = (left[..., :, None] * position[..., None, :]).flatten(-2)
    grams = left.mT @ last
    return grams.reshape(*grams.shape[:-2], *(n_classes,) * len(positions))
