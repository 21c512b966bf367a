"""The least one can do: always answer with the most frequent symbol of the language."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from labelfree import progress
from labelfree.models import ModelKind, Table, make_model
from labelfree.solvers.problem import Problem, Solution

_LOG_RANGE = 80.0  # the product of N posteriors stays within single precision, so that the score stays finite


@dataclass(frozen=True)
class Majority:
    """The baseline that looks at no input.

    Examples
    --------
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("abracadabra", order=2)
    >>> problem = Problem.from_sequences(torch.tensor([2, 0, 1, 2]), [4], lm, order=2)
    >>> found = Majority().solve(problem).model(problem.inputs).argmax(-1)
    >>> [lm.alphabet.symbols[i] for i in found[0]]
    ['a', 'a', 'a']
    """

    def solve(
        self,
        problem: Problem,
        *,
        kind: ModelKind | None = None,
        starts: int = 1,
        seed: int = 0,
    ) -> Solution:
        """Return the constant classifier; the settings are there for the interface and change nothing but its kind."""
        chosen: ModelKind = kind or ("table" if problem.is_table else "linear")
        model = make_model(chosen, 1, problem.n_inputs, problem.n_classes)
        winner = int(np.asarray(problem.lm.joint(1)).argmax())
        output = model.get_parameter("weight" if isinstance(model, Table) else "bias")
        with torch.no_grad():
            output[..., winner] = _LOG_RANGE / problem.order / model.gamma
        kl = float(problem.kl(model)[0])
        progress.look("majority", 0, [kl])
        return Solution(model=model, kl=kl, restarts=(kl,))
