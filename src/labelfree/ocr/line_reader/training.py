"""Training a recogniser on strips and what they are thought to say.

The loss is that of connectionist temporal classification: minus the log of the summed probability of all ways to spread
a strip's labels over its frames. What the labels get wrong differs from strip to strip while what they get right
recurs, so the network agrees with them before it learns their errors; strips held out tell when to stop.

A fresh network says nothing anywhere for long, as the blank is the safest guess of all. So its first epoch is told a
place for every label, in equal shares of the inked part of the strip: wrong by a letter or so, and right on average.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn
from torch.nn import functional

from labelfree import progress
from labelfree.errors import InputError, NonFiniteError
from labelfree.ocr.line_reader.augmentation import vary
from labelfree.ocr.line_reader.batches import alike, padded, shuffled
from labelfree.ocr.line_reader.model import Recogniser
from labelfree.ocr.line_reader.network import STRIDE, LineNetwork, n_frames
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip
from labelfree.workers import in_order, n_workers, workers

LEAST_STRIPS = 20
PIECES = 2
"""Of every batch, each for one worker; the same however many workers there are."""

_INKED = 0.5  # ink of a column that has any


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Strips, each with its labels and how much they count."""

    strips: Sequence[Strip]
    labels: Sequence[NDArray[np.int64]]
    weights: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.strips)

    def take(self, chosen: NDArray[np.int64]) -> _Pairs:
        return _Pairs([self.strips[i] for i in chosen], [self.labels[i] for i in chosen], self.weights[chosen])


def train_recogniser(
    strips: Sequence[Strip],
    labels: Sequence[ArrayLike],
    n_symbols: int,
    *,
    weights: ArrayLike | None = None,
    start: Recogniser | None = None,
    seed: int = 0,
    settings: LineReaderSettings = DEFAULT,
) -> Recogniser:
    """Train a network to read strips as they are labelled.

    One strip in twelve is held out, and the network is kept as it was when these were likeliest.

    Parameters
    ----------
    strips : sequence of Strip
    labels : sequence of array-like of int
        Numbers of the symbols that each strip shows, from left to right. A strip without any, or with more than it has
        room for, is passed over.
    n_symbols : int
    weights : array-like of float, optional
        How much each strip counts, 0 or more; by default all alike.
    start : Recogniser, optional
        What to begin with, left as it is; by default a fresh network.
    seed : int
    settings : LineReaderSettings
    """
    pairs = _usable(strips, labels, n_symbols, weights)
    if start is not None and start.n_symbols != n_symbols:
        raise InputError(f"start knows {start.n_symbols} symbols, {n_symbols} wanted; start from one of this alphabet")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(pairs))
    n_held = max(1, round(len(pairs) / 12))
    held, kept = pairs.take(order[:n_held]), pairs.take(order[n_held:])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if start is None:
            sizes = {"channels": settings.channels, "hidden": settings.hidden, "dropout": settings.dropout}
            network = LineNetwork(n_symbols, **sizes)  # type: ignore[arg-type]
        else:
            network = copy.deepcopy(start.network)
        _Training(network, kept, rng, start is None, settings).run(held)
    return Recogniser(network)


