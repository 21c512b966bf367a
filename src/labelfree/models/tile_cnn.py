"""A small network for pictures of single characters: two convolutions and one hidden layer, sized for two cores.

A row is a square picture, row by row, and after it whatever else was measured of the character, such as its height
above the line. How many columns are the picture follows from their number: the largest square in it.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from labelfree.errors import InputError
from labelfree.models.base import Network
from labelfree.models.dense import affine
from labelfree.models.variation import vary_tiles

_KERNEL = 3
_ROWS_AT_ONCE = 1024  # without gradients: more rows than these are read piece by piece
LEAST_SIDE = 8


def tile_side(n_inputs: int) -> int:
    """Side of the picture that rows of so many columns begin with.

    Examples
    --------
    >>> tile_side(16 * 16 + 4)
    16
    """
    side = math.isqrt(n_inputs)
    if side < LEAST_SIDE:
        raise InputError(
            f"rows have {n_inputs} columns, at least {LEAST_SIDE * LEAST_SIDE} wanted: a square picture of "
            f"{LEAST_SIDE} x {LEAST_SIDE} or more, row by row; or use model='mlp'"
        )
    return side


class TileCNN(Network):
    """Two convolutions, each halved by its largest values, and a hidden layer; inputs are (n, d) or (s, n, d)."""

    def __init__(
        self,
        n_starts: int,
        n_inputs: int,
        n_classes: int,
        *,
        gamma: float = 1.0,
        n_filters: tuple[int, int] = (12, 24),
        n_hidden: int = 96,
    ) -> None:
        super().__init__(gamma)
        first, second = n_filters
        self.side = tile_side(n_inputs)
        n_flat = second * (self.side // 4) ** 2 + n_inputs - self.side**2
        self.weight_first = nn.Parameter(torch.zeros(n_starts, first, 1, _KERNEL, _KERNEL))
        self.bias_first = nn.Parameter(torch.zeros(n_starts, first))
        self.weight_second = nn.Parameter(torch.zeros(n_starts, second, first, _KERNEL, _KERNEL))
        self.bias_second = nn.Parameter(torch.zeros(n_starts, second))
        self.weight_in = nn.Parameter(torch.zeros(n_starts, n_flat, n_hidden))
        self.bias_in = nn.Parameter(torch.zeros(n_starts, 1, n_hidden))
        self.weight = nn.Parameter(torch.zeros(n_starts, n_hidden, n_classes))
        self.bias = nn.Parameter(torch.zeros(n_starts, 1, n_classes))

    @property
    def width(self) -> int:
        """Numbers that one input becomes in the widest layer."""
        return self.weight_first.shape[1] * self.side**2

    def fan_in(self, name: str) -> int:
        """How many numbers each output of a layer of weights is a sum of."""
        weight: Tensor = getattr(self, name)
        return weight.shape[1] if weight.ndim == 3 else weight[0, 0].numel()

    def hidden(self, inputs: Tensor) -> Tensor:
        """What the last layer sees, (s, n, h)."""
        if torch.is_grad_enabled() or inputs.shape[-2] <= _ROWS_AT_ONCE:
            return self._hidden(inputs)
        return torch.cat([self._hidden(rows) for rows in inputs.split(_ROWS_AT_ONCE, dim=-2)], dim=-2)  # type: ignore[no-untyped-call]

    def squared_weights(self) -> Tensor:
        """Sum of squares of all layers' weights, one value a start."""
        total = self.gamma**2 * self.weight.square().sum((1, 2)) + self.weight_in.square().sum((1, 2))
        return total + self.weight_first.square().sum((1, 2, 3, 4)) + self.weight_second.square().sum((1, 2, 3, 4))

    def varied(self, inputs: Tensor, generator: torch.Generator) -> Tensor:
        """The same characters, printed a little differently."""
        return vary_tiles(inputs, self.side, generator)

    def _hidden(self, inputs: Tensor) -> Tensor:
        n_starts, n_pixels = self.n_starts, self.side**2
        own = inputs.ndim == 3
        rows = inputs if own else inputs[None]  # (s or 1, n, d)
        pictures = rows[..., :n_pixels].transpose(0, 1).reshape(rows.shape[1], -1, self.side, self.side)
        maps = functional.conv2d(
            pictures,
            self.weight_first.flatten(0, 1),
            self.bias_first.flatten(),
            padding=1,
            groups=n_starts if own else 1,
        )
        maps = functional.max_pool2d(maps, 2).relu()
        maps = functional.conv2d(
            maps, self.weight_second.flatten(0, 1), self.bias_second.flatten(), padding=1, groups=n_starts
        )
        maps = functional.max_pool2d(maps, 2).relu()
        flat = maps.reshape(len(maps), n_starts, -1).transpose(0, 1)  # (s, n, filters * (side / 4) ** 2)
        measures = rows[..., n_pixels:].expand(n_starts, -1, -1)
        return affine(torch.cat([flat, measures], -1), self.weight_in, self.bias_in).relu()
