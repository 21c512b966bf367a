"""Time to solution beside what one would pick instead: hmmlearn's EM, and SPDG with one Python loop over N-grams.

    python benchmarks/solve.py [--tiles 153221] [--restarts 20] [--iterations 100] [--json]

The rendered task, its tiles in groups of alike ones, 29 symbols, N = 2. All solve the same problem: which symbol is
each group? Ours is compressing the sequence and the search, all its starts. hmmlearn's CategoricalHMM keeps transitions
and first symbols of the language and fits emissions by EM from random ones; it is begun again until a start finds the
basin (an error of its path below 15 %), and what it then has taken counts, or all restarts where none does. A step of
SPDG is that of the search, and one whose gradient goes over the N-grams in a loop of Python. Seconds are those of the
processor.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

import numpy as np
import torch
from hmmlearn.hmm import CategoricalHMM

from labelfree.fitting.compress import group_rows
from labelfree.fitting.search import search
from labelfree.lm import NGramLM
from labelfree.models import feature_scale
from labelfree.repro.tasks.rendered import TRAIN_TILES, rendered_task
from labelfree.solvers import SPDG, Problem
from labelfree.solvers.method import initial_model

GROUPS, STARTS, BATCH, SOLVED = 150, 10, 200, 0.15
LEAST_FASTER, LEAST_STEP = 100.0, 50.0


def posed(n_tiles: int):
    """The groups of the tiles, their symbols, lengths and language."""
    task = rendered_task(seed=0, train_tiles=n_tiles)
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet, 3, outside="break")
    rows = task.features("hog")[0]
    centre, scale = feature_scale(rows)
    groups = group_rows(((rows - centre) * scale).astype(np.float32), GROUPS)
    return groups, task.train.y, task.train.lengths, lm


def ours(groups, y, lengths, lm) -> tuple[float, float]:
    """Seconds to compress and search, and the error."""
    began = time.process_time()
    problem = Problem.from_sequences(torch.from_numpy(groups.labels), lengths, lm, 2)
    found = search(problem, starts=STARTS, seed=0)
    took = time.process_time() - began
    read = found.model(problem.inputs)[0].argmax(-1).numpy()[groups.labels]
    return took, float((read != y).mean())


def theirs(groups, y, lengths, lm, restarts: int, iterations: int):
    """Seconds until hmmlearn finds the basin, starts begun, the least error of a start, and seconds an iteration."""
    took, least, steps = 0.0, 1.0, 0
    joint = np.asarray(lm.joint(2))
    for start in range(restarts):
        model = CategoricalHMM(
            joint.shape[0], n_iter=iterations, tol=1.0, params="e", init_params="e", random_state=start
        )
        model.n_features = groups.n_groups
        model.startprob_, model.transmat_ = joint.sum(1), joint / joint.sum(1, keepdims=True)
        began = time.process_time()
        model.fit(groups.labels[:, None], lengths)
        path = model.predict(groups.labels[:, None], lengths)
        took += time.process_time() - began
        steps += len(model.monitor_.history)
        least = min(least, float((path != y).mean()))
        if least < SOLVED:
            break
    return took, start + 1, least, took / steps


def step_times(groups, lengths, lm) -> tuple[float, float]:
    """Seconds of a step for one start: the search's, and one with a loop over N-grams."""
    problem = Problem.from_sequences(torch.from_numpy(groups.labels), lengths, lm, 2)
    run = SPDG(batch_size=BATCH).start(problem, initial_model(problem, None, STARTS, 0), 0)
    run.advance(20)
    began = time.process_time()
    run.advance(200)
    ours = (time.process_time() - began) / 200 / STARTS
    rng = np.random.default_rng(0)
    weight = np.zeros((groups.n_groups, problem.n_classes))
    dual = np.full((problem.n_classes,) * 2, 2 * np.log(problem.n_classes))
    target, windows = problem.target.probability.numpy(), problem.windows
    share = windows.weight.numpy() / windows.weight.numpy().sum()
    began = time.process_time()
    for _ in range(3):
        rows = windows.rows.numpy()[rng.choice(len(share), BATCH, p=share)]
        looped_step(weight, dual, target, rows)
    return ours, (time.process_time() - began) / 3


def looped_step(weight: np.ndarray, dual: np.ndarray, target: np.ndarray, rows: np.ndarray) -> None:
    """A step of Algorithm 1 on a table, as written down: a loop over N-grams, in each all windows of the batch."""
    logits = 10.0 * weight
    posteriors = np.exp(logits - logits.max(1, keepdims=True))
    posteriors /= posteriors.sum(1, keepdims=True)
    first, second = posteriors[rows[:, 0]], posteriors[rows[:, 1]]
    pull = np.zeros_like(weight)
    for i in range(target.shape[0]):
        for j in range(target.shape[1]):
            product = first[:, i] * second[:, j]
            slope = -target[i, j] * np.exp(dual[i, j]) * product / len(rows)  # dL/d ln p of either symbol
            np.add.at(pull[:, i], rows[:, 0], slope)
            np.add.at(pull[:, j], rows[:, 1], slope)
            dual[i, j] += 0.5 * np.clip(1.0 - np.exp(dual[i, j]) * product.mean(), -1.0, 1.0)
    weight -= 0.05 * (pull - posteriors * pull.sum(1, keepdims=True))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tiles", type=int, default=TRAIN_TILES)
    parser.add_argument("--restarts", type=int, default=20, help="of hmmlearn, at most; 0 to leave it out")
    parser.add_argument("--iterations", type=int, default=100, help="of each, at most")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    torch.set_num_threads(1)
    problem = posed(given.tiles)
    seconds, error = ours(*problem)
    rows = [{"method": "search", "seconds": seconds, "error": error, "starts": STARTS}]
    checks = []
    if given.restarts:
        theirs_took, starts, least, each = theirs(*problem, given.restarts, given.iterations)
        rows.append({"method": "hmmlearn", "seconds": theirs_took, "error": least, "starts": starts, "a step": each})
        checks.append(("times faster than hmmlearn", theirs_took / seconds, LEAST_FASTER))
    step, looped = step_times(problem[0], problem[2], problem[3])
    rows += [{"method": "step of the search", "seconds": step}, {"method": "step with a loop", "seconds": looped}]
    checks.append(("times faster a step than a loop", looped / step, LEAST_STEP))
    told = [{"name": n, "value": v, "wanted": f">= {least:g}", "ok": v >= least} for n, v, least in checks]
    if given.json:
        print(json.dumps({"rows": rows, "checks": told}))
    else:
        for row in rows:
            print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()))
        for check in told:
            print(f"{'ok' if check['ok'] else 'NO'}  {check['name']}: {check['value']:.1f}, {check['wanted']} wanted")
    return 0 if all(check["ok"] for check in told) else 1


if __name__ == "__main__":
    sys.exit(main())
