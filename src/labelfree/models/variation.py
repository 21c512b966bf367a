"""How print varies: a character shifted, stretched, slanted, inked more or less, and speckled is the same character."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

_SHIFT = 0.06  # of half the side: about half a pixel of 16
_STRETCH = 0.08
_SLANT = 0.12
_THICKNESS = 0.5  # at most so far from the stroke as it is to one a pixel wider or narrower
_NOISE = 0.1  # of the ink's own root mean square
_MEASURE_NOISE = 0.05  # of each measure's spread


def vary_tiles(rows: Tensor, side: int, generator: torch.Generator) -> Tensor:
    """Print characters again, each a little differently.

    Parameters
    ----------
    rows : Tensor of shape (n, d)
        Square pictures, row by row; other measures after them.
    side : int
        Of the pictures.
    generator : torch.Generator

    Examples
    --------
    >>> blank = vary_tiles(torch.zeros(2, 64), 8, torch.Generator().manual_seed(0))
    >>> blank.abs().max().item()
    0.0
    """
    n = len(rows)
    pictures, measures = rows[:, : side * side].reshape(n, 1, side, side), rows[:, side * side :]
    pictures = _inked(_moved(pictures, generator), generator)
    pictures = pictures + _NOISE * pictures.square().mean().sqrt() * torch.randn(pictures.shape, generator=generator)
    if measures.shape[1]:
        spread = _MEASURE_NOISE * measures.std(0, correction=0)
        measures = measures + spread * torch.randn(measures.shape, generator=generator)
    return torch.cat([pictures.reshape(n, -1), measures], 1)


def _moved(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Shifted, stretched and slanted; what comes in from outside is as the edge is."""
    draws = 2 * torch.rand(len(pictures), 5, generator=generator) - 1
    maps = torch.zeros(len(pictures), 2, 3)
    maps[:, [0, 1], [0, 1]] = 1 + _STRETCH * draws[:, :2]
    maps[:, 0, 1] = _SLANT * draws[:, 2]
    maps[:, :, 2] = _SHIFT * draws[:, 3:]
    places = functional.affine_grid(maps, list(pictures.shape), align_corners=False)
    return functional.grid_sample(pictures, places, padding_mode="border", align_corners=False)


def _inked(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Strokes a little thicker or thinner."""
    amount = _THICKNESS * (2 * torch.rand(len(pictures), 1, 1, 1, generator=generator) - 1)
    thick = functional.max_pool2d(pictures, 3, stride=1, padding=1)
    thin = -functional.max_pool2d(-pictures, 3, stride=1, padding=1)
    return pictures + amount.clamp_min(0) * (thick - pictures) + (-amount).clamp_min(0) * (thin - pictures)
