"""What every classifier is: scores of many starts at once, made posteriors.

Every parameter has the starts as its first dimension, so that many starts are one batched tensor.
Shapes: ``s`` starts, ``n`` inputs, ``d`` features, ``c`` classes.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Classifier(nn.Module):
    """p_theta(y | x) of several starts; `forward` gives log-posteriors of shape (s, n, c).

    Parameters
    ----------
    gamma : float
        Sharpness of the paper's linear classifier: logits are gamma times the scores.
    """

    def __init__(self, gamma: float) -> None:
        super().__init__()
        self.gamma = gamma

    @property
    def n_starts(self) -> int:
        """How many starts are held."""
        return next(self.parameters()).shape[0]

    @property
    def n_classes(self) -> int:
        """C."""
        return list(self.parameters())[-1].shape[-1]

    @property
    def width(self) -> int:
        """Numbers that one input becomes in the widest layer."""
        return max(parameter.shape[-1] for parameter in self.parameters())

    def fan_in(self, name: str) -> int:
        """How many numbers each output of a layer of weights is a sum of."""
        weight: Tensor = getattr(self, name)
        return weight.shape[1]

    def varied(self, inputs: Tensor, generator: torch.Generator) -> Tensor:
        """Inputs changed as they may well have been, at no change of their class; here not at all."""
        return inputs

    def scores(self, inputs: Tensor) -> Tensor:
        """Scores of shape (s, n, c), before gamma."""
        raise NotImplementedError

    def forward(self, inputs: Tensor) -> Tensor:
        """Log-posteriors of shape (s, n, c)."""
        return torch.log_softmax(self.gamma * self.scores(inputs), dim=-1)

    def squared_weights(self) -> Tensor:
        """Sum of squares of the weights as the logits feel them, biases left out, one value a start: the L2 penalty."""
        return torch.zeros(self.n_starts)

    def keep(self, starts: Tensor) -> None:
        """Drop all starts but these."""
        for parameter in self.parameters():
            parameter.data = parameter.data[starts].clone()
            parameter.grad = None


class Network(Classifier):
    """A classifier whose last layer is linear in what the layers below it make of the inputs."""

    weight: nn.Parameter
    bias: nn.Parameter

    def hidden(self, inputs: Tensor) -> Tensor:
        """What the last layer sees, (s, n, h)."""
        raise NotImplementedError

    def scores(self, inputs: Tensor) -> Tensor:
        """Scores of shape (s, n, c)."""
        return torch.baddbmm(self.bias, self.hidden(inputs), self.weight)
