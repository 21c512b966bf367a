r"""Expectation maximisation on a hidden Markov model, the decipherment of Knight et al. (2006).

The labels are the hidden states. Their transitions are the language model's, of order 2 or 3, and stay; only the
emissions :math:`p(x \mid y)`, one row a label, are learned:

* E: forward-backward gives :math:`q_t(y) = p(y_t = y \mid x_1, \ldots, x_T)` at every position;
* M: :math:`p(x \mid y) \propto \epsilon + \sum_{t: x_t = x} q_t(y)`.

With :math:`\epsilon = 0` no step lowers the log-likelihood of the data; otherwise none lowers it plus
:math:`\epsilon \sum \ln p(x \mid y)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from labelfree import progress
from labelfree.decode import forward_backward
from labelfree.errors import InputError
from labelfree.models import ModelKind, Table
from labelfree.solvers.problem import Problem, Solution

_SPREAD = 0.5  # standard deviation of the logs of the emissions at the start, around the symbols' own frequencies


@dataclass(frozen=True)
class EM:
    """EM over symbols or groups from many random starts; the start under which the data are likeliest wins.

    Parameters
    ----------
    order : int
        Of the transitions.
    steps : int
        At most so many steps a start.
    tol : float
        A start has settled when a step gains less log-likelihood a position than this.
    smoothing : float
        What every symbol adds to its expected count under every label.

    Examples
    --------
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("aab" * 30, order=2)
    >>> problem = Problem.from_sequences(torch.tensor([1, 1, 0] * 30), [90], lm, order=2)
    >>> EM().solve(problem, starts=4).model(problem.inputs).argmax(-1).tolist()
    [[1, 0]]
    """

    order: int = 2
    steps: int = 100
    tol: float = 1e-4
    smoothing: float = 1e-3

    def solve(
        self,
        problem: Problem,
        *,
        kind: ModelKind | None = None,
        starts: int = 1,
        seed: int = 0,
    ) -> Solution:
        """Fit from random starts, one after the other.

        Parameters
        ----------
        problem : Problem
            Over symbols or groups; its own order plays no part but in the score of the solution.
        kind : {"table"}, optional
            EM learns nothing but a table.
        starts : int
            How many starts.
        seed : int
            Of the starts.

        Returns
        -------
        Solution
            A table with p(y | x) proportional to p(x | y) p(y). The scores are divergences as for all solvers, though
            the winner is the start with the highest log-likelihood, which the notes give.
        """
        if not problem.is_table or kind not in (None, "table"):
            found = f"a {kind} classifier" if problem.is_table else f"{problem.n_inputs} features a position"
            raise InputError(
                f"EM learns a table over symbols or groups, found {found}: group the inputs first, "
                "with group_rows and problem.compressed, and ask for a table"
            )
        if problem.counted is not None:
            raise InputError("EM reads whole sequences, found counts of a stream: fit all sequences at once")
        rng = np.random.default_rng(seed)
        fits = [self.climb(problem, starting_emissions(problem, rng)) for _ in range(starts)]
        tables = torch.stack([_log_posteriors(problem, emissions) for emissions, _, _ in fits])
        model = Table(starts, problem.n_inputs, problem.n_classes)
        with torch.no_grad():
            model.weight.copy_(tables / model.gamma)
        scores = problem.kl(model)
        log_likelihoods = [log_likelihood for _, log_likelihood, _ in fits]
        winner = int(np.argmax(log_likelihoods))
        model.keep(torch.tensor([winner]))
        return Solution(
            model=model,
            kl=float(scores[winner]),
            restarts=tuple(scores.tolist()),
            n_steps=fits[winner][2],
            notes=(f"log-likelihood {log_likelihoods[winner]:.4f} nats a position, the highest of {starts} starts",),
        )

    def climb(self, problem: Problem, emissions: NDArray[np.float64]) -> tuple[NDArray[np.float64], float, int]:
        """From some emissions (c, x) up: the last emissions, the log-likelihood a position before, and the steps."""
        n_positions = len(problem.positions)
        before = -math.inf
        for step in range(1, self.steps + 1):
            with np.errstate(divide="ignore"):
                logs = np.log(emissions)
            hidden = forward_backward(logs.T[problem.positions], problem.lm, lengths=problem.lengths, order=self.order)
            log_likelihood = float(hidden.log_likelihood.sum()) / n_positions
            progress.look("em", step, [-log_likelihood])
            expected = np.zeros((problem.n_inputs, problem.n_classes))
            np.add.at(expected, problem.positions, hidden.marginals)
            emissions = expected.T + self.smoothing
            emissions = emissions / emissions.sum(axis=1, keepdims=True)
            if log_likelihood - before < self.tol:
                break
            before = log_likelihood
        return emissions, log_likelihood, step


def starting_emissions(problem: Problem, rng: np.random.Generator) -> NDArray[np.float64]:
    """(c, x): for each label the symbols' own frequencies, each times a random factor of its own."""
    frequency = np.bincount(problem.positions, minlength=problem.n_inputs).astype(np.float64)
    factors = np.exp(_SPREAD * rng.standard_normal((problem.n_classes, problem.n_inputs)))
    emissions: NDArray[np.float64] = frequency * factors
    emissions /= emissions.sum(axis=1, keepdims=True)
    return emissions


def _log_posteriors(problem: Problem, emissions: NDArray[np.float64]) -> torch.Tensor:
    """(x, c): ln p(y | x) by Bayes' rule, with the language's own p(y)."""
    joint = emissions.T * np.asarray(problem.lm.joint(1))
    posteriors = joint / joint.sum(axis=1, keepdims=True)
    tiny = np.finfo(np.float32).tiny
    return torch.as_tensor(np.log(np.maximum(posteriors, tiny)), dtype=torch.float32)
