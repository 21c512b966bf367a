"""Classifiers by the name of their kind."""

from __future__ import annotations

import math
from typing import Literal

import torch

from labelfree.models.base import Classifier
from labelfree.models.dense import MLP, Linear, Table
from labelfree.models.tile_cnn import TileCNN

ModelKind = Literal["table", "linear", "mlp", "cnn"]
KINDS: dict[ModelKind, type[Table] | type[Linear] | type[MLP] | type[TileCNN]] = {
    "table": Table,
    "linear": Linear,
    "mlp": MLP,
    "cnn": TileCNN,
}


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
    kind : {"table", "linear", "mlp", "cnn"}
    n_starts, n_inputs, n_classes : int
        ``n_inputs`` counts symbols or groups for a table, features for the others.
    noise : float
        Standard deviation of the last weights at the start.
    generator : torch.Generator, optional
        Where the noise comes from, and the first weights of networks.

    Examples
    --------
    >>> make_model("linear", n_starts=2, n_inputs=3, n_classes=4)(torch.zeros(5, 3)).exp()[0, 0]
    tensor([0.2500, 0.2500, 0.2500, 0.2500], grad_fn=<SelectBackward0>)
    """
    model = KINDS[kind](n_starts, n_inputs, n_classes)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.startswith("weight_"):
                spread = math.sqrt(2.0 / model.fan_in(name))
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * spread)
            elif name == "weight" and noise > 0:
                parameter.copy_(noise * torch.randn(parameter.shape, generator=generator))
    return model
