"""The verdict on a classifier fitted without labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from labelfree.fitting.diagnosis import diagnose
from labelfree.fitting.refine import read
from labelfree.models import Classifier
from labelfree.solvers.problem import Problem
from labelfree.verdict.language import gain, gain_of_windows, own_gain_of_lengths, own_gain_of_windows
from labelfree.verdict.outcome import (
    LEAST_EXPLAINED,
    LEAST_SAVED,
    MOST_ERROR,
    Judgement,
    Outcome,
    Remedy,
    Verdict,
    chance,
)
from labelfree.verdict.price import price_of_key, price_of_labels

_JUDGED = {True: 20_000, False: 4_000}  # positions that are looked at, of symbols and of features
_LEAST_COVERAGE = 0.9
_ADVICE = {
    Remedy.MORE_DATA: "more data",
    Remedy.MORE_STARTS: "more starts (n_init)",
    Remedy.NEARER_TEXT: "a language model of nearer text",
    Remedy.OTHER_LANGUAGE: "the language model of another language",
    Remedy.HIGHER_ORDER: "order=2 or more",
}


@dataclass(frozen=True, kw_only=True)
class FitVerdict(Judgement):
    """The verdict on a fit, in numbers; those of a `Judgement`, and what the cost that was minimised says.

    Where it is no language, every position is expected to be wrong; else those at which the classifier alone and with
    the language model differ.

    Attributes
    ----------
    kl : float
        Divergence of the output's pairs from the language's (of its symbols where only these are matched).
    wanted_kl : float
        What it stays below where the search went well; the verdict does not hang on it.
    coverage : float
        Share of the language's symbols, by frequency, that come out about as often as they should.
    """

    kl: float
    wanted_kl: float
    coverage: float

    @property
    def settled(self) -> bool:
        """Whether the search ended where searches that succeed end, whatever came of it."""
        return self.kl < self.wanted_kl and self.coverage >= _LEAST_COVERAGE

    @property
    def message(self) -> str:
        """Empty where nothing is wrong; otherwise one line with the numbers and what to try, in Python's words."""
        return self.line(_ADVICE)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Put together what `as_dict` gave, or the five numbers that former versions kept."""
        known = {
            "outcome": str(Outcome.READ if fields["converged"] else Outcome.STUCK),
            "reason": fields["message"].removeprefix(f"{Outcome.STUCK}: "),
            "remedies": (),
            **dict.fromkeys(("explained", "saved", "chance", "expected_error"), math.nan),
        }
        return super().from_dict({**known, **{name: value for name, value in fields.items() if name != "message"}})

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        return super().as_dict() | {"message": self.message}


def judge_fit(problem: Problem, model: Classifier, *, seed: int = 0) -> FitVerdict:
    """Judge a fitted classifier (one start) on the problem that it was fitted to."""
    usual = diagnose(problem, model)
    found = _of_positions(problem, model, seed) if problem.counted is None else _of_counts(problem, model)
    said = _outcome(problem, usual.coverage, found)
    is_language = said.converged
    if is_language and found.error > MOST_ERROR:
        reason = f"{found.error:.0%} of the positions are expected to be wrong, at most {MOST_ERROR:.0%} wanted"
        said = Verdict(Outcome.STUCK, reason, (Remedy.MORE_DATA, Remedy.NEARER_TEXT))
    return FitVerdict(
        outcome=said.outcome,
        reason=said.reason,
        remedies=said.remedies,
        kl=usual.kl,
        wanted_kl=usual.wanted_kl,
        coverage=usual.coverage,
        explained=found.explained,
        saved=found.saved,
        chance=chance(found.saved),
        expected_error=found.error if is_language else 1.0,
    )


@dataclass(frozen=True)
class _Judged:
    """What is known of a reading of so many positions."""

    n_positions: int
    explained: float
    saved: float
    error: float  # expected share of positions


def _of_positions(problem: Problem, model: Classifier, seed: int) -> _Judged:
    """Some of the positions, read once more."""
    part, _ = problem.sample(_JUDGED[problem.is_table], seed)
    found = read(part, model)
    labels = found.marginals.argmax(1) if not part.is_table else _key(part, model)[part.positions]
    saved = len(labels) * gain(part.lm, labels, part.lengths) - _price(part, labels)
    return _Judged(
        len(labels), found.information / own_gain_of_lengths(problem.lm, part.lengths), saved, found.disagreement
    )


def _of_counts(problem: Problem, model: Classifier) -> _Judged:
    """All that passed, of which counts are left."""
    lm, counted = problem.lm, problem.counted
    assert counted is not None  # noqa: S101 - else positions are judged
    order = min(lm.order, counted.longest)
    windows, key = counted.windows(order), _key(problem, model)
    shares = problem.row_counts / problem.row_counts.sum()
    singles = np.bincount(key, shares, problem.n_classes).astype(np.float64)
    found = gain_of_windows(lm, key[windows.rows.numpy()], windows.weight.numpy().astype(np.float64), singles)
    saved = windows.count * found - price_of_key(len(key), problem.n_classes, one_to_one=False)
    with torch.no_grad():
        sure = model(problem.inputs)[0].exp().amax(-1).numpy()
    return _Judged(windows.count, found / own_gain_of_windows(lm, order), saved, 1.0 - float(shares @ sure))


def _key(part: Problem, model: Classifier) -> NDArray[np.int64]:
    """What a table reads each symbol as."""
    with torch.no_grad():
        key: NDArray[np.int64] = model(part.inputs)[0].argmax(-1).numpy()
    return key


def _price(part: Problem, labels: NDArray[np.int64]) -> float:
    """Nats that the classifier's choice of labels costs."""
    if part.is_table:
        return price_of_key(len(np.unique(part.positions)), part.n_classes, one_to_one=False)
    return price_of_labels(part.rows.numpy(), labels, part.n_classes, part.evidence)


def _outcome(problem: Problem, coverage: float, found: _Judged) -> Verdict:
    explained, saved = found.explained, found.saved
    share = f"the language explains {max(explained, 0.0):.0%} of what it explains of its own text"
    if problem.order == 1:
        reason = "order=1 matches symbol frequencies only, which cannot tell one reading from another"
        return Verdict(Outcome.STUCK, reason, (Remedy.HIGHER_ORDER,))
    if explained >= LEAST_EXPLAINED and saved < LEAST_SAVED:
        noise = f"{found.n_positions:,} positions of noise ({saved:,.0f} nats)"
        reason = f"a classifier with this freedom reads as much into {noise}"
        return Verdict(Outcome.TOO_LITTLE, reason, (Remedy.MORE_DATA,))
    if coverage < _LEAST_COVERAGE:
        reason = f"the output collapsed: {coverage:.0%} of the language's symbols by frequency come out, 90% wanted"
        return Verdict(Outcome.STUCK, reason, (Remedy.MORE_STARTS, Remedy.MORE_DATA))
    if explained >= LEAST_EXPLAINED:
        return Verdict(Outcome.READ, f"{share}, {saved:,.0f} nats more than chance is given")
    helps = (Remedy.MORE_STARTS, Remedy.MORE_DATA, Remedy.NEARER_TEXT, Remedy.OTHER_LANGUAGE)
    return Verdict(Outcome.STUCK, f"{share}, at least {LEAST_EXPLAINED:.0%} wanted", helps)
