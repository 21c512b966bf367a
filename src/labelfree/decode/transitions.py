"""The language model as a decoder sees it: weighted log transitions out of contexts written as one number.

A context ``y_1 .. y_m`` over C labels is the number ``y_1 C**(m-1) + ... + y_m``. The decoders' state is the last
``depth`` labels; the state must name the label of its own position, so order 1 is lifted to depth 1.
"""

from collections.abc import Sized
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

CACHED_NUMBERS = 2**23  # rows of the model kept for reuse, at most this many float64 (64 MB)


class LanguageModel(Protocol):
    """What decoding needs of an N-gram model."""

    @property
    def alphabet(self) -> Sized: ...
    @property
    def order(self) -> int: ...
    def joint(self, n: int, /) -> Any: ...  # dense at n = 1, all that is asked for here
    def conditional(self, n: int, /) -> NDArray[np.float64]: ...
    def log_conditional(self, contexts: NDArray[np.int64], /) -> NDArray[np.float64]: ...


class Transitions:
    """Log probabilities of the next label times ``weight``, as whole tables or row by row."""

    def __init__(self, lm: LanguageModel, order: int, weight: float) -> None:
        self.lm, self.order, self.weight = lm, order, weight
        self.n_labels = len(lm.alphabet)
        self.depth = max(order - 1, 1)
        self.n_states: int = self.n_labels**self.depth
        self._first = self._weighed(np.asarray(lm.joint(1), dtype=np.float64).reshape(1, -1))
        self._lower: dict[int, NDArray[np.float64]] = {}
        self._kept: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def table(self, n_before: int) -> NDArray[np.float64]:
        """Return (states, C): the transitions after ``n_before`` labels, whatever older labels the state names."""
        length = min(n_before, self.order - 1)
        if length == 0:
            known = self._first
        else:
            known = self._weighed(self.lm.conditional(length + 1).reshape(-1, self.n_labels))
        return np.tile(known, (self.n_states // len(known), 1))

    def rows(self, contexts: NDArray[np.int64], n_before: int) -> NDArray[np.float64]:
        """Return (R, C): the transitions out of R contexts of ``min(n_before, order - 1)`` labels."""
        length = min(n_before, self.order - 1)
        if length == 0:
            return np.broadcast_to(self._first, (len(contexts), self.n_labels))
        if length not in self._kept:
            n_slots = min(self.n_labels**length, max(CACHED_NUMBERS // self.n_labels, 1))
            self._kept[length] = np.full(n_slots, -1), np.empty((n_slots, self.n_labels))
        # Each context has one slot it may live in, so that a hit is one gather and memory stays bounded.
        owner, store = self._kept[length]
        slots = contexts % len(owner)
        found = store[slots]
        missed = np.flatnonzero(owner[slots] != contexts)
        if len(missed):
            fresh, back = np.unique(contexts[missed], return_inverse=True)
            rows = self._look_up(fresh, length)
            found[missed] = rows[back]
            owner[fresh % len(owner)], store[fresh % len(owner)] = fresh, rows
        return found

    def _look_up(self, contexts: NDArray[np.int64], length: int) -> NDArray[np.float64]:
        if length < self.lm.order - 1 and self.n_labels ** (length + 1) <= CACHED_NUMBERS:
            # Below its order a model's back-off tables are not its language's probabilities; `conditional` is.
            if length not in self._lower:
                self._lower[length] = self._weighed(self.lm.conditional(length + 1).reshape(-1, self.n_labels))
            return self._lower[length][contexts]
        powers = self.n_labels ** np.arange(length - 1, -1, -1)
        digits = contexts[:, None] // powers % self.n_labels
        return self._scaled(np.asarray(self.lm.log_conditional(digits), dtype=np.float64))

    def _weighed(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return self._scaled(np.log(probabilities))

    def _scaled(self, logs: NDArray[np.float64]) -> NDArray[Any]:
        return logs * self.weight if self.weight else np.zeros_like(logs)  # 0 * -inf would be NaN
