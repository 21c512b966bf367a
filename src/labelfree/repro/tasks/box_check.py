"""Are the boxes any good? A small network that learns from labelled tiles tells by its error on other lines.

The paper's authors kept their boxes when such a network came to about 1%.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from labelfree.errors import InputError
from labelfree.ocr.glyphs.tiles import N_MEASURES, SIDE, Tiles

TEST_SHARE = 0.2
_EPOCHS = 12
_BATCH = 64
_RATE = 3e-3


@dataclass(frozen=True)
class BoxCheck:
    """Share of test tiles that the network gets wrong, and how many tiles it learned from and was tested on."""

    error: float
    trained: int
    tested: int
    classes: int


def check_boxes(tiles: Tiles, labels: Sequence[str], lengths: ArrayLike, *, seed: int = 0) -> BoxCheck:
    """Learn to read the tiles of four lines in five, and test on the fifth.

    Parameters
    ----------
    tiles : Tiles
        Of all lines, one after the other.
    labels : sequence of str
        What each tile shows; tiles with an empty label are left out.
    lengths : array-like of int
        Tiles a line. Tiles of one line are never on both sides.
    seed : int
        Of the split, the network and the order of the tiles.

    Returns
    -------
    BoxCheck
        A symbol that no training line shows counts as wrong.
    """
    lengths = np.asarray(lengths, dtype=np.int64)
    if not len(tiles) == len(labels) == lengths.sum():
        raise InputError(
            f"{len(tiles)} tiles, {len(labels)} labels and lines of {lengths.sum()} tiles found, as many of each wanted"
        )
    known = np.array([label != "" for label in labels], dtype=bool)
    tested = _test_lines(len(lengths), seed)[np.repeat(np.arange(len(lengths)), lengths)]
    symbols = sorted({label for label, use in zip(labels, known & ~tested, strict=True) if use})
    if len(symbols) < 2 or not (known & tested).any():
        raise InputError(
            f"{known.sum()} labelled tiles in {len(lengths)} lines found, labelled tiles of two symbols to learn from "
            "and some more to test on wanted; give more lines"
        )
    index = {symbol: place for place, symbol in enumerate(symbols)}
    y = torch.tensor([index.get(label, -1) for label in labels])
    x = _inputs(tiles)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _trained(x[known & ~tested], y[known & ~tested], len(symbols))
    with torch.no_grad():
        wrong = (
            torch.cat([network(part).argmax(1) for part in torch.split(x[known & tested], 1024)]) != y[known & tested]
        )
    return BoxCheck(float(wrong.float().mean()), int((known & ~tested).sum()), len(wrong), len(symbols))


def _test_lines(n_lines: int, seed: int) -> NDArray[np.bool_]:
    order = np.random.default_rng(seed).permutation(n_lines)
    return order < round(TEST_SHARE * n_lines)


def _inputs(tiles: Tiles) -> Tensor:
    """Pixels, then measures, a row a tile."""
    pixels = tiles.images.reshape(len(tiles), -1).astype(np.float32) / 255
    return torch.from_numpy(np.concatenate([pixels, np.clip(tiles.geometry, -3, 3)], 1, dtype=np.float32))


class _TileNetwork(nn.Module):
    """Two convolutions over the picture, whose result meets the measures in one hidden layer."""

    def __init__(self, n_classes: int) -> None:
        super().__init__()
        self.picture = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
        )
        self.decision = nn.Sequential(
            nn.Linear(2 * SIDE * SIDE + N_MEASURES, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, n_classes)
        )

    def forward(self, x: Tensor) -> Tensor:
        pixels, measures = x[:, :-N_MEASURES], x[:, -N_MEASURES:]
        seen = self.picture(pixels.reshape(-1, 1, SIDE, SIDE))
        logits: Tensor = self.decision(torch.cat([seen, measures], 1))
        return logits


def _trained(x: Tensor, y: Tensor, n_classes: int) -> _TileNetwork:
    network = _TileNetwork(n_classes)
    optimiser = torch.optim.Adam(network.parameters())
    steps = _EPOCHS * -(-len(x) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, total_steps=steps)
    network.train()
    for _ in range(_EPOCHS):
        for batch in torch.split(torch.randperm(len(x)), _BATCH):
            optimiser.zero_grad()
            nn.functional.cross_entropy(network(x[batch]), y[batch]).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
    return network.eval()
