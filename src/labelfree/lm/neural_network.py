"""A recurrent network that foretells the next symbol of a stream, and how it is trained to.

Many rows go through the stream in step, each from a place of its own and with the state that it has come to; errors
are sent back over one stretch. Blocks of the stream are held out to tell when the network foretold best.
"""

from __future__ import annotations

import copy
import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from labelfree import progress
from labelfree.errors import NonFiniteError

SYMBOLS = 5_000_000
"""Symbols to learn from: two to three minutes of one core."""

_ROWS = 64
_STRETCH = 96
_LEAST_STEPS = 150  # with fewer rows, where symbols are few
_HELD_ROWS, _HELD_STRETCH = 32, 2_048  # at most
_HELD_SHARE = 0.04
_LOOKS = 8
_RATE = 5e-3
_RISE = 0.1  # of all steps, in which the rate rises
_DECAY = 1e-2
_LONGEST_STEP = 1.0


class CharacterNetwork(nn.Module):
    """From symbols to the logits of those that follow.

    Parameters
    ----------
    n_symbols : int
        The index `n_symbols` itself stands for the beginning of a sequence.
    embedding : int
        Numbers that a symbol comes in as.
    hidden : int
        Recurrent units.
    """

    def __init__(self, n_symbols: int, *, embedding: int = 48, hidden: int = 256) -> None:
        super().__init__()
        self.n_symbols, self.embedding, self.hidden = n_symbols, embedding, hidden
        self.symbols = nn.Embedding(n_symbols + 1, embedding)
        self.memory = nn.GRU(embedding, hidden)
        self.drop = nn.Dropout(0.1)
        self.following = nn.Linear(hidden, n_symbols)

    def forward(self, ids: Tensor, state: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """From symbols of shape (t, n), after a state of (1, n, hidden), to logits (t, n, C) and the state then."""
        known, state = self.memory(self.symbols(ids), state)
        return self.following(self.drop(known)), state


def fit(
    network: CharacterNetwork,
    stream: NDArray[np.int64],
    symbols: int,
    rng: np.random.Generator,
) -> None:
    """Train in place on a stream in which `network.n_symbols` says that a sequence begins."""
    kept, held = _parted(stream, rng)
    rows = max(1, min(_ROWS, symbols // (_LEAST_STEPS * _STRETCH), kept.size // (2 * _STRETCH)))
    steps = max(1, symbols // (rows * _STRETCH))
    at = ((np.arange(rows) + rng.random()) * kept.size / rows).astype(np.int64)
    span = np.arange(_STRETCH + 1)[:, None]
    optimiser = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    state, best, lowest, loss = None, network.state_dict(), math.inf, math.inf
    for step in range(steps):
        network.train()
        progress.stage("learning the language", step, steps)
        for group in optimiser.param_groups:
            group["lr"] = _RATE * _rate_share(step / steps)
        taken = torch.from_numpy(kept[(at + step * _STRETCH + span) % kept.size])
        logits, state = network(taken[:-1], state)
        state = state.detach()
        optimiser.zero_grad()
        functional.cross_entropy(logits.flatten(0, 1), taken[1:].flatten(), ignore_index=network.n_symbols).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), _LONGEST_STEP)
        optimiser.step()
        if (step + 1) * _LOOKS // steps > step * _LOOKS // steps:
            loss = _loss(network, held)
            progress.look("learning the language", (step + 1) * rows * _STRETCH, [math.exp(min(loss, 700.0))])
            if loss < lowest:
                best, lowest = copy.deepcopy(network.state_dict()), loss
    if not math.isfinite(lowest):
        raise NonFiniteError(f"the loss on text held out is {loss} after {steps} steps of training")
    network.load_state_dict(best)
    network.eval()


def _parted(stream: NDArray[np.int64], rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A stream without some blocks, and these as columns of (stretch, n)."""
    stretch = int(min(_HELD_STRETCH, max(2, _HELD_SHARE * stream.size)))
    n_blocks = stream.size // stretch
    n_held = min(_HELD_ROWS, max(1, round(_HELD_SHARE * n_blocks)))
    chosen = np.sort(rng.choice(n_blocks, n_held, replace=False))
    places = chosen[:, None] * stretch + np.arange(stretch)
    return np.delete(stream, places), stream[places].T


def _loss(network: CharacterNetwork, held: NDArray[np.int64]) -> float:
    """Nats a symbol of the columns."""
    network.eval()
    total, state = np.zeros(2), None
    with torch.inference_mode():
        for first in range(0, len(held) - 1, _STRETCH):
            taken = torch.from_numpy(held[first : first + _STRETCH + 1])
            logits, state = network(taken[:-1], state)
            losses = functional.cross_entropy(
                logits.flatten(0, 1), taken[1:].flatten(), ignore_index=network.n_symbols, reduction="sum"
            )
            total += losses.item(), int((taken[1:] < network.n_symbols).sum())
    return float(total[0] / max(total[1], 1.0))


def _rate_share(done: float) -> float:
    """The share of the highest rate that is used when this share of all steps is done: a rise and a longer fall."""
    if done < _RISE:
        return 0.05 + 0.95 * done / _RISE
    return 0.005 + 0.995 * 0.5 * (1 + math.cos(math.pi * (done - _RISE) / (1 - _RISE)))
