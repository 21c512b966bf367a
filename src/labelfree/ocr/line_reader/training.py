"""Training a line reader on strips and what they are thought to say.

What the labels get wrong differs from strip to strip while what they get right recurs, so the network agrees with them
before it learns their errors; strips held out tell which epoch's network to keep.

The loss is that of connectionist temporal classification (CTC): minus the log of the summed probability of all ways to
spread a strip's labels over its frames. A fresh network says nothing anywhere for long, as the blank is then the safest
guess of all. So it is first told a place for every label, in equal shares of the inked part of the strip: wrong by a
letter or so, and right on average.

A batch is cut into a fixed number of pieces that workers may learn from side by side, the same bits however many there
are: gradients are summed, and statistics averaged, in the order of the pieces.
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
from torch.nn import functional

from labelfree import progress
from labelfree.errors import InputError, NonFiniteError
from labelfree.ocr.line_reader.model import Recogniser
from labelfree.ocr.line_reader.network import STRIDE, LineNetwork, n_frames
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.ocr.line_reader.strips import Strip, alike, padded, padded_width
from labelfree.workers import in_order, one_thread, workers

Ints = NDArray[np.int64]

_PIECES = 2  # of a batch; more would be smaller, and small pieces cost more a strip
_LEAST_STRIPS = 20  # below so many, none could be held out
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
    """Train a fresh network, or a copy of `start`, to read strips as they are labelled.

    A strip without labels, of weight 0, or with more labels than it has room for, is passed over.
    """
    examples = _usable(strips, labels, n_symbols, weights)
    if start is not None and start.n_symbols != n_symbols:
        raise InputError(f"start knows {start.n_symbols} symbols, {n_symbols} wanted; start from one of this alphabet")
    if not 0 < settings.held_out < 1:
        raise InputError(f"held_out is {settings.held_out}, a share between 0 and 1 wanted; leave it as it is")
    if settings.max_epochs < 1:
        raise InputError(f"max_epochs is {settings.max_epochs}, 1 or more wanted; leave it as it is")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(examples.strips))
    n_held = min(max(1, round(settings.held_out * len(order))), len(order) - 1)
    held, kept = examples.take(order[:n_held]), examples.take(order[n_held:])
    network = _fresh(n_symbols, seed, settings) if start is None else copy.deepcopy(start.network)
    with workers(), one_thread():
        _fit(network, _Schedule.of(kept, start is None, settings), kept, held, rng)
    return Recogniser(network)


@dataclass(frozen=True, eq=False)
class _Examples:
    """Strips, each with its labels and how much they count."""

    strips: Sequence[Strip]
    labels: Sequence[Ints]
    weights: NDArray[np.float64]

    def take(self, chosen: Ints) -> _Examples:
        return _Examples([self.strips[i] for i in chosen], [self.labels[i] for i in chosen], self.weights[chosen])

    @property
    def widths(self) -> Ints:
        """Columns of each strip."""
        return np.array([strip.width for strip in self.strips], np.int64)

    @property
    def sizes(self) -> Ints:
        """Labels of each strip."""
        return np.array([len(found) for found in self.labels], np.int64)


def _usable(
    strips: Sequence[Strip], labels: Sequence[ArrayLike], n_symbols: int, weights: ArrayLike | None
) -> _Examples:
    """The strips that can be learned from, all of them checked."""
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
    if len(chosen) < _LEAST_STRIPS:
        raise InputError(
            f"{len(chosen)} of {len(strips)} strips can be learned from, {_LEAST_STRIPS} or more wanted; "
            "give more lines"
        )
    return _Examples(strips, numbers, counts).take(chosen)


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
    def of(cls, kept: _Examples, is_fresh: bool, settings: LineReaderSettings) -> _Schedule:
        share, width = 1.0 if is_fresh else settings.warm, int(kept.widths.sum())
        epochs = min(settings.max_epochs, max(settings.min_epochs, int(share * settings.columns) // width))
        columns = min(settings.batch_columns, width // settings.min_steps)
        return cls(epochs, int(is_fresh and epochs > 1), columns, share * settings.rate, settings)

    def rate_at(self, epoch: float) -> float:
        """The learning rate: a straight rise, then half a wave down to nothing."""
        done, rise = epoch / self.epochs, self.settings.warm_up
        return self.rate * (done / rise if done < rise else (1 + math.cos(math.pi * (done - rise) / (1 - rise))) / 2)


def _fit(network: LineNetwork, schedule: _Schedule, kept: _Examples, held: _Examples, rng: np.random.Generator) -> None:
    """Train in place; the network ends as it was after the epoch with the lowest loss on what is held out."""
    replicas = _Replicas(network)
    optimiser = torch.optim.AdamW(replicas.weights, fused=True)
    best, loss, lowest = network.state_dict(), math.inf, math.inf
    for epoch in range(schedule.epochs):
        progress.stage("learning lines", epoch, schedule.epochs)
        batches = list(_batches(kept, schedule, epoch, rng))
        for number, batch in enumerate(batches, 1):
            for group in optimiser.param_groups:
                group["lr"] = schedule.rate_at(epoch + number / len(batches))
            for weight, gradient in zip(replicas.weights, replicas.gradients(batch), strict=True):
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


class _Replicas:
    """A network for each piece of a batch: all with the weights of one, each with its own batch statistics."""

    def __init__(self, network: LineNetwork) -> None:
        self.network = network
        self.weights = list(network.parameters())
        shared = {id(weight): weight for weight in self.weights}
        self.replicas = [copy.deepcopy(network, dict(shared)).train() for _ in range(_PIECES)]

    def gradients(self, pieces: Sequence[_Piece]) -> list[Tensor]:
        """The gradients of the sum of the pieces' losses, one for each tensor of the weights."""

        def of_piece(number: int) -> tuple[Tensor, ...]:
            return torch.autograd.grad(pieces[number].loss(self.replicas[number]), self.weights)

        found = list(in_order(of_piece, range(len(pieces))))
        return [sum(parts[1:], parts[0]) for parts in zip(*found, strict=True)]

    @torch.no_grad()
    def settle(self) -> None:
        """Give the network, and every replica, the mean of the replicas' statistics."""
        for name, buffer in self.network.named_buffers():
            own = [replica.get_buffer(name) for replica in self.replicas]
            mean = torch.stack(own).to(torch.float64).mean(0).to(buffer.dtype)
            for each in (buffer, *own):
                each.copy_(mean)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A part of a batch, and all chance that it takes."""

    examples: _Examples
    seed: int
    is_told: bool
    total: int  # what the loss of the whole batch is divided by
    settings: LineReaderSettings

    def loss(self, network: LineNetwork) -> Tensor:
        """Its part in the loss of the batch: a symbol, or, where labels have places, a strip."""
        examples, generator = self.examples, torch.Generator().manual_seed(self.seed)
        if self.is_told:
            losses = _spread_losses(network(padded(examples.strips), generator), examples)
        else:
            varied = _varied(examples.strips, generator, self.settings.variation)
            losses = _ctc_losses(network(varied, generator), examples)
        return (torch.from_numpy(examples.weights).to(losses.dtype) * losses).sum() / self.total


def _batches(kept: _Examples, schedule: _Schedule, epoch: int, rng: np.random.Generator) -> Iterator[list[_Piece]]:
    """Batches of strips of nearly one width in chance order, other strips together each time, all in pieces.

    A batch has about `schedule.columns` columns, and its pieces as many strips each; the last strips may make fewer.
    """
    widths, sizes, is_told = kept.widths, kept.sizes, epoch < schedule.told
    order = np.argsort(widths * rng.uniform(0.95, 1.05, len(widths)), kind="stable")
    batches, start = [], 0
    while start < len(order):
        size = max(1, round(schedule.columns / _PIECES / int(widths[order[start]])))
        batch = order[start : start + _PIECES * size]
        batches.append([batch[i : i + size] for i in range(0, len(batch), size)])
        start += len(batch)
    for number in rng.permutation(len(batches)):
        pieces = batches[number]
        total = sum(len(piece) if is_told else int(sizes[piece].sum()) for piece in pieces)
        yield [
            _Piece(kept.take(piece), int(rng.integers(2**62)), is_told, total, schedule.settings) for piece in pieces
        ]


def _mean_loss(network: LineNetwork, held: _Examples, columns: int) -> float:
    """The loss a symbol, strips as they are."""
    network.eval()

    def of_batch(batch: Ints) -> NDArray[np.float64]:
        part = held.take(batch)
        with torch.inference_mode():
            losses = _ctc_losses(network(padded(part.strips)), part).numpy()
        return np.array([(part.weights * losses).sum(), (part.weights * part.sizes).sum()])

    total = sum(in_order(of_batch, alike(held.strips, columns)), np.zeros(2))
    return float(total[0] / total[1])


def _ctc_losses(log_posteriors: Tensor, examples: _Examples) -> Tensor:
    """The CTC loss of each strip, from log-posteriors of shape (n, frames, classes); the last class is the blank."""
    n, frames, n_classes = log_posteriors.shape
    return functional.ctc_loss(
        log_posteriors.transpose(0, 1),
        torch.from_numpy(np.concatenate(examples.labels)),
        torch.full((n,), frames),
        torch.from_numpy(examples.sizes),
        blank=n_classes - 1,
        reduction="none",
        zero_infinity=True,
    )


def _spread_losses(log_posteriors: Tensor, examples: _Examples) -> Tensor:
    """The loss a frame of each strip, every label in its share of the ink."""
    blank = log_posteriors.shape[2] - 1
    targets = np.full(log_posteriors.shape[:2], blank)
    for row, strip, labels in zip(targets, examples.strips, examples.labels, strict=True):
        first, last = strip.inked
        share = ((np.arange(len(row)) + 0.5) * STRIDE - first) / (last - first)
        inside = (share >= 0) & (share < 1)
        row[inside] = labels[(share[inside] * len(labels)).astype(np.int64)]
    return functional.nll_loss(log_posteriors.transpose(1, 2), torch.from_numpy(targets), reduction="none").mean(1)


def _varied(strips: Sequence[Strip], generator: torch.Generator, share: float) -> Tensor:
    """Strips, padded, as the type might have come out on another page: wider, slanted, moved, thicker, less clear.

    All of them are as much wider, so that none needs more padding.
    """
    images = padded(strips)
    n, height, width = images.shape

    def chance(reach: float) -> Tensor:
        return (torch.rand(n, generator=generator) * 2 - 1) * reach

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
    inked = _thickened(moved, chance(10 * share))
    return inked.add_(torch.randn(inked.shape, generator=generator), alpha=share)


def _thickened(images: Tensor, shares: Tensor) -> Tensor:
    """Each image so much of the way to strokes a pixel wider on all sides, or, below 0, narrower.

    Examples
    --------
    >>> stroke = torch.tensor([[[0.0, 0.0, 1.0, 1.0, 1.0, 0.0]] * 3])
    >>> _thickened(stroke, torch.tensor([0.5]))[0, 1].tolist()
    [0.0, 0.5, 1.0, 1.0, 1.0, 0.5]
    >>> _thickened(stroke, torch.tensor([-0.5]))[0, 1].tolist()
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
