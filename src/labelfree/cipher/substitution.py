"""Text in, text out: a substitution cipher read with no key.

Short texts are solved by a search over keys under a long language model (`keysearch`), long ones by matching
N-gram statistics (`SequenceClassifier`); `decipher` chooses by itself and says whether it believes the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from labelfree.alphabet import Alphabet
from labelfree.cipher.excerpt import excerpt
from labelfree.cipher.keysearch import mend, search_key, without_symbols
from labelfree.cipher.kinds import by_map, by_order, letters_in, named, symbols_of
from labelfree.cipher.transcription import Layout, layouts
from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.lm import NGramLM

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
        ``"key search"``, ``"statistics"`` or ``"small key"``.
    layout : str
        How the ciphertext was understood.
    kind : str
        The kind of cipher, with its key where that is small; of a text that was not read, what it may be.
    """

    text: str
    key: dict[str, str]
    confidence: dict[str, float]
    converged: bool
    score: float
    method: str
    layout: str
    kind: str = ""


def decipher(
    text: str,
    lm: NGramLM,
    *,
    rebuild: Callable[[Alphabet], NGramLM] | None = None,
    mending: bool = False,
    word_ends: Callable[[str], list[int]] | None = None,
    seed: int = 0,
) -> Deciphered:
    """Read a cipher: a substitution, simple or homophonic, with word spaces or without, long or short.

    Caesar, Atbash, affine, Vigenere, Beaufort, rail fence and columnar transposition are read too; the kind is found.

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
    word_ends : callable, optional
        Finds the words of a text without spaces, as `Spacing.word_ends` does, so that spaces are put in where the
        cipher has none that mean anything; without it the text stays as it was.
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
    ways = layouts(text, word_ends)
    _check(ways[0])
    build = rebuild or (lambda alphabet: without_symbols(lm, "".join(s for s in lm.alphabet if s not in alphabet)))
    small = _by_small_key(ways, lm, build)
    if small is not None:
        return small
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
    letters = letters_in(_letters_alone(ways), build(_alphabet(lm, spaces=False)))
    return first if letters is None else replace(first, kind=named(letters))


def _letters_alone(ways: list[Layout]) -> Layout:
    """The way in which spaces mean nothing."""
    return next((layout for layout in ways if layout.space is None), ways[0])


def _alphabet(lm: NGramLM, *, spaces: bool) -> Alphabet:
    return Alphabet([*filter(str.isalpha, lm.alphabet), *([" "] if spaces and " " in lm.alphabet else [])])


def _by_small_key(ways: list[Layout], lm: NGramLM, build: Callable[[Alphabet], NGramLM]) -> Deciphered | None:
    """Read a cipher with a small key, if that is what it is."""
    alone = _letters_alone(ways)
    if not any(map(str.isalpha, lm.alphabet)):
        return None
    for layout, family in ((ways[0], by_map), (alone, by_order)):
        model = build(_alphabet(lm, spaces=layout.space is not None))
        letters = letters_in(layout, model)
        reading = None if letters is None else family(letters)
        if letters is None or reading is None:
            continue
        symbols = symbols_of(layout, letters, reading)
        return Deciphered(
            text=layout.written(symbols),
            key={},
            confidence={},
            converged=True,
            score=reading.score / len(symbols),
            method="small key",
            layout=layout.name,
            kind=reading.kind,
        )
    return None


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
    if not any(map(str.isalpha, lm.alphabet)):
        return
    whole = ways[-1]
    is_long = len(whole.x) >= LONG
    if is_long and not whole.has_punctuation:
        yield _by_statistics(whole, lm, seed)
    for layout in ways:
        if layout is whole and len(ways) > 1:
            if is_long:
                break
            alphabet = lm.alphabet
        else:
            alphabet = _alphabet(lm, spaces=layout.space is not None)
        yield _by_key_search(layout, lm if alphabet == lm.alphabet else build(alphabet), mending, seed)
    if is_long and whole.has_punctuation:
        yield _by_statistics(whole, lm, seed)


def _by_key_search(layout: Layout, lm: NGramLM, mending: bool, seed: int) -> Deciphered:
    fixed = {}
    if layout.space is not None and " " in lm.alphabet:
        fixed[layout.space] = lm.alphabet.index(" ")
    part, lengths = excerpt(layout.x)
    found = search_key(part, lm, n_symbols=len(layout.signs), lengths=lengths, fixed=fixed, seed=seed)
    plain = found.key[layout.x]
    if mending:
        plain = mend(layout.x, found.key, lm, fixed=list(fixed))
    return _deciphered(layout, lm, plain, found.key, found.confidence, found.believed, "key search")


def _by_statistics(layout: Layout, lm: NGramLM, seed: int) -> Deciphered:
    reader = SequenceClassifier(lm, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # said in `converged`
        reader.fit(layout.x[:, None])
    posteriors = reader.predict_proba(np.arange(len(layout.signs))[:, None])
    key = posteriors.argmax(1)
    return _deciphered(layout, lm, key[layout.x], key, posteriors.max(1), reader.converged_, "statistics")


def _deciphered(
    layout: Layout,
    lm: NGramLM,
    plain: NDArray[np.int64],
    key: NDArray[np.int64],
    confidence: NDArray[np.float64],
    converged: bool,
    method: str,
) -> Deciphered:
    symbols = lm.alphabet.symbols
    return Deciphered(
        text=layout.written([symbols[i] for i in plain.tolist()]),
        key={sign: symbols[k] for sign, k in zip(layout.signs, key.tolist(), strict=True)},
        confidence={sign: round(float(c), 4) for sign, c in zip(layout.signs, confidence, strict=True)},
        converged=bool(converged),
        score=float(lm.log_probabilities(plain).mean()),
        method=method,
        layout=layout.name,
        kind=("simple" if len(set(key.tolist())) == len(key) else "homophonic") + " substitution",
    )
