"""Training with labels: the yardstick of the label-free methods, and what retraining on decoded labels uses.

Both lower the cross-entropy between soft labels q and the classifier, plus an L2 penalty:

    1/n sum_i sum_c -q_ic ln p_theta(c | x_i)  +  l2 |W|^2

`fit_soft_labels` goes a fixed number of steps from where a model stands; `Supervised` starts afresh, to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional

from labelfree import progress
from labelfree.errors import InputError, NonFiniteError
from labelfree.models import Classifier, ModelKind
from labelfree.solvers.adam import Adam
from labelfree.solvers.method import initial_model
from labelfree.solvers.problem import Problem, Solution

KNOWN_WEIGHT = 10.0  # believed labels that a known one outweighs
_BATCH = 2048
_CHUNK_NUMBERS = 2**20  # numbers of one layer's output held at once: 4 MB of float32


def fit_soft_labels(
    model: Classifier,
    inputs: Tensor,
    soft_labels: Tensor,
    *,
    l2: float | Tensor = 0.0,
    steps: int = 200,
    rate: float = 0.02,
    batch_size: int = _BATCH,
    seed: int = 0,
) -> None:
    """Train all starts of a model on soft labels, in place: Adam over mini-batches, so that much data cost no more.

    A classifier that knows how its inputs vary sees them varied.

    Parameters
    ----------
    model : Classifier
        Its weights are where the training begins.
    inputs : Tensor of shape (n, d), or (n,) integers for a table
    soft_labels : Tensor of shape (n, c)
        A distribution over the classes for every input. A row that sums to less counts for less.
    l2 : float or Tensor of shape (s,)
        Weight of the penalty on squared weights; one value, or one a start.
    steps : int
        How many steps to take.
    rate : float
        Adam's step size at first; it falls to nothing over the steps, so that the last ones settle.
    batch_size : int
        Rows a step; all of them where they are no more.
    seed : int
        Of the order in which rows are seen, and of their variation.

    Examples
    --------
    >>> from labelfree.models import Linear
    >>> model = Linear(n_starts=1, n_inputs=1, n_classes=2)
    >>> fit_soft_labels(model, torch.tensor([[-1.0], [1.0]]), torch.eye(2), steps=200, rate=0.1)
    >>> model(torch.tensor([[-1.0], [1.0]])).argmax(-1).tolist()
    [[0, 1]]
    """
    _check_soft_labels(model, inputs, soft_labels)
    optimizer = Adam(model.parameters(), rate)
    batches = _batches(len(inputs), seed, batch_size)
    generator = torch.Generator().manual_seed(seed)
    for step in range(steps):
        optimizer.zero_grad()
        optimizer.rate = rate * (1.0 - step / steps)
        seen, wanted = (
            (inputs, soft_labels)
            if (rows := next(batches)) is None
            else (inputs.index_select(0, rows), soft_labels.index_select(0, rows))
        )
        loss = _backward(model, model.varied(seen, generator), wanted, l2)
        _check_finite(loss, step)
        optimizer.step()
    for parameter in model.parameters():
        parameter.grad = None


def with_known_labels(problem: Problem, soft_labels: Tensor) -> Tensor:
    """Soft labels of every position with the known ones in their place; each of these counts for several others.

    Parameters
    ----------
    problem : Problem
    soft_labels : Tensor of shape (T, c)
        What is believed of the positions; left as it is.
    """
    if problem.known is None:
        return soft_labels
    has_label = torch.from_numpy(problem.known >= 0)
    labels = torch.from_numpy(problem.known)[has_label]
    found = soft_labels.clone()
    found[has_label] = KNOWN_WEIGHT * functional.one_hot(labels, problem.n_classes).to(found.dtype)
    return found


@dataclass(frozen=True, eq=False)
class Supervised:
    """Cross-entropy training with labels, by L-BFGS to the end.

    Parameters
    ----------
    labels : array-like of shape (T,)
        The class of every position of the problem to be solved. They stand here, and never in a `Problem`.
    steps : int
        At most so many steps.
    l2 : float
        Weight of the penalty on squared weights, against the mean cross-entropy of a position.

    Examples
    --------
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("abab", order=2)
    >>> problem = Problem.from_sequences(torch.tensor([[-1.0], [1.0], [-2.0]]), [3], lm, order=2)
    >>> Supervised([0, 1, 0], l2=0.01).solve(problem).model(problem.inputs).argmax(-1).tolist()
    [[0, 1, 0]]
    """

    labels: ArrayLike = field(repr=False)
    steps: int = 200
    l2: float = 1e-6

    def solve(
        self,
        problem: Problem,
        *,
        kind: ModelKind | None = None,
        starts: int = 1,
        seed: int = 0,
    ) -> Solution:
        """Fit and return the start with the lowest training loss; ``kl`` is its label-free score all the same.

        Parameters
        ----------
        problem : Problem
        kind : {"table", "linear", "mlp", "cnn"}, optional
            The classifier; by default a table for symbols or groups and linear for features.
        starts : int
            How many starts, of use to networks alone.
        seed : int
            Of the starts.
        """
        soft_labels = self._soft_labels(problem)
        model = initial_model(problem, kind, starts, seed)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=self.steps, line_search_fn="strong_wolfe")
        n_calls = 0

        def closure() -> float:
            nonlocal n_calls
            optimizer.zero_grad()
            loss = _backward(model, problem.rows, soft_labels, self.l2)
            _check_finite(loss, n_calls)
            n_calls += 1
            return float(loss.sum())

        optimizer.step(closure)  # type: ignore[no-untyped-call]
        losses = _backward(model, problem.rows, soft_labels, self.l2)
        scores = problem.kl(model)
        progress.look("supervised", n_calls, scores.tolist())
        winner = losses.argmin(keepdim=True)
        model.keep(winner)
        return Solution(
            model=model,
            kl=float(scores[winner]),
            restarts=tuple(scores.tolist()),
            n_steps=n_calls,
        )

    def _soft_labels(self, problem: Problem) -> Tensor:
        """(r, c): how often each row bears each label, scaled so that a mean over rows is one over positions."""
        labels = np.asarray(self.labels)
        if labels.shape != problem.positions.shape or labels.dtype.kind not in "iu":
            raise InputError(
                f"labels is a {labels.dtype} array of shape {labels.shape}, wanted integers of shape "
                f"{problem.positions.shape}: pass one label for every position of the problem"
            )
        n_rows, n_classes = len(problem.inputs), problem.n_classes
        if labels.min() < 0 or labels.max() >= n_classes:
            raise InputError(
                f"labels run from {labels.min()} to {labels.max()}, wanted 0 to {n_classes - 1}: "
                "pass indices into the language model's alphabet"
            )
        cells = problem.positions * n_classes + labels.astype(np.int64)
        counts = np.bincount(cells, minlength=n_rows * n_classes).reshape(n_rows, n_classes)
        return torch.as_tensor(counts * (n_rows / len(labels)), dtype=torch.float32)


def _batches(n_rows: int, seed: int, batch_size: int) -> Iterator[Tensor | None]:
    """All rows (None) for ever where they are few; else mini-batches of pass after pass, each in another order."""
    if n_rows <= batch_size:
        while True:
            yield None
    generator = torch.Generator().manual_seed(seed)
    while True:
        yield from torch.randperm(n_rows, generator=generator)[: n_rows - n_rows % batch_size].split(batch_size)  # type: ignore[no-untyped-call]


def _backward(model: Classifier, inputs: Tensor, soft_labels: Tensor, l2: float | Tensor) -> Tensor:
    """Add the gradient of the loss to the parameters', chunk by chunk; returns the loss of each start."""
    n_rows = len(inputs)
    chunk = max(1, _CHUNK_NUMBERS // (model.n_starts * model.width))
    total = torch.zeros(model.n_starts, dtype=torch.float64)
    for first in range(0, n_rows, chunk):
        part = slice(first, first + chunk)
        log_posteriors = model(inputs[part])  # (s, b, c)
        loss = -(soft_labels[part] * log_posteriors).sum((1, 2)) / n_rows
        loss.sum().backward()
        total += loss.detach()
    penalty = l2 * model.squared_weights()
    if penalty.requires_grad:  # a table has none
        penalty.sum().backward()  # type: ignore[no-untyped-call]
    return total + penalty.detach()


def _check_soft_labels(model: Classifier, inputs: Tensor, soft_labels: Tensor) -> None:
    wanted = (len(inputs), model.n_classes)
    if tuple(soft_labels.shape) != wanted or len(inputs) == 0:
        raise InputError(
            f"soft labels have shape {tuple(soft_labels.shape)}, wanted {wanted} with one row or more: "
            "pass a distribution over the classes for every input"
        )


def _check_finite(loss: Tensor, step: int) -> None:
    if not bool(torch.isfinite(loss).all()):
        raise NonFiniteError(
            f"loss is no longer finite at step {step} of training on labels: "
            f"{int((~torch.isfinite(loss)).sum())} of {len(loss)} starts; scale the features or lower the rate"
        )
