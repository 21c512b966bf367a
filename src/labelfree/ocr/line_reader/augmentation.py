"""Strips as the same type might have come out on another page: a little wider, slanted, thicker, fainter, moved."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

_STRETCH = 0.06  # of the width, and of the height
_SLANT = 0.12  # columns to a row
_MOVE = 1.5  # rows
_THICKEN = 0.6  # share of the way to the next thicker or thinner stroke
_FADE = 0.25
_NOISE = 0.06


def vary(images: Tensor, generator: torch.Generator) -> Tensor:
    """Change every strip of shape (n, height, width) a little, each in its own way; the result is a little wider."""
    n, height, width = images.shape
    wide = math.ceil(width * (1 + _STRETCH))

    def chance(reach: float) -> Tensor:
        return (torch.rand(n, generator=generator) * 2 - 1) * reach

    transform = torch.zeros(n, 2, 3)
    transform[:, 0, 0] = wide / width / (1 + chance(_STRETCH))
    transform[:, 0, 1] = chance(_SLANT) * height / width
    transform[:, 0, 2] = transform[:, 0, 0] - 1  # stretched about the left edge
    transform[:, 1, 1] = 1 + chance(_STRETCH)
    transform[:, 1, 2] = chance(_MOVE) * 2 / height
    grid = functional.affine_grid(transform, [n, 1, height, wide], align_corners=False)
    moved = functional.grid_sample(images[:, None], grid, align_corners=False)
    thick = functional.max_pool2d(moved, 3, 1, 1)
    thin = -functional.max_pool2d(-moved, 3, 1, 1)
    share = chance(_THICKEN)[:, None, None, None]
    inked = moved + share.clamp_min(0) * (thick - moved) - share.clamp_max(0) * (thin - moved)
    faded = inked * (1 - _FADE * torch.rand(n, generator=generator))[:, None, None, None]
    return (faded + _NOISE * torch.randn(faded.shape, generator=generator))[:, 0]
