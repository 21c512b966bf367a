"""Small trials with a known answer: a random chain over a few symbols, as a substitution or as points with noise."""

from dataclasses import replace

import numpy as np
import torch

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.models import Table
from labelfree.repro.paper.trial import Part, Trial

LETTERS = "abcdefgh"
ALPHABET = Alphabet(LETTERS)


def chain_text(n: int, seed: int) -> str:
    """Text of one and the same language, another text for another seed."""
    steps = np.random.default_rng(7).dirichlet(np.full(len(LETTERS), 0.3), size=len(LETTERS)).cumsum(1)
    rng = np.random.default_rng(seed)
    symbols = [0]
    for draw in rng.random(n - 1):
        symbols.append(min(int(np.searchsorted(steps[symbols[-1]], draw)), len(LETTERS) - 1))
    return ALPHABET.decode(symbols)


def chain_trial(*, n_train: int = 3_000, n_test: int = 500, as_features: bool = False, order: int = 2) -> Trial:
    """Sequences of 50 symbols under a substitution, which stands in `KEY`."""
    parts = []
    rng = np.random.default_rng(3)
    points = rng.normal(size=(len(LETTERS), 6))
    for n, seed in ((n_train, 1), (n_test, 2)):
        labels = ALPHABET.encode(chain_text(n, seed)).astype(np.int64)
        inputs = torch.from_numpy(KEY[labels])
        if as_features:
            rows = points[labels] + 0.2 * rng.normal(size=(n, 6))
            inputs = torch.from_numpy((rows * np.sqrt(200 / np.square(rows).sum(1).mean())).astype(np.float32))
        parts.append(Part(inputs, labels, np.full(n // 50, 50)))
    return Trial(parts[0], parts[1], NGramLM.from_text(chain_text(20_000, 5), ALPHABET, 2), order)


KEY = np.random.default_rng(11).permutation(len(LETTERS))


def reader(reads: dict[int, int], n_inputs: int = len(LETTERS), n_classes: int = len(LETTERS)) -> Table:
    """A table that reads each symbol as the class given for it."""
    table = Table(1, n_inputs, n_classes)
    with torch.no_grad():
        table.weight.zero_()
        for symbol, label in reads.items():
            table.weight[0, symbol, label] = 1.0
    return table


def right_reader(n_wrong: int = 0) -> Table:
    """A table that knows the substitution but for some of the symbols."""
    truth = {int(symbol): label for label, symbol in enumerate(KEY)}
    return reader(truth | {int(KEY[label]): (label + 1) % len(LETTERS) for label in range(n_wrong)})


def with_train_labels(trial: Trial, labels: np.ndarray) -> Trial:
    return replace(trial, train=replace(trial.train, labels=labels))
