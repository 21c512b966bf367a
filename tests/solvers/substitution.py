"""Small problems with a known answer: a random Markov chain over a few symbols, read through a substitution."""

from dataclasses import dataclass

import numpy as np
import torch

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.lm.counting import NGramCounts
from labelfree.solvers.problem import Problem


@dataclass(frozen=True, eq=False)
class Substitution:
    x: np.ndarray
    y: np.ndarray
    lengths: np.ndarray
    lm: NGramLM

    def problem(self, order: int = 2) -> Problem:
        return Problem.from_sequences(torch.from_numpy(self.x), self.lengths, self.lm, order)

    def features(self, noise: float = 0.0) -> torch.Tensor:
        """Each symbol as a direction of its own, with noise."""
        generator = torch.Generator().manual_seed(0)
        exact = torch.eye(int(self.x.max()) + 1)[torch.from_numpy(self.x)]
        return exact + noise * torch.randn(exact.shape, generator=generator)

    def feature_problem(self, order: int = 2, noise: float = 0.0) -> Problem:
        return Problem.from_sequences(self.features(noise), self.lengths, self.lm, order)

    def error(self, solution, inputs: torch.Tensor | None = None) -> float:
        read = solution.model(torch.from_numpy(self.x) if inputs is None else inputs).argmax(-1)[0]
        return float((read.numpy() != self.y).mean())


def substitution(n_symbols: int = 10, n_positions: int = 10_000, seed: int = 0, length: int = 100) -> Substitution:
    rng = np.random.default_rng(seed)
    steps = rng.dirichlet(np.full(n_symbols, 0.3), size=n_symbols).cumsum(axis=1)
    y = np.zeros(n_positions, dtype=np.int64)
    for t, draw in enumerate(rng.random(n_positions - 1), start=1):
        y[t] = min(np.searchsorted(steps[y[t - 1]], draw), n_symbols - 1)
    lengths = np.full(n_positions // length, length)
    counts = NGramCounts.from_ids(y, lengths, size=n_symbols, order=3)
    lm = NGramLM.from_counts(counts, Alphabet("abcdefghijklmnopqrstuvwxyz"[:n_symbols]))
    return Substitution(rng.permutation(n_symbols)[y], y, lengths, lm)
