"""Many starts at once, thinned out by the label-free score; small batches first, all the data last.

Small batches are noisy, and the noise carries a start across the barriers of J. Growing batches let it settle, and full
batches polish it. Solved and stuck starts differ early and clearly in their divergence from the language model, so half
of the starts are dropped at every rung and the rest of the effort goes to the better half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.method import initial_model
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.spdg import SPDG


@dataclass(frozen=True)
class Rung:
    """So many steps at this batch size, after which this share of the starts goes on."""

    steps: int
    batch_size: int
    keep: float


LADDER = (Rung(400, 200, 1 / 2), Rung(300, 200, 1 / 2), Rung(300, 400, 1 / 2))
POLISH_STEPS = 200


def search(
    problem: Problem,
    *,
    starts: int = 20,
    seed: int = 0,
    ladder: tuple[Rung, ...] = LADDER,
    polish_steps: int = POLISH_STEPS,
) -> Solution:
    """Find the basin of a compressed problem: SPDG from many starts, successive halving, the winner by divergence.

    Parameters
    ----------
    problem : Problem
        Over symbols or groups.
    starts : int
        How many starts to begin with; all are one batched tensor.
    seed : int
        Of the starts and the mini-batches.
    ladder : tuple of Rung
        Batch sizes that grow, and how many starts survive each.
    polish_steps : int
        Full-batch steps on J for the survivors.

    Returns
    -------
    Solution
        ``restarts`` holds the last score of every start, dropped ones too.
    """
    model = initial_model(problem, None, starts, seed)
    run = SPDG(batch_size=ladder[0].batch_size).start(problem, model, seed)
    alive = torch.arange(starts)
    last_scores = torch.full((starts,), math.inf)
    for rung in ladder:
        run.batch_size = rung.batch_size
        run.advance(rung.steps)
        scores = run.scores()
        last_scores[alive] = scores
        survivors = scores.argsort()[: max(1, math.ceil(rung.keep * len(alive)))]
        run.keep(survivors)
        alive = alive[survivors]
    settling = FullBatch().start(problem, model)
    settling.advance(polish_steps)
    scores = settling.scores()
    last_scores[alive] = scores
    winner = scores.argmin(keepdim=True)
    model.keep(winner)
    return Solution(
        model=model,
        kl=float(scores[winner]),
        restarts=tuple(last_scores.tolist()),
        n_steps=run.step + polish_steps,
    )
