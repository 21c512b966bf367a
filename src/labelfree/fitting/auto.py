"""The whole road from unlabelled sequences to a classifier, with nothing to tune.

Symbols (a cipher) are searched as they are and end in the best hard labelling. Features are grouped; the groups only
find the basin, and from there the Empirical-ODM cost goes on over the real classifier, which shares strength between
inputs that look alike; decoding and retraining finish it. A network learns from the finished linear classifier.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from labelfree.fitting.compress import Groups, group_rows
from labelfree.fitting.diagnosis import diagnose
from labelfree.fitting.harden import harden
from labelfree.fitting.penalty import ODM_POSITIONS, ODM_STEPS, choose_l2, fit_penalised
from labelfree.fitting.refine import FIRST_POSITIONS, read, refine
from labelfree.fitting.search import search
from labelfree.fitting.teach import descend, teach
from labelfree.models import Classifier, Linear, ModelKind, Table
from labelfree.solvers.full_batch import FullBatch
from labelfree.solvers.problem import Problem, Solution
from labelfree.solvers.supervised import with_known_labels

_GROUPS_PER_CLASS = 4
_LEAST_PER_GROUP = 20
_FEW_POSITIONS = 24_000
_MOST_VARIETY = 4.0  # so that the search takes no longer however many data there are
_GROUPS_SHARE = 0.6  # of the divergence that a classifier may have: groups are free to fit the language closer
_LEAST_LOG_POSTERIOR = -12.0
_MOST_POSITIONS = 200_000  # that a linear classifier learns from: more teach it no more
_MOST_NUMBERS = 2**25  # of their features: 128 MB
_CURRICULUM_STEPS = 150
_LESSON_WORK = 3_000_000_000  # products of posteriors that a lesson of the curriculum may take


@dataclass(frozen=True)
class Auto:
    """Compress, search, polish, refine.

    Parameters
    ----------
    n_groups : int, optional
        Groups of features; by default four a class, fewer for little data and more for much.
    l2 : float, optional
        Penalty on the classifier's weights; by default chosen on held-out sequences.
    rounds : int
        Decode-and-retrain rounds at most; 0 for none.
    """

    n_groups: int | None = None
    l2: float | None = None
    rounds: int = 20

    def solve(
        self,
        problem: Problem,
        *,
        kind: ModelKind | None = None,
        starts: int = 10,
        seed: int = 0,
    ) -> Solution:
        """Fit a table to symbols, or a linear classifier or network to features.

        Parameters
        ----------
        problem : Problem
        kind : {"table", "linear", "mlp", "cnn"}, optional
            By default a table for symbols and linear for features.
        starts : int
            Random starts of the search.
        seed : int
        """
        if problem.is_table:
            return _solve_symbols(problem, starts, seed, is_exact=True)
        features = problem.inputs
        wanted = self.n_groups
        if wanted is None:
            wanted = _n_groups(problem.n_classes, len(features))
        groups = group_rows(features, wanted, seed)
        notes = [f"{groups.n_groups} groups of {'equal' if groups.exact else 'alike'} inputs"]
        compressed = problem.compressed(groups.labels, groups.n_groups)
        found = _solve_symbols(compressed, starts, seed, is_exact=groups.exact)
        model = _table_as_linear(problem, groups, found.model) if groups.exact else None
        n_steps = found.n_steps
        if model is None:
            model, told = self._on_features(problem, groups, found.model, seed)
            notes += told
            n_steps += ODM_STEPS
        else:
            notes.append("a linear classifier says the same of every group")
        if kind not in (None, "table", "linear"):
            model = self._network(problem.sample(_most_positions(problem), seed)[0], model, kind, seed)
            notes.append("a network learned from the linear classifier")
        return replace(
            found,
            model=model,
            kl=float(problem.kl(model)[0]),
            n_steps=n_steps,
            notes=(*found.notes, *notes),
        )

    def _on_features(
        self, problem: Problem, groups: Groups, table: Classifier, seed: int
    ) -> tuple[Classifier, list[str]]:
        """A linear classifier that goes on from what was found of groups, and what it took."""
        problem, taken = problem.sample(_most_positions(problem), seed)
        with torch.no_grad():
            soft_labels = table(torch.arange(groups.n_groups))[0].exp()[torch.from_numpy(groups.labels[taken])]
        if problem.evidence is not None:
            soft_labels = torch.softmax(soft_labels.clamp_min(1e-9).log() + torch.from_numpy(problem.evidence), -1)
        soft_labels = with_known_labels(problem, soft_labels)
        strength = self.l2 if self.l2 is not None else choose_l2(problem, soft_labels, "linear", seed=seed)
        notes = [f"l2 {strength:g}" + ("" if self.l2 is not None else ", chosen on held-out sequences")]
        most = FIRST_POSITIONS if self.rounds else ODM_POSITIONS  # refinement needs but a beginning
        model = fit_penalised(problem, soft_labels, "linear", strength, seed=seed, most=most)
        if self.rounds:
            model, disagreements = refine(problem, model, rounds=self.rounds, l2=strength, seed=seed)
            if min(disagreements) < 1:
                notes.append(f"classifier and decoder disagree at {min(disagreements):.2%} of positions")
        return model, notes

    def _network(self, problem: Problem, linear: Classifier, kind: ModelKind, seed: int) -> Classifier:
        """A network from a linear classifier: by decoding and retraining, or by the cost alone without a round."""
        if not self.rounds:
            with torch.no_grad():
                posteriors = linear(problem.inputs)[0].exp()
            return descend(problem, posteriors, kind, seed=seed)
        reading = with_known_labels(problem, torch.from_numpy(read(problem, linear).marginals))
        return teach(problem, reading.float(), kind, rounds=self.rounds, seed=seed)[0]


def _table_as_linear(problem: Problem, groups: Groups, table: Classifier) -> Classifier | None:
    """A linear classifier that gives every one of a few distinct inputs the label of a table; None where none can.

    Distinct inputs are symbols: each is judged by all places where it stands, and others can tell nothing of it. The
    weights are those of least squares on the table's logs.
    """
    if problem.evidence is not None:
        return None
    inputs = problem.inputs[torch.from_numpy(np.unique(groups.labels, return_index=True)[1])].double()
    rows = torch.cat([inputs, torch.ones(len(inputs), 1, dtype=torch.float64)], 1)
    with torch.no_grad():
        logs = table(torch.arange(groups.n_groups))[0].double()
    solved = torch.linalg.lstsq(rows, logs, driver="gelsd").solution.float()  # rows may depend on each other
    model = Linear(1, inputs.shape[1], problem.n_classes)
    with torch.no_grad():
        model.weight[0], model.bias[0, 0] = solved[:-1] / model.gamma, solved[-1] / model.gamma
        found = model(inputs.float())[0].argmax(-1)
    return model if torch.equal(found, logs.argmax(-1)) else None


def _most_positions(problem: Problem) -> int:
    """How many positions a classifier of features learns from, at most."""
    return min(_MOST_POSITIONS, _MOST_NUMBERS // problem.n_inputs)


def _n_groups(n_classes: int, n_positions: int) -> int:
    """Four a class where data are few, up to four times that as they show more variety, each of enough positions.

    Examples
    --------
    >>> _n_groups(29, 500), _n_groups(29, 20_000), _n_groups(29, 96_000), _n_groups(29, 10_000_000)
    (25, 116, 232, 464)
    """
    variety = min(max(1.0, n_positions / _FEW_POSITIONS) ** 0.5, _MOST_VARIETY)
    return max(2, min(int(_GROUPS_PER_CLASS * n_classes * variety), n_positions // _LEAST_PER_GROUP))


def _solve_symbols(problem: Problem, starts: int, seed: int, *, is_exact: bool) -> Solution:
    """Search at N = 2, go on at the order asked, and settle on one label a symbol where that is the truth."""
    found = _search(problem.at_order(min(problem.order, 2)), starts, seed, 1.0 if is_exact else _GROUPS_SHARE)
    model, n_steps = found.model, found.n_steps
    for order in range(3, problem.order + 1):
        n_steps += _continue_at(problem.at_order(order), model, seed)
    if is_exact and problem.order >= 2:
        model = _hardened(problem, model)
    kl = float(problem.kl(model)[0])
    return replace(found, model=model, kl=kl, n_steps=n_steps)


def _search(pairs: Problem, starts: int, seed: int, share: float) -> Solution:
    """Search; once more with twice the starts where all of them seem stuck, above a share of the usual divergence."""
    found = search(pairs, starts=starts, seed=seed)
    verdict = diagnose(pairs, found.model)
    if pairs.order == 1 or (verdict.converged and verdict.kl < share * verdict.wanted_kl):
        return found
    again = search(pairs, starts=2 * starts, seed=seed + 1)
    better = min(found, again, key=lambda solution: solution.kl)
    return replace(
        better,
        restarts=(*found.restarts, *again.restarts),
        n_steps=found.n_steps + again.n_steps,
        notes=(f"all of {starts} starts were stuck, {2 * starts} more were tried",),
    )


def _continue_at(problem: Problem, model: Classifier, seed: int) -> int:
    """The next lesson of the curriculum: the same table on J of longer N-grams; returns the steps it took."""
    work = len(problem.windows) * problem.n_classes ** (problem.order - 1)
    steps: int = max(10, min(_CURRICULUM_STEPS, _LESSON_WORK // work))
    FullBatch().start(problem, model, seed).advance(steps)
    return steps


def _hardened(problem: Problem, model: Classifier) -> Table:
    """A table with one label a symbol, as sure of each as the data allow."""
    with torch.no_grad():
        labels = model(problem.inputs)[0].argmax(-1).numpy().astype(np.int64)
    _, evidence = harden(problem, labels)
    scores = torch.log_softmax(torch.from_numpy(evidence).float(), -1).clamp_min(_LEAST_LOG_POSTERIOR)
    table = Table(1, len(problem.inputs), problem.n_classes)
    with torch.no_grad():
        table.weight[0] = scores / table.gamma
    return table
