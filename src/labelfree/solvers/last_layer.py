"""What the last layer of a network sees: rows to learn a linear classifier on, which is then put back into the network.

J of a network has more wrong basins than that of a linear classifier, and from random weights descent ends in one. But
the layers below need not have learned anything to be of use: classes that are far apart stay far apart in what random
layers make of them. There the last layer is a linear classifier like any other. Only its inputs have a few directions
that outweigh all others (the amount of ink, say), so they are turned to their principal components and those evened
out, which is a linear map and goes into the weights again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from labelfree.models import Linear, Network, feature_scale
from labelfree.scale.rows import Inputs, blocks
from labelfree.solvers.problem import Problem

_COMPONENTS = 120
_EVENED = 0.1  # of the largest spread is added to each before it is divided by
_MEASURED_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class LastLayer:
    """The affine map from a network's hidden values to rows of evened components.

    Attributes
    ----------
    center : Tensor of shape (h,)
    projection : Tensor of shape (h, k)
    """

    center: Tensor
    projection: Tensor

    @classmethod
    def of(cls, network: Network, inputs: Inputs) -> LastLayer:
        """Measure it on inputs."""
        some = torch.arange(0, len(inputs), -(-len(inputs) // _MEASURED_ROWS))
        with torch.no_grad():
            hidden = network.hidden(inputs[some])[0].double()
        center = hidden.mean(0)
        variance, axes = torch.linalg.eigh((hidden - center).T @ (hidden - center) / len(hidden))
        spread = variance.clamp_min(0).sqrt().flip(0)[:_COMPONENTS]
        projection = axes.flip(1)[:, :_COMPONENTS] / (spread + _EVENED * spread[0]).clamp_min(1e-12)
        _, scale = feature_scale(((hidden - center) @ projection).numpy())
        return cls(center.float(), (scale * projection).float())

    def problem(self, network: Network, problem: Problem) -> Problem:
        """The problem of the last layer alone, its rows in memory."""
        rows = torch.empty((len(problem.inputs), self.projection.shape[1]))
        with torch.no_grad():
            for block in blocks(len(rows)):
                rows[block] = (network.hidden(problem.inputs[block])[0] - self.center) @ self.projection
        return replace(problem, inputs=rows, n_inputs=rows.shape[1])

    def put_back(self, learned: Linear, network: Network) -> None:
        """Make a network do what was learned on its rows."""
        with torch.no_grad():
            weight = learned.gamma / network.gamma * (self.projection @ learned.weight)
            network.weight.copy_(weight)
            network.bias.copy_(learned.gamma / network.gamma * learned.bias - self.center @ weight)
