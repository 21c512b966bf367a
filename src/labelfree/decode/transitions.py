"""The language model as a decoder sees it: weighted log transitions out of contexts written as one number.

A context ``y_1 .. y_m`` over C labels is the number ``y_1 C**(m-1) + ... + y_m``. The decoders' state is the last
``depth`` labels; the state must name the label of its own position, so order 1 is lifted to depth 1.
"""

import threading
from collections.abc import Sized
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from labelfree.lm.backoff import TABLE_LIMIT, BackOff

TABLED_NUMBERS = 2**23  # a lower order of the model is kept as one table up to this many float64 (64 MB)
CACHED_NUMBERS = 2**21  # of a longer one so many N-grams are kept for reuse (32 MB with their codes)
LEAST_LOG = -1e6  # in `pairs` what cannot be is only as unlikely as this, so that a pruned search never ends in nothing

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


class LanguageModel(Protocol):
    """What decoding needs of an N-gram model."""

    @property
    def alphabet(self) -> Sized: ...
    @property
    def order(self) -> int: ...
    def joint(self, n: int, /) -> Any: ...  # dense at n = 1, all that is asked for here
    def conditional(self, n: int, /) -> Array: ...
    def log_conditional(self, contexts: Indices, /) -> Array: ...


@runtime_checkable
class BackOffModel(Protocol):
    """A model whose tables score single N-grams: quicker than whole rows of `log_conditional`."""

    @property
    def backoff(self) -> BackOff: ...


class _Kept(threading.local):
    """What one thread has looked up, by the length of the context: which N-gram each slot holds, and its log."""

    def __init__(self) -> None:
        self.slots: dict[int, tuple[Indices, Array]] = {}

    def __reduce__(self) -> tuple[type["_Kept"], tuple[()]]:
        return _Kept, ()  # another process looks up for itself


class Transitions:
    """Log probabilities of the next label times ``weight``, as whole tables or pair by pair."""

    def __init__(self, lm: LanguageModel, order: int, weight: float) -> None:
        self.lm, self.order, self.weight = lm, order, weight
        self._backing_off = lm if isinstance(lm, BackOffModel) else None  # asked once, as the answer takes its time
        self.n_labels = len(lm.alphabet)
        self.depth = max(order - 1, 1)
        self.n_states: int = self.n_labels**self.depth
        self._first = self._weighed(np.asarray(lm.joint(1), dtype=np.float64).reshape(1, -1))
        self._lower: dict[int, Array] = {}
        self._kept = _Kept()

    def table(self, n_before: int) -> Array:
        """Return (states, C): the transitions after ``n_before`` labels, whatever older labels the state names."""
        length = min(n_before, self.order - 1)
        if length == 0:
            known = self._first
        else:
            known = self._weighed(self.lm.conditional(length + 1).reshape(-1, self.n_labels))
        return np.tile(known, (self.n_states // len(known), 1))

    def pairs(self, contexts: Indices, labels: Indices, n_before: int) -> Array:
        """Return (R,): the transition from each context of ``min(n_before, order - 1)`` labels to its label."""
        length = min(n_before, self.order - 1)
        if length == 0:
            return _floored(self._first[0])[labels]
        codes = contexts * self.n_labels + labels
        if length < self.lm.order - 1 and self.n_labels ** (length + 1) <= TABLED_NUMBERS:
            # Below its order a model's back-off tables are not its language's probabilities; `conditional` is.
            if length not in self._lower:
                self._lower[length] = _floored(self._weighed(self.lm.conditional(length + 1)).ravel())
            found: Array = self._lower[length][codes]
            return found
        if self._backing_off is not None and self.n_labels ** (length + 1) <= TABLE_LIMIT:
            return self._look_up(codes, length)
        return self._remembered(codes, length)

    def _remembered(self, codes: Indices, length: int) -> Array:
        """Look up each N-gram once, while its slot is not taken by another."""
        kept = self._kept.slots
        if length not in kept:
            n_slots = min(self.n_labels ** (length + 1), CACHED_NUMBERS)
            kept[length] = np.full(n_slots, -1), np.empty(n_slots)
        # Each N-gram has one slot it may live in, so that a hit is one gather and memory stays bounded.
        owner, store = kept[length]
        slots = codes % len(owner)
        found = store[slots]
        missed = np.flatnonzero(owner[slots] != codes)
        if len(missed):
            fresh, back = np.unique(codes[missed], return_inverse=True)
            logs = self._look_up(fresh, length)
            found[missed] = logs[back]
            # In this order, as two that share a slot must leave the same one in both.
            owner[fresh % len(owner)], store[fresh % len(owner)] = fresh, logs
        return found

    def _look_up(self, codes: Indices, length: int) -> Array:
        if self._backing_off is not None:
            logs = self._backing_off.backoff.score(length + 1, codes)
        else:
            contexts, row = np.unique(codes // self.n_labels, return_inverse=True)
            powers = self.n_labels ** np.arange(length - 1, -1, -1)
            digits = contexts[:, None] // powers % self.n_labels
            logs = np.asarray(self.lm.log_conditional(digits), dtype=np.float64)[row, codes % self.n_labels]
        return _floored(self._scaled(logs))

    def _weighed(self, probabilities: Array) -> Array:
        with np.errstate(divide="ignore"):
            return self._scaled(np.log(probabilities))

    def _scaled(self, logs: Array) -> NDArray[Any]:
        return logs * self.weight if self.weight else np.zeros_like(logs)  # 0 * -inf would be NaN


def _floored(logs: Array) -> Array:
    return np.maximum(logs, LEAST_LOG).astype(np.float64, copy=False)
