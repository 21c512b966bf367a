"""What goes into a solver and what comes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from labelfree.core import Target, Windows, expected_ngrams, kl_divergence, label_cost, merge_windows, subsequences
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.models import Classifier
from labelfree.scale.rows import BLOCK, Inputs, blocks
from labelfree.solvers.symbol_counts import SymbolCounts

_PIECE = 400  # positions of a sequence that are drawn together
_DENSE_NGRAMS = 2**20  # above this many N-grams only those the language model has seen are matched


@dataclass(frozen=True, eq=False)
class Problem:
    """All that a label-free solver may see.

    Attributes
    ----------
    inputs : Tensor or ScaledRows
        One row an input: (r, d) features, in memory or where they stand, or (r,) integers for a table of symbols or
        groups.
    n_inputs : int
        Number of symbols for a table, of features otherwise.
    positions : array of shape (T,)
        The row that stands at each position of the data.
    lengths : array
        Length of each sequence; they sum to T.
    windows : Windows
        The data's N-windows over the rows.
    lm : NGramLM
        The language of the output.
    target : Target
        Its N-grams.
    known : array of shape (T,), optional
        The label of each position where a person gave one, -1 elsewhere; by default there is none.
    evidence : array of shape (T, C), optional
        What another source says of each position, as log-likelihoods of all labels: it is heard where the language
        model reads, and the classifier learns from that. By default there is none.
    counted : SymbolCounts, optional
        Where the data were counted as they passed: these counts, and then there are no positions and no lengths.
    """

    inputs: Inputs
    n_inputs: int
    positions: NDArray[np.int64]
    lengths: NDArray[np.int64]
    windows: Windows
    lm: NGramLM
    target: Target
    known: NDArray[np.int64] | None = None
    evidence: NDArray[np.float32] | None = None
    counted: SymbolCounts | None = None

    @classmethod
    def from_sequences(cls, inputs: Inputs, lengths: ArrayLike, lm: NGramLM, order: int) -> Problem:
        """State the problem: one row a position for features; for symbols one row a symbol, already compressed.

        Parameters
        ----------
        inputs : Tensor or ScaledRows of shape (T, d), or Tensor of (T,) integers
        lengths : array-like
            Length of each sequence.
        lm : NGramLM
            Of order ``order`` or higher.
        order : int
            N, the length of the N-grams to match.
        """
        sizes = np.asarray(lengths, dtype=np.int64)
        target = language_target(lm, order)
        windows = subsequences(sizes, order)
        if not isinstance(inputs, Tensor) or inputs.ndim == 2:
            positions = np.arange(len(inputs))
            return cls(inputs, inputs.shape[1], positions, sizes, windows, lm, target)
        symbols, n_symbols = inputs.numpy().astype(np.int64), int(inputs.max()) + 1
        merged = merge_windows(windows, symbols, n_symbols)
        return cls(torch.arange(n_symbols), n_symbols, symbols, sizes, merged, lm, target)

    @classmethod
    def from_counts(cls, counted: SymbolCounts, lm: NGramLM, order: int) -> Problem:
        """State the problem of a stream of symbols that is gone: only the runs of symbols in it are known.

        Parameters
        ----------
        counted : SymbolCounts
        lm : NGramLM
            Of order ``order`` or higher.
        order : int
            N, the length of the N-grams to match.
        """
        nothing = np.zeros(0, np.int64)
        n_symbols = len(counted.symbols)
        return cls(
            inputs=torch.arange(n_symbols),
            n_inputs=n_symbols,
            positions=nothing,
            lengths=nothing,
            windows=counted.windows(order),
            lm=lm,
            target=language_target(lm, order),
            counted=counted,
        )

    @property
    def rows(self) -> Tensor:
        """All inputs, in memory."""
        return self.inputs[:]

    @property
    def row_counts(self) -> NDArray[np.int64]:
        """How many positions of the data each row stands at."""
        if self.counted is not None:
            return self.counted.counts[0]
        return np.bincount(self.positions, minlength=len(self.inputs))

    @property
    def longest(self) -> int:
        """Length of the longest sequence, as far as it is known."""
        return self.counted.longest if self.counted is not None else int(self.lengths.max())

    @property
    def order(self) -> int:
        """N."""
        return self.target.order

    @property
    def n_classes(self) -> int:
        """C."""
        return self.target.n_classes

    @property
    def is_table(self) -> bool:
        """Whether inputs are symbols or groups rather than features."""
        return self.inputs.ndim == 1

    @cached_property
    def known_rows(self) -> tuple[Tensor, Tensor]:
        """The rows that have known labels, (k,), and their soft labels, (k, c), for `label_cost`.

        A row bears the labels known of it, and counts by the share of positions that it stands at. Where it also stands
        at others, these count as one observation that says nothing: a single label moves a group, several decide it.
        """
        known = np.full(len(self.positions), -1) if self.known is None else self.known
        has_label = known >= 0
        rows, places = np.unique(self.positions[has_label], return_inverse=True)
        counts = np.zeros((len(rows), self.n_classes))
        np.add.at(counts, (places, known[has_label]), 1.0)
        n_known = counts.sum(1)
        n_all = np.bincount(self.positions, minlength=len(self.inputs))[rows]
        weight = n_all / len(self.positions) / (n_known + (n_all > n_known))
        return torch.from_numpy(rows), torch.from_numpy(counts * weight[:, None]).float()

    def compressed(self, groups: NDArray[np.int64], n_groups: int) -> Problem:
        """The same problem over groups of rows: its statistics no longer grow with the data."""
        positions = groups[self.positions]
        return replace(
            self,
            inputs=torch.arange(n_groups),
            n_inputs=n_groups,
            positions=positions,
            windows=merge_windows(subsequences(self.lengths, self.order), positions, n_groups),
        )

    def at_order(self, order: int) -> Problem:
        """The same data matched to N-grams of another length."""
        if self.counted is not None:
            windows = self.counted.windows(order)
        else:
            windows = subsequences(self.lengths, order)
            if self.is_table:
                windows = merge_windows(windows, self.positions, len(self.inputs))
        return replace(self, windows=windows, target=language_target(self.lm, order))

    def part(self, sequences: NDArray[np.bool_]) -> Problem:
        """The problem restricted to some of the sequences."""
        keep = np.repeat(sequences, self.lengths)
        lengths = self.lengths[sequences]
        positions = self.positions[keep]
        known = None if self.known is None else self.known[keep]
        evidence = None if self.evidence is None else self.evidence[keep]
        windows = subsequences(lengths, self.order)
        if self.is_table:
            windows = merge_windows(windows, positions, len(self.inputs))
            return replace(self, positions=positions, lengths=lengths, windows=windows, known=known, evidence=evidence)
        return replace(
            self,
            inputs=self.inputs[torch.from_numpy(keep)],
            positions=np.arange(len(positions)),
            lengths=lengths,
            windows=windows,
            known=known,
            evidence=evidence,
        )

    def sample(self, n_positions: int, seed: int) -> tuple[Problem, NDArray[np.bool_]]:
        """The problem over pieces of sequences drawn at random, and which positions those are.

        Parameters
        ----------
        n_positions : int
            At most so many, but one piece at least; all of the problem where it has no more.
        seed : int
        """
        if len(self.positions) <= n_positions:
            return replace(self, inputs=self.rows), np.ones(len(self.positions), dtype=bool)
        pieces = replace(self, lengths=cut_lengths(self.lengths, _PIECE))
        drawn = np.random.default_rng(seed).permutation(len(pieces.lengths))
        taken = drawn[np.cumsum(pieces.lengths[drawn]) <= max(n_positions, pieces.lengths.max())]
        chosen = np.isin(np.arange(len(pieces.lengths)), taken)
        return pieces.part(chosen), np.repeat(chosen, pieces.lengths)

    @torch.no_grad()
    def kl(self, model: Classifier) -> Tensor:
        """Divergence of each start's expected N-grams, over all the data, from the language's: the label-free score."""
        return kl_divergence(self.survey(model)[0], self.target)

    @torch.no_grad()
    def survey(self, model: Classifier) -> tuple[Tensor, Tensor]:
        """One pass over all the data, block by block: the expected N-grams of each start, and its mean posteriors.

        Returns
        -------
        expected : Tensor of shape (s, c, ..., c) or (s, u)
        output : Tensor of shape (s, c)
        """
        share = torch.from_numpy(self.row_counts / self.row_counts.sum()).float()
        if self.is_table or len(self.inputs) <= BLOCK:
            posteriors = model(self.rows).exp()
            return expected_ngrams(posteriors, self.windows, self.target), share.to(posteriors.dtype) @ posteriors
        expected = output = torch.zeros(())
        for block in blocks(len(self.inputs)):
            windows, n_rows = self.windows.beginning_in(block)
            posteriors = model(self.inputs[block.start : block.start + n_rows]).exp()
            output = output + share[block].to(posteriors.dtype) @ posteriors[:, : block.stop - block.start]
            if len(windows):
                expected = expected + expected_ngrams(posteriors, windows, self.target)
        return expected, output

    def label_cost(self, model: Classifier) -> Tensor:
        """What each start's posteriors cost where labels are known; 0 where there are none."""
        if self.known is None:
            return torch.zeros(model.n_starts)
        rows, soft_labels = self.known_rows
        return label_cost(model(self.inputs[rows]), soft_labels)


