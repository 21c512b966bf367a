"""Strips as the same type might have come out on another page: a little wider, slanted, thicker, moved, less clear."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from labelfree.ocr.line_reader.batches import padded, padded_width
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip


def vary(strips: Sequence[Strip], generator: torch.Generator, settings: LineReaderSettings = DEFAULT) -> Tensor:
    """Strips as `padded` gives them, each changed a little; all are as much wider, so that none needs more padding."""
    images = padded(strips)
    n, height, width = images.shape

    def chance(reach: float) -> Tensor:
        return (torch.rand(n, generator=generator) * 2 - 1) * reach

    share = settings.variation
    stretch = 1 + float(chance(share)[0])
    wide = padded_width(int(stretch * max(strip.width for strip in strips)))
    transform = torch.zeros(n, 2, 3)
    transform[:, 0, 0] = wide / width / stretch
    transform[:, 0, 1] = chance(2 * share) * height / width  # a lean
    transform[:, 0, 2] = transform[:, 0, 0] - 1  # stretched about the left edge
    transform[:, 1, 1] = 1 + chance(share)
    transform[:, 1, 2] = chance(25 * share) * 2 / height  # rows up or down
    grid = functional.affine_grid(transform, [n, 1, height, wide], align_corners=False)
    moved = functional.grid_sample(images[:, None], grid, align_corners=False)[:, 0]
    inked = thickened(moved, chance(10 * share))
    return inked.add_(torch.randn(inked.shape, generator=generator), alpha=share)


def thickened(images: Tensor, shares: Tensor) -> Tensor:
    """Each image so much of the way to strokes a pixel wider on all sides, or, below 0, narrower.

    Examples
    --------
    >>> stroke = torch.tensor([[[0.0, 0.0, 1.0, 1.0, 1.0, 0.0]] * 3])
    >>> thickened(stroke, torch.tensor([0.5]))[0, 1].tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0, 0.5]
    >>> thickened(stroke, torch.tensor([-0.5]))[0, 1].tolist()
    [0.0, 0.0, 0.5, 1.0, 0.5, 0.0]
    """
    signs = torch.where(shares < 0, -1.0, 1.0)[:, None, None]
    signed = images * signs  # the least of some is minus the most of their negatives
    wider = signed.clone()
    torch.maximum(wider[..., 1:], signed[..., :-1], out=wider[..., 1:])
    torch.maximum(wider[..., :-1], signed[..., 1:], out=wider[..., :-1])
    taller = wider.clone()
    torch.maximum(taller[:, 1:], wider[:, :-1], out=taller[:, 1:])
    torch.maximum(taller[:, :-1], wider[:, 1:], out=taller[:, :-1])
    return torch.lerp(images, taller.mul_(signs), shares.abs()[:, None, None])
