"""A neural language model of characters: a recurrent network that remembers further back than N-grams reach.

Symbols come in one after the other, each as a learned vector; a layer of gated recurrent units keeps what matters of
them, and from that the next symbol is foretold. One more symbol, known to no alphabet, says that a sequence begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from labelfree import progress
from labelfree.alphabet import Alphabet, Cutter, as_alphabet
from labelfree.errors import InputError
from labelfree.lengths import as_lengths
from labelfree.lm.neural_network import SYMBOLS, CharacterNetwork, fit

Ints = NDArray[np.int64]

_LEAST_SYMBOLS = 2_000
_MOST_UNITS = 4_096
_TOGETHER = 4_096  # sequences that are scored in step


@dataclass(frozen=True, eq=False)
class NeuralLM:
    """A neural language model over the symbols of an alphabet; train one with `from_text` or `train`.

    Attributes
    ----------
    alphabet : Alphabet
    network : CharacterNetwork
        In evaluation mode.

    Examples
    --------
    >>> lm = NeuralLM.from_text("never odd or even. " * 200, Alphabet("deonrv. "), symbols=15_000, hidden=16)
    >>> known, strange = (lm.alphabet.encode(word) for word in ("never odd", "vnere ddo"))
    >>> likely, unlikely = lm.log_probabilities([known, strange])
    >>> bool(likely > unlikely)
    True
    """

    alphabet: Alphabet
    network: CharacterNetwork

    def __post_init__(self) -> None:
        self.network.eval()
        if self.network.n_symbols != len(self.alphabet):
            raise InputError(
                f"a network over {self.network.n_symbols} symbols does not fit an alphabet of {len(self.alphabet)}; "
                "give both alike"
            )

    @classmethod
    def from_text(
        cls,
        text: str,
        alphabet: Alphabet | str | Sequence[str],
        *,
        symbols: int = SYMBOLS,
        hidden: int = 256,
        seed: int = 0,
    ) -> NeuralLM:
        """Train a model on text, read as `NGramLM.from_text` reads it; what is outside the alphabet ends a sequence."""
        alphabet = as_alphabet(alphabet)
        ids, lengths = read_text(text, alphabet)
        return cls.train(ids, lengths, alphabet, symbols=symbols, hidden=hidden, seed=seed)

    @classmethod
    def train(
        cls,
        ids: ArrayLike,
        lengths: ArrayLike,
        alphabet: Alphabet,
        *,
        symbols: int = SYMBOLS,
        hidden: int = 256,
        seed: int = 0,
    ) -> NeuralLM:
        """Train a model on stacked sequences of symbol indices.

        Parameters
        ----------
        ids : (T,) integer array
            All sequences stacked.
        lengths : (S,) integer array
            How long each is.
        alphabet : Alphabet
        symbols : int
            How many symbols to learn from: a random part of a longer text, a shorter one several times over.
        hidden : int
            Recurrent units.
        seed : int

        Returns
        -------
        NeuralLM
        """
        stacked, each = _checked(ids, lengths, alphabet)
        if symbols < 1 or not 1 <= hidden <= _MOST_UNITS:
            raise InputError(
                f"symbols is {symbols} and hidden {hidden}, 1 or more wanted; leave them out for the usual"
            )
        begin = len(alphabet)
        starts = np.cumsum(each) - each
        stream = np.insert(stacked, starts[each > 0], begin)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = CharacterNetwork(begin, hidden=hidden)
            fit(network, stream, symbols, np.random.default_rng(seed))
        return cls(alphabet, network)

    def log_probabilities(self, lines: Sequence[Ints], before: Sequence[Ints] | None = None) -> NDArray[np.float64]:
        """Give the log probability of each of many rows of symbols.

        Rows that begin alike are gone through together as far as they are, so that many readings of a line cost little
        more than one.

        Parameters
        ----------
        lines : sequence of arrays of int
        before : sequence of arrays of int, optional
            What stands before each; by default a sequence begins with it.

        Returns
        -------
        (len(lines),) float64 array
            Natural logs.
        """
        if before is not None and len(before) != len(lines):
            raise InputError(f"{len(before)} beginnings for {len(lines)} lines, one a line wanted; give each its own")
        contexts = [np.empty(0, np.int64)] * len(lines) if before is None else before
        whole = [np.concatenate([one, line]).astype(np.int64) for one, line in zip(contexts, lines, strict=True)]
        for ids in whole:
            _check_ids(ids, self.alphabet)
        found = np.zeros(len(whole))
        # Neighbours mostly share their beginning; short rows and long ones may stand side by side.
        for first in range(0, len(whole), _TOGETHER):
            part = slice(first, first + _TOGETHER)
            found[part] = self._totals(whole[part], np.array([len(one) for one in contexts[part]], np.int64))
        return found

    def _totals(self, rows: Sequence[Ints], skipped: Ints) -> NDArray[np.float64]:
        """Log probabilities of rows from some place on; a node stands for all rows that are alike up to it."""
        sizes = np.array([len(row) for row in rows], np.int64)
        table = np.full((len(rows), int(sizes.max(initial=0))), -1, np.int64)
        for row, ids in zip(table, rows, strict=True):
            row[: len(ids)] = ids
        totals = np.zeros(len(rows))
        n_symbols = len(self.alphabet)
        node = np.zeros(len(rows), np.int64)
        entered, state = torch.tensor([n_symbols]), None
        with torch.inference_mode():
            for place in range(table.shape[1]):
                logits, state = self.network(entered[None], state)
                logs = torch.log_softmax(logits[0], -1).numpy()
                running = np.flatnonzero(sizes > place)
                symbol, at = table[running, place], node[running]
                totals[running] += np.where(place >= skipped[running], logs[at, symbol], 0.0)
                steps, node[running] = np.unique(at * n_symbols + symbol, return_inverse=True)
                entered = torch.from_numpy(steps % n_symbols)
                state = state[:, torch.from_numpy(steps // n_symbols)]
        return totals

    def sample(self, symbols: int, *, rows: int = 512, seed: int = 0) -> tuple[Ints, Ints]:
        """Draw text: each symbol by its probability after all that were drawn before it.

        Parameters
        ----------
        symbols : int
            How many to draw in all, at least.
        rows : int
            Sequences drawn side by side, all of one length.
        seed : int

        Returns
        -------
        ids : int64 array
            All sequences stacked.
        lengths : int64 array
            How long each is.

        Examples
        --------
        >>> lm = NeuralLM.from_text("never odd or even. " * 200, Alphabet("deonrv. "), symbols=15_000, hidden=16)
        >>> ids, lengths = lm.sample(30, rows=3)
        >>> ids.shape, lengths
        ((30,), array([10, 10, 10]))
        """
        if symbols < 1 or rows < 1:
            raise InputError(f"{symbols} symbols in {rows} rows asked for, 1 or more of each wanted")
        length = -(-symbols // rows)
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.empty((length, rows), dtype=torch.int64)
        entered, state = torch.full((rows,), len(self.alphabet)), None
        with torch.inference_mode():
            for place in range(length):
                progress.stage("drawing text", place, length)
                logits, state = self.network(entered[None], state)
                entered = torch.multinomial(logits[0].softmax(-1), 1, generator=generator)[:, 0]
                drawn[place] = entered
        return drawn.T.reshape(-1).numpy(), np.full(rows, length)

    def perplexity(self, text: str) -> float:
        """Give the perplexity of a text, a symbol at a time; the text is read as `from_text` reads it."""
        ids, lengths = read_text(text, self.alphabet)
        return float(np.exp(-self.log_probabilities(np.split(ids, np.cumsum(lengths)[:-1])).sum() / ids.size))

    def state(self) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
        """Tensors and settings, all that `from_state` needs."""
        tensors = {name: tensor.numpy().astype(np.float32) for name, tensor in self.network.state_dict().items()}
        settings = {
            "symbols": list(self.alphabet.symbols),
            "fold_case": self.alphabet.fold_case,
            "embedding": self.network.embedding,
            "hidden": self.network.hidden,
        }
        return tensors, settings

    @classmethod
    def from_state(cls, tensors: Mapping[str, NDArray[np.floating]], settings: Mapping[str, Any]) -> NeuralLM:
        """Put together what `state` gave, checking every tensor against the settings."""
        symbols, fold_case = settings.get("symbols"), settings.get("fold_case")
        if not isinstance(symbols, list) or not isinstance(fold_case, bool):
            raise InputError("neural language model: its alphabet is missing or not a list; train the model again")
        alphabet = Alphabet(symbols, fold_case=fold_case)
        sizes = {name: _size(settings, name) for name in ("embedding", "hidden")}
        with torch.device("meta"):
            network = CharacterNetwork(len(alphabet), **sizes)
        wanted = network.state_dict()
        if set(wanted) != set(tensors):
            strange = min(set(wanted) ^ set(tensors))
            raise InputError(f"neural language model: tensor {strange!r} is missing or strange; train the model again")
        for name, tensor in wanted.items():
            if tensors[name].shape != tuple(tensor.shape) or not np.isfinite(tensors[name]).all():
                raise InputError(
                    f"neural language model: {name} has shape {tensors[name].shape}, finite numbers in "
                    f"{tuple(tensor.shape)} wanted; train the model again"
                )
        network.to_empty(device="cpu")
        network.load_state_dict({name: torch.from_numpy(np.array(tensors[name], np.float32)) for name in wanted})
        return cls(alphabet, network)


def read_text(text: str, alphabet: Alphabet) -> tuple[Ints, Ints]:
    r"""Turn a text into stacked sequences: white space is a space, runs of it are one, what is outside ends a sequence.

    Examples
    --------
    >>> read_text("ab\n a7b", Alphabet("ab "))
    (array([0, 1, 2, 0, 1]), array([4, 1]))
    """
    codes = Cutter(alphabet, "break", squeeze=True).feed(text, last=True)
    ends = np.flatnonzero(codes == len(alphabet))
    lengths = np.diff(np.concatenate(([-1], ends, [codes.size]))) - 1
    return codes[codes < len(alphabet)].astype(np.int64), lengths[lengths > 0].astype(np.int64)


def _checked(ids: ArrayLike, lengths: ArrayLike, alphabet: Alphabet) -> tuple[Ints, Ints]:
    stacked = np.asarray(ids, np.int64).ravel()
    each = as_lengths(lengths, stacked.size)
    _check_ids(stacked, alphabet)
    if stacked.size < _LEAST_SYMBOLS:
        raise InputError(f"{stacked.size} symbols to learn from, {_LEAST_SYMBOLS} or more wanted; give more text")
    return stacked, each


def _check_ids(ids: Ints, alphabet: Alphabet) -> None:
    if ids.size and not 0 <= ids.min() <= ids.max() < len(alphabet):
        found = ids.min() if ids.min() < 0 else ids.max()
        raise InputError(f"found the symbol index {found}; give indices from 0 to {len(alphabet) - 1}")


def _size(settings: Mapping[str, Any], name: str) -> int:
    found = settings.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or not 1 <= found <= _MOST_UNITS:
        raise InputError(
            f"neural language model: {name} is {found!r}, a whole number from 1 to {_MOST_UNITS} wanted; "
            "train the model again"
        )
    return found
