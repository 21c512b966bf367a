"""The paper's Spell-Corr task: every method on random substitutions, in-domain and out-of-domain language models.

    python benchmarks/spelling.py --seeds 10 --json
    python benchmarks/spelling.py --text FOLDER --lm-text OTHER_FOLDER

Without --text the English is what ships with Python itself; without --lm-text the out-of-domain model is the language
pack of `NGramLM.from_language("en")`. A fit counts as solved where at most 2% of the test characters are wrong.
All on one thread; seconds are those of a fit, imports and language models left out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning

from labelfree import NGramLM, SequenceClassifier
from labelfree.repro.tasks.spelling import folder_paragraphs, segments_of, spelling_task, standard_library_english
from labelfree.solvers import EM, SGD, SPDG, FullBatch, Likelihood, Majority, Problem, Supervised
from labelfree.solvers.method import GradientMethod, initial_model

SOLVED = 0.02
STARTS = 20
PAPER_STEPS = 5_000
# The paper's dual, at its own rates and at rates a hundred times as large.
BASELINES = {
    "spdg, log dual, one method alone": SPDG(steps=1000),
    f"spdg, paper's dual and rates, {PAPER_STEPS} steps": SPDG(dual="paper", steps=PAPER_STEPS),
    f"spdg, paper's dual, rates x 100, {PAPER_STEPS} steps": SPDG(
        dual="paper", steps=PAPER_STEPS, rate=1e-4, dual_rate=1e-2
    ),
    "full batch, 1000 steps": FullBatch(steps=1000),
    "sgd, batch 10": SGD(batch_size=10),
    "sgd, batch 1000": SGD(batch_size=1000),
    "likelihood (2016)": Likelihood(),
    "majority": Majority(),
}


def main() -> int:
    arguments = parse_arguments()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", ConvergenceWarning)
    paragraphs = folder_paragraphs(arguments.text) if arguments.text else standard_library_english()
    pool = sorted(set(segments_of(paragraphs)))
    results: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for seed in range(arguments.seeds):
        task = spelling_task(pool, seed)
        models = language_models(task, arguments)
        for lm_name, lm in models.items():
            fits = {"ours": ours(task, lm, seed)}
            if lm_name == "in-domain" and seed < arguments.baseline_seeds:
                for name, method in BASELINES.items():
                    fits[name] = baseline(task, lm, seed, method)
                fits["em, 3 starts"] = baseline(task, lm, seed, EM(steps=40), starts=3)
                fits["supervised"] = baseline(task, lm, seed, Supervised(task.train.y), starts=1)
            for name, fit in fits.items():
                results[name, lm_name].append(fit)
                if sys.stderr.isatty():
                    print(f"seed {seed} {lm_name} {name}: {fit}", file=sys.stderr)
    rows = [summary(name, lm_name, fits) for (name, lm_name), fits in results.items()]
    checks = demands([row for row in rows if row["method"] == "ours"])
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": checks}))
    else:
        show(rows, checks)
    return 0 if all(check["ok"] for check in checks) else 1


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--baseline-seeds", type=int, default=2, help="seeds for the methods that are not ours")
    parser.add_argument("--text", type=Path, help="file or folder of English to draw the segments from")
    parser.add_argument("--in-domain", type=Path, help="text for the in-domain model, if --text has none to spare")
    parser.add_argument("--lm-text", type=Path, help="file or folder of other English for the out-of-domain model")
    parser.add_argument("--lm-order", type=int, default=2, help="of the language models; the paper's are 2-gram")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def language_models(task, arguments) -> dict[str, NGramLM]:
    inside = arguments.in_domain or list(task.in_domain)
    outside = (
        NGramLM.from_text(arguments.lm_text, task.alphabet, arguments.lm_order, outside="break")
        if arguments.lm_text
        else NGramLM.from_language("en", task.alphabet, arguments.lm_order)
    )
    return {
        "in-domain": NGramLM.from_text(inside, task.alphabet, arguments.lm_order, outside="break"),
        "out-of-domain": outside,
    }


def ours(task, lm, seed) -> dict[str, float]:
    began = time.perf_counter()
    reader = SequenceClassifier(lm, random_state=seed).fit(task.train.x[:, None], lengths=task.train.lengths)
    seconds = time.perf_counter() - began
    return {
        "error": 1.0 - reader.score(task.test.x[:, None], task.test.y),
        "believed": float(reader.converged_),
        "seconds": seconds,
        "starts": STARTS,
        "single_starts": single_starts(task, lm, seed),
    }


def single_starts(task, lm, seed) -> int:
    """How many of 20 starts of Algorithm 1 succeed by themselves."""
    problem = state(task, lm)
    model = initial_model(problem, None, STARTS, seed)
    SPDG().start(problem, model, seed).advance(1000)
    with torch.no_grad():
        read = model(problem.inputs).argmax(-1).numpy()
    return sum(test_error(task, labels) <= SOLVED for labels in read)


def baseline(task, lm, seed, method, starts=STARTS) -> dict[str, float]:
    problem = state(task, lm)
    fit: dict[str, float] = {"starts": starts}
    began = time.perf_counter()
    if isinstance(method, GradientMethod):  # as method.solve does, but every start is looked at
        model = initial_model(problem, None, starts, seed)
        run = method.start(problem, model, seed)
        run.advance(method.steps)
        fit["seconds"] = time.perf_counter() - began
        with torch.no_grad():
            errors = [test_error(task, labels) for labels in model(problem.inputs).argmax(-1).numpy()]
        fit["single_starts"] = sum(error <= SOLVED for error in errors)
        fit["error"] = errors[int(run.scores().argmin())]
        return fit
    solution = method.solve(problem, starts=starts, seed=seed)
    fit["seconds"] = time.perf_counter() - began
    with torch.no_grad():
        fit["error"] = test_error(task, solution.model(problem.inputs).argmax(-1)[0].numpy())
    return fit


def state(task, lm) -> Problem:
    return Problem.from_sequences(torch.from_numpy(task.train.x), task.train.lengths, lm, order=2)


def test_error(task, labels) -> float:
    known = np.full(max(len(task.alphabet), int(task.test.x.max()) + 1), -1)
    known[: len(labels)] = labels
    return float((known[task.test.x] != task.test.y).mean())


def summary(name, lm_name, fits) -> dict[str, object]:
    row = {
        "method": name,
        "lm": lm_name,
        "seeds": len(fits),
        "solved": sum(fit["error"] <= SOLVED for fit in fits),
        "error_mean": statistics.mean(fit["error"] for fit in fits),
        "error_max": max(fit["error"] for fit in fits),
        "seconds_median": statistics.median(fit["seconds"] for fit in fits),
        "seconds_max": max(fit["seconds"] for fit in fits),
        "starts": int(fits[0]["starts"]),
    }
    if "single_starts" in fits[0]:
        row["single_starts_mean"] = statistics.mean(fit["single_starts"] for fit in fits)
        row["single_starts_min"] = min(fit["single_starts"] for fit in fits)
    if "believed" in fits[0]:
        row["believed"] = int(sum(fit["believed"] for fit in fits))
    return row


def demands(rows) -> list[dict[str, object]]:
    inside, outside = (next(row for row in rows if row["lm"] == lm) for lm in ("in-domain", "out-of-domain"))
    wanted = [
        ("in-domain test error, worst seed", inside["error_max"], "<= 0", inside["error_max"] <= 0),
        ("out-of-domain test error, worst seed", outside["error_max"], "<= 0.005", outside["error_max"] <= 0.005),
        ("single starts of 20, mean", inside["single_starts_mean"], ">= 16", inside["single_starts_mean"] >= 16),
        ("seconds a fit, median", inside["seconds_median"], "< 3", inside["seconds_median"] < 3),
    ]
    return [{"name": name, "value": value, "wanted": want, "ok": bool(ok)} for name, value, want, ok in wanted]


def show(rows, checks) -> None:
    print(f"{'method':<52} {'lm':<14} {'solved':>7} {'error':>8} {'worst':>8} {'single':>10} {'seconds':>8}")
    for row in rows:
        single = f"{row['single_starts_mean']:.1f}/{row['starts']}" if "single_starts_mean" in row else ""
        print(
            f"{row['method']:<52} {row['lm']:<14} {row['solved']:>3}/{row['seeds']:<3} {row['error_mean']:>8.2%} "
            f"{row['error_max']:>8.2%} {single:>10} {row['seconds_median']:>8.2f}"
        )
    for check in checks:
        print(f"{'ok  ' if check['ok'] else 'FAIL'} {check['name']}: {check['value']:.4g}, wanted {check['wanted']}")


if __name__ == "__main__":
    sys.exit(main())
