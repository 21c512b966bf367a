"""The loop that all gradient methods share; each method says only what its loss is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

import torch
from torch import Tensor

from labelfree import progress
from labelfree.core import expected_ngrams, sampled_ngrams
from labelfree.errors import NonFiniteError
from labelfree.models import Classifier
from labelfree.scale.ranks import Ranks, ranks
from labelfree.solvers.adam import Adam
from labelfree.solvers.problem import Problem
from labelfree.workers import one_thread

LOOK_EVERY = 100
_TABLE_NUMBERS = 100  # entries of a table of pairs that cost as much as one pair in a list


class Companion:
    """Goes along with every run of its context: takes it up where it was left, and sees every step."""

    def begin(self, run: Run, steps: int) -> int:
        """Bring a run that is about to take so many steps to where it was left; returns how many are left to take."""
        return steps

    def stepped(self, run: Run, remaining: int) -> None:
        """See that a step was taken."""


_companion: ContextVar[Companion] = ContextVar("companion", default=Companion())  # noqa: B039 - it holds nothing


@contextmanager
def accompanied_by(companion: Companion) -> Iterator[None]:
    """Let a companion go along with the runs of the block."""
    token = _companion.set(companion)
    try:
        yield
    finally:
        _companion.reset(token)


class Run:
    """A model being fitted to a problem, many starts at once, that can be advanced, thinned out and resumed.

    Starts are scored over all the data, unless `judged_on` is set to a part of them.

    Parameters
    ----------
    problem : Problem
    model : Classifier
        Changed in place.
    rate : float
        Adam's step size on theta.
    batch_size : int or None
        Windows a step for each start; None for all of them.
    l2 : float or Tensor of shape (s,)
        Weight of the penalty on squared weights; one value, or one a start.
    seed : int
        Of the mini-batches.
    """

    stage = "fit"
    shares_batches = True  # with other processes, where there are some
    dual_rate = 0.0  # of the methods that have a dual

    def __init__(
        self,
        problem: Problem,
        model: Classifier,
        *,
        rate: float,
        batch_size: int | None = None,
        l2: float | Tensor = 0.0,
        seed: int = 0,
    ) -> None:
        self.problem = problem
        self.judged_on = problem
        self.model = model
        self.rate = rate
        self.batch_size = batch_size
        self.entropy = 0.0  # weight of the penalty on the mean entropy of the posteriors
        self.mean_entropy = torch.zeros(model.n_starts)
        self.part = 1.0  # of the batch that this process reads
        self.l2 = torch.as_tensor(l2, dtype=torch.float32).expand(model.n_starts)
        self.generator = torch.Generator().manual_seed(seed)
        self.optimizer = Adam(model.parameters(), rate)
        self.step = 0

    def loss(self, expected: Tensor) -> Tensor:
        """What the primal step lowers, one value a start, from the expected N-grams of this step's windows."""
        raise NotImplementedError

    def after_step(self, expected: Tensor) -> None:
        """Update whatever the method keeps besides theta."""

    def catch_up(self) -> None:
        """Bring whatever the method keeps besides theta to where a model that has learned already wants it."""

    def expected(self) -> Tensor:
        """Equation (2) over the next mini-batch, or over all windows."""
        problem = self.problem
        if self.batch_size is None:
            return expected_ngrams(self.read(problem.rows), problem.windows, problem.target)
        n_starts, order = self.model.n_starts, problem.order
        if order == 2 and len(problem.inputs) ** 2 <= _TABLE_NUMBERS * self.batch_size and problem.target.ids is None:
            all_rows = self.read(problem.rows)  # few rows: a table of pairs multiplies faster than a list
            tables = problem.windows.sample_pair_tables(n_starts, self.batch_size, self.generator)
            pairs: Tensor = all_rows.mT @ (tables @ all_rows)
            return pairs
        drawn_windows = problem.windows.sample((n_starts, self.batch_size), self.generator)
        together = self._together()
        rows = drawn_windows[:, together.share(self.batch_size)].flatten(1)  # (s, b * n)
        if len(problem.inputs) <= rows.shape[1]:
            all_rows = self.read(problem.rows)
            drawn = all_rows.gather(1, rows[..., None].expand(-1, -1, all_rows.shape[-1]))
        else:
            seen = problem.inputs.index_select(0, rows.reshape(-1))
            drawn = self.read(seen.reshape(*rows.shape, *seen.shape[1:]))
        windows = drawn.reshape(n_starts, -1, order, drawn.shape[-1])
        self.part = windows.shape[1] / self.batch_size
        return together.total(self.part * sampled_ngrams(windows, problem.target))

    def _together(self) -> Ranks:
        """The processes that share a batch: of features alone, for a table is read faster than its gradient is sent."""
        alone = self.problem.is_table or self.batch_size is None or not self.shares_batches
        return Ranks() if alone else ranks()

    def read(self, inputs: Tensor) -> Tensor:
        """Posteriors of inputs that a step sees; their mean entropy is kept for the penalty."""
        log_posteriors = self.model(inputs)
        posteriors: Tensor = log_posteriors.exp()
        if self.entropy:
            self.mean_entropy = -(posteriors * log_posteriors).sum(-1).mean(-1)
        return posteriors

    def advance(self, steps: int, *, falls: bool = False) -> None:
        """Take so many steps, or those that a checkpoint says are left.

        Parameters
        ----------
        steps : int
        falls : bool
            Whether the rate falls to nothing over them.
        """
        with one_thread() if self.problem.is_table else nullcontext():
            self._advance(_companion.get().begin(self, steps), steps, falls)

    def _advance(self, left: int, steps: int, falls: bool) -> None:
        companion = _companion.get()
        progress.stage(self.stage, steps - left, steps)
        self._together().agree(self.model.parameters())
        for remaining in range(left, 0, -1):
            self.step += 1
            self.optimizer.rate = self.rate * remaining / steps if falls else self.rate
            expected = self.expected()
            together = self._together()
            loss = self.loss(expected) + self.l2 * self.model.squared_weights() / together.size
            if self.entropy:
                loss = loss + self.entropy * self.part * self.mean_entropy
            if self.problem.known is not None:
                loss = loss + self.problem.label_cost(self.model) / together.size
            self.optimizer.zero_grad()
            total = loss.sum()
            if not bool(torch.isfinite(total)):
                self.check_finite(loss)
            total.backward()  # type: ignore[no-untyped-call]
            together.add_up_gradients(self.optimizer.parameters)
            self.optimizer.step()
            self.after_step(expected.detach())
            if self.step % LOOK_EVERY == 0 or remaining == 1:
                self.check_finite(loss)
                progress.look(self.stage, self.step, self.scores().tolist())
            companion.stepped(self, remaining - 1)
            progress.stage(self.stage, steps - remaining + 1, steps)

    @torch.no_grad()
    def scores(self) -> Tensor:
        """The label-free score of each start, and the cost of the labels that are known, if any."""
        return self.judged_on.kl(self.model) + self.problem.label_cost(self.model)

    def keep(self, starts: Tensor) -> None:
        """Drop all starts but these, with their share of the optimiser's memory."""
        self.model.keep(starts)
        self.l2 = self.l2[starts]
        self.optimizer.keep(starts)

    def state(self) -> dict[str, Tensor]:
        """All that the next step depends on, as named tensors."""
        tensors = {f"model.{name}": parameter.data for name, parameter in self.model.named_parameters()}
        tensors |= self.optimizer.state("optimizer")
        tensors["generator"] = self.generator.get_state()
        tensors["l2"] = self.l2.contiguous()
        tensors["step"] = torch.tensor(self.step)
        return tensors

    def restore(self, state: dict[str, Tensor]) -> None:
        """Go back to a state, number of starts included."""
        for name, parameter in self.model.named_parameters():
            parameter.data = state[f"model.{name}"].clone()
        self.optimizer.restore("optimizer", state)
        self.generator.set_state(state["generator"])
        self.l2 = state["l2"]
        self.step = int(state["step"])

    def check_finite(self, loss: Tensor) -> None:
        """Stop a run that has left the numbers."""
        tensors = {"loss": loss, **dict(self.model.named_parameters())}
        for name, tensor in tensors.items():
            if not bool(torch.isfinite(tensor).all()):
                raise NonFiniteError(
                    f"{name} is no longer finite at step {self.step} of {type(self).__name__}: "
                    f"{int((~torch.isfinite(tensor)).sum())} of {tensor.numel()} values; "
                    "scale the features or lower the rate"
                )
