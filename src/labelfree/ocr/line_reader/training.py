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
from functools import partial

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
from labelfree.ocr.line_reader.strips import Strip

LEAST_STRIPS = 20
_COLUMNS = 6_000_000  # of strips to train on, where epochs are not given
_WARM_COLUMNS = 2_500_000  # the same, from a start
_FEWEST, _MOST = 4, 30  # epochs then
_PATIENCE = 4  # epochs without a lower loss on the strips held out
_BATCH_COLUMNS = 4_000  # at most
_LEAST_STEPS = 30  # an epoch, where strips are few
_RATE = 8e-3
_WARM_RATE = 2e-3
_RISE = 0.15  # of all steps, in which the rate rises
_SPREAD = 1  # epochs of a fresh network that are told places
_INKED = 0.5  # ink of a column that has any
_DECAY = 1e-2
_LONGEST_STEP = 5.0


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
    held_out: float = 0.08,
    epochs: int | None = None,
    seed: int = 0,
    start: Recogniser | None = None,
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
    held_out : float
        Share of the strips that are not trained on; the network is kept as it was when these were likeliest.
    epochs : int, optional
        Times that each strip is seen; by default as many as make a fixed amount of work, less from a start.
    seed : int
    start : Recogniser, optional
        What to begin with, left as it is; by default a fresh network.

    Returns
    -------
    Recogniser
    """
    pairs = _usable(strips, labels, n_symbols, weights)
    if start is not None and start.n_symbols != n_symbols:
        raise InputError(f"start knows {start.n_symbols} symbols, {n_symbols} wanted; start from one of this alphabet")
    if not 0 < held_out < 1:
        raise InputError(f"held_out is {held_out}, a share between 0 and 1 wanted; leave it out for the usual one")
    if epochs is not None and epochs < 1:
        raise InputError(f"epochs is {epochs}, 1 or more wanted; leave it out for the usual number")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(pairs))
    n_held = min(max(1, round(held_out * len(pairs))), len(pairs) - 1)
    held, kept = pairs.take(order[:n_held]), pairs.take(order[n_held:])
    if epochs is None:
        columns = _COLUMNS if start is None else _WARM_COLUMNS
        epochs = min(_MOST, max(_FEWEST, columns // sum(strip.width for strip in kept.strips)))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = LineNetwork(n_symbols) if start is None else copy.deepcopy(start.network)
        rate, n_spread = (_RATE, min(_SPREAD, epochs - 1)) if start is None else (_WARM_RATE, 0)
        _fit(network, kept, held, epochs, rate, n_spread, rng)
    return Recogniser(network)


def _fit(
    network: LineNetwork,
    kept: _Pairs,
    held: _Pairs,
    epochs: int,
    rate: float,
    n_spread: int,
    rng: np.random.Generator,
) -> None:
    """Train in place; the network ends as it was after the epoch with the lowest loss on what is held out."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    widths = np.array([strip.width for strip in kept.strips], np.int64)
    columns = min(_BATCH_COLUMNS, int(widths.sum()) // _LEAST_STEPS)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=_DECAY)
    best, loss, lowest, last_gain = network.state_dict(), math.inf, math.inf, 0
    for epoch in range(epochs):
        progress.stage("learning lines", epoch, epochs)
        network.train()
        batches = shuffled(widths, columns, rng)
        loss_of = _spread_loss if epoch < n_spread else partial(_loss, generator=generator)
        for number, chosen in enumerate(batches):
            share = _rate_share((epoch + number / len(batches)) / epochs)
            for group in optimiser.param_groups:
                group["lr"] = rate * share
            optimiser.zero_grad()
            loss_of(network, kept.take(chosen)).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), _LONGEST_STEP)
            optimiser.step()
        loss = _mean_loss(network, held)
        progress.look("learning lines", epoch + 1, [loss])
        if loss < lowest:
            best, lowest, last_gain = copy.deepcopy(network.state_dict()), loss, epoch
        if epoch - last_gain >= _PATIENCE:
            break
    if not math.isfinite(lowest):
        raise NonFiniteError(f"the loss on the strips held out is {loss} after {epoch + 1} epochs of training")
    network.load_state_dict(best)


def _rate_share(done: float) -> float:
    """The share of the highest rate that is used when this share of all steps is done: a rise and a longer fall."""
    if done < _RISE:
        return 0.05 + 0.95 * done / _RISE
    return 0.005 + 0.995 * 0.5 * (1 + math.cos(math.pi * (done - _RISE) / (1 - _RISE)))


def _loss(network: LineNetwork, batch: _Pairs, generator: torch.Generator) -> Tensor:
    """The loss a symbol of strips that are changed a little each time."""
    losses = _losses(network(vary(padded(batch.strips), generator)), batch.labels)
    weights = torch.from_numpy(batch.weights).to(losses.dtype)
    return (weights * losses).sum() / sum(len(found) for found in batch.labels)


def _spread_loss(network: LineNetwork, batch: _Pairs) -> Tensor:
    """The loss a frame, each label in its share of the strip."""
    log_posteriors = network(padded(batch.strips))
    targets = np.full(log_posteriors.shape[:2], network.n_symbols)
    for row, strip, labels in zip(targets, batch.strips, batch.labels, strict=True):
        inked = np.flatnonzero(strip.image.sum(0) > _INKED)
        first, last = (inked[0], inked[-1] + 1) if len(inked) else (0, strip.width)
        share = ((np.arange(len(row)) + 0.5) * STRIDE - first) / (last - first)
        inside = (share >= 0) & (share < 1)
        row[inside] = labels[(share[inside] * len(labels)).astype(np.int64)]
    losses = functional.nll_loss(log_posteriors.transpose(1, 2), torch.from_numpy(targets), reduction="none").mean(1)
    return (torch.from_numpy(batch.weights).to(losses.dtype) * losses).mean()


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
        for batch in alike(pairs.strips, _BATCH_COLUMNS):
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
