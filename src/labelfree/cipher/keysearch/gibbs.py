"""The inner loop of `anneal`, compiled: one sign after the other gets a new reading, drawn from all of them.

A step asks for one row of scores for every window that holds the sign. Rows lie scattered over a table of a hundred
megabytes, so their places are worked out first and fetched ahead, and each score has one byte, so that a row of 32
letters is half a line of the cache. Four bytes are added at once, as every other byte of eight, which leaves each of
them 16 bits to grow into.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 32
"""Letters of a row; more take several."""

_WORDS = LANES // 8
_PIECE = 256  # windows whose bytes 16 bits can hold
_EVEN, _BYTE, _TWO_BYTES = np.uint64(0x00FF00FF00FF00FF), np.uint64(8), np.uint64(0xFFFF)
_NEVER = -14.0  # log of a probability that is taken to be none

Ints = NDArray[np.int64]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Rows(NamedTuple):
    """Scores of all letters in one place of an N-gram, (rows, blocks of 4) words of 8 bytes, and what 1 of them is."""

    words: NDArray[np.uint64]
    step: float


class Windows(NamedTuple):
    """Where signs stand: those of sign s are ``begins[s]`` to ``begins[s + 1]``.

    The row of a window is ``base + sum of key[others] * scales``.
    """

    begins: Ints
    base: Ints
    others: Ints
    scales: Ints


class Chain(NamedTuple):
    """A key as it changes: the letter of each sign, the symbol of each slot, and how often each letter is read."""

    readings: Ints
    key: Ints
    totals: Ints


def _compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function, once for all where there is a folder to keep it in."""
    try:
        kept: Callable[Parameters, Result] = njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither beside this file nor in the home of who runs it
        kept = njit(nogil=True)(function)
    return kept


def _prefetch(_context: Any, words: Any, row: Any) -> Any:  # types of numba, which has none for us
    """Ask for a row ahead of its use."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, values[0])
        stride = builder.extract_value(array.strides, 0)
        place = builder.add(builder.ptrtoint(array.data, stride.type), builder.mul(stride, values[1]))
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        fetch = builder.module.declare_intrinsic(
            "llvm.prefetch", (pointer,), ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        )
        builder.call(fetch, [builder.inttoptr(place, pointer), number(0), number(3), number(1)])  # to read, keep, data
        return context.get_dummy_value()

    return types.void(words, row), code


prefetch: Any = intrinsic(_prefetch)


@_compiled
def _random(state: NDArray[np.uint64]) -> float:
    """A number from 0 to 1, by xorshift64."""
    bits = state[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    state[0] = bits
    return np.float64(bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@_compiled
def add_rows(sign: np.int64, key: Ints, windows: Windows, rows: Rows, places: Ints, sums: Ints) -> None:
    """Sum the rows of all windows of a sign; `places` is room to work in."""
    sums[:] = 0
    end = windows.begins[sign + 1]
    for begin in range(windows.begins[sign], end, _PIECE):
        n = min(_PIECE, end - begin)
        for window in range(n):
            row = windows.base[begin + window]
            for other in range(windows.others.shape[1]):
                row += key[windows.others[begin + window, other]] * windows.scales[begin + window, other]
            places[window] = row
            prefetch(rows.words, row)
        for block in range(rows.words.shape[1] // _WORDS):
            a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = np.uint64(0)
            for window in range(n):
                row_ = np.uint64(places[window])  # unsigned: no look whether it counts from the end
                word = rows.words[row_, _WORDS * block]
                a0 += word & _EVEN
                b0 += (word >> _BYTE) & _EVEN
                word = rows.words[row_, _WORDS * block + 1]
                a1 += word & _EVEN
                b1 += (word >> _BYTE) & _EVEN
                word = rows.words[row_, _WORDS * block + 2]
                a2 += word & _EVEN
                b2 += (word >> _BYTE) & _EVEN
                word = rows.words[row_, _WORDS * block + 3]
                a3 += word & _EVEN
                b3 += (word >> _BYTE) & _EVEN
            for lane in range(4):
                shift, at = np.uint64(16 * lane), LANES * block + 2 * lane
                sums[at] += np.int64((a0 >> shift) & _TWO_BYTES)
                sums[at + 1] += np.int64((b0 >> shift) & _TWO_BYTES)
                sums[at + 8] += np.int64((a1 >> shift) & _TWO_BYTES)
                sums[at + 9] += np.int64((b1 >> shift) & _TWO_BYTES)
                sums[at + 16] += np.int64((a2 >> shift) & _TWO_BYTES)
                sums[at + 17] += np.int64((b2 >> shift) & _TWO_BYTES)
                sums[at + 24] += np.int64((a3 >> shift) & _TWO_BYTES)
                sums[at + 25] += np.int64((b3 >> shift) & _TWO_BYTES)


@_compiled
def _drawn(scores: NDArray[np.float64], temperature: float, state: NDArray[np.uint64]) -> int:
    """A place, drawn by its log-likelihood; the best one at temperature 0."""
    best = scores.argmax()
    if temperature <= 0.0:
        return int(best)
    highest, whole = scores[best], 0.0
    for place in range(scores.size):
        log = (scores[place] - highest) / temperature
        scores[place] = np.exp(log) if log > _NEVER else 0.0
        whole += scores[place]
    left = _random(state) * whole
    for place in range(scores.size):
        left -= scores[place]
        if left < 0.0:
            return place
    return int(best)


@_compiled
def cool(
    chain: Chain,
    windows: Windows,
    rows: Rows,
    letters: Ints,
    counts: Ints,
    temperatures: NDArray[np.float64],
    seed: int,
) -> None:
    """Sweep over all signs in random order, once at each temperature; `chain` is changed."""
    state = np.array([seed], np.uint64)
    n_log_n = np.arange(counts.sum() + chain.totals.sum() + 1).astype(np.float64)
    n_log_n[1:] *= np.log(n_log_n[1:])
    sums, places = np.zeros(LANES // _WORDS * rows.words.shape[1], np.int64), np.zeros(_PIECE, np.int64)
    scores, order = np.zeros(letters.size), np.arange(counts.size)
    for temperature in temperatures:
        for i in range(counts.size - 1, 0, -1):
            j = int(_random(state) * (i + 1))
            order[i], order[j] = order[j], order[i]
        for sign in order:
            count = counts[sign]
            chain.totals[chain.readings[sign]] -= count
            add_rows(sign, chain.key, windows, rows, places, sums)
            for place in range(letters.size):
                total = chain.totals[place]
                scores[place] = rows.step * sums[place] + n_log_n[total] - n_log_n[total + count]
            reading = _drawn(scores, temperature, state)
            chain.readings[sign], chain.key[sign] = reading, letters[reading]
            chain.totals[reading] += count
