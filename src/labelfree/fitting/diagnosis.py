"""Did it work? Judged without a label: by the divergence left over and by the share of the language that comes out."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from labelfree.core import Target, kl_divergence
from labelfree.models import Classifier
from labelfree.solvers.problem import Problem

# Stuck starts end near half of the language's dependence between neighbours, solved ones well below a quarter,
# with a language model of another domain included.
_SOLVED_SHARE = 0.35
_LEAST_COVERAGE = 0.9
_OVERFITTED_SHARE = 0.1


@dataclass(frozen=True)
class Diagnosis:
    """A verdict on a fit.

    Attributes
    ----------
    converged : bool
    kl : float
        Divergence of the output's pairs from the language's (of its symbols where only these are matched).
    wanted_kl : float
        What it must stay below.
    coverage : float
        Share of the language's symbols, by frequency, that come out about as often as they should.
    message : str
        Empty where nothing is wrong; otherwise one line with the numbers and what to try.
    """

    converged: bool
    kl: float
    wanted_kl: float
    coverage: float
    message: str = ""


def dependence(target: Target) -> float:
    """How far the language's N-grams are from independent symbols, in nats: the divergence of an output without order.

    Examples
    --------
    >>> dependence(Target(torch.full((2, 2), 0.25), n_classes=2))
    0.0
    """
    singles = _singles(target)
    entropy = -(singles * singles.clamp_min(1e-30).log()).sum()
    return max(0.0, float(target.neg_entropy + target.order * entropy))


@torch.no_grad()
def diagnose(problem: Problem, model: Classifier) -> Diagnosis:
    """Judge a fitted classifier (one start) on the problem it was fitted to.

    The divergence is judged at N = 2 whatever the order: frequencies of pairs are known well even where longer N-grams
    are few and their divergence is mostly noise.
    """
    if problem.order > 2:
        problem = problem.at_order(2)
    expected, outputs = problem.survey(model)
    kl = float(kl_divergence(expected, problem.target)[0])
    wanted_kl = _SOLVED_SHARE * dependence(problem.target)
    output = outputs[0]
    wanted = _singles(problem.target)
    coverage = float(wanted[output >= 0.2 * wanted].sum() / wanted.sum())
    used = int((output >= 0.2 * wanted).sum())
    n_windows = problem.windows.count
    noise = float((problem.target.probability * n_windows > 1).sum()) / (2 * n_windows)
    converged, message = False, ""
    if problem.order == 1:
        message = (
            "order=1 matches symbol frequencies only, which cannot tell one reading from another; use order=2 or more"
        )
    elif coverage < _LEAST_COVERAGE:
        message = (
            f"the output collapsed: {used} of {problem.n_classes} symbols come out, {coverage:.0%} of the language by "
            f"frequency, at least {_LEAST_COVERAGE:.0%} wanted; try more starts (n_init), more data, or another seed"
        )
    elif not kl < wanted_kl:
        message = (
            f"stuck: KL {kl:.3f} from the language model, below {wanted_kl:.3f} wanted, over {n_windows} windows; "
            "try more starts (n_init), more data, or a language model of nearer text"
        )
    else:
        converged = True
        if not problem.is_table and kl < _OVERFITTED_SHARE * noise:
            message = (
                f"KL {kl:.2g} is far below {noise:.2g}, the noise of {n_windows} windows: the classifier fits the "
                "noise; give a larger l2 or more data"
            )
    return Diagnosis(converged, kl, wanted_kl, coverage, message)


def _singles(target: Target) -> torch.Tensor:
    """The language's symbol frequencies, as the target's N-grams have them at their last place."""
    if target.order == 1:
        return target.probability
    if target.ids is None:
        return target.probability.sum(tuple(range(target.order - 1)))
    return torch.zeros(target.n_classes).index_add(0, target.ids[:, -1], target.probability)
