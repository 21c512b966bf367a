"""Equation (2) where windows and N-grams are both too many to multiply out: only likely symbols are followed.

A window adds the product of its posteriors to every N-gram, and most of these products are next to nothing once a
classifier has learned something. So every row keeps the symbols above a threshold, its likeliest one in any case, and
each way through the kept symbols of a window is one path. The threshold is the lowest of a few for which there are not
too many paths; what is passed over makes the result a lower bound, which is exact where posteriors are certain. Where
more than half of the probability would be passed over, as before anything is learned, there is no result.

Shapes: ``r`` rows, ``w`` windows, ``n`` positions of a window, ``c`` classes, ``u`` N-grams kept.
"""

from __future__ import annotations

import torch
from torch import Tensor

from labelfree.core.support import Target

_MOST_PATHS = 2**21  # some hundred MB with what the gradient needs
_LEAST_FOLLOWED = 0.5  # of the probability of all paths
_THRESHOLDS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)


def followed_ngrams(posteriors: Tensor, rows: Tensor, weight: Tensor, target: Target) -> Tensor | None:
    """Expected frequency of the N-grams of a sparse target, from the likely symbols of every row.

    Parameters
    ----------
    posteriors : Tensor of shape (r, c)
    rows : Tensor of shape (w, n)
        The rows of each window.
    weight : Tensor of shape (w,)
        Its share of the data.
    target : Target

    Returns
    -------
    Tensor of shape (u,), or None where too much would be passed over.

    Examples
    --------
    >>> target = Target(torch.tensor([0.5, 0.5]), n_classes=2, ids=torch.tensor([[0, 1], [1, 1]]))
    >>> followed_ngrams(torch.eye(2), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0.75, 0.25]), target)
    tensor([0.7500, 0.0000])
    """
    kept = _kept(posteriors.detach(), rows)
    followed = (posteriors.detach() * kept).sum(1)[rows].prod(1)
    if float(followed @ weight) < _LEAST_FOLLOWED * float(weight.sum()):
        return None
    n_kept = kept.sum(1)
    first_kept = torch.cumsum(n_kept, 0) - n_kept
    symbol = kept.nonzero()[:, 1]
    probability = posteriors[kept]
    window, code, value = torch.arange(len(rows)), torch.zeros(len(rows), dtype=torch.int64), weight
    for k in range(rows.shape[1]):
        row = rows[window, k]
        n_next = n_kept[row]
        path = torch.repeat_interleave(n_next)
        which = torch.arange(len(path)) - (torch.cumsum(n_next, 0) - n_next)[path]
        taken = first_kept[row[path]] + which
        window, code, value = (
            window[path],
            code[path] * target.n_classes + symbol[taken],
            value[path] * probability[taken],
        )
    place = torch.searchsorted(target.codes, code).clamp_(max=len(target.codes) - 1)
    is_wanted = target.codes[place] == code
    return torch.zeros_like(target.probability, dtype=value.dtype).index_add(0, place[is_wanted], value[is_wanted])


def _kept(posteriors: Tensor, rows: Tensor) -> Tensor:
    """Which symbols of every row are followed, (r, c)."""
    likeliest = torch.zeros_like(posteriors, dtype=torch.bool).scatter_(1, posteriors.argmax(1, keepdim=True), True)
    for threshold in _THRESHOLDS:
        kept = (posteriors > threshold) | likeliest
        if float(kept.sum(1).double()[rows].prod(1).sum()) <= _MOST_PATHS:
            break
    return kept
