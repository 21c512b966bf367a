"""Strips as the same type might have come out on another page: a little wider, slanted, thicker, fainter, moved."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings


def vary(images: Tensor, generator: torch.Generator, settings: LineReaderSettings = DEFAULT) -> Tensor:
    """Change every strip of shape (n, height, width) a little, each in its own way; the result is a little wider."""
    n, height, width = images.shape
    wide = math.ceil(width * (1 + settings.stretch))

    def chance(reach: float) -> Tensor:
        return (torch.rand(n, generator=generator) * 2 - 1) * reach

    transform = torch.zeros(n, 2, 3)
    transform[:, 0, 0] = wide / width / (1 + chance(settings.stretch))
    transform[:, 0, 1] = chance(settings.slant) * height / width
    transform[:, 0, 2] = transform[:, 0, 0] - 1  # stretched about the left edge
    transform[:, 1, 1] = 1 + chance(settings.stretch)
    transform[:, 1, 2] = chance(settings.shift) * 2 / height
    grid = functional.affine_grid(transform, [n, 1, height, wide], align_corners=False)
    moved = functional.grid_sample(images[:, None], grid, align_corners=False)[:, 0]
    inked = thickened(moved, chance(settings.thicken))
    inked *= (1 - settings.fade * torch.rand(n, generator=generator))[:, None, None]
    return inked.add_(torch.randn(inked.shape, generator=generator), alpha=settings.noise)


def thickened(images: Tensor, shares: Tensor) -> Tensor:
    """Bring each strip so much of the way to strokes a pixel wider on all sides or, below 0, narrower.

    Examples
    --------
    >>> strip = torch.tensor([[[0.0, 0.0, 0.0, 1.0]]])
    >>> thickened(strip, torch.tensor([0.5])).tolist()
    [[[0.0, 0.0, 0.5, 1.0]]]
    """
    signs = torch.where(shares < 0, -1.0, 1.0)[:, None, None]
    signed = images * signs  # the least of all is minus the most of their negatives
    wider = signed.clone()
    torch.maximum(wider[..., 1:], signed[..., :-1], out=wider[..., 1:])
    torch.maximum(wider[..., :-1], signed[..., 1:], out=wider[..., :-1])
    taller = wider.clone()
    torch.maximum(taller[:, 1:], wider[:, :-1], out=taller[:, 1:])
    torch.maximum(taller[:, :-1], wider[:, 1:], out=taller[:, :-1])
    return torch.lerp(images, taller.mul_(signs), shares.abs()[:, None, None])
