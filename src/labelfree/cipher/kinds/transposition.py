"""The same letters in another order: rail fence, columnar transposition, written backwards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import lgamma, log

import numpy as np

from labelfree.cipher.kinds.letters import Ints, Letters, Reading

MOST_RAILS, MOST_COLUMNS = 40, 15
_ALL_ORDERS = 6  # columns of which every order is tried
_CHAINS = 24
_STEPS = 120  # for each column
_SEARCHED = 240  # letters


def transpositions(letters: Letters) -> Iterator[Reading]:
    """The likeliest reading of each family and number of columns, the smallest keys first."""
    yield _of_orders(letters, *_fences(len(letters.x)))
    rng = np.random.default_rng(0)
    for columns in range(2, min(MOST_COLUMNS, len(letters.x) // 4) + 1):
        order = _best_columns(letters, columns, rng)
        price = lgamma(columns + 1) + log(2 * MOST_COLUMNS)
        spelled = " ".join(str(place + 1) for place in np.argsort(order).tolist())
        plain = letters.x[columnar(order[None], len(letters.x))[0]]
        name = f"columnar transposition, columns written in the order {spelled}"
        yield Reading(plain, name, price, float(letters.scores(plain[None])[0]), reorders=True)


def rail_fence(n: int, rails: int, start: int = 0) -> Ints:
    """For each plain letter, where it stands in the cipher.

    Examples
    --------
    >>> cipher = "hloel"  # h.l.o over .e.l.
    >>> "".join(cipher[i] for i in rail_fence(5, 2).tolist())
    'hello'
    """
    around = (np.arange(n) + start) % (2 * rails - 2)
    rail = np.minimum(around, 2 * rails - 2 - around)
    return np.argsort(np.argsort(rail, kind="stable"), kind="stable")


def columnar(orders: Ints, n: int) -> Ints:
    """For each plain letter, where it stands in the cipher, (R, n).

    Parameters
    ----------
    orders : (R, K) int array
        The plain columns in the order in which the cipher writes them.
    n : int

    Examples
    --------
    >>> cipher = "eolhl"  # hel/lo, the middle column first
    >>> "".join(cipher[i] for i in columnar(np.array([[1, 2, 0]]), 5)[0].tolist())
    'hello'
    """
    columns = orders.shape[1]
    heights = n // columns + (orders < n % columns)
    begins = np.cumsum(heights, axis=1) - heights
    begin_of = np.empty_like(begins)
    np.put_along_axis(begin_of, orders, begins, axis=1)
    places = np.arange(n)
    return np.asarray(begin_of[:, places % columns] + places // columns)


def _fences(n: int) -> tuple[list[Ints], list[str]]:
    orders, names = [np.arange(n)[::-1]], ["written backwards"]
    for rails in range(2, min(MOST_RAILS, n // 2) + 1):
        for start in range(2 * rails - 2):
            orders.append(rail_fence(n, rails, start))
            names.append(f"rail fence, {rails} rails" + (f", beginning {start} letters later" if start else ""))
    return orders, names


def _of_orders(letters: Letters, orders: list[Ints], names: list[str]) -> Reading:
    """The best of a list; its first 240 letters decide."""
    n = min(_SEARCHED, len(letters.x))
    rows = letters.x[np.array([order[:n] for order in orders])]
    part = letters.beginning(n)
    scores = np.concatenate([part.scores(rows[i : i + 200]) for i in range(0, len(rows), 200)])
    best = int(scores.argmax())
    plain = letters.x[orders[best]]
    return Reading(plain, names[best], log(2 * len(orders)), float(letters.scores(plain[None])[0]), reorders=True)


def _best_columns(letters: Letters, columns: int, rng: np.random.Generator) -> Ints:
    """The order of columns that reads best: all tried where they are few, else chains that cool."""
    n = min(_SEARCHED, len(letters.x))
    part = letters.beginning(n)

    def scores(orders: Ints) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return part.scores(letters.x[columnar(orders, len(letters.x))[:, :n]])

    if columns <= _ALL_ORDERS:
        everything = np.array(list(permutations(range(columns))))
        return np.asarray(everything[scores(everything).argmax()])
    orders = np.array([rng.permutation(columns) for _ in range(_CHAINS)])
    now = scores(orders)
    best, best_score = orders[now.argmax()].copy(), now.max()
    for temperature in np.geomspace(0.1 * n, 0.01 * n, _STEPS * columns).tolist():
        changed = np.array([_moved(order, rng) for order in orders])
        then = scores(changed)
        taken = then - now > temperature * np.log(rng.random(_CHAINS))
        orders[taken], now[taken] = changed[taken], then[taken]
        if now.max() > best_score:
            best, best_score = orders[now.argmax()].copy(), now.max()
    return np.asarray(best)


def _moved(order: Ints, rng: np.random.Generator) -> Ints:
    """Swap two columns, or move a stretch of them elsewhere."""
    changed = order.copy()
    if rng.random() < 0.4:
        a, b = rng.integers(len(order), size=2)
        changed[a], changed[b] = order[b], order[a]
        return changed
    a, b, c = np.sort(rng.integers(len(order) + 1, size=3))
    return np.concatenate([order[:a], order[b:c], order[a:b], order[c:]])
