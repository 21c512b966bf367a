"""Handwritten letters, label-free beside supervised.

    python benchmarks/handwriting.py --data FOLDER --seeds 3

FOLDER holds ``letters_kassel/letters.npz``, single letters by 150 people, and ``lm_english_novels``, text. Segments of
the novels are written with letters drawn at random, so that neighbours are by different hands, and read again. Test
letters are of words that no training letter is from. The language model is of the other segments. Errors are those of
single letters of the test part; "decoded" has the language model read along.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import one_hot

from labelfree.decode import likelihoods_from_posteriors, viterbi
from labelfree.fitting.auto import Auto
from labelfree.fitting.refine import read
from labelfree.lm import NGramLM
from labelfree.repro.tasks.handwriting import TRAIN_TILES, handwritten_task, read_letters
from labelfree.repro.tasks.spelling import folder_paragraphs, segments_of
from labelfree.solvers import Supervised
from nonlinear import LM_ORDER, View, fitted, summary, taught, with_labels

SEGMENTS = 20_000


def main() -> int:
    arguments = parse_arguments()
    torch.set_num_threads(1)
    bank = read_letters(arguments.data / "letters_kassel" / "letters.npz")
    segments = list(islice(segments_of(folder_paragraphs(arguments.data / "lm_english_novels")), SEGMENTS))
    errors: dict[str, list[float]] = {}
    seconds: dict[str, list[float]] = {}
    for seed in range(arguments.seeds):
        task = handwritten_task(bank, segments, seed=seed, train_tiles=arguments.tiles)
        for name, error, taken in trial(task, seed):
            errors.setdefault(name, []).append(error)
            seconds.setdefault(name, []).append(taken)
            print(f"seed {seed}: {name}: {error:.2%} in {taken:.0f} s", file=sys.stderr, flush=True)
    rows = [summary(name, errors[name], seconds[name], errors) for name in errors]
    if arguments.json:
        print(json.dumps({"rows": rows, "checks": []}))
    else:
        for row in rows:
            print(f"{row['method']:<32} {row['error_mean']:>8.2%} {row['ratio']:>6.2f} {row['seconds_mean']:>6.0f} s")
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with letters_kassel and lm_english_novels")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tiles", type=int, default=TRAIN_TILES, help="letters to learn from")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def trial(task, seed: int):
    """Yield name, test error and seconds of every fit."""
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet, LM_ORDER, outside="break")
    gradients = View.of(*task.features("hog"), task, lm)
    pixels = View.of(task.train.pixels(), task.test.pixels(), task, lm)
    labels = one_hot(torch.from_numpy(task.train.y), len(lm.alphabet)).float()
    lengths = task.test.lengths
    yield fitted("linear, supervised", gradients, lambda: Supervised(task.train.y).solve(gradients.problem).model)
    began = time.perf_counter()
    linear = Auto().solve(gradients.problem, seed=seed).model
    yield "linear, label-free", gradients.error(linear), time.perf_counter() - began
    yield "linear, label-free, decoded", decoded_error(gradients, linear, lm, lengths), 0.0
    reading = torch.from_numpy(read(gradients.problem, linear).marginals).float()
    yield fitted("cnn, supervised", pixels, partial(with_labels, "cnn", pixels.problem, labels, seed))
    began = time.perf_counter()
    network = taught("cnn", pixels.problem, reading, seed)
    yield "cnn, label-free", pixels.error(network), time.perf_counter() - began
    yield "cnn, label-free, decoded", decoded_error(pixels, network, lm, lengths), 0.0


def decoded_error(view, model, lm, lengths, lm_weight=1.0) -> float:
    with torch.no_grad():
        log_posteriors = model(view.test_inputs)[0].clamp_min(-15.0).numpy().astype(np.float64)
    prior = np.exp(log_posteriors).mean(0)
    evidence = likelihoods_from_posteriors(log_posteriors, lm_weight * np.log(prior / prior.sum()))
    return float((viterbi(evidence, lm, lengths=lengths, weight=lm_weight) != view.test_labels).mean())


if __name__ == "__main__":
    sys.exit(main())
