"""What turns an input into log-posteriors: a table, a linear classifier, a small network.

Every parameter has the starts as its first dimension, so that many starts are one batched tensor.
Shapes: ``s`` starts, ``n`` inputs, ``d`` features, ``c`` classes.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from labelfree.errors import InputError

ModelKind = Literal["table", "linear", "mlp"]
_SQUARED_LENGTH = 200.0  # of a centred row of features, on average: the scale at which penalties and rates are set


def feature_scale(X: NDArray[np.floating]) -> tuple[NDArray[np.float64], float]:
    """Centre and scale of features: less the first and times the second, a row has squared length 200 on average.

    Examples
    --------
    >>> center, scale = feature_scale(np.array([[1.0, 0.0], [3.0, 0.0]]))
    >>> center.tolist(), round(scale, 3)
    ([2.0, 0.0], 14.142)
    """
    center = X.mean(0, dtype=np.float64)
    with np.errstate(over="ignore"):
        spread = float(np.square(X - center).sum(1).mean())
    if not np.isfinite(spread):
        raise InputError(f"features as large as {np.abs(X).max():.3g} overflow; scale them, for example to 0..1")
    return center, float(np.sqrt(_SQUARED_LENGTH / spread)) if spread > 0 else 1.0


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
        return _affine(inputs, self.weight, self.bias)

    def squared_weights(self) -> Tensor:
        """Sum of squares of gamma times the weights, one value a start."""
        return self.gamma**2 * self.weight.square().sum((1, 2))


class MLP(Classifier):
    """One hidden layer of rectified units; inputs are (n, d) or (s, n, d)."""

    def __init__(
        self, n_starts: int, n_inputs: int, n_classes: int, *, gamma: float = 1.0, n_hidden: int = 128
    ) -> None:
        super().__init__(gamma)
        self.weight_in = nn.Parameter(torch.zeros(n_starts, n_inputs, n_hidden))
        self.bias_in = nn.Parameter(torch.zeros(n_starts, 1, n_hidden))
        self.weight = nn.Parameter(torch.zeros(n_starts, n_hidden, n_classes))
        self.bias = nn.Parameter(torch.zeros(n_starts, 1, n_classes))

    def scores(self, inputs: Tensor) -> Tensor:
        """Scores of shape (s, n, c)."""
        hidden = torch.relu(_affine(inputs, self.weight_in, self.bias_in))
        return _affine(hidden, self.weight, self.bias)

    def squared_weights(self) -> Tensor:
        """Sum of squares of both layers' weights, one value a start."""
        return self.weight_in.square().sum((1, 2)) + self.gamma**2 * self.weight.square().sum((1, 2))


def make_model(
    kind: ModelKind,
    n_starts: int,
    n_inputs: int,
    n_classes: int,
    *,
    noise: float = 0.0,
    generator: torch.Generator | None = None,
) -> Classifier:
    """Build a classifier whose output is uniform but for a little noise on its last weights.

    Parameters
    ----------
    kind : {"table", "linear", "mlp"}
    n_starts, n_inputs, n_classes : int
        ``n_inputs`` counts symbols or groups for a table, features for the others.
    noise : float
        Standard deviation of the scores at the start.
    generator : torch.Generator, optional
        Where the noise comes from.

    Examples
    --------
    >>> make_model("linear", n_starts=2, n_inputs=3, n_classes=4)(torch.zeros(5, 3)).exp()[0, 0]
    tensor([0.2500, 0.2500, 0.2500, 0.2500], grad_fn=<SelectBackward0>)
    """
    model = {"table": Table, "linear": Linear, "mlp": MLP}[kind](n_starts, n_inputs, n_classes)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name == "weight_in":
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * math.sqrt(2.0 / n_inputs))
            elif name == "weight" and noise > 0:
                parameter.copy_(noise * torch.randn(parameter.shape, generator=generator))
    return model


def _affine(inputs: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(n, d) or (s, n, d) inputs through one affine map a start."""
    n_starts, n_inputs, n_outputs = weight.shape
    if inputs.ndim == 2:  # one big product over all starts
        flat = inputs @ weight.transpose(0, 1).reshape(n_inputs, n_starts * n_outputs)
        return flat.reshape(-1, n_starts, n_outputs).transpose(0, 1) + bias
    return torch.baddbmm(bias, inputs, weight)
