r"""The saddle function L(theta, V) of equation `SPDG:SaddlePointProblem`, whose maximum over V is J.

.. math:: L(\theta, V) = \sum p_{LM}\, \nu\, \bar p_\theta + \sum p_{LM} \ln(-\nu) + \sum p_{LM}, \qquad \nu < 0

It follows from :math:`-\ln u = \max_\nu (u\nu + 1 + \ln(-\nu))`. The last sum is the 1 of that identity.
The paper drops it from its equation because it has no gradient; it is kept here so that the maximum is J itself.
"""

from __future__ import annotations

import torch
from torch import Tensor

from labelfree.core.support import Target


def saddle(expected: Tensor, dual: Tensor, target: Target) -> Tensor:
    """L(theta, V), one value a start.

    Parameters
    ----------
    expected : Tensor of shape (..., c, ..., c) or (..., u)
        Expected N-gram frequency, equation (2); of a mini-batch, for a stochastic gradient.
    dual : Tensor of the same shape
        V, negative.
    target : Target
        p_LM.
    """
    return primal_term(expected, dual, target) + barrier(dual, target)


def primal_term(expected: Tensor, dual: Tensor, target: Target) -> Tensor:
    """The part of L that depends on theta: the mean of the window terms L_t."""
    return _over_ngrams(_weighted_dual(dual, target) * expected, target)


def barrier(dual: Tensor, target: Target) -> Tensor:
    """The part of L that depends on V alone; its logarithm keeps V negative."""
    wanted = target.probability.to(dual.dtype)
    log_dual = torch.where(wanted > 0, -dual, 1.0).log()
    return _over_ngrams(wanted * (log_dual + 1.0), target)


def window_terms(window_posteriors: Tensor, dual: Tensor, target: Target) -> Tensor:
    """L_t(theta, V) of each window; their mean over all windows is the part of L that depends on theta.

    Parameters
    ----------
    window_posteriors : Tensor of shape (..., w, n, c)
        p(y | x) at the N positions of each window, oldest first.
    dual : Tensor of shape (..., c, ..., c) or (..., u)
        V, negative.

    Returns
    -------
    Tensor of shape (..., w)
    """
    weights = _weighted_dual(dual, target)
    if target.ids is not None:
        product = torch.ones_like(window_posteriors[..., 0, :1])
        for k in range(target.order):
            product = product * window_posteriors[..., k, target.ids[:, k]]
        return (product * weights[..., None, :]).sum(-1)
    first, *later = window_posteriors.unbind(-2)
    n_classes = first.shape[-1]
    value = first @ weights.flatten(-target.order + 1) if later else (first * weights[..., None, :]).sum(-1)
    for position in later:
        value = value.reshape(*value.shape[:-1], n_classes, -1)
        value = (position[..., None, :] @ value).squeeze(-2)
    return value.squeeze(-1) if later else value


def best_dual(expected: Tensor) -> Tensor:
    """V* = -1 / p_bar, where L attains its maximum over V."""
    return -1.0 / expected


def _weighted_dual(dual: Tensor, target: Target) -> Tensor:
    """p_LM times V, and 0 where p_LM is, even where V* is infinite because the N-gram never comes out."""
    wanted = target.probability.to(dual.dtype)
    return wanted * torch.where(wanted > 0, dual, 0.0)


def _over_ngrams(values: Tensor, target: Target) -> Tensor:
    return values.sum(tuple(range(-target.probability.ndim, 0)))
