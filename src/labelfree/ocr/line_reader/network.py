"""The network that reads a strip: small convolutions that see strokes, and a recurrent layer that sees neighbours."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from labelfree.ocr.line_reader.strips import HEIGHT

STRIDE = 4
"""Columns of a strip to one frame."""

_ROWS = HEIGHT // 16  # that are left when the convolutions are done


class LineNetwork(nn.Module):
    """Log-posteriors of every symbol, and of none (the last class), in every frame of some strips.

    The first convolution has `channels`, later ones more; the recurrent layer has `hidden` units in each direction.
    """

    def __init__(self, n_symbols: int, *, channels: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.n_symbols, self.channels, self.hidden, self.dropout = n_symbols, channels, hidden, dropout
        c = channels
        strokes = nn.Sequential(
            _convolution(1, c, (2, 2)),
            _convolution(c, 2 * c, (2, 1)),
            _convolution(2 * c, 3 * c, (2, 2)),
            _convolution(3 * c, 4 * c, (2, 1)),
        )
        self.strokes = strokes.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.context = nn.LSTM(4 * c * _ROWS, hidden, batch_first=True, bidirectional=True)
        self.symbols = nn.Linear(2 * hidden, n_symbols + 1)

    def forward(self, images: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """From images of shape (n, HEIGHT, width) to log-posteriors of shape (n, frames, n_symbols + 1).

        What goes unseen is drawn from `generator`; without one, all is seen.
        """
        seen = self.strokes(images[:, None]).flatten(1, 2).transpose(1, 2)
        known, _ = self.context(_dropped(seen, self.dropout, generator))
        return torch.log_softmax(self.symbols(_dropped(known, self.dropout, generator)), -1)


def _dropped(values: Tensor, share: float, generator: torch.Generator | None) -> Tensor:
    """Values of which about such a share, in steps of 1/256, is 0, and the others are as much larger."""
    if generator is None:
        return values
    # A byte each: eight for every number that is drawn, which is most of the cost.
    words = torch.empty(-(-values.numel() // 8), dtype=torch.int64).random_(-(2**63), None, generator=generator)
    n_dropped = round(256 * share)
    kept = words.view(torch.uint8)[: values.numel()].view(values.shape) >= n_dropped
    return values * kept.to(values.dtype).mul_(256 / (256 - n_dropped))


def n_frames(width: int) -> int:
    """Frames of a strip."""
    return -(-width // STRIDE)


def _convolution(n_in: int, n_out: int, stride: tuple[int, int]) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(n_in, n_out, 3, stride, padding=1, bias=False),
        nn.BatchNorm2d(n_out),
        nn.LeakyReLU(0.1, inplace=True),
    )