class _Training:
    """A network being trained in place, every batch in pieces on replicas that share its weights.

    A replica has batch-norm statistics of its own; they are averaged in the order of the pieces after every epoch.
    """

    def __init__(
        self, network: LineNetwork, kept: _Pairs, rng: np.random.Generator, is_fresh: bool, settings: LineReaderSettings
    ) -> None:
        self.network, self.kept, self.rng, self.settings = network, kept, rng, settings
        self.rate = settings.rate if is_fresh else settings.warm_rate
        self.widths = np.array([strip.width for strip in kept.strips], np.int64)
        least, most = settings.epochs
        columns = settings.columns if is_fresh else settings.warm_columns
        self.epochs = min(most, max(least, columns // int(self.widths.sum())))
        self.n_spread = min(1, self.epochs - 1) if is_fresh else 0
        self.parameters = list(network.parameters())
        shared = {id(parameter): parameter for parameter in self.parameters}
        self.replicas = [copy.deepcopy(network, dict(shared)).train() for _ in range(PIECES)]
        self.optimiser = torch.optim.AdamW(self.parameters, lr=self.rate, weight_decay=settings.decay, fused=True)

    def run(self, held: _Pairs) -> None:
        """Train; the network ends as it was after the epoch with the lowest loss on what is held out."""
        best, lowest, last_gain = self.network.state_dict(), math.inf, 0
        for epoch in range(self.epochs):
            progress.stage("learning lines", epoch, self.epochs)
            self._epoch(epoch)
            loss = _mean_loss(self.network, held)
            progress.look("learning lines", epoch + 1, [loss])
            if loss < lowest:
                best, lowest, last_gain = copy.deepcopy(self.network.state_dict()), loss, epoch
            if epoch - last_gain >= self.settings.patience:
                break
        if not math.isfinite(lowest):
            raise NonFiniteError(f"the loss on the strips held out is {loss} after {epoch + 1} epochs of training")
        self.network.load_state_dict(best)

    def _epoch(self, epoch: int) -> None:
        columns = min(self.settings.batch_columns, int(self.widths.sum()) // self.settings.least_steps)
        batches = shuffled(self.widths, columns, self.rng)
        with workers(min(n_workers(), PIECES)):
            for number, batch in enumerate(batches):
                share = _rate_share((epoch + number / len(batches)) / self.epochs, self.settings.rise)
                for group in self.optimiser.param_groups:
                    group["lr"] = self.rate * share
                self._step(batch, is_spread=epoch < self.n_spread)
        self._average_statistics()

    def _step(self, batch: NDArray[np.int64], *, is_spread: bool) -> None:
        """One step of the optimiser, along the gradients of all pieces, summed in their order."""
        parts = [part for part in np.array_split(batch, PIECES) if len(part)]
        seeds = self.rng.integers(2**62, size=len(parts)).tolist()
        size = len(batch) if is_spread else sum(len(self.kept.labels[i]) for i in batch)

        def gradients(piece: tuple[LineNetwork, NDArray[np.int64], int]) -> tuple[Tensor, ...]:
            replica, chosen, seed = piece
            generator = torch.Generator().manual_seed(seed)
            pairs = self.kept.take(chosen)
            if is_spread:
                loss = _spread_loss(replica, pairs, generator)
            else:
                loss = _loss(replica, pairs, generator, self.settings)
            return torch.autograd.grad(loss / size, self.parameters)

        found = list(in_order(gradients, list(zip(self.replicas, parts, seeds, strict=False))))
        for parameter, of_pieces in zip(self.parameters, zip(*found, strict=True), strict=True):
            parameter.grad = sum(of_pieces[1:], of_pieces[0])
        nn.utils.clip_grad_norm_(self.parameters, self.settings.longest_step)
        self.optimiser.step()

    @torch.no_grad()
    def _average_statistics(self) -> None:
        for name, buffer in self.network.named_buffers():
            copies = [replica.get_buffer(name) for replica in self.replicas]
            buffer.copy_(sum(copies[1:], copies[0].clone()) / len(copies) if buffer.is_floating_point() else copies[0])
            for each in copies:
                each.copy_(buffer)


def _rate_share(done: float, rise: float) -> float:
    """The share of the highest rate that is used when this share of all steps is done: a rise and a longer fall."""
    if done < rise:
        return 0.05 + 0.95 * done / rise
    return 0.005 + 0.995 * 0.5 * (1 + math.cos(math.pi * (done - rise) / (1 - rise)))


def _loss(network: LineNetwork, batch: _Pairs, generator: torch.Generator, settings: LineReaderSettings) -> Tensor:
    """The loss of strips that are changed a little each time."""
    losses = _losses(network(vary(padded(batch.strips), generator, settings), generator), batch.labels)
    return (torch.from_numpy(batch.weights).to(losses.dtype) * losses).sum()


def _spread_loss(network: LineNetwork, batch: _Pairs, generator: torch.Generator) -> Tensor:
    """The loss a frame of strips, each label in its share of the strip."""
    log_posteriors = network(padded(batch.strips), generator)
    targets = np.full(log_posteriors.shape[:2], network.n_symbols)
    for row, strip, labels in zip(targets, batch.strips, batch.labels, strict=True):
        inked = np.flatnonzero(strip.image.sum(0) > _INKED)
        first, last = (inked[0], inked[-1] + 1) if len(inked) else (0, strip.width)
        share = ((np.arange(len(row)) + 0.5) * STRIDE - first) / (last - first)
        inside = (share >= 0) & (share < 1)
        row[inside] = labels[(share[inside] * len(labels)).astype(np.int64)]
    losses = functional.nll_loss(log_posteriors.transpose(1, 2), torch.from_numpy(targets), reduction="none").mean(1)
    return (torch.from_numpy(batch.weights).to(losses.dtype) * losses).sum()


def _losses(log_posteriors: Tensor, labels: Sequence[NDArray[np.int64]]) -> Tensor:
    """The loss of each strip."""
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


def _mean_loss(network: LineNetwork, pairs: _Pairs) -> float:
    """The loss a symbol, strips as they are."""
    network.eval()
    total = np.zeros(2)
    with torch.inference_mode():
        for batch in alike(pairs.strips, DEFAULT.batch_columns):
            part = pairs.take(batch)
            losses = _losses(network(padded(part.strips)), part.labels).numpy()
            total += (part.weights * losses).sum(), (part.weights * [len(found) for found in part.labels]).sum()
    return float(total[0] / total[1])


def _usable(strips: Sequence[Strip], labels: Sequence[ArrayLike], n_symbols: int, weights: ArrayLike | None) -> _Pairs:
    """The pairs that can be learned from, all of them checked."""
    numbers = [np.asarray(found, np.int64).reshape(-1) for found in labels]
    counts = np.ones(len(strips)) if weights is None else np.asarray(weights, np.float64)
    for what, n in (("labels", len(numbers)), ("weights", len(counts))):
        if n != len(strips):
            raise InputError(f"{n} {what} for {len(strips)} strips, one a strip wanted; give each strip its own")
    if not (np.isfinite(counts).all() and (counts >= 0).all()):
        raise InputError(f"weights run from {counts.min()} to {counts.max()}, finite ones of 0 or more wanted")
    for i, found in enumerate(numbers):
        if len(found) and not 0 <= found.min() <= found.max() < n_symbols:
            raise InputError(f"labels[{i}] run from {found.min()} to {found.max()}, 0 to {n_symbols - 1} wanted")
    fits = [
        len(found) > 0 and n_frames(strip.width) >= len(found) + np.count_nonzero(found[1:] == found[:-1])
        for strip, found in zip(strips, numbers, strict=True)
    ]
    chosen = np.flatnonzero(np.array(fits, bool) & (counts > 0))
    if len(chosen) < LEAST_STRIPS:
        raise InputError(
            f"{len(chosen)} of {len(strips)} strips can be learned from, {LEAST_STRIPS} or more wanted; give more lines"
        )
    return _Pairs(strips, numbers, counts).take(chosen)
