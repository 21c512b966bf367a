"""Learning from the pieces of a batch side by side, the same bits however many hands there are.

Every piece has a replica of the network: the same weights, but its own statistics of batch normalisation. Gradients are
summed, and statistics averaged, in the order of the pieces.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TypeVar

import torch
from torch import Tensor

from labelfree.ocr.line_reader.network import LineNetwork
from labelfree.workers import in_order

Piece = TypeVar("Piece")


class Replicas:
    """So many networks with the weights of one.

    Parameters
    ----------
    network : LineNetwork
    n : int
        Pieces that a batch may have.
    """

    def __init__(self, network: LineNetwork, n: int) -> None:
        self.network = network
        self.weights = list(network.parameters())
        shared = {id(weight): weight for weight in self.weights}
        self._replicas = [copy.deepcopy(network, dict(shared)).train() for _ in range(n)]

    def gradients(self, loss: Callable[[LineNetwork, Piece], Tensor], pieces: Sequence[Piece]) -> list[Tensor]:
        """The gradients of the sum of the pieces' losses, one for each tensor of the weights."""

        def of_piece(number: int) -> tuple[Tensor, ...]:
            return torch.autograd.grad(loss(self._replicas[number], pieces[number]), self.weights)

        found = list(in_order(of_piece, range(len(pieces))))
        return [sum(parts[1:], parts[0]) for parts in zip(*found, strict=True)]

    @torch.no_grad()
    def settle(self) -> None:
        """Give the network, and every replica, the mean of the replicas' statistics."""
        for name, buffer in self.network.named_buffers():
            own = [replica.get_buffer(name) for replica in self._replicas]
            mean = torch.stack(own).to(torch.float64).mean(0).to(buffer.dtype)
            for each in (buffer, *own):
                each.copy_(mean)
