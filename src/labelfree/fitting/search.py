"""Many starts at once, thinned out by the label-free score; small batches first, all the data last.

Small batches are noisy, and the noise carries a start across the barriers of J. Growing batches let it settle, and full
batches polish it. Solved and stuck starts differ early and clearly in their divergence from the language model, so half
of the starts are dropped at every rung and the rest of the effort goes to the better half.
"""

from __future__ import annotations

from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.ladder import Halving, Ladder, Rung
from labelfree.solvers.method import initial_model
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.spdg import SPDG

LADDER: Ladder = (Rung(400, 200, 1 / 2), Rung(300, 200, 1 / 2), Rung(300, 400, 1 / 2))
POLISH_STEPS = 200


def search(
    problem: Problem,
    *,
    starts: int = 20,
    seed: int = 0,
    ladder: Ladder = LADDER,
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
    halving = Halving(starts)
    halving.descend(run, ladder)
    halving.descend(FullBatch().start(problem, model), (Rung(polish_steps, None),))
    winner = halving.winner()
    model.keep(winner)
    return Solution(
        model=model,
        kl=float(halving.last_scores[halving.alive].min()),
        restarts=tuple(halving.last_scores.tolist()),
        n_steps=run.step + polish_steps,
    )
