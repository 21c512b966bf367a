r"""Equation (1), the Empirical-ODM cost, the cost of Chen et al. (2016) that it replaces, and that of known labels.

The first two are cross entropies between p_LM and the expected N-gram frequency of equation (2), with their places
swapped: J is coverage-seeking, the older cost mode-seeking (section 2.3).
"""

from __future__ import annotations

import torch
from torch import Tensor

from labelfree.core.support import Target


def odm_cost(expected: Tensor, target: Target) -> Tensor:
    r"""Empirical-ODM cost, equation (1): :math:`J = -\sum p_{LM} \ln \bar p_\theta`.

    Parameters
    ----------
    expected : Tensor of shape (..., c, ..., c) or (..., u)
        Expected N-gram frequency, equation (2).
    target : Target
        p_LM.

    Returns
    -------
    Tensor of shape (...)
        One cost a start; infinite where an N-gram that the language has never comes out.

    Examples
    --------
    >>> half = torch.tensor([0.5, 0.5])
    >>> odm_cost(half, Target(half, n_classes=2))
    tensor(0.6931)
    """
    wanted = target.probability.to(expected.dtype)
    present = wanted > 0
    log_expected = torch.where(present, expected, 1.0).log()
    return -(wanted * log_expected).sum(_last_dims(target))


def kl_divergence(expected: Tensor, target: Target) -> Tensor:
    """J less the entropy of p_LM: the divergence of the output's N-grams from the language's, zero when they match.

    A sparse target is compared with one more cell for all the N-grams it leaves out, so that this stays a divergence.
    """
    kl = odm_cost(expected, target) + target.neg_entropy.to(expected.dtype)
    if target.ids is not None:
        rest = (1.0 - target.probability.sum()).clamp_min(0.0).to(expected.dtype)
        tiny = torch.finfo(expected.dtype).tiny
        kl = kl + rest * (rest.clamp_min(tiny).log() - (1.0 - expected.sum(-1)).clamp_min(tiny).log())
    return kl


def expected_likelihood_cost(expected: Tensor, log_conditional: Tensor) -> Tensor:
    r"""The cost of Chen et al. (2016), equation `OldCost_Form2`.

    .. math:: -\sum \bar p_\theta(i_1, \ldots, i_N) \ln p_{LM}(i_N \mid i_{N-1}, \ldots, i_1)

    Parameters
    ----------
    expected : Tensor of shape (..., c, ..., c) or (..., u)
        Expected N-gram frequency, equation (2).
    log_conditional : Tensor of shape (c, ..., c) or (u,)
        ln p_LM of the last symbol given those before it.
    """
    wanted = log_conditional.to(expected.dtype)
    # 0 ln 0 is 0; masked before the product, because the gradient of a product masked after it is 0 * inf.
    log_wanted = torch.where((expected > 0) | wanted.isfinite(), wanted, 0.0)
    return -(expected * log_wanted).sum(tuple(range(-log_conditional.ndim, 0)))


def label_cost(log_posteriors: Tensor, soft_labels: Tensor) -> Tensor:
    r"""Cross entropy between known labels and the classifier: :math:`-\sum_r \sum_y q_r(y) \ln p_\theta(y \mid x_r)`.

    Parameters
    ----------
    log_posteriors : Tensor of shape (..., k, c)
        Of the inputs whose label is known.
    soft_labels : Tensor of shape (k, c)
        q, how often an input bears each label. A row that sums to less counts for less.

    Returns
    -------
    Tensor of shape (...)
        One cost a start.

    Examples
    --------
    >>> label_cost(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[0.0, 1.0]]))
    tensor(0.6931)
    """
    return -(soft_labels.to(log_posteriors.dtype) * log_posteriors).sum((-2, -1))


def _last_dims(target: Target) -> tuple[int, ...]:
    return tuple(range(-target.probability.ndim, 0))
