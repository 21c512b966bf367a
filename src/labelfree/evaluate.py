"""How often a reading is wrong, where, and how sure that is: error rates with bootstrap intervals.

The only part of the library, besides the yardsticks, that may look at labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.errors import InputError
from labelfree.lengths import as_lengths

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DRAWN_AT_ONCE = 4_000_000  # numbers
_FEW_SEQUENCES = 20  # below this many, resampling sequences says too little
_PIECE = 100


@dataclass(frozen=True, eq=False)
class Rates:
    """Shares with the ends of their intervals, one entry each.

    Attributes
    ----------
    share, low, high : arrays of the same shape
        NaN where nothing was counted.
    """

    share: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A reading held against the truth.

    Attributes
    ----------
    error : Rates
        Over all positions, arrays without dimensions.
    by_symbol : Rates
        For each true symbol, shape (K,).
    confusion : array of shape (K, C)
        How often each true symbol was read as each.
    n_sequences : int
    resampled : str
        What the intervals resample, in words.
    level : float
        Of the intervals.
    """

    error: Rates
    by_symbol: Rates
    confusion: Ints
    n_sequences: int
    resampled: str
    level: float

    @property
    def n_positions(self) -> int:
        """How many labels were compared."""
        return int(self.confusion.sum())

    @property
    def errors_by_symbol(self) -> Ints:
        """How often each true symbol was read wrongly."""
        rows, columns = self.confusion.shape
        right = np.zeros(rows, np.int64)
        both = min(rows, columns)
        right[:both] = self.confusion.diagonal()
        errors: Ints = self.confusion.sum(1) - right
        return errors

    def worst_symbols(self, n: int) -> Ints:
        """The true symbols with the most errors, those without any left out."""
        errors = self.errors_by_symbol
        ranked = np.argsort(-errors, kind="stable")
        return ranked[errors[ranked] > 0][:n]

    def top_confusions(self, n: int) -> list[tuple[int, int, int]]:
        """The commonest errors as (true symbol, what was read, how often)."""
        off = self.confusion.copy()
        np.fill_diagonal(off, 0)
        ranked = np.argsort(-off, axis=None, kind="stable")[:n]
        truth, read = np.unravel_index(ranked, off.shape)
        return [(int(t), int(r), int(off[t, r])) for t, r in zip(truth, read, strict=True) if off[t, r] > 0]


def evaluate(
    truth: ArrayLike,
    read: ArrayLike,
    lengths: ArrayLike,
    n_classes: int,
    *,
    n_symbols: int | None = None,
    level: float = 0.95,
    n_draws: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Compare labels position by position.

    Parameters
    ----------
    truth, read : arrays of shape (T,)
        True labels and labels read.
    lengths : array of int
        Of the sequences, which are what the bootstrap resamples: errors cluster within a sequence.
    n_classes : int
        C, how many labels can be read.
    n_symbols : int, optional
        K, how many can be true; by default C.
    level : float
        Of the intervals.
    n_draws : int
        Resamplings.
    seed : int
        Of the resampling.

    Examples
    --------
    >>> found = evaluate([0, 1, 1, 0] * 50, [0, 1, 0, 0] * 50, [4] * 50, n_classes=2)
    >>> float(found.error.share), found.confusion.tolist(), found.top_confusions(3)
    (0.25, [[100, 0], [50, 50]], [(1, 0, 50)])
    """
    true, got = np.asarray(truth), np.asarray(read)
    n_rows = n_symbols or n_classes
    if true.shape != got.shape or true.ndim != 1 or true.size == 0:
        raise InputError(
            f"{true.size} true labels and {got.size} read; as many of each wanted, and not none: give both of the "
            "same data"
        )
    sizes = as_lengths(lengths, true.size)
    confusion = np.bincount(true * n_classes + got, minlength=n_rows * n_classes).reshape(n_rows, n_classes)
    pieces, resampled = _pieces(sizes)
    piece_of = np.repeat(np.arange(pieces.size), pieces)
    cells = piece_of * n_rows + true
    shape = (pieces.size, n_rows)
    totals = np.bincount(cells, minlength=pieces.size * n_rows).reshape(shape)
    errors = np.bincount(cells, weights=true != got, minlength=pieces.size * n_rows).reshape(shape)
    # Column 0 is all symbols together.
    totals, errors = (np.column_stack((counts.sum(1), counts)) for counts in (totals, errors))
    rates = bootstrap_rates(errors, totals, level=level, n_draws=n_draws, seed=seed)
    overall, by_symbol = (Rates(rates.share[part], rates.low[part], rates.high[part]) for part in (0, slice(1, None)))
    return Evaluation(overall, by_symbol, confusion, sizes.size, resampled, level)


def bootstrap_rates(errors: ArrayLike, totals: ArrayLike, *, level: float, n_draws: int, seed: int) -> Rates:
    """Rates over units drawn with replacement, many resamplings at once.

    Parameters
    ----------
    errors, totals : arrays of shape (S, K)
        Of each unit, how many errors of each kind among how many.
    level : float
    n_draws : int
    seed : int

    Examples
    --------
    >>> rates = bootstrap_rates([[1.0], [0.0]] * 50, [[2.0], [2.0]] * 50, level=0.95, n_draws=2000, seed=0)
    >>> rates.share, rates.low.round(1), rates.high.round(1)
    (array([0.25]), array([0.2]), array([0.3]))
    """
    wrong, all_ = np.asarray(errors, np.float64), np.asarray(totals, np.float64)
    n_units = len(wrong)
    rng = np.random.default_rng(seed)
    at_once = max(1, _DRAWN_AT_ONCE // n_units)
    draws = []
    for begin in range(0, n_draws, at_once):
        rows = min(at_once, n_draws - begin)
        chosen = rng.integers(n_units, size=(rows, n_units)) + np.arange(rows)[:, None] * n_units
        weights = np.bincount(chosen.ravel(), minlength=rows * n_units).reshape(rows, n_units).astype(np.float64)
        draws.append(_share(weights @ wrong, weights @ all_))
    sample = np.concatenate(draws)
    low, high = np.full(wrong.shape[1], np.nan), np.full(wrong.shape[1], np.nan)
    seen = all_.sum(0) > 0
    tail = (1 - level) / 2
    low[seen], high[seen] = np.nanquantile(sample[:, seen], [tail, 1 - tail], axis=0)
    return Rates(_share(wrong.sum(0), all_.sum(0)), low, high)


def _share(part: Floats, whole: Floats) -> Floats:
    share: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return share


def _pieces(lengths: Ints) -> tuple[Ints, str]:
    """What to resample: sequences, or pieces of them where there are too few."""
    sizes = lengths[lengths > 0]
    if sizes.size >= _FEW_SEQUENCES:
        return sizes, "sequences"
    cut = [np.diff(np.append(np.arange(0, size, _PIECE), size)) for size in sizes.tolist()]
    return np.concatenate(cut), f"pieces of {_PIECE} positions, as there are only {lengths.size} sequences"
