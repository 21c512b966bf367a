"""Decode, retrain, repeat: the language model reads between the tiles, and the classifier learns from what it read.

Forward-backward with a longer language model than the cost could use turns the classifier's posteriors into soft
labels; the classifier is trained on them, and so on. The label-free score of a round is the share of positions at
which the classifier alone and the decoded reading disagree. It falls while both get better. When it has stopped falling
the language model overrules what the classifier sees, and the round with the lowest score is kept.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from labelfree import progress
from labelfree.decode import forward_backward, likelihoods_from_posteriors
from labelfree.fitting.diagnosis import diagnose
from labelfree.models import Classifier, Linear, Table
from labelfree.solvers.network import fit_network
from labelfree.solvers.problem import Problem
from labelfree.solvers.supervised import fit_soft_labels, with_known_labels

_LEAST_LOG_POSTERIOR = -15.0
_DECODING_ORDER = 4
FIRST_POSITIONS = 30_000


@dataclass(frozen=True)
class Stopping:
    """When rounds end: after so many without a fall of the score to this share of the lowest."""

    gain: float = 0.98
    patience: int = 3


_OF_PART = Stopping(gain=0.95, patience=1)  # all the data are still to be read
_OF_ALL = Stopping(patience=2)


@dataclass(frozen=True, eq=False)
class Decoded:
    """One round: soft labels of every position, and how often they disagree with the classifier alone."""

    marginals: NDArray[np.float64]
    disagreement: float
    information: float


def read(problem: Problem, model: Classifier, *, lm_weight: float = 1.0) -> Decoded:
    """Decode a problem's positions with the language model, at order 4 where it has that.

    Parameters
    ----------
    problem : Problem
    model : Classifier
        One start.
    lm_weight : float
        How much the language model counts against the classifier.

    Returns
    -------
    Decoded
        ``information`` is the mean log-likelihood ratio a position, in nats, of the inputs being such a text to their
        being independent symbols: the higher, the better the language explains the inputs.
    """
    with torch.no_grad():
        rows = model(problem.inputs)[0].clamp_min(_LEAST_LOG_POSTERIOR).numpy().astype(np.float64)
    log_posteriors = rows[problem.positions]
    prior = np.exp(log_posteriors).mean(0)
    seen = log_posteriors if problem.evidence is None else log_posteriors + problem.evidence
    if problem.known is not None:
        seen = seen.copy()
        has_label = np.flatnonzero(problem.known >= 0)
        seen[has_label] = _LEAST_LOG_POSTERIOR
        seen[has_label, problem.known[has_label]] = 0.0
    found = forward_backward(
        likelihoods_from_posteriors(seen, lm_weight * np.log(prior / prior.sum())),
        problem.lm,
        lengths=problem.lengths,
        order=min(problem.lm.order, _DECODING_ORDER),
        weight=lm_weight,
    )
    disagreement = float((log_posteriors.argmax(1) != found.marginals.argmax(1)).mean())
    return Decoded(found.marginals, disagreement, float(found.log_likelihood.sum()) / len(log_posteriors))


def refine(
    problem: Problem,
    model: Classifier,
    *,
    rounds: int = 20,
    l2: float = 1e-4,
    seed: int = 0,
) -> tuple[Classifier, tuple[float, ...]]:
    """Train a classifier on its own decoded output until the label-free score stops falling.

    First the language model counts in full, and part of the data is enough to learn from; when that helps no more it
    counts half, so that it advises more than it overrules, and all the data are read.

    Parameters
    ----------
    problem : Problem
    model : Classifier
        One start; left as it is.
    rounds : int
        At most so many.
    l2 : float
        Penalty while a linear classifier is retrained.
    seed : int
        Of the part that the first rounds read.

    Returns
    -------
    model : Classifier
        That of the last round with the lowest disagreement, the given one included, so never a worse one by that score.
    disagreements : tuple of float
        The score of every round, the first before any training; infinite for a round that collapsed or got stuck.
    """
    part, _ = problem.sample(FIRST_POSITIONS, seed)
    model, early = repeat_rounds(part, model, rounds, 1.0, l2, _OF_PART)
    model, late = repeat_rounds(problem, model, rounds - len(early) + 1, 0.5, l2, _OF_ALL)
    return model, (*early[:-1], *late)


def repeat_rounds(
    problem: Problem,
    model: Classifier,
    rounds: int,
    lm_weight: float,
    l2: float,
    stopping: Stopping | None = None,
) -> tuple[Classifier, tuple[float, ...]]:
    """Rounds with one weight of the language model, until the score has stopped falling.

    Returns the classifier of the round with the lowest score, and all scores, the first before any training; a round
    that collapsed or got stuck scores infinity and is the last.
    """
    stopping = stopping or Stopping()
    best = current = model
    reading = read(problem, current, lm_weight=lm_weight)
    disagreements = [reading.disagreement]
    progress.look("refine", 0, disagreements[-1:])
    last_gain = 0
    for round_number in range(1, rounds + 1):
        lowest = min(disagreements)
        if lowest == 0 or round_number > last_gain + stopping.patience:
            break
        current = copy.deepcopy(current)
        _retrain(problem, current, torch.from_numpy(reading.marginals), l2)
        reading = read(problem, current, lm_weight=lm_weight)
        progress.look("refine", round_number, [reading.disagreement])
        if not diagnose(problem, current).converged:
            disagreements.append(math.inf)
            break
        disagreements.append(reading.disagreement)
        if reading.disagreement < lowest:
            best = current
        if reading.disagreement < stopping.gain * lowest:
            last_gain = round_number
    return best, tuple(disagreements)


def retrain(model: Classifier, inputs: Tensor, soft_labels: Tensor, *, l2: float) -> None:
    """Fit a classifier of features to soft labels, in place.

    Parameters
    ----------
    model : Classifier
        One start.
    inputs : Tensor of shape (n, d)
    soft_labels : Tensor of shape (n, c), float32
        A distribution over the classes for every input. A row that sums to less counts for less.
    l2 : float
        Penalty on the weights of a linear classifier.
    """
    if isinstance(model, Linear):
        fit_soft_labels(model, inputs, soft_labels, l2=l2)
    else:
        fit_network(model, inputs, soft_labels)


def _retrain(problem: Problem, model: Classifier, marginals: Tensor, l2: float) -> None:
    """Fit the classifier to soft labels; a table simply takes each symbol's average."""
    soft_labels = with_known_labels(problem, marginals)
    if not isinstance(model, Table):
        retrain(model, problem.rows, soft_labels.float(), l2=l2)
        return
    sums = np.zeros((len(problem.inputs), problem.n_classes))
    np.add.at(sums, problem.positions, soft_labels.numpy())
    seen = sums.sum(1) > 0
    average = torch.from_numpy(sums[seen] / sums[seen].sum(1, keepdims=True)).float()
    with torch.no_grad():
        model.weight[0, torch.from_numpy(seen)] = average.clamp_min(1e-7).log() / model.gamma
