r"""The cost of Chen et al. (2016), which the Empirical-ODM cost replaces, with a generative term that holds it up.

.. math:: -\sum \bar p_\theta(i_1, \ldots, i_N) \ln p_{LM}(i_N \mid i_{N-1}, \ldots, i_1) \; + \; \lambda R

The first term asks that the output be likely text. It is linear in :math:`\bar p_\theta`, so its gradient over a
mini-batch is unbiased; and it is lowest where the output says one likely thing for ever, whatever the input
(section 2.3 of the paper). R asks that the input can be told from the output, which such an output does not allow:

* features: :math:`R = \frac{1}{T d s^2} \sum_t \sum_y p_\theta(y \mid x_t)\, \lVert x_t - m - s W_y \rVert^2`,
  a Gaussian about one centre a class, with m the mean and s the scale of the features: the share of their variance
  that the labels leave unexplained, between 0 and about 1;
* symbols or groups: :math:`R = -\frac{1}{T} \sum_t \sum_y p_\theta(y \mid x_t) \ln p_W(x_t \mid y)`, a categorical
  distribution a class, with :math:`p_W` the softmax of a row of W: in nats a position.

W is learned together with theta, one W a start. A mini-batch takes R over the positions of its own windows.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from labelfree.core import Target, expected_likelihood_cost, expected_ngrams, sampled_ngrams
from labelfree.errors import InputError
from labelfree.models import Classifier
from labelfree.solvers.method import Batch, GradientMethod
from labelfree.solvers.problem import Problem
from labelfree.solvers.run import Run

_SHARPNESS = 10.0  # logits of the categorical term are so many times W, as in a table, so that one rate fits both


@dataclass(frozen=True)
class Likelihood(GradientMethod):
    """The 2016 method: Adam on the expected likelihood of the output plus a reconstruction of the input.

    Parameters
    ----------
    reconstruction : float
        Lambda, the weight of the generative term. At 0 the output collapses to a symbol or a short cycle; the larger
        it is, the more symbols stay in use.
    rate : float
        Adam's step size.

    Examples
    --------
    >>> from labelfree.lm import NGramLM
    >>> lm = NGramLM.from_text("aab" * 30, order=2)
    >>> problem = Problem.from_sequences(torch.tensor([1, 1, 0] * 30), [90], lm, order=2)
    >>> for weight in (0.0, 10.0):
    ...     found = Likelihood(steps=200, batch_size=None, reconstruction=weight).solve(problem, starts=8)
    ...     print(found.model(problem.inputs).argmax(-1).unique().tolist())
    [0]
    [0, 1]
    """

    batch_size: Batch = 1000
    reconstruction: float = 10.0
    rate: float = 0.005

    def start(self, problem: Problem, model: Classifier, seed: int = 0) -> LikelihoodRun:
        """Begin a run."""
        if not self.reconstruction >= 0:
            raise InputError(f"reconstruction is {self.reconstruction}, wanted 0 or more: 0 leaves the term out")
        return LikelihoodRun(
            problem,
            model,
            reconstruction=self.reconstruction,
            rate=self.rate,
            batch_size=self.first_batch(),
            l2=self.penalty(model),
            seed=seed,
        )


class LikelihoodRun(Run):
    """Descent on the 2016 cost; the decoder W sits in the same optimiser as theta."""

    stage = "likelihood"
    shares_batches = False  # the decoder reads whole ones

    def __init__(
        self,
        problem: Problem,
        model: Classifier,
        *,
        reconstruction: float,
        rate: float,
        batch_size: int | None,
        l2: float | Tensor = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(problem, model, rate=rate, batch_size=batch_size, l2=l2, seed=seed)
        self.reconstruction = reconstruction
        self.decoder = nn.Parameter(torch.zeros(model.n_starts, problem.n_classes, problem.n_inputs))
        self.optimizer.add(self.decoder)
        self.log_conditional, self.log_rest = log_conditionals(problem.target)
        self.unexplained = torch.zeros(model.n_starts)  # R of the windows that `expected` saw last
        counts = torch.from_numpy(problem.row_counts)
        self.row_share = counts / counts.sum()
        if not problem.is_table:
            self.mean = problem.rows.mean(0)
            self.scale = (problem.rows - self.mean).square().mean().sqrt().clamp_min(torch.finfo().tiny)

    def expected(self) -> Tensor:
        """Equation (2) as in all methods, and R over the same positions beside it."""
        problem = self.problem
        if self.batch_size is None:
            posteriors = self.read(problem.rows)
            self.unexplained = (self.row_costs(problem.rows, posteriors) * self.row_share).sum(-1)
            return expected_ngrams(posteriors, problem.windows, problem.target)
        n_starts = self.model.n_starts
        rows = problem.windows.sample((n_starts, self.batch_size), self.generator).flatten(1)  # (s, b * n)
        if len(problem.inputs) <= rows.shape[1]:
            posteriors = self.read(problem.rows)
            self.unexplained = self.row_costs(problem.rows, posteriors).gather(1, rows).mean(-1)
            posteriors = posteriors.gather(1, rows[..., None].expand(-1, -1, problem.n_classes))
        else:
            posteriors = self.read(problem.inputs[rows])
            self.unexplained = self.row_costs(problem.inputs[rows], posteriors).mean(-1)
        windows = posteriors.reshape(n_starts, self.batch_size, problem.order, problem.n_classes)
        return sampled_ngrams(windows, problem.target)

    def row_costs(self, inputs: Tensor, posteriors: Tensor) -> Tensor:
        """R of single rows, (s, n)."""
        if self.problem.is_table:
            log_emissions = torch.log_softmax(_SHARPNESS * self.decoder, dim=-1).mT  # (s, x, c)
            if inputs.ndim == 1:
                return -(posteriors * log_emissions[:, inputs]).sum(-1)
            chosen = inputs[..., None].expand(-1, -1, self.problem.n_classes)
            return -(posteriors * log_emissions.gather(1, chosen)).sum(-1)
        scaled = (inputs - self.mean) / self.scale
        # |x - w|^2 multiplied out: no tensor of positions times classes times features
        centres = (posteriors * self.decoder.square().sum(-1)[:, None]).sum(-1)
        products = (scaled * (posteriors @ self.decoder)).sum(-1)
        return (scaled.square().sum(-1) - 2.0 * products + centres) / scaled.shape[-1]

    def loss(self, expected: Tensor) -> Tensor:
        """The 2016 cost and R; N-grams that a sparse target leaves out cost as much as the dearest it lists."""
        cost = expected_likelihood_cost(expected, self.log_conditional)
        if self.log_rest is not None:
            cost = cost - (1.0 - expected.sum(-1)) * self.log_rest
        return cost + self.reconstruction * self.unexplained

    def after_step(self, expected: Tensor) -> None:
        """Let go of the graph, which remembers how many starts there were."""
        self.unexplained = self.unexplained.detach()

    def keep(self, starts: Tensor) -> None:
        """Drop all starts but these."""
        super().keep(starts)
        self.decoder.data = self.decoder.data[starts].clone()
        self.decoder.grad = None

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on."""
        return super().state() | {"decoder": self.decoder.data}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go back to a state."""
        super().restore(state)
        self.decoder.data = state["decoder"].clone()


def log_conditionals(target: Target) -> tuple[Tensor, Tensor | None]:
    """Log p_LM of the last symbol given those before, shaped like the target; and the lowest, where it is sparse."""
    tiny = torch.finfo(target.probability.dtype).tiny
    wanted = target.probability.clamp_min(tiny)
    if target.ids is None:
        return (wanted / wanted.sum(-1, keepdim=True)).log(), None
    prefixes, where, _ = target.prefixes
    totals = wanted.new_zeros(len(prefixes)).index_add(0, where, wanted)
    logs = (wanted / totals[where]).log()
    return logs, logs.min()
