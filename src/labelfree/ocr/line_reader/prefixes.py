"""Prefixes of lines in a beam, and how probable each is."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NEVER = -1e30
"""The log-probability of what cannot be, finite so that sums stay numbers."""

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Prefixes of many lines, all of shape (p,), those of a line side by side.

    `key` names a prefix among those of all lines, `node` is where its last symbol stands in the `Trie`; `context` are
    its last symbols as one number and `known` how many these are.
    """

    line: Ints
    key: NDArray[np.uint64]
    node: Ints
    last: Ints
    context: Ints
    known: Ints
    in_symbol: Floats
    in_blank: Floats
    prior: Floats

    def take(self, chosen: Ints | slice) -> Prefixes:
        """Some of them."""
        return Prefixes(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def followed_by(self, other: Prefixes) -> Prefixes:
        """These and others."""
        return Prefixes(
            *(np.concatenate([getattr(self, field.name), getattr(other, field.name)]) for field in fields(self))
        )

    @property
    def spelled(self) -> Floats:
        """Log-probability of the frames."""
        total: Floats = np.logaddexp(self.in_symbol, self.in_blank)
        return total


def longer_key(key: NDArray[np.uint64], symbol: Ints) -> NDArray[np.uint64]:
    """The key of a prefix with one more symbol."""
    mixed = (key + symbol.astype(np.uint64) + np.uint64(1)) * _FACTOR
    return mixed ^ (mixed >> np.uint64(29))


class Trie:
    """The symbols of all prefixes that ever were in a beam, each with the node of the one before it; 0 is nothing."""

    def __init__(self) -> None:
        self.size = 1
        self._parents = [np.zeros(1, np.int64)]
        self._symbols = [np.zeros(1, np.int64)]

    def add(self, parents: Ints, symbols: Ints) -> Ints:
        """The nodes of some symbols after others."""
        self._parents.append(parents)
        self._symbols.append(symbols)
        self.size += len(parents)
        return np.arange(self.size - len(parents), self.size)

    def spelled(self, nodes: Ints) -> list[Ints]:
        """The symbols that lead to each node.

        Examples
        --------
        >>> trie = Trie()
        >>> (a,) = trie.add(np.array([0]), np.array([7]))
        >>> b = trie.add(np.array([a, 0]), np.array([8, 9]))
        >>> [found.tolist() for found in trie.spelled(np.array([0, a, *b]))]
        [[], [7], [7, 8], [9]]
        """
        parents, symbols = np.concatenate(self._parents), np.concatenate(self._symbols)
        back, at = [], nodes
        while at.any():
            back.append(np.where(at > 0, symbols[at], -1))
            at = parents[at]
        table = np.array(back[::-1], np.int64).reshape(len(back), len(nodes)).T
        return [row[row >= 0] for row in table]
