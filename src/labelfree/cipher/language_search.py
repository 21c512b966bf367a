"""Which language is a cipher in? A sample is read in every language that may be it, and the nats it saves compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from labelfree.alphabet import Alphabet
from labelfree.cipher.keysearch import search_key
from labelfree.cipher.transcription import Layout, layouts
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.languages import SPACES, known_languages, language_counts
from labelfree.verdict import LanguageFound

_SAMPLE = 600  # signs
_ORDER = 3
_MOST_LETTERS = 100  # of an alphabet whose keys can be searched


def which_language(text: str, codes: Sequence[str] | None = None, *, seed: int = 0) -> LanguageFound:
    """Tell the language of a substitution cipher.

    Parameters
    ----------
    text : str
        The ciphertext, as `decipher` takes it.
    codes : sequence of str, optional
        The languages to try; by default all that have word lists and letters of the script that the signs are taken
        from, or all where the signs are no letters.
    seed : int

    Examples
    --------
    >>> text = "ebs ibvt efs tdixftufs mjfhu bn sboef eft xbmeft voe xjse tfju kbisfo wpo ojfnboefn nfis cfxpiou "
    >>> found = which_language(text, ["de", "en"])
    >>> found.code, found.is_clear
    ('de', True)
    """
    layout = layouts(text)[0]
    tried = []
    for code in codes or known_languages():
        letters = _letters(code)
        if len(letters) <= _MOST_LETTERS and (codes or _fits(layout, letters)):
            tried.append((code, letters))
    n_sought = len(layout.signs) - (layout.space is not None)
    roomy = [(code, letters) for code, letters in tried if len(letters) >= n_sought]
    found = [(code, _saved(layout, code, letters, seed)) for code, letters in roomy or tried]
    if not found:
        raise InputError("no language has letters of this script; name one with --lang CODE")
    return LanguageFound(tuple(sorted(found, key=lambda each: -each[1])))


def _fits(layout: Layout, letters: tuple[str, ...]) -> bool:
    """Whether the signs may be letters of an alphabet in another order, or are no letters at all."""
    signs = [sign for sign in layout.signs if len(sign) == 1 and sign.isalpha()]
    return len(signs) < len(layout.signs) / 2 or _script(signs[0]) == _script(letters[0])


def _script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]


@lru_cache(maxsize=64)
def _letters(code: str) -> tuple[str, ...]:
    """The letters of a language."""
    alphabet, _ = language_counts(code, order=1, wordlist="small")
    return tuple(symbol for symbol in alphabet if symbol.isalpha())


@lru_cache(maxsize=128)
def _model(code: str, letters: tuple[str, ...], has_space: bool) -> NGramLM:
    alphabet = Alphabet([*letters, *([" "] if has_space else [])])
    return NGramLM.from_counts(language_counts(code, alphabet, _ORDER, wordlist="small")[1], alphabet)


def _saved(layout: Layout, code: str, letters: tuple[str, ...], seed: int) -> float:
    has_space = layout.space is not None and SPACES.get(code, 1.0) == 1.0
    lm = _model(code, letters, has_space)
    fixed = {layout.space: lm.alphabet.index(" ")} if has_space and layout.space is not None else {}
    n_signs = len(layout.signs)
    is_simple = n_signs - len(fixed) <= len(letters)
    return search_key(
        layout.x[:_SAMPLE], lm, n_symbols=n_signs, fixed=fixed, one_to_one=is_simple, seed=seed
    ).nats_saved
