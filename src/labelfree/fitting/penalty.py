"""How strongly to hold the classifier's weights down, chosen without a label.

An unregularised classifier drives the divergence down by fitting the noise of the N-gram counts, and the error up. So
the strength is judged on sequences that the classifier was not fitted to, by how well a longer language model than the
cost uses explains what comes out (`Decoded.information`).
"""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from labelfree.fitting.refine import read
from labelfree.models import Classifier, ModelKind
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.method import GradientMethod, initial_model
from labelfree.solvers.problem import Problem, cut_lengths
from labelfree.solvers.spdg import SPDG
from labelfree.solvers.supervised import fit_soft_labels

STRENGTHS = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
_TRIAL_POSITIONS = 24_000  # half to fit, half to judge
_TRIAL_PIECE = 400
_TRIAL_STEPS = 30
ODM_STEPS = 100
ODM_POSITIONS = 60_000  # the cost needs no more to find its minimum
_ODM_RATE = 0.01
_STEP_WORK = 100_000_000  # products of posteriors a step; beyond it a step sees a mini-batch


def fit_penalised(
    problem: Problem,
    soft_labels: Tensor,
    kind: ModelKind,
    l2: float | Tensor,
    *,
    seed: int,
    steps: int = ODM_STEPS,
    most: int = ODM_POSITIONS,
) -> Classifier:
    """Fit a classifier to first soft labels, then go on with the Empirical-ODM cost and an L2 penalty.

    Parameters
    ----------
    problem : Problem
        Over features.
    soft_labels : Tensor of shape (T, c)
        What the groups say of each position.
    kind : {"linear", "mlp", "cnn"}
    l2 : float or Tensor of shape (s,)
        Strength of the penalty; one start for each value.
    seed : int
    steps : int
        On the cost, after twice as many on the labels.
    most : int
        Positions to learn from.
    """
    problem, taken = problem.sample(most, seed)
    soft_labels = soft_labels[torch.from_numpy(taken)]
    strengths = torch.as_tensor(l2, dtype=torch.float32).reshape(-1)
    model = initial_model(problem, kind, len(strengths), seed)
    fit_soft_labels(model, problem.rows, soft_labels, l2=strengths, steps=2 * steps)
    products = len(strengths) * problem.n_classes**problem.order
    method: GradientMethod = FullBatch(rate=_ODM_RATE)
    if len(problem.windows) * products > _STEP_WORK:
        method = SPDG(dual="log", rate=_ODM_RATE, batch_size=max(200, _STEP_WORK // products))
    run = method.start(problem, model, seed)
    run.l2 = strengths
    run.advance(steps)
    return model


def choose_l2(problem: Problem, soft_labels: Tensor, kind: ModelKind, *, seed: int) -> float:
    """The strength whose classifier reads best what it was not fitted to.

    Half of the pieces of the data, up to a limit, are fitted with every strength at once, on pairs whatever the order;
    the other half judges. A penalty is a belief held before the data are seen: beyond the limit it falls as they grow.
    """
    problem = problem.at_order(min(problem.order, 2))
    rng = np.random.default_rng(seed)
    pieces = replace(problem, lengths=cut_lengths(problem.lengths, _TRIAL_PIECE))
    usable = rng.permutation(np.flatnonzero(pieces.lengths >= problem.order))  # shorter ones hold no N-gram
    chosen = usable[np.cumsum(pieces.lengths[usable]) <= max(_TRIAL_POSITIONS, pieces.lengths.max())]
    fitted, judging = (np.isin(np.arange(len(pieces.lengths)), half) for half in (chosen[::2], chosen[1::2]))
    if not judging.any():
        return STRENGTHS[len(STRENGTHS) // 2]
    first, second = pieces.part(fitted), pieces.part(judging)
    labels = soft_labels[torch.from_numpy(np.repeat(fitted, pieces.lengths))]
    models = fit_penalised(first, labels, kind, torch.tensor(STRENGTHS), seed=seed, steps=_TRIAL_STEPS)
    information = [read(second, _single(models, i)).information for i in range(len(STRENGTHS))]
    return STRENGTHS[int(np.argmax(information))] * min(1.0, _TRIAL_POSITIONS / 2 / len(problem.positions))


def _single(models: Classifier, start: int) -> Classifier:
    one = copy.deepcopy(models)
    one.keep(torch.tensor([start]))
    return one