@dataclass(frozen=True, eq=False)
class Solution:
    """A fitted classifier and how it was found.

    Attributes
    ----------
    model : Classifier
        The winner, a single start.
    kl : float
        Its label-free score over all the data.
    restarts : tuple of float
        The label-free score of every start when it was last looked at.
    n_steps : int
        Steps taken by the winner.
    notes : tuple of str
        What the solver chose by itself, in words.
    """

    model: Classifier
    kl: float
    restarts: tuple[float, ...] = ()
    n_steps: int = 0
    notes: tuple[str, ...] = ()


def cut_lengths(lengths: NDArray[np.int64], longest: int) -> NDArray[np.int64]:
    """The same positions in sequences of at most so many, those cut from one sequence alike in length.

    Examples
    --------
    >>> cut_lengths(np.array([3, 7]), 4).tolist()
    [3, 4, 3]
    """
    pieces = [(length, -(-length // longest)) for length in lengths.tolist()]
    return np.array([length // n + (i < length % n) for length, n in pieces for i in range(n)], dtype=np.int64)


def language_target(lm: NGramLM, order: int) -> Target:
    """p_LM as tensors: all N-grams where they are few, those the model has seen where C**N is large."""
    if not 1 <= order <= lm.order:
        raise InputError(
            f"order {order} asked of a language model of order {lm.order}; use an order from 1 to {lm.order} "
            f"or build the model with order={order}"
        )
    n_classes = len(lm.alphabet)
    if n_classes**order <= _DENSE_NGRAMS:
        return Target(torch.as_tensor(lm.joint(order), dtype=torch.float32), n_classes)
    seen = lm.joint(order, top=_DENSE_NGRAMS)
    rank = np.lexsort(seen.ids.T[::-1])
    return Target(
        torch.as_tensor(seen.probability[rank], dtype=torch.float32),
        n_classes,
        torch.as_tensor(seen.ids[rank], dtype=torch.int64),
    )
