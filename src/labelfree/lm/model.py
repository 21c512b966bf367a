"""`NGramLM`: what the labels look like in order, from text, counts, a language's name or an ARPA file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.alphabet import Alphabet, Cutter, as_alphabet
from labelfree.errors import InputError
from labelfree.lengths import as_lengths
from labelfree.lm.arpa import read_arpa, write_arpa
from labelfree.lm.backoff import BackOff
from labelfree.lm.counting import NGramCounts
from labelfree.lm.mixing import fitted_weights, mixed
from labelfree.lm.smoothing import Smoothing, choose, estimate
from labelfree.lm.sources import TextSource
from labelfree.lm.stationary import DENSE_LIMIT, Chain, NGrams
from labelfree.lm.text import count_text
from labelfree.notebook import bars, card, shown

_SHOWN = 20  # symbols in a notebook

Symbols: TypeAlias = Alphabet | str | Sequence[str]
"""An alphabet, or what makes one."""


class NGramLM:
    """An N-gram language model over the symbols of an alphabet.

    Build one with `from_text`, `from_counts`, `from_language`, `read_arpa` or `interpolate`.

    Parameters
    ----------
    alphabet : Alphabet
        The symbols, which the model's arrays follow in order.
    backoff : BackOff
        The tables.
    smoothing : Smoothing, optional
        How they were estimated, for those who want to know.

    Examples
    --------
    >>> lm = NGramLM.from_text("abracadabra " * 50, order=2)
    >>> lm.alphabet.symbols, lm.order
    ((' ', 'a', 'b', 'c', 'd', 'r'), 2)
    >>> lm.joint(1).round(2)
    array([0.08, 0.42, 0.17, 0.08, 0.08, 0.17])
    >>> lm.conditional(2)[lm.alphabet.index("b")].round(1)
    array([0., 0., 0., 0., 0., 1.])
    """

    def __init__(self, alphabet: Alphabet, backoff: BackOff, smoothing: Smoothing | None = None) -> None:
        if backoff.size != len(alphabet):
            raise InputError(
                f"tables over {backoff.size} symbols do not fit an alphabet of {len(alphabet)}; give both alike"
            )
        self._alphabet = alphabet
        self._backoff = backoff
        self._smoothing = smoothing
        self._chain = Chain(backoff)

    def __reduce__(self) -> tuple[type[NGramLM], tuple[Alphabet, BackOff, Smoothing | None]]:
        """Copy and hash the model by what it says, not by the tables that it has worked out so far."""
        return type(self), (self._alphabet, BackOff(self._backoff.size, self._backoff.levels), self._smoothing)

    @classmethod
    def from_text(
        cls,
        text_or_paths: TextSource,
        alphabet: Symbols | None = None,
        order: int = 3,
        *,
        outside: str | Mapping[str, str] = "drop",
        smoothing: str = "auto",
        weight: float | None = None,
    ) -> NGramLM:
        r"""Estimate a model from text, in one pass and without holding the text.

        White space of any kind reads as a space where the alphabet holds the space, and a run of spaces counts as
        one, also where it is left after dropping what was between. Every string, file and stream is a sequence of
        its own, which no N-gram leaves.

        Parameters
        ----------
        text_or_paths : str, bytes, pathlib.Path, stream, or an iterable of those
            A `str` is always text itself; `bytes` and files hold UTF-8. A path is a file, a `.gz` file, or a folder,
            of which all files below are read.
        alphabet : Alphabet, or str or sequence of str, optional
            The symbols; by default every character that the text holds, sorted.
        order : int
            The length N of the N-grams.
        outside : {"drop", "break", "error"} or mapping
            What happens to characters outside the alphabet, as in `Alphabet.encode`.
        smoothing : {"auto", "additive", "witten-bell", "absolute", "kneser-ney"}
            How probability reaches what was not seen. "auto" takes the kind and the weight under which a held-out
            sixteenth of the text is likeliest, then estimates from all of it.
        weight : float, optional
            The weight of the smoothing named; by default chosen on held-out text too.

        Examples
        --------
        >>> lm = NGramLM.from_text("Ab\nba,  ab!", Alphabet("ab "), order=2, smoothing="additive", weight=1.0)
        >>> lm.conditional(2)[0] * 6
        array([1., 3., 2.])
        """
        wanted = None if alphabet is None else as_alphabet(alphabet)
        alphabet, tally = count_text(text_or_paths, wanted, order, outside=outside)
        counts = tally.counts()
        if counts.total == 0:
            raise InputError(
                f"the text holds no symbol of the alphabet {alphabet!r}; give more text or another alphabet"
            )
        chosen = choose(tally.counts(held=False), tally.counts(held=True), smoothing, weight)
        return cls(alphabet, estimate(counts, chosen), chosen)

    @classmethod
    def from_counts(
        cls,
        counts: NGramCounts,
        alphabet: Symbols,
        *,
        smoothing: str = "auto",
        weight: float | None = None,
        held_out: NGramCounts | None = None,
    ) -> NGramLM:
        """Estimate a model from counts, which may be sums of counts made apart.

        Parameters
        ----------
        counts : NGramCounts
            Of every order up to the model's; whole numbers or not.
        alphabet : Alphabet, or str or sequence of str
            The symbols, in the order the counts have them.
        smoothing, weight
            As in `from_text`.
        held_out : NGramCounts, optional
            What to choose them on; without it the first weight of the kind is taken, and Witten-Bell for "auto".

        Examples
        --------
        >>> counts = NGramCounts.from_ids([0, 1, 1], [3], size=2, order=2)
        >>> NGramLM.from_counts(counts + counts, Alphabet("ab")).smoothing
        Smoothing(kind='witten-bell', weight=1.0)
        """
        alphabet = as_alphabet(alphabet)
        if counts.size != len(alphabet):
            raise InputError(
                f"counts over {counts.size} symbols do not fit an alphabet of {len(alphabet)}; give both alike"
            )
        none = NGramCounts.from_ids([], [], counts.size, counts.order)
        chosen = choose(counts, held_out or none, smoothing, weight)
        return cls(alphabet, estimate(counts, chosen), chosen)

    @classmethod
    def from_language(cls, code: str, alphabet: Symbols | None = None, order: int = 3) -> NGramLM:
        """Build a model of a language from the frequencies of its words, with no text at all.

        Words stand in a row, each on its own, with spaces between them and fixed shares of commas, full stops and
        the other marks that the alphabet holds; a word after a full stop begins with a capital if the alphabet has
        any, and so does a fixed share of the less common words. Words with letters outside the alphabet are left out.

        Parameters
        ----------
        code : str
            A language of the `wordfreq` package, such as "en".
        alphabet : Alphabet, or str or sequence of str, optional
            The symbols; by default the language's small letters, space, comma and full stop.
        order : int
            The length N of the N-grams.

        Examples
        --------
        >>> lm = NGramLM.from_language("en", order=2)
        >>> [lm.alphabet.decode(ids) for ids in lm.joint(2, top=4).ids]
        ['e ', ' t', 'th', ' a']
        """
        from labelfree.lm.languages import language_counts

        wanted = None if alphabet is None else as_alphabet(alphabet)
        alphabet, counts = language_counts(code, wanted, order)
        if counts.total == 0:
            raise InputError(
                f"no word of {code!r} can be written in the alphabet {alphabet!r}; give one with its letters"
            )
        return cls.from_counts(counts, alphabet)

    @classmethod
    def read_arpa(cls, path: str | Path, *, fold_case: bool | None = None) -> NGramLM:
        """Read a model from an ARPA file, plain or `.gz`.

        Parameters
        ----------
        path : str or pathlib.Path
            The file. Its 1-grams give the alphabet; `<sp>` stands for the space.
        fold_case : bool, optional
            As in `Alphabet`.

        Examples
        --------
        >>> import tempfile
        >>> lm = NGramLM.from_text("abracadabra " * 50, order=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     lm.write_arpa(Path(folder) / "lm.arpa.gz")
        ...     again = NGramLM.read_arpa(Path(folder) / "lm.arpa.gz")
        >>> again.alphabet == lm.alphabet, bool(np.allclose(again.joint(2), lm.joint(2)))
        (True, True)
        """
        return cls(*read_arpa(Path(path), fold_case))

    def write_arpa(self, path: str | Path) -> None:
        """Write the model as an ARPA file that KenLM reads, gzip if the name ends in `.gz`; see `read_arpa`."""
        write_arpa(Path(path), self.alphabet, self._backoff)

    @classmethod
    def interpolate(
        cls,
        models: Sequence[NGramLM],
        weights: ArrayLike | None = None,
        held_out: str | None = None,
    ) -> NGramLM:
        """Mix models of the same alphabet, the paper's Fused-LM.

        Parameters
        ----------
        models : sequence of NGramLM
            Their orders may differ; the mixture has the highest.
        weights : (M,) array, optional
            How much each counts; by default all alike.
        held_out : str, optional
            A text on which to find the weights instead.

        Examples
        --------
        >>> one, two = (NGramLM.from_text(text, Alphabet("ab"), order=1) for text in ("aab", "abb"))
        >>> NGramLM.interpolate([one, two]).conditional(1)
        array([0.5, 0.5])
        """
        listed = list(models)
        if not listed or any(one.alphabet != listed[0].alphabet for one in listed):
            raise InputError("interpolate needs one model or more, all over the same alphabet; build them alike")
        if weights is not None and held_out is not None:
            raise InputError("interpolate got weights and held_out; give one of them")
        if held_out is not None:
            scores = np.stack([one.log_probabilities(*one._read(held_out, "drop")) for one in listed])
            shares = fitted_weights(scores)
        else:
            shares = np.ones(len(listed)) if weights is None else np.asarray(weights, np.float64)
        if shares.shape != (len(listed),) or shares.min() < 0 or not 0 < shares.sum() < np.inf:
            raise InputError(f"weights is {shares.tolist()}; give {len(listed)} numbers, none below 0")
        return cls(listed[0].alphabet, mixed([one._backoff for one in listed], shares / shares.sum()))

    @property
    def alphabet(self) -> Alphabet:
        """The symbols."""
        return self._alphabet

    @property
    def order(self) -> int:
        """The length N of the longest N-grams known."""
        return self._backoff.order

    @property
    def backoff(self) -> BackOff:
        """The tables."""
        return self._backoff

    @property
    def smoothing(self) -> Smoothing | None:
        """How the tables were estimated, where that is known."""
        return self._smoothing

    def __repr__(self) -> str:
        return f"<NGramLM of order {self.order} over {len(self.alphabet)} symbols>"

    def _repr_html_(self) -> str:
        """Show it in a notebook: its size and its most frequent symbols."""
        names, shares = self.alphabet.symbols, np.asarray(self.joint(1), np.float64)
        most = np.argsort(-shares, kind="stable")[:_SHOWN].tolist()
        return card(
            "NGramLM",
            [
                ("symbols", f"{len(names):,}"),
                ("order", self.order),
                ("smoothing", "-" if self.smoothing is None else self.smoothing),
            ],
            bars([(shown(names[i]), float(shares[i])) for i in most], "the most frequent symbols and their shares"),
        )

    @overload
    def joint(self, n: int, *, top: int) -> NGrams: ...

    @overload
    def joint(self, n: int, *, top: None = None) -> NDArray[np.float64] | NGrams: ...

    def joint(self, n: int, *, top: int | None = None) -> NDArray[np.float64] | NGrams:
        """Give the probabilities of N-grams of n symbols in endless text from this model.

        They are the marginals of the stationary distribution of the model's Markov chain, so that `joint(2)` summed
        over either axis is `joint(1)`, whatever the smoothing did to the lower orders.

        Parameters
        ----------
        n : int
            How many symbols; may exceed the model's order.
        top : int, optional
            Give only so many, the most probable first.

        Returns
        -------
        (C,) * n float64 array, or NGrams
            The array sums to 1. Where it would have more than `DENSE_LIMIT` entries, or `top` is given, the N-grams
            that the model lists and their probabilities, not scaled.

        Examples
        --------
        >>> lm = NGramLM.from_text("she sells shells. " * 20)
        >>> float(lm.joint(3).sum().round(9))
        1.0
        >>> [lm.alphabet.decode(ids) for ids in lm.joint(2, top=3).ids]
        [' s', 'ls', 'll']
        """
        if n < 1 or (top is not None and top < 1):
            raise InputError(f"joint got n={n} and top={top}; give 1 or more")
        if top is None and len(self.alphabet) ** n <= DENSE_LIMIT:
            return self._chain.dense(n).copy()  # the caller may write to it, the cache stays
        return self._chain.sparse(n, top)

    def conditional(self, n: int) -> NDArray[np.float64]:
        """Give p(last | n - 1 symbols before) as a (C,) * n array that sums to 1 over the last axis.

        Below the model's order they follow from `joint`: the tables that a model backs off to, Kneser-Ney's above all,
        are not the probabilities of its language.

        Examples
        --------
        >>> NGramLM.from_text("abab" * 9, order=2, smoothing="additive", weight=0.5).conditional(2).round(2)
        array([[0.03, 0.97],
               [0.97, 0.03]])
        """
        size = len(self.alphabet)
        if not 1 <= n <= self.order:
            raise InputError(f"conditional got n={n}; give 1 to {self.order}, the order of the model")
        if size**n > DENSE_LIMIT:
            raise InputError(f"conditional({n}) over {size} symbols has {size**n} entries; use log_conditional")
        if n < self.order:
            joint = np.asarray(self.joint(n))
            return cast(NDArray[np.float64], joint / joint.sum(axis=-1, keepdims=True))
        return np.exp(self._backoff.table(n)).reshape((size,) * n)

    def log_conditional(self, contexts: ArrayLike) -> NDArray[np.float64]:
        """Give log p(w | context) for many contexts and every symbol w.

        Parameters
        ----------
        contexts : (R, m) integer array
            Of what is more than order - 1 symbols long only the last count.

        Returns
        -------
        (R, C) float64 array
            Natural logs.

        Examples
        --------
        >>> lm = NGramLM.from_text("abab" * 9, order=2, smoothing="additive", weight=0.5)
        >>> np.exp(lm.log_conditional([[0], [1]])).round(2)
        array([[0.03, 0.97],
               [0.97, 0.03]])
        """
        rows = np.asarray(contexts)
        if rows.ndim != 2 or (rows.size and rows.dtype.kind not in "iu"):
            raise InputError(
                f"contexts is an array of {rows.dtype} with shape {rows.shape}; give integers as (rows, symbols)"
            )
        self._check_ids(rows)
        m = min(rows.shape[1], self.order - 1)
        return self._backoff.rows(rows[:, rows.shape[1] - m :].astype(np.int64))

    def log_probabilities(self, ids: ArrayLike, lengths: ArrayLike | None = None) -> NDArray[np.float64]:
        """Give log p of each symbol of stacked sequences after those before it in its sequence.

        Parameters
        ----------
        ids : (T,) integer array
            All sequences stacked.
        lengths : (S,) integer array, optional
            Where they end; by default there is one.

        Returns
        -------
        (T,) float64 array
            Natural logs.

        Examples
        --------
        >>> lm = NGramLM.from_text("abab" * 9, order=2, smoothing="additive", weight=0.5)
        >>> np.exp(lm.log_probabilities([0, 1, 1], [2, 1])).round(2)
        array([0.5 , 0.97, 0.5 ])
        """
        symbols = np.asarray(ids).astype(np.int64).ravel()
        self._check_ids(symbols)
        each = as_lengths(lengths, symbols.size)
        before = np.arange(symbols.size) - np.repeat(np.cumsum(each) - each, each)
        scores = np.empty(symbols.size)
        codes = symbols.copy()
        for n in range(1, self.order + 1):
            here = np.flatnonzero(before == n - 1 if n < self.order else before >= n - 1)
            if n > 1:
                rest = np.flatnonzero(before >= n - 1)
                codes[rest] += symbols[rest - n + 1] * len(self.alphabet) ** (n - 1)
            scores[here] = self._backoff.score(n, codes[here])
        return scores

    def perplexity(self, text: str, *, outside: str | Mapping[str, str] = "drop") -> float:
        """Give the perplexity of a text, a symbol at a time; the text is read as `from_text` reads it.

        Examples
        --------
        >>> lm = NGramLM.from_text("aabb" * 9, order=1, smoothing="additive", weight=1.0)
        >>> round(lm.perplexity("abba"), 6)
        2.0
        """
        return float(np.exp(-self.log_probabilities(*self._read(text, outside)).mean()))

    @property
    def entropy(self) -> float:
        """The entropy of the next symbol after endless text from this model, in nats.

        Examples
        --------
        >>> lm = NGramLM.from_text("ab" * 99, order=1, smoothing="additive", weight=1.0)
        >>> round(float(np.exp(lm.entropy)), 6)
        2.0
        """
        return self._chain.entropy()

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw a sequence of n symbols.

        Examples
        --------
        >>> lm = NGramLM.from_text("ab" * 99, order=2)
        >>> lm.alphabet.decode(lm.sample(6, np.random.default_rng(0)))
        'bababa'
        """
        drawn = rng.random(n)
        ids = np.zeros(n, np.int64)
        for place in range(n):
            context = ids[max(place - self.order + 1, 0) : place]
            ladder = np.cumsum(np.exp(self._backoff.rows(context[None])[0]))
            ids[place] = min(np.searchsorted(ladder, drawn[place] * ladder[-1], "right"), ladder.size - 1)
        return ids

    def _read(self, text: str, outside: str | Mapping[str, str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Read a text as `from_text` does, into stacked sequences."""
        codes = Cutter(self.alphabet, outside, squeeze=True).feed(text, last=True).astype(np.int64)
        ends = np.flatnonzero(np.append(codes, len(self.alphabet)) == len(self.alphabet))
        inside = codes[codes < len(self.alphabet)]
        if inside.size == 0:
            raise InputError("the text holds no symbol of the alphabet; give another text")
        return inside, np.diff(ends, prepend=-1) - 1

    def _check_ids(self, ids: NDArray[np.integer]) -> None:
        if ids.size and (ids.min() < 0 or ids.max() >= len(self.alphabet)):
            found = ids.min() if ids.min() < 0 else ids.max()
            raise InputError(f"found the symbol index {found}; give indices from 0 to {len(self.alphabet) - 1}")
