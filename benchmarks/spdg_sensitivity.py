"""How often a single start of SPDG succeeds, as one thing at a time is changed: 20 starts a row, Wilson intervals.

On a substitution of 83,567 letters by default, or on rendered print with `--task rendered`, where a start counts as
successful at an error that only the right basin has. Nothing is dropped on the way and nothing settles in the end, so
that single starts are counted; `benchmarks/spdg.py` has what comes of many. SGD on batches of 10 to 10,000 windows
stands beside it under the same conditions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter

import numpy as np

from labelfree.lm import NGramLM
from labelfree.lm.counting import NGramCounts
from labelfree.repro.paper.data import Settings, rendered_trials, spelling_trials
from labelfree.repro.paper.trial import SOLVED, Trial, spelling_trial
from labelfree.repro.tasks.english import sized_substitution
from labelfree.repro.tasks.spelling import standard_library_english
from labelfree.solvers import SGD, SPDG
from labelfree.solvers.method import GradientMethod, initial_model
from wilson import interval

IN_THE_BASIN = 0.25  # of tiles wrong: stuck starts on print have twice that
BATCHES = (10, 100, 1_000, 10_000)
RATES = (0.001, 0.002, 0.005, 0.01)
DUAL_RATES = (0.02, 0.1, 0.5)
PENALTIES = (0.0, 0.001, 0.003, 0.01)
SYMBOLS = (10, 20, 29, 60)
UNIFORM = (0.1, 0.3, 0.5)
SEEDS = 3

Case = tuple[str, str, Trial, GradientMethod, int]  # what is changed, to what, the data, the method, the seed


def main() -> int:
    arguments = parse_arguments()
    rows = [row(case, arguments) for case in cases(arguments)]
    default = next(one for one in rows if one["changed"] == "nothing")
    best_sgd = max(one["share"] for one in rows if one["changed"] == "SGD, batch")
    checks = [
        {
            "name": "share of SPDG's single starts that succeed, less that of SGD with its best batch",
            "value": default["share"] - best_sgd,
            "wanted": ">= 0",
            "ok": default["share"] >= best_sgd,
        }
    ]
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=("spelling", "rendered"), default="spelling")
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--windows", type=int, default=4_000_000, help="that all steps of one start see at most")
    parser.add_argument("--tiles", type=int, default=40_000, help="of rendered print")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def cases(arguments: argparse.Namespace) -> Iterator[Case]:
    """Everything as it is by default first, then one thing changed at a time."""
    is_print = arguments.task == "rendered"
    trials = rendered_trials(Settings()) if is_print else spelling_trials(Settings())
    trial = trials(0)
    if is_print:
        trial = trial.first(arguments.tiles)
    method = SPDG(batch_size=200)
    yield "nothing", "", trial, method, 0
    for seed in range(1, SEEDS):
        yield "seed", str(seed), trial, method, seed
    for batch in BATCHES:
        yield "SPDG, batch", f"{batch:,}", trial, replace(method, batch_size=batch), 0
    for batch in BATCHES:
        yield "SGD, batch", f"{batch:,}", trial, SGD(batch_size=batch), 0
    for rate in RATES:
        yield "rate", f"{rate:g}", trial, replace(method, rate=rate), 0
    for rate in DUAL_RATES:
        yield "dual rate", f"{rate:g}", trial, replace(method, dual_rate=rate), 0
    for l2 in PENALTIES if is_print else ():  # a table of symbols has none
        yield "penalty", f"{l2:g}", trial, replace(method, l2=l2), 0
    for share in UNIFORM:
        lm = NGramLM.interpolate([trial.lm, uniform_like(trial.lm)], [1 - share, share])
        yield "language model, share uniform", f"{share:.0%}", trial.with_language(lm, 2), method, 0
    paragraphs = [] if is_print else list(standard_library_english())
    for n_symbols in SYMBOLS if paragraphs else ():
        task = sized_substitution(paragraphs, n_symbols, 0)
        lm = NGramLM.from_text(task.in_domain, task.alphabet, 2)
        yield "symbols", str(n_symbols), spelling_trial(task, lm), method, 0


def uniform_like(lm: NGramLM) -> NGramLM:
    counts = NGramCounts.from_ids(np.arange(len(lm.alphabet)), [len(lm.alphabet)], len(lm.alphabet), order=1)
    return NGramLM.from_counts(counts, lm.alphabet)


def row(case: Case, arguments: argparse.Namespace) -> dict[str, object]:
    changed, to, trial, method, seed = case
    limit = SOLVED if trial.is_table else IN_THE_BASIN
    began = perf_counter()
    model = initial_model(trial.problem, None, arguments.starts, seed)
    steps = max(1, min(arguments.steps, arguments.windows // (method.first_batch() or trial.problem.windows.count)))
    run = method.start(trial.problem, model, seed)
    run.judged_on = trial.problem.sample(30_000, 0)[0] if not trial.is_table else trial.problem
    run.advance(steps)
    errors = np.array([trial.error(model, start) for start in range(arguments.starts)])
    read = errors <= limit
    low, high = interval(int(read.sum()), len(errors))
    found = {
        "changed": changed,
        "to": to,
        "starts": len(errors),
        "succeeded": int(read.sum()),
        "share": float(read.mean()),
        "low": low,
        "high": high,
        "error_best": float(errors.min()),
        "steps": steps,
        "seconds": perf_counter() - began,
    }
    print(f"{changed} {to}: {found['succeeded']}/{found['starts']}", file=sys.stderr, flush=True)
    return found


def show(rows, checks) -> None:
    print(f"{'changed':<32}{'to':>8}{'succeeded':>11}{'Wilson 95%':>13}{'best error':>12}{'steps':>7}")
    for one in rows:
        between = f"{one['low']:.0%}-{one['high']:.0%}"
        print(
            f"{one['changed']:<32}{one['to']:>8}{one['succeeded']:>8}/{one['starts']:<2}{between:>13}"
            f"{one['error_best']:>12.2%}{one['steps']:>7}"
        )
    for found in checks:
        print(f"{'ok  ' if found['ok'] else 'MISS'} {found['name']}: {found['value']:.3g}, wanted {found['wanted']}")


if __name__ == "__main__":
    sys.exit(main())
