"""One data set and one language model: what a method may see, and what it is judged by.

The labels stand here and never in the `Problem`; only supervised training and the judging of errors read them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from labelfree.decode import likelihoods_from_posteriors, viterbi
from labelfree.lm import NGramLM
from labelfree.models import Classifier, feature_scale
from labelfree.repro.tasks.printed import FeatureKind, PrintTask
from labelfree.repro.tasks.spelling import SpellingTask
from labelfree.solvers.problem import Problem

_LEAST_LOG_POSTERIOR = -15.0
SOLVED = 0.02  # of a substitution's characters wrong, for a start to count as solved


@dataclass(frozen=True, eq=False)
class Part:
    """Inputs as a classifier reads them, their true labels, and where sequences end."""

    inputs: Tensor
    labels: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Trial:
    """Data to learn from, data to test on, and the language.

    Attributes
    ----------
    train, test : Part
    lm : NGramLM
    order : int
        N of the N-grams that are matched.
    decoder : NGramLM, optional
        A longer language model to read along with the fitted classifier; by default the same.
    """

    train: Part
    test: Part
    lm: NGramLM
    order: int = 2
    decoder: NGramLM | None = None

    @cached_property
    def problem(self) -> Problem:
        """All that a label-free method sees."""
        return Problem.from_sequences(self.train.inputs, self.train.lengths, self.lm, self.order)

    @property
    def is_table(self) -> bool:
        """Whether inputs are symbols rather than features."""
        return self.train.inputs.ndim == 1

    def with_language(self, lm: NGramLM, order: int) -> Trial:
        """The same data under another language model."""
        return replace(self, lm=lm, order=order, decoder=None)

    def first(self, n_positions: int) -> Trial:
        """The same trial with less to learn from."""
        ends = np.minimum(np.cumsum(self.train.lengths), n_positions)
        lengths = np.diff(ends, prepend=0)
        train = Part(self.train.inputs[: ends[-1]], self.train.labels[: ends[-1]], lengths[lengths > 0])
        return replace(self, train=train)

    def read(self, model: Classifier, start: int = 0) -> NDArray[np.int64]:
        """What a classifier reads in the test part, each position by itself."""
        labels: NDArray[np.int64] = self._log_posteriors(model, start).argmax(1)
        return labels

    def error(self, model: Classifier, start: int = 0) -> float:
        """Share of the test positions that it reads wrongly."""
        return float((self.read(model, start) != self.test.labels).mean())

    def decoded_error(self, model: Classifier, *, lm_weight: float = 0.5) -> float:
        """The same with the decoder reading along."""
        log_posteriors = np.maximum(self._log_posteriors(model), _LEAST_LOG_POSTERIOR)
        prior = np.exp(log_posteriors).mean(0)
        evidence = likelihoods_from_posteriors(log_posteriors, lm_weight * np.log(prior / prior.sum()))
        read = viterbi(evidence, self.decoder or self.lm, lengths=self.test.lengths, weight=lm_weight)
        return float((read != self.test.labels).mean())

    @torch.no_grad()
    def _log_posteriors(self, model: Classifier, start: int = 0) -> NDArray[np.float64]:
        rows = self.problem.inputs if self.is_table else self.test.inputs
        found: NDArray[np.float64] = model(rows)[start].numpy().astype(np.float64)
        return found[self.test.inputs.numpy()] if self.is_table else found


def spelling_trial(task: SpellingTask, lm: NGramLM, order: int = 2) -> Trial:
    """A substitution as a trial."""
    largest = int(task.train.x.max())  # a symbol that only the test holds is read as the last one known
    train, test = (Part(torch.from_numpy(part.x), part.y, part.lengths) for part in (task.train, task.test))
    return Trial(train, replace(test, inputs=test.inputs.clamp(max=largest)), lm, order)


def print_trial(
    task: PrintTask,
    lm: NGramLM,
    order: int = 2,
    *,
    decoder: NGramLM | None = None,
    features: FeatureKind = "hog",
    weights: Path | None = None,
) -> Trial:
    """Print as a trial, its features centred and scaled as every linear classifier here reads them."""
    rows, test_rows = task.features(features, weights)
    center, scale = feature_scale(rows)
    return Trial(
        Part(_scaled(rows, center, scale), task.train.y, task.train.lengths),
        Part(_scaled(test_rows, center, scale), task.test.y, task.test.lengths),
        lm,
        order,
        decoder,
    )


def _scaled(rows: NDArray[np.float32], center: NDArray[np.float64], scale: float) -> Tensor:
    return torch.from_numpy(((rows - center) * scale).astype(np.float32))
