"""Which N-grams a cost sums over: all of them as a dense tensor, or a list where C**N is large."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Target:
    """p_LM(i_1, ..., i_N), the N-gram distribution that the output is to match.

    Attributes
    ----------
    probability : Tensor
        Shape (C, ..., C) where dense; (U,) where only the N-grams in ``ids`` are kept.
    n_classes : int
        C.
    ids : Tensor of shape (U, N), optional
        The N-grams kept, sorted; None where dense.
    """

    probability: Tensor
    n_classes: int
    ids: Tensor | None = None

    @property
    def order(self) -> int:
        """N."""
        return self.probability.ndim if self.ids is None else self.ids.shape[1]

    @cached_property
    def neg_entropy(self) -> Tensor:
        """Sum of p ln p, the constant between J and the Kullback-Leibler divergence."""
        positive = self.probability[self.probability > 0]
        return (positive * positive.log()).sum()

    @cached_property
    def prefixes(self) -> tuple[Tensor, Tensor, Tensor]:
        """For a sparse target: the distinct (N-1)-prefixes, and the prefix and last symbol of each N-gram."""
        if self.ids is None:
            raise TypeError("a dense target has no list of prefixes")
        if self.order == 1:  # one empty prefix; unique does not take rows without columns
            return self.ids[:1, :0], torch.zeros_like(self.ids[:, 0]), self.ids[:, 0]
        distinct, where = torch.unique(self.ids[:, :-1], dim=0, return_inverse=True)
        return distinct, where, self.ids[:, -1]

    @cached_property
    def codes(self) -> Tensor:
        """For a sparse target: each N-gram as one number, base C; they rise."""
        if self.ids is None:
            raise TypeError("a dense target has no list of codes")
        place_values = self.n_classes ** torch.arange(self.order - 1, -1, -1)
        return (self.ids * place_values).sum(1)
