"""Training a line reader on strips and what they are thought to say.

What the labels get wrong differs from strip to strip while what they get right recurs, so the network agrees with them
before it learns their errors; strips held out tell which epoch's network to keep.

A batch is cut into a fixed number of pieces that workers may learn from side by side.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from labelfree import progress
from labelfree.errors import InputError, NonFiniteError
from labelfree.ocr.line_reader.augmentation import vary
from labelfree.ocr.line_reader.batches import alike, padded, shuffled
from labelfree.ocr.line_reader.examples import Examples, usable
from labelfree.ocr.line_reader.losses import ctc_losses, spread_losses
from labelfree.ocr.line_reader.model import Recogniser
from labelfree.ocr.line_reader.network import LineNetwork
from labelfree.ocr.line_reader.replicas import Replicas
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip
from labelfree.workers import in_order, one_thread, workers

PIECES = 2
"""Of a batch. More would be smaller, and small pieces cost more a strip."""

_LONGEST_GRADIENT = 5.0  # longer ones are shortened to it; only the first steps have such


def train_recogniser(
    strips: Sequence[Strip],
    labels: Sequence[ArrayLike],
    n_symbols: int,
    *,
    weights: ArrayLike | None = None,
    seed: int = 0,
    start: Recogniser | None = None,
    settings: LineReaderSettings = DEFAULT,
) -> Recogniser:
    """Train a network to read strips as they are labelled.

    Parameters
    ----------
    strips : sequence of Strip
    labels : sequence of array-like of int
        Numbers of the symbols that each strip shows, from left to right. A strip without any, or with more than it has
        room for, is passed over.
    n_symbols : int
    weights : array-like of float, optional
        How much each strip counts, 0 or more; by default all alike.
    seed : int
    start : Recogniser, optional
        What to begin with, left as it is; by default a fresh network.
    settings : LineReaderSettings

    Returns
    -------
    Recogniser
    """
    examples = usable(strips, labels, n_symbols, weights)
    if start is not None and start.n_symbols != n_symbols:
        raise InputError(f"start knows {start.n_symbols} symbols, {n_symbols} wanted; start from one of this alphabet")
    if not 0 < settings.held_out < 1:
        raise InputError(f"held_out is {settings.held_out}, a share between 0 and 1 wanted; leave it as it is")
    if settings.max_epochs < 1:
        raise InputError(f"max_epochs is {settings.max_epochs}, 1 or more wanted; leave it as it is")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(examples))
    n_held = min(max(1, round(settings.held_out * len(examples))), len(examples) - 1)
    held, kept = examples.take(order[:n_held]), examples.take(order[n_held:])
    network = _fresh(n_symbols, seed, settings) if start is None else copy.deepcopy(start.network)
    with workers(), one_thread():
        _fit(network, _Schedule.of(kept, start is None, settings), kept, held, rng)
    return Recogniser(network)


def _fresh(n_symbols: int, seed: int, settings: LineReaderSettings) -> LineNetwork:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        c = settings.channels
        return LineNetwork(n_symbols, channels=c, hidden=6 * c, dropout=settings.dropout)


@dataclass(frozen=True)
class _Schedule:
    """How long to train, in which steps, and how fast."""

    epochs: int
    told: int  # the first epochs, in which each label has its place
    columns: int  # of a batch
    rate: float
    settings: LineReaderSettings

    @classmethod
    def of(cls, kept: Examples, is_fresh: bool, settings: LineReaderSettings) -> _Schedule:
        share, width = 1.0 if is_fresh else settings.warm, int(kept.widths.sum())
        epochs = min(settings.max_epochs, max(settings.min_epochs, int(share * settings.columns) // width))
        columns = min(settings.batch_columns, width // settings.min_steps)
        return cls(epochs, int(is_fresh and epochs > 1), columns, share * settings.rate, settings)

    def rate_at(self, epoch: float) -> float:
        """The learning rate: a straight rise, then half a wave down to nothing."""
        done, rise = epoch / self.epochs, self.settings.warm_up
        return self.rate * (done / rise if done < rise else (1 + math.cos(math.pi * (done - rise) / (1 - rise))) / 2)


def _fit(network: LineNetwork, schedule: _Schedule, kept: Examples, held: Examples, rng: np.random.Generator) -> None:
    """Train in place; the network ends as it was after the epoch with the lowest loss on what is held out."""
    replicas = Replicas(network, PIECES)
    optimiser = torch.optim.AdamW(replicas.weights, fused=True)
    best, loss, lowest = network.state_dict(), math.inf, math.inf
    for epoch in range(schedule.epochs):
        progress.stage("learning lines", epoch, schedule.epochs)
        batches = list(_batches(kept, schedule, epoch, rng))
        for number, batch in enumerate(batches, 1):
            for group in optimiser.param_groups:
                group["lr"] = schedule.rate_at(epoch + number / len(batches))
            for weight, gradient in zip(replicas.weights, replicas.gradients(_Piece.loss_of, batch), strict=True):
                weight.grad = gradient
            nn.utils.clip_grad_norm_(replicas.weights, _LONGEST_GRADIENT)
            optimiser.step()
        replicas.settle()
        loss = _mean_loss(network, held, schedule.columns)
        progress.look("learning lines", epoch + 1, [loss])
        if loss < lowest:
            best, lowest = copy.deepcopy(network.state_dict()), loss
    if not math.isfinite(lowest):
        raise NonFiniteError(f"the loss on the strips held out is {loss} after {epoch + 1} epochs of training")
    network.load_state_dict(best)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A part of a batch, and all chance that it takes."""

    examples: Examples
    seed: int
    is_told: bool
    total: int  # what the loss of the whole batch is divided by
    settings: LineReaderSettings

    @staticmethod
    def loss_of(network: LineNetwork, piece: _Piece) -> Tensor:
        """Its part in the loss of the batch: a symbol, or, where labels have places, a strip."""
        examples, generator = piece.examples, torch.Generator().manual_seed(piece.seed)
        if piece.is_told:
            losses = spread_losses(network(padded(examples.strips), generator), examples)
        else:
            losses = ctc_losses(network(vary(examples.strips, generator, piece.settings), generator), examples.labels)
        return (torch.from_numpy(examples.weights).to(losses.dtype) * losses).sum() / piece.total


def _batches(kept: Examples, schedule: _Schedule, epoch: int, rng: np.random.Generator) -> Iterator[list[_Piece]]:
    is_told, sizes = epoch < schedule.told, kept.sizes
    for batch in shuffled(kept.widths, schedule.columns, PIECES, rng):
        total = sum(len(chosen) if is_told else int(sizes[chosen].sum()) for chosen in batch)
        yield [
            _Piece(kept.take(chosen), int(rng.integers(2**62)), is_told, total, schedule.settings) for chosen in batch
        ]


def _mean_loss(network: LineNetwork, held: Examples, columns: int) -> float:
    """The loss a symbol, strips as they are."""
    network.eval()

    def of_batch(batch: NDArray[np.int64]) -> NDArray[np.float64]:
        part = held.take(batch)
        with torch.inference_mode():
            losses = ctc_losses(network(padded(part.strips)), part.labels).numpy()
        return np.array([(part.weights * losses).sum(), (part.weights * part.sizes).sum()])

    total = sum(in_order(of_batch, alike(held.strips, columns)), np.zeros(2))
    return float(total[0] / total[1])
