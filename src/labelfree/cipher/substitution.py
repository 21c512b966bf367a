"""Text in, text out: a substitution cipher read with no key.

Short texts are solved by a search over keys under a long language model (`keysearch`), long ones by matching
N-gram statistics (`SequenceClassifier`); `decipher` chooses by itself and says whether it believes the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from labelfree.alphabet import Alphabet
from labelfree.cipher.keysearch import mend, search_key, without_symbols
from labelfree.cipher.transcription import Layout, layouts
from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.lm import NGramLM
from labelfree.verdict import FitVerdict, KeyVerdict

LONG = 20_000
_LEAST_SIGNS = 2


@dataclass(frozen=True, eq=False)
class Deciphered:
    """A cipher read.

    Attributes
    ----------
    text : str
        The plaintext, laid out as the cipher was.
    key : dict of str to str
        What each sign reads as.
    confidence : dict of str to float
        How sure each reading is, from 0 to 1.
    converged : bool
        Whether the result is to be believed.
    score : float
        Mean log-probability a symbol of the plaintext under the language model, in nats.
    method : str
        ``"key search"`` or ``"statistics"``.
    layout : str
        How the ciphertext was understood.
    verdict : KeyVerdict or FitVerdict
        Why it is believed or not, in numbers and in a sentence, and what would help.
    """

    text: str
    key: dict[str, str]
    confidence: dict[str, float]
    converged: bool
    score: float
    method: str
    layout: str
    verdict: KeyVerdict | FitVerdict


def decipher(
    text: str,
    lm: NGramLM,
    *,
    rebuild: Callable[[Alphabet], NGramLM] | None = None,
    mending: bool = False,
    seed: int = 0,
) -> Deciphered:
    """Read a substitution cipher: simple or homophonic, with word spaces or without, long or short.

    Parameters
    ----------
    text : str
        The ciphertext: characters, or symbols between white space with ``/`` for the word space.
    lm : NGramLM
        The language of the plaintext; order 5 serves short ciphers best.
    rebuild : callable, optional
        Gives the same language over another alphabet, where the cipher has no spaces or punctuation. By default such
        a model is drawn from ``lm``, which is a little less exact.
    mending : bool
        Whether to read over signs that were copied wrongly.
    seed : int

    Examples
    --------
    >>> lm = NGramLM.from_language("en", order=5)
    >>> plain = "the archive keeps three boxes of letters that nobody has ever opened since the old house was sold "
    >>> plain += "and every letter in them was written with the same strange alphabet by one careful hand"
    >>> secret = plain.translate(str.maketrans("abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm"))
    >>> found = decipher(secret, lm)
    >>> found.text == plain, found.converged, found.key["q"]
    (True, True, 'a')
    """
    ways = layouts(text)
    _check(ways[0])
    build = rebuild or (lambda alphabet: without_symbols(lm, "".join(s for s in lm.alphabet if s not in alphabet)))
    first: Deciphered | None = None
    for found in _attempts(ways, lm, build, mending, seed):
        if found.converged:
            return found
        first = first or found
    if first is None:
        raise InputError(
            f"the ciphertext shares nothing with the language model: {len(lm.alphabet)} symbols "
            f"{''.join(lm.alphabet.symbols)!r}, no letter among them; give a language model of the plaintext's language"
        )
    return first


def _check(layout: Layout) -> None:
    distinct = len(set(layout.x.tolist()) - {layout.space})
    if distinct < _LEAST_SIGNS:
        raise InputError(
            f"the ciphertext has {distinct} distinct sign in {len(layout.x)}, at least {_LEAST_SIGNS} wanted; "
            "give a text of about 100 letters or more"
        )


def _attempts(
    ways: list[Layout],
    lm: NGramLM,
    build: Callable[[Alphabet], NGramLM],
    mending: bool,
    seed: int,
) -> Iterator[Deciphered]:
    """Every way to read the text, the likeliest first."""
    letters = [symbol for symbol in lm.alphabet if symbol.isalpha()]
    if not letters:
        return
    whole = ways[-1]
    if len(whole.x) >= LONG:
        yield _by_statistics(whole, lm, seed)
    for layout in ways:
        if layout is whole and len(ways) > 1:
            alphabet = lm.alphabet
        else:
            alphabet = Alphabet([*letters, *([" "] if layout.space is not None and " " in lm.alphabet else [])])
        yield _by_key_search(layout, lm if alphabet == lm.alphabet else build(alphabet), mending, seed)


def _by_key_search(layout: Layout, lm: NGramLM, mending: bool, seed: int) -> Deciphered:
    fixed = {}
    if layout.space is not None and " " in lm.alphabet:
        fixed[layout.space] = lm.alphabet.index(" ")
    found = search_key(layout.x, lm, n_symbols=len(layout.signs), fixed=fixed, seed=seed)
    plain = found.plain
    if mending:
        plain = mend(layout.x, found.key, lm, fixed=list(fixed))
    return _deciphered(layout, lm, plain, found.key, found.confidence, found.verdict, "key search")


def _by_statistics(layout: Layout, lm: NGramLM, seed: int) -> Deciphered:
    reader = SequenceClassifier(lm, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said in `converged`
        reader.fit(layout.x[:, None])
    posteriors = reader.predict_proba(np.arange(len(layout.signs))[:, None])
    key = posteriors.argmax(1)
    return _deciphered(layout, lm, key[layout.x], key, posteriors.max(1), reader.diagnosis_, "statistics")


def _deciphered(
    layout: Layout,
    lm: NGramLM,
    plain: NDArray[np.int64],
    key: NDArray[np.int64],
    confidence: NDArray[np.float64],
    verdict: KeyVerdict | FitVerdict,
    method: str,
) -> Deciphered:
    symbols = lm.alphabet.symbols
    return Deciphered(
        text=layout.written([symbols[i] for i in plain.tolist()]),
        key={sign: symbols[k] for sign, k in zip(layout.signs, key.tolist(), strict=True)},
        confidence={sign: round(float(c), 4) for sign, c in zip(layout.signs, confidence, strict=True)},
        converged=verdict.converged,
        score=float(lm.log_probabilities(plain).mean()),
        method=method,
        layout=layout.name,
        verdict=verdict,
    )
