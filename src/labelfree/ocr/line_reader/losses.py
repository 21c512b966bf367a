"""What training lowers: the loss of connectionist temporal classification (CTC), and the one before it can work.

The CTC loss is minus the log of the summed probability of all ways to spread a strip's labels over its frames. A fresh
network says nothing anywhere for long, as the blank is then the safest guess of all. So it is first told a place for
every label, in equal shares of the inked part of the strip: wrong by a letter or so, and right on average.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from labelfree.ocr.line_reader.examples import Examples
from labelfree.ocr.line_reader.network import STRIDE


def ctc_losses(log_posteriors: Tensor, labels: Sequence[NDArray[np.int64]]) -> Tensor:
    """The CTC loss of each strip, from log-posteriors of shape (n, frames, classes); the last class is the blank."""
    n, frames, n_classes = log_posteriors.shape
    return functional.ctc_loss(
        log_posteriors.transpose(0, 1),
        torch.from_numpy(np.concatenate(labels)),
        torch.full((n,), frames),
        torch.tensor([len(found) for found in labels]),
        blank=n_classes - 1,
        reduction="none",
        zero_infinity=True,
    )


def spread_losses(log_posteriors: Tensor, examples: Examples) -> Tensor:
    """The loss a frame of each strip, every label in its share of the ink."""
    blank = log_posteriors.shape[2] - 1
    targets = np.full(log_posteriors.shape[:2], blank)
    for row, strip, labels in zip(targets, examples.strips, examples.labels, strict=True):
        first, last = strip.inked
        share = ((np.arange(len(row)) + 0.5) * STRIDE - first) / (last - first)
        inside = (share >= 0) & (share < 1)
        row[inside] = labels[(share[inside] * len(labels)).astype(np.int64)]
    return functional.nll_loss(log_posteriors.transpose(1, 2), torch.from_numpy(targets), reduction="none").mean(1)
