"""J and L along lines and over planes of parameters, as the paper's appendix on visualising the cost lays them out.

The optimum theta* is a classifier that saw labels; theta_1 and theta_2 are random and as sharp as it is. V* is the
best dual at theta*, V_1 a random negative one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from torch import Tensor

from labelfree.core import best_dual, odm_cost, saddle
from labelfree.errors import InputError
from labelfree.models import Classifier, Linear
from labelfree.repro.paper.grid import AffineLogits, expected_bigrams
from labelfree.repro.tasks.plane import PlaneTask
from labelfree.solvers.problem import Problem

Floats = NDArray[np.float64]
PRIMAL_RANGE = (-1.0, 1.5)
SADDLE_RANGES = (-0.4, 0.4), (-0.6, 0.6)  # of theta and V: where both ways down from the saddle are as steep
WEIGHT_RANGE = (-6.0, 6.0)


@dataclass(frozen=True, eq=False)
class Surface:
    """A function of two coordinates and the point on it that matters.

    Attributes
    ----------
    x, y : arrays of shape (p,) and (q,)
    z : array of shape (p, q)
    mark : pair of float
        Where the dot goes.
    labels : three str
        Of the axes; what follows an underscore is set below the line.
    """

    x: Floats
    y: Floats
    z: Floats
    mark: tuple[float, float]
    labels: tuple[str, str, str]

    @property
    def mark_height(self) -> float:
        """The value at the mark."""
        return self.at(*self.mark)

    def at(self, x: float, y: float) -> float:
        """The value at the nearest point of the grid."""
        return float(self.z[np.abs(self.x - x).argmin(), np.abs(self.y - y).argmin()])

    @property
    def open_side(self) -> float:
        """The azimuth in degrees of the lowest quarter, from where most of the surface is seen."""
        p, q = len(self.x) // 2, len(self.y) // 2
        quarters = (self.z[:p, :q], self.z[:p, -q:], self.z[-p:, :q], self.z[-p:, -q:])
        return (-135.0, 135.0, -45.0, 45.0)[int(np.argmin([quarter.mean() for quarter in quarters]))]

    @property
    def local_minima(self) -> int:
        """How many inner points lie below all eight neighbours."""
        inner = self.z[1:-1, 1:-1]
        p, q = self.z.shape
        below = np.ones(inner.shape, dtype=bool)
        for i, j in np.ndindex(3, 3):
            if (i, j) != (1, 1):
                below &= inner < self.z[i : p - 2 + i, j : q - 2 + j]
        return int(below.sum())


@dataclass(frozen=True, eq=False)
class Line:
    """J and L along one line through the optimum at 0, the dual fixed at its best there.

    Attributes
    ----------
    x : array of shape (p,)
    cost : array of shape (p,)
        J.
    saddle : array of shape (p,)
        L.
    """

    x: Floats
    cost: Floats
    saddle: Floats


def planes(problem: Problem, optimum: Classifier, seed: int, *, points: int = 101) -> tuple[Surface, Surface]:
    """J, and L with the dual fixed at V*, over the plane through theta* and two random points.

    Parameters
    ----------
    problem : Problem
        Over features, at order 2.
    optimum : Classifier
        Linear, one start.
    seed : int
        Of the random points.
    points : int
        On each side of the grid.
    """
    at = _range(PRIMAL_RANGE, points)
    best = _logits(problem, optimum)
    generator = torch.Generator().manual_seed(seed)
    first, second = (_random_logits(problem, best, generator) for _ in range(2))
    expected = expected_bigrams(AffineLogits(best, first - best, second - best), problem.windows, at, at)
    dual = best_dual(_expected_at_optimum(problem, best))
    grid = _array(at)
    labels = ("λ_1", "λ_2")
    return (
        Surface(grid, grid, _cost(problem, expected), (0.0, 0.0), (*labels, "J")),
        Surface(grid, grid, _array(saddle(expected, dual, problem.target)), (0.0, 0.0), (*labels, "L")),
    )


def saddle_plane(problem: Problem, optimum: Classifier, seed: int, *, points: int = 101) -> Surface:
    """L over one direction of theta and one of V, whose saddle point is (theta*, V*).

    Parameters
    ----------
    problem, optimum, seed, points
        As in `planes`.
    """
    primal, dual_at = (_range(ends, points) for ends in SADDLE_RANGES)
    best = _logits(problem, optimum)
    generator = torch.Generator().manual_seed(seed)
    expected = _along(problem, best, _random_logits(problem, best, generator), primal)  # (p, c, c)
    dual = best_dual(_expected_at_optimum(problem, best))
    # Uniform between 0 and twice V*: the whole of the line between -1 and 1 is negative.
    random_dual = 2.0 * dual * torch.rand(dual.shape, generator=generator)
    duals = dual + dual_at[:, None, None] * (random_dual - dual)  # (q, c, c)
    values = torch.stack([saddle(expected_here, duals, problem.target) for expected_here in expected])
    return Surface(_array(primal), _array(dual_at), _array(values), (0.0, 0.0), ("λ_p", "λ_d", "L"))


def line(problem: Problem, optimum: Classifier, seed: int, *, points: int = 501) -> Line:
    """J and L along the line through theta* and the first random point of the same seed.

    Parameters
    ----------
    problem, optimum, seed, points
        As in `planes`.
    """
    at = _range(PRIMAL_RANGE, points)
    best = _logits(problem, optimum)
    generator = torch.Generator().manual_seed(seed)
    expected = _along(problem, best, _random_logits(problem, best, generator), at)
    dual = best_dual(_expected_at_optimum(problem, best))
    return Line(_array(at), _cost(problem, expected), _array(saddle(expected, dual, problem.target)))


def catching_up(problem: Problem, optimum: Classifier, seed: int, *, points: int = 101) -> Surface:
    """What lies between the two curves of `line`: L while the dual goes from V* to the best one where theta is.

    At s = 0 this is L with the dual fixed, at s = 1 it is J; between them ln(-V) goes straight.

    Parameters
    ----------
    problem, optimum, seed, points
        As in `planes`.
    """
    at = _range(PRIMAL_RANGE, points)
    best = _logits(problem, optimum)
    generator = torch.Generator().manual_seed(seed)
    expected = _positive(_along(problem, best, _random_logits(problem, best, generator), at))
    start = _expected_at_optimum(problem, best).log()
    shares = _range((0.0, 1.0), points)
    columns = [
        saddle(expected, best_dual((start + share * (expected.log() - start)).exp()), problem.target)
        for share in shares
    ]
    values = torch.stack(columns, dim=1)
    return Surface(_array(at), _array(shares), _array(values), (0.0, 0.0), ("λ_p", "s", "L"))


def complete_cost(task: PlaneTask, *, points: int = 101) -> Surface:
    """All of J for a classifier of two parameters: the log-odds of state 1 at point x are w_1 x_1 + w_2 x_2.

    Parameters
    ----------
    task : PlaneTask
    points : int
        On each side of the grid.
    """
    x = torch.from_numpy(task.train.x)
    problem = Problem.from_sequences(x, task.train.lengths, task.lm, order=2)
    zero = torch.zeros_like(x)
    by_first, by_second = (torch.stack([zero[:, k], x[:, k]], dim=1) for k in range(2))
    at = _range(WEIGHT_RANGE, points)
    expected = expected_bigrams(AffineLogits(zero, by_first, by_second), problem.windows, at, at)
    supervised = LogisticRegression(C=1e6, fit_intercept=False).fit(task.train.x, task.train.y).coef_[0]
    grid = _array(at)
    return Surface(
        grid, grid, _cost(problem, expected), (float(supervised[0]), float(supervised[1])), ("w_1", "w_2", "J")
    )


def rise(x: Floats, values: Floats) -> float:
    """How far the highest point of a line lies above the point at 0.

    Examples
    --------
    >>> rise(np.arange(4.0), np.array([0.5, 3.0, 1.0, 2.0]))
    2.5
    """
    return float(values.max() - values[np.abs(x).argmin()])


def climb(x: Floats, values: Floats) -> float:
    """The largest ascent that a walk along a line, from anywhere on it to the point at 0, cannot avoid.

    Examples
    --------
    >>> climb(np.arange(4.0), np.array([0.5, 3.0, 1.0, 2.0]))
    2.0
    """
    optimum = int(np.abs(x).argmin())
    sides = (values[optimum:], values[optimum::-1])
    return float(max((np.maximum.accumulate(side) - side).max() for side in sides))


def _logits(problem: Problem, optimum: Classifier) -> Tensor:
    """(r, c) logits of one linear classifier."""
    if not isinstance(optimum, Linear) or problem.is_table or problem.order != 2 or problem.target.ids is not None:
        raise InputError(
            f"a {type(optimum).__name__} over {'symbols' if problem.is_table else 'features'} at order {problem.order} "
            "found, a linear classifier over features at order 2 wanted: draw profiles of such a problem"
        )
    with torch.no_grad():
        return optimum.gamma * optimum.scores(problem.rows)[0]


def _random_logits(problem: Problem, best: Tensor, generator: torch.Generator) -> Tensor:
    """Logits of Gaussian weights, scaled so that they tell classes apart as sharply as the optimum's."""
    weight = torch.randn(problem.n_inputs, problem.n_classes, generator=generator)
    drawn = problem.rows @ weight
    return drawn * (_sharpness(best) / _sharpness(drawn))


def _sharpness(logits: Tensor) -> float:
    """Root mean square of the logits about the mean of each row: what is left when rows are shifted."""
    return float((logits - logits.mean(-1, keepdim=True)).square().mean().sqrt())


def _along(problem: Problem, origin: Tensor, end: Tensor, at: Tensor) -> Tensor:
    """Expected bigrams (p, c, c) on the line from the origin to another point."""
    logits = AffineLogits(origin, torch.zeros_like(origin), end - origin)
    return expected_bigrams(logits, problem.windows, torch.zeros(1), at)[0]


def _expected_at_optimum(problem: Problem, best: Tensor) -> Tensor:
    expected = _along(problem, best, best, torch.zeros(1))[0]
    return _positive(expected)


def _cost(problem: Problem, expected: Tensor) -> Floats:
    return _array(odm_cost(_positive(expected), problem.target))


def _positive(expected: Tensor) -> Tensor:
    """Frequencies that vanished in single precision, held at the smallest number."""
    return expected.clamp_min(torch.finfo(expected.dtype).tiny)


def _range(ends: tuple[float, float], points: int) -> Tensor:
    return torch.linspace(*ends, points)


def _array(values: Tensor) -> Floats:
    return values.double().numpy()
