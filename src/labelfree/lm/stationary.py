"""Joint N-gram probabilities: the marginals of the stationary distribution of the model's own Markov chain.

The state is the last N - 1 symbols h. One step of the chain is

    pi'(h' w) = sum over x of pi(x h') p(w | x h'),

and as p is lambda(x h') p(w | h') except at listed N-grams, it costs one pass over the states and one over the list,
never C**N.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.lm.backoff import BackOff, Floats, Ints

DENSE_LIMIT = 1 << 24
"""Up to how many possible N-grams `joint` and `conditional` give a full array."""

STATE_LIMIT = 1 << 22
"""Up to how many states the chain is solved; above, a model of lower order gives the first symbols of an N-gram."""

SOLVE_LIMIT = 2048
"""Up to how many states a chain that mixes slowly is solved by elimination."""

TOLERANCE = 1e-12
"""How far two passes over the states may still lie apart, summed over all of them."""


@dataclass(frozen=True)
class NGrams:
    """Some N-grams and their joint probabilities, where listing all of them would be too many.

    Attributes
    ----------
    ids : (U, n) int64 array
    probability : (U,) float64 array
        Not scaled to sum to 1: what is missing stands for the N-grams left out.

    Examples
    --------
    >>> NGrams(np.array([[0, 1], [1, 1]]), np.array([0.5, 0.25])).mass
    0.75
    """

    ids: NDArray[np.int64]
    probability: NDArray[np.float64]

    @property
    def mass(self) -> float:
        """The sum of the probabilities."""
        return float(self.probability.sum())


class Chain:
    """The Markov chain of a back-off model.

    Examples
    --------
    >>> from labelfree.lm.counting import NGramCounts
    >>> from labelfree.lm.smoothing import Smoothing, estimate
    >>> counts = NGramCounts.from_ids([0, 1] * 50, [100], size=2, order=2)
    >>> Chain(estimate(counts, Smoothing("additive", 1.0))).dense(1).round(3)
    array([0.5, 0.5])
    """

    def __init__(self, model: BackOff) -> None:
        self._model = model
        self._size = model.size
        order = model.order
        while order > 1 and model.size ** (order - 1) > STATE_LIMIT:
            order -= 1
        self._width = max(order - 1, 1)  # how many symbols a state holds
        self._states: Floats | None = None
        self._cache: dict[int, Floats] = {}

    def states(self) -> Floats:
        """Give the stationary probability of every state, as (C**width,)."""
        if self._states is None:
            order = self._width + 1
            single = self._model.order == 1
            self._states = np.exp(self._model.table(1)[0]) if single else _stationary(self._model, order)
            self._states /= self._states.sum()
        return self._states

    def dense(self, n: int) -> Floats:
        """Give the joint probabilities of all N-grams of n symbols, as (C,) * n."""
        if n not in self._cache:
            joint = self._dense(n).reshape((self._size,) * n)
            joint.setflags(write=False)
            if joint.size > STATE_LIMIT:
                return joint
            self._cache[n] = joint
        return self._cache[n]

    def _dense(self, n: int) -> Floats:
        if n <= self._width:
            marginal: Floats = self.states().reshape(-1, self._size**n).sum(axis=0)
            return marginal
        order = min(n, self._model.order)
        shorter = self.dense(n - 1).reshape(-1, self._size ** (order - 1), 1)
        joint: Floats = shorter * np.exp(self._model.table(order))
        return joint

    def of(self, n: int, codes: Ints) -> Floats:
        """Give the joint probabilities of some N-grams of n symbols."""
        if n <= self._width:
            joint: Floats = self._dense(n)[codes]
            return joint
        order = min(n, self._model.order)
        last = np.exp(self._model.score(order, codes % self._size**order))
        return self.of(n - 1, codes // self._size) * last

    def sparse(self, n: int, top: int | None) -> NGrams:
        """Give the listed N-grams of n symbols, or the `top` most probable, most probable first."""
        if self._size**n <= DENSE_LIMIT:
            probability = self.dense(n).ravel()
            codes = np.arange(probability.size)
        else:
            codes = self._listed(n, top)
            probability = self.of(n, codes)
        if top is not None:
            best = _largest(probability, top)
            codes, probability = codes[best], probability[best]
        places = self._size ** np.arange(n - 1, -1, -1, dtype=np.int64)
        return NGrams(codes[:, None] // places % self._size, probability)

    def entropy(self) -> float:
        """Give the entropy of the next symbol, in nats."""
        states = self.states()
        total = 0.0
        if self._model.order == 1:
            log_prob = self._model.table(1)
            return float(-(np.exp(log_prob) * log_prob).sum())
        places = self._size ** np.arange(self._width - 1, -1, -1, dtype=np.int64)
        step = max((1 << 20) // self._size, 1)
        for at in range(0, states.size, step):
            codes = np.arange(at, min(at + step, states.size))
            rows = self._model.rows(codes[:, None] // places % self._size)
            total -= float(states[codes] @ (np.exp(rows) * rows).sum(axis=1))
        return total

    def _listed(self, n: int, top: int | None) -> Ints:
        """Give the codes of the N-grams listed; beyond the order, of likely ones continued by what is listed."""
        if n <= self._model.order:
            return self._model.levels[n - 1].codes
        if top is None:
            raise InputError(
                f"joint({n}) of a model of order {self._model.order} has {self._size}**{n} entries; give top="
            )
        if self._size**n >= 1 << 63:
            raise InputError(f"N-grams of {n} symbols out of {self._size} are too long; ask for shorter ones")
        shorter = self._listed(n - 1, top)
        shorter = shorter[_largest(self.of(n - 1, shorter), max(4 * top, 1 << 16))]
        listed = self._model.levels[-1].codes
        if self._model.order == 1:
            every: Ints = (shorter[:, None] * self._size + listed).ravel()
            return every
        contexts = shorter % self._size ** (self._model.order - 1)
        first = np.searchsorted(listed, contexts * self._size)
        many = np.searchsorted(listed, (contexts + 1) * self._size) - first
        place = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many - first, many)
        continued: Ints = np.repeat(shorter, many) * self._size + listed[place] % self._size
        return continued


def _largest(values: Floats, many: int) -> Ints:
    """Give the places of the largest values, in falling order, the first of equals first."""
    places: Ints = np.argsort(-values, kind="stable")[:many]
    return places


def _stationary(model: BackOff, order: int) -> Floats:
    """Solve the chain of the model's first `order` (at least 2) levels."""
    size, level = model.size, model.levels[order - 1]
    lower = np.exp(model.table(order - 1))  # (C**(order-2), C)
    states = size ** (order - 1)
    weights = np.exp(model.backoff_weights(order - 1))
    source, target = level.codes // size, level.codes % states
    beyond = np.exp(level.log_prob) - weights[source] * lower.ravel()[target]

    def step(pi: Floats) -> Floats:
        backed_off = (pi * weights).reshape(size, -1).sum(axis=0)
        onward: Floats = (backed_off[:, None] * lower).ravel()
        onward += np.bincount(target, pi[source] * beyond, states)
        np.maximum(onward, 0.0, out=onward)
        onward /= onward.sum()
        return onward

    pi = np.full(states, 1 / states)
    for _ in range(max(200, min(5000, (1 << 30) // (states + level.codes.size)))):
        onward = step(pi)
        change = float(np.abs(onward - pi).sum())
        pi = 0.9 * onward + 0.1 * pi  # the rest keeps a periodic chain from swinging for ever
        if change < TOLERANCE:
            return pi
    return _solved(model, order) if states <= SOLVE_LIMIT else pi


def _solved(model: BackOff, order: int) -> Floats:
    """Solve a chain by elimination, with a jump so rare that it only matters where no other way leads."""
    size = model.size
    states = size ** (order - 1)
    matrix = np.full((states, states), 1e-13 / states)
    after = np.arange(states)[:, None] % (states // size) * size + np.arange(size)
    np.add.at(matrix, (np.arange(states)[:, None], after), np.exp(model.table(order)))
    matrix /= matrix.sum(axis=1, keepdims=True)
    # Grassmann, Taksar and Heyman: elimination without a subtraction.
    for last in range(states - 1, 0, -1):
        matrix[:last, last] /= matrix[last, :last].sum()
        matrix[:last, :last] += np.outer(matrix[:last, last], matrix[last, :last])
    pi = np.ones(states)
    for state in range(1, states):
        pi[state] = pi[:state] @ matrix[:state, state]
    pi /= pi.sum()
    return pi
