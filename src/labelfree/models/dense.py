"""Classifiers of plain rows: a table of symbols, the paper's linear classifier, a network with one hidden layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from labelfree.models.base import Classifier, Network


class Table(Classifier):
    """One row of scores a symbol or group; inputs are integers, (n,) or (s, n)."""

    def __init__(self, n_starts: int, n_inputs: int, n_classes: int, *, gamma: float = 10.0) -> None:
        super().__init__(gamma)
        self.weight = nn.Parameter(torch.zeros(n_starts, n_inputs, n_classes))

    def scores(self, inputs: Tensor) -> Tensor:
        """Scores of shape (s, n, c)."""
        if inputs.ndim == 1:
            return self.weight[:, inputs]
        return self.weight.gather(1, inputs[..., None].expand(-1, -1, self.weight.shape[-1]))


class Linear(Classifier):
    """The paper's linear classifier, with a bias; inputs are (n, d) or (s, n, d)."""

    def __init__(self, n_starts: int, n_inputs: int, n_classes: int, *, gamma: float = 1.0) -> None:
        super().__init__(gamma)
        self.weight = nn.Parameter(torch.zeros(n_starts, n_inputs, n_classes))
        self.bias = nn.Parameter(torch.zeros(n_starts, 1, n_classes))

    def scores(self, inputs: Tensor) -> Tensor:
        """Scores of shape (s, n, c)."""
        return affine(inputs, self.weight, self.bias)

    def squared_weights(self) -> Tensor:
        """Sum of squares of gamma times the weights, one value a start."""
        return self.gamma**2 * self.weight.square().sum((1, 2))


class MLP(Network):
    """One hidden layer of rectified units; inputs are (n, d) or (s, n, d)."""

    def __init__(
        self, n_starts: int, n_inputs: int, n_classes: int, *, gamma: float = 1.0, n_hidden: int = 128
    ) -> None:
        super().__init__(gamma)
        self.weight_in = nn.Parameter(torch.zeros(n_starts, n_inputs, n_hidden))
        self.bias_in = nn.Parameter(torch.zeros(n_starts, 1, n_hidden))
        self.weight = nn.Parameter(torch.zeros(n_starts, n_hidden, n_classes))
        self.bias = nn.Parameter(torch.zeros(n_starts, 1, n_classes))

    def hidden(self, inputs: Tensor) -> Tensor:
        """What the last layer sees, (s, n, h)."""
        return torch.relu(affine(inputs, self.weight_in, self.bias_in))

    def squared_weights(self) -> Tensor:
        """Sum of squares of both layers' weights, one value a start."""
        return self.weight_in.square().sum((1, 2)) + self.gamma**2 * self.weight.square().sum((1, 2))


def affine(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(n, d) or (s, n, d) inputs through one affine map a start."""
    n_starts, n_inputs, n_outputs = weight.shape
    if inputs.ndim == 2:  # one big product over all starts
        flat = inputs @ weight.transpose(0, 1).reshape(n_inputs, n_starts * n_outputs)
        return flat.reshape(-1, n_starts, n_outputs).transpose(0, 1) + bias
    return torch.baddbmm(bias, inputs, weight)
