"""Linear classifiers and networks on rendered print, label-free beside supervised.

    python benchmarks/nonlinear.py --seeds 3
    python benchmarks/nonlinear.py --tiles 20000 --json
    python benchmarks/nonlinear.py --only scratch --seeds 3

153,221 tiles to learn from and 15,000 others to test on; every error is that of single tiles of the test part, no
language model reading along. Linear classifiers and the network with one hidden layer read histograms of gradients,
the tile network reads pixels. The language model is of the text that the tiles were not drawn from. Label-free networks
learn from the decoded reading of the label-free linear classifier, then from their own. "From scratch" is Algorithm 1
alone from random weights, the last layer first and then all of them, at N = 3; "from linear" goes on from a network
that copies the linear classifier of the cost alone, which nothing was decoded for.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch.nn.functional import one_hot

from labelfree.fitting.auto import Auto
from labelfree.fitting.refine import read
from labelfree.fitting.teach import descend, teach
from labelfree.lm import NGramLM
from labelfree.models import Classifier, feature_scale
from labelfree.repro.tasks.rendered import TRAIN_TILES, rendered_task
from labelfree.solvers import SPDG, Problem, Supervised
from labelfree.solvers.method import initial_model
from labelfree.solvers.network import fit_network

LM_ORDER = 5
LABELLED_PASSES = 10
ROUNDS = 4
SCRATCH_ORDER = 3
SCRATCH_STARTS = 24
LINEAR_LIMIT, NETWORK_LIMIT, SCRATCH_LIMIT = 1.2, 1.5, 0.1


@dataclass(frozen=True, eq=False)
class View:
    """The tiles as rows of one kind of features: a problem to learn from, and rows to test on."""

    problem: Problem
    test_inputs: torch.Tensor
    test_labels: np.ndarray

    @classmethod
    def of(cls, rows, test_rows, task, lm) -> View:
        center, scale = feature_scale(rows)
        train, test = (torch.from_numpy(((part - center) * scale).astype(np.float32)) for part in (rows, test_rows))
        return cls(Problem.from_sequences(train, task.train.lengths, lm, 2), test, task.test.y)

    def error(self, model: Classifier) -> float:
        with torch.no_grad():
            found = model(self.test_inputs)[0].argmax(-1).numpy()
        return float((found != self.test_labels).mean())


def main() -> int:
    arguments = parse_arguments()
    torch.set_num_threads(1)
    errors: dict[str, list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for seed in range(arguments.seed, arguments.seed + arguments.seeds):
        tried = from_random_weights if arguments.only == "scratch" else trial
        for name, error, taken in tried(seed, arguments.tiles):
            errors.setdefault(name, []).append(error)
            seconds.setdefault(name, []).append(taken)
            print(f"seed {seed}: {name}: {error:.2%} in {taken:.0f} s", file=sys.stderr, flush=True)
    rows = [summary(name, errors[name], seconds[name], errors) for name in errors]
    limits = {"linear, label-free": LINEAR_LIMIT, "cnn, label-free": NETWORK_LIMIT}
    checks = [check(rows, name, limit) for name, limit in limits.items() if name in errors]
    checks += [check_error(row) for row in rows if str(row["method"]).endswith("from scratch")]
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(found["ok"] for found in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--tiles", type=int, default=TRAIN_TILES, help="to learn from")
    parser.add_argument("--only", choices=("scratch",), help="only networks from random weights, and supervised")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def trial(seed: int, n_tiles: int):
    """Yield name, test error and seconds of every fit."""
    task = rendered_task(seed=seed, train_tiles=n_tiles)
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet, LM_ORDER, outside="break")
    gradients = View.of(*task.features("hog"), task, lm)
    pixels = View.of(task.train.pixels(), task.test.pixels(), task, lm)
    labels = one_hot(torch.from_numpy(task.train.y), len(lm.alphabet)).float()

    yield fitted("linear, supervised", gradients, lambda: Supervised(task.train.y).solve(gradients.problem).model)
    began = time.perf_counter()
    linear = Auto().solve(gradients.problem, seed=seed).model
    yield "linear, label-free", gradients.error(linear), time.perf_counter() - began
    began = time.perf_counter()
    undecoded = Auto(rounds=0).solve(gradients.problem, seed=seed).model
    yield "linear, cost alone", gradients.error(undecoded), time.perf_counter() - began
    reading = torch.from_numpy(read(gradients.problem, linear).marginals).float()
    for kind, view in (("mlp", gradients), ("cnn", pixels)):
        yield fitted(f"{kind}, supervised", view, partial(with_labels, kind, view.problem, labels, seed))
        yield fitted(f"{kind}, label-free", view, partial(taught, kind, view.problem, reading, seed))
        copied = partial(from_linear, kind, view.problem, gradients.problem, undecoded, seed)
        yield fitted(f"{kind}, cost alone, from linear", view, copied)
        yield fitted(f"{kind}, cost alone, from scratch", view, partial(from_scratch, kind, view.problem, seed))


def from_random_weights(seed: int, n_tiles: int):
    """Yield the same for networks that start from random weights, and supervised ones."""
    task = rendered_task(seed=seed, train_tiles=n_tiles)
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet, LM_ORDER, outside="break")
    labels = one_hot(torch.from_numpy(task.train.y), len(lm.alphabet)).float()
    for kind in ("mlp", "cnn"):
        rows = task.features("hog") if kind == "mlp" else (task.train.pixels(), task.test.pixels())
        view = View.of(*rows, task, lm)
        yield fitted(f"{kind}, supervised", view, partial(with_labels, kind, view.problem, labels, seed))
        yield fitted(f"{kind}, cost alone, from scratch", view, partial(from_scratch, kind, view.problem, seed))


def fitted(name, view, fit):
    began = time.perf_counter()
    model = fit()
    seconds = time.perf_counter() - began
    return name, view.error(model), seconds


def with_labels(kind, problem, labels, seed) -> Classifier:
    model = initial_model(problem, kind, 1, seed)
    fit_network(model, problem.inputs, labels, passes=LABELLED_PASSES, seed=seed)
    return model


def taught(kind, problem, reading, seed) -> Classifier:
    return teach(problem, reading, kind, rounds=ROUNDS, seed=seed)[0]


def from_linear(kind, problem, linear_problem, linear, seed) -> Classifier:
    with torch.no_grad():
        posteriors = linear(linear_problem.inputs)[0].exp()
    return descend(problem, posteriors, kind, seed=seed)


def from_scratch(kind, problem, seed) -> Classifier:
    return SPDG().solve(problem.at_order(SCRATCH_ORDER), kind=kind, starts=SCRATCH_STARTS, seed=seed).model


def summary(name, errors, seconds, all_errors) -> dict[str, object]:
    supervised = all_errors[f"{name.split(',')[0]}, supervised"]
    return {
        "method": name,
        "seeds": len(errors),
        "error_mean": float(np.mean(errors)),
        "error_min": min(errors),
        "error_max": max(errors),
        "ratio": float(np.mean(errors) / np.mean(supervised)),
        "seconds_mean": float(np.mean(seconds)),
    }


def check(rows, name, limit) -> dict[str, object]:
    ratio = next(row["ratio"] for row in rows if row["method"] == name)
    return {
        "name": f"{name}: error over supervised error, means over seeds",
        "value": ratio,
        "wanted": f"<= {limit}",
        "ok": ratio <= limit,
    }


def check_error(row) -> dict[str, object]:
    """Of a network from scratch: every seed has to learn."""
    return {
        "name": f"{row['method']}: error, worst seed",
        "value": row["error_max"],
        "wanted": f"<= {SCRATCH_LIMIT}",
        "ok": row["error_max"] <= SCRATCH_LIMIT,
    }


def show(rows, checks) -> None:
    print(f"{'method':<32} {'seeds':>5} {'error':>8} {'best':>8} {'worst':>8} {'ratio':>7} {'seconds':>8}")
    for row in rows:
        print(
            f"{row['method']:<32} {row['seeds']:>5} {row['error_mean']:>8.2%} {row['error_min']:>8.2%} "
            f"{row['error_max']:>8.2%} {row['ratio']:>7.2f} {row['seconds_mean']:>8.0f}"
        )
    for found in checks:
        print(f"{'ok  ' if found['ok'] else 'FAIL'} {found['name']}: {found['value']:.3f}, wanted {found['wanted']}")


if __name__ == "__main__":
    sys.exit(main())
