"""English in a few letters, as symbols or seen through noise: small tasks with a known answer."""

from dataclasses import dataclass
from pydoc_data import topics

import numpy as np
import torch

from labelfree import Alphabet, NGramLM
from labelfree.repro.tasks.spelling import segments_of
from labelfree.solvers.problem import Problem


@dataclass(frozen=True, eq=False)
class English:
    """Labels of a text, a language model of other text, and the text as features with noise."""

    y: np.ndarray
    lengths: np.ndarray
    lm: NGramLM
    features: np.ndarray

    def problem(self, order: int = 2) -> Problem:
        return Problem.from_sequences(torch.from_numpy(self.features), self.lengths, self.lm, order)

    def soft_labels(self, spoiled: float) -> torch.Tensor:
        """What groups might say: the truth, but for a share of positions at random."""
        rng = np.random.default_rng(1)
        n_classes = len(self.lm.alphabet)
        noisy = np.where(rng.random(len(self.y)) < spoiled, rng.integers(0, n_classes, len(self.y)), self.y)
        return torch.eye(n_classes)[torch.from_numpy(noisy)]

    def error(self, model) -> float:
        with torch.no_grad():
            read = model(torch.from_numpy(self.features))[0].argmax(-1).numpy()
        return float((read != self.y).mean())


def english(letters: str = " etaoinsrhlc", n_positions: int = 6_000, *, n_noise: int = 0, noise: float = 0.4, seed=0):
    """Letters outside are dropped; each letter is a point in 12 dimensions, and others carry nothing but noise."""
    rng = np.random.default_rng(seed)
    alphabet = Alphabet(letters)
    segments = sorted(set(segments_of(topics.topics.values())))
    shuffled = [alphabet.encode(segments[i]) for i in rng.permutation(len(segments))]
    ends = np.cumsum([len(segment) for segment in shuffled])
    n_taken = int(np.searchsorted(ends, n_positions)) + 1
    lm = NGramLM.from_text([alphabet.decode(s) for s in shuffled[n_taken:]], alphabet, order=3)
    y = np.concatenate(shuffled[:n_taken]).astype(np.int64)
    points = rng.normal(size=(len(letters), 12))
    features = np.concatenate([points[y], np.zeros((len(y), n_noise))], axis=1)
    features += noise * rng.normal(size=features.shape)
    features -= features.mean(0)
    features *= np.sqrt(200 / np.square(features).sum(1).mean())
    return English(y, np.array([len(s) for s in shuffled[:n_taken]]), lm, features.astype(np.float32))
