"""Text in, text out: a substitution cipher read with no key.

Short texts are solved by a search over keys under a long language model (`keysearch`), long ones by matching
N-gram statistics (`SequenceClassifier`); `decipher` chooses by itself and says whether it believes the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from labelfree.alphabet import Alphabet
from labelfree.cipher.excerpt import excerpt
from labelfree.cipher.hints import Hints
from labelfree.cipher.keysearch import mend, search_key, without_symbols
from labelfree.cipher.kinds import by_map, by_order, has_own_letters, letters_in, named, symbols_of
from labelfree.cipher.nomenclator import Nomenclator, common_strings, read_nomenclator
from labelfree.cipher.transcription import Layout, layouts
from labelfree.errors import InputError
from labelfree.estimator import SequenceClassifier
from labelfree.lm import NGramLM
from labelfree.verdict import FitVerdict, KeySearched, KeyVerdict, judge_key, own_gain

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
    verdict : KeyVerdict or FitVerdict
        Why it is believed or not, in numbers and in a sentence, and what would help.
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
    verdict: KeyVerdict | FitVerdict
    kind: str = ""


def decipher(
    text: str,
    lm: NGramLM,
    *,
    rebuild: Callable[[Alphabet], NGramLM] | None = None,
    mending: bool = False,
    word_ends: Callable[[str], list[int]] | None = None,
    hints: Hints | None = None,
    redivide: bool = False,
    nomenclator: Mapping[str, float] | None = None,
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
    hints : Hints, optional
        What is known of the key or of the plaintext.
    redivide : bool
        Whether the word spaces of the cipher are wrong, and left out before it is read.
    nomenclator : mapping of str to float, optional
        Words, with how frequent they are, of which signs may stand for one; then they may also stand for a pair of
        letters, or for nothing.
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
    ways = layouts(text, word_ends, redivide=redivide)
    _check(ways[0])
    build = cache(rebuild or (lambda wanted: without_symbols(lm, "".join(s for s in lm.alphabet if s not in wanted))))
    small = _by_small_key(ways, lm, build)
    if small is not None:
        return small
    first: Deciphered | None = None
    for found in _attempts(ways, lm, build, hints or Hints(), _Search(mending, seed, nomenclator)):
        if found.converged:
            return found
        first = first or found
    if first is None:
        raise InputError(
            f"the ciphertext shares nothing with the language model: {len(lm.alphabet)} symbols "
            f"{''.join(lm.alphabet.symbols)!r}, no letter among them; give a language model of the plaintext's language"
        )
    letters = letters_in(ways[0], build(_alphabet(lm, spaces=ways[0].space is not None)))
    return replace(first, kind=f"perhaps a {first.kind}" if letters is None else named(letters))


def _alphabet(lm: NGramLM, *, spaces: bool) -> Alphabet:
    return Alphabet([*filter(str.isalpha, lm.alphabet), *([" "] if spaces and " " in lm.alphabet else [])])


def _by_small_key(ways: list[Layout], lm: NGramLM, build: Callable[[Alphabet], NGramLM]) -> Deciphered | None:
    """Read a cipher with a small key, if that is what it is."""
    if not any(map(str.isalpha, lm.alphabet)):
        return None
    layout = ways[0]
    letters = letters_in(layout, build(_alphabet(lm, spaces=layout.space is not None)))
    reading = None if letters is None else by_map(letters)
    if letters is not None and reading is None and has_own_letters(letters):
        layout = next((way for way in ways if way.space is None), layout)
        letters = letters_in(layout, build(_alphabet(lm, spaces=False)))
        reading = None if letters is None else by_order(letters)
    if letters is None or reading is None:
        return None
    symbols = symbols_of(layout, letters, reading)
    return Deciphered(
        text=layout.written(symbols),
        key={},
        confidence={},
        converged=True,
        score=reading.score / len(symbols),
        method="small key",
        layout=layout.name,
        verdict=letters.verdict(reading),
        kind=reading.kind,
    )


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
    hints: Hints,
    search: _Search,
) -> Iterator[Deciphered]:
    """Every way to read the text, the likeliest first."""
    if not any(map(str.isalpha, lm.alphabet)):
        return
    whole = ways[-1]
    is_long = len(whole.x) >= LONG
    if is_long and not whole.has_punctuation:
        yield _by_statistics(whole, lm, search.seed)
    for layout in ways:
        if layout is whole and len(ways) > 1:
            if is_long:
                break
            alphabet = lm.alphabet
        else:
            alphabet = _alphabet(lm, spaces=layout.space is not None)
        model = lm if alphabet == lm.alphabet else build(alphabet)
        tried = []
        start = hints.beginning(layout, model)
        for known in hints.readings(layout, model):
            tried.append(_by_key_search(layout, model, known, start, search))
            if tried[-1].converged:
                break
        yield tried[-1] if tried[-1].converged else max(tried[:-1] or tried, key=lambda found: found.score)
    if is_long and whole.has_punctuation:
        yield _by_statistics(whole, lm, search.seed)


@dataclass(frozen=True)
class _Search:
    """How keys are searched."""

    mending: bool
    seed: int
    nomenclator: Mapping[str, float] | None = None


def _by_key_search(
    layout: Layout, lm: NGramLM, known: dict[int, int], start: dict[int, int], search: _Search
) -> Deciphered:
    fixed = {}
    if layout.space is not None and " " in lm.alphabet:
        fixed[layout.space] = lm.alphabet.index(" ")
    part, lengths = excerpt(layout.x)
    found = search_key(
        part, lm, n_symbols=len(layout.signs), lengths=lengths, fixed=known | fixed, start=start, seed=search.seed
    )
    if search.nomenclator is not None:
        strings = common_strings(lm, search.nomenclator)
        more = read_nomenclator(part, lm, found, strings, fixed=known | fixed, seed=search.seed)
        if more is not None:
            return _of_nomenclator(layout, lm, more)
    plain = found.key[layout.x]
    if search.mending:
        plain = mend(layout.x, found.key, lm, fixed=list(fixed))
    verdict = found.verdict
    if known:  # a hint is not evidence: its signs are paid for as if they had been searched, and where it stands, too
        price = len(known) * np.log(len(lm.alphabet)) + np.log(len(part))
        verdict = judge_key(
            KeySearched(
                saved=found.nats_saved - price,
                possible=own_gain(lm) * len(part) - price,
                explained=verdict.explained,
                expected_right=found.expected_right,
                agreeing=found.agreeing,
                chains=found.chains,
            )
        )
    return _deciphered(layout, lm, plain, found.key, found.confidence, verdict, "key search")


def _of_nomenclator(layout: Layout, lm: NGramLM, found: Nomenclator) -> Deciphered:
    """A cipher some of whose signs stand for no letter."""
    spelled = ["".join(lm.alphabet.symbols[letter] for letter in string) for string in found.spelled]
    text = [spelled[sign] for sign in layout.x.tolist()]
    return Deciphered(
        text=layout.written(text),
        key=dict(zip(layout.signs, spelled, strict=True)),
        confidence={sign: round(float(c), 4) for sign, c in zip(layout.signs, found.confidence, strict=True)},
        converged=found.verdict.converged,
        score=float(lm.log_probabilities(lm.alphabet.encode("".join(text))).mean()),
        method="key search",
        layout=layout.name,
        verdict=found.verdict,
        kind="nomenclator",
    )


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
        kind=("simple" if len(set(key.tolist())) == len(key) else "homophonic") + " substitution",
    )
