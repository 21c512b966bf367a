"""Substitutions over alphabets of any size: letters merged for fewer symbols than 29, more kept for more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.repro.tasks.spelling import (
    TEST_CHARACTERS,
    TRAIN_CHARACTERS,
    Sequences,
    SpellingTask,
    segments_of,
    share_out,
)

_SHORTEST = 101


def sized_substitution(
    paragraphs: Iterable[str],
    n_symbols: int,
    seed: int,
    *,
    train_characters: int = TRAIN_CHARACTERS,
    test_characters: int = TEST_CHARACTERS,
) -> SpellingTask:
    """Draw a substitution over so many symbols, as `spelling_task` does over 29.

    Parameters
    ----------
    paragraphs : iterable of str
        Text, for example `standard_library_english`.
    n_symbols : int
        Up to 29: small letters, space, comma and full stop, the rare ones written as common ones. Beyond: the commonest
        characters of the text, capitals, digits and marks among them.
    seed : int
        Of the draw and the substitution.
    train_characters, test_characters : int
        Sizes of the two parts.
    """
    if n_symbols <= len(PAPER_ALPHABET):
        pool = sorted(set(segments_of(paragraphs)))
        merged = _merging(pool, n_symbols)
        pool, alphabet = [segment.translate(merged) for segment in pool], Alphabet(sorted({*merged.values()}))
    else:
        texts = sorted({re.sub(r"\s+", " ", paragraph) for paragraph in paragraphs})
        alphabet = _commonest(texts, n_symbols)
        inside = "".join(map(re.escape, alphabet.symbols))
        runs = re.compile(f"[{inside}]{{{_SHORTEST},}}")
        pool = sorted({run for text in texts for run in runs.findall(text)})
    rng = np.random.default_rng(seed)
    train_text, test_text, rest = share_out(pool, train_characters, test_characters, rng)
    key = rng.permutation(len(alphabet))
    return SpellingTask(
        _encipher(train_text, alphabet, key), _encipher(test_text, alphabet, key), tuple(rest), alphabet
    )


def _merging(pool: list[str], n_symbols: int) -> dict[int, str]:
    """What each of the 29 symbols is written as: the common ones as themselves, the others dealt out among them."""
    if n_symbols < 2:
        raise InputError(f"a substitution over {n_symbols} symbols asked, at least 2 wanted; give a larger number")
    times = Counter("".join(pool))
    ranked = sorted(PAPER_ALPHABET, key=lambda symbol: (-times[symbol], symbol))
    return {ord(symbol): ranked[rank % n_symbols] for rank, symbol in enumerate(ranked)}


def _commonest(texts: list[str], n_symbols: int) -> Alphabet:
    times = Counter("".join(texts))
    if len(times) < n_symbols:
        raise InputError(f"text of {len(times)} different characters found, {n_symbols} wanted; give more text")
    ranked = sorted(times, key=lambda symbol: (-times[symbol], symbol))
    return Alphabet(sorted(ranked[:n_symbols]), fold_case=False)


def _encipher(segments: list[str], alphabet: Alphabet, key: NDArray[np.int64]) -> Sequences:
    labels = np.concatenate([alphabet.encode(segment) for segment in segments]).astype(np.int64)
    return Sequences(key[labels], labels, np.array([len(segment) for segment in segments]))
