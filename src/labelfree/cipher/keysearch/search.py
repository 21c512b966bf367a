"""The key of a short cipher: which search, which order of the model, and what to think of the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.cipher.keysearch import belief
from labelfree.cipher.keysearch.anneal import agreeing, search_anneal
from labelfree.cipher.keysearch.problem import Cipher, Ints, Table, highest_order, score_table
from labelfree.cipher.keysearch.swaps import Swaps, search_swaps
from labelfree.errors import InputError
from labelfree.lengths import as_lengths
from labelfree.lm.model import NGramLM
from labelfree.verdict import KeySearched, KeyVerdict, judge_key, own_gain

QUICK_ORDER, FULL_ORDER = 4, 5
_LEAST_HOMOPHONIC = 15  # signs under which no language is written with several for a letter
FLOOR = 0.01
"""How much of a uniform distribution is mixed in, so that one wrong sign does not outweigh the rest."""


@dataclass(frozen=True, eq=False)
class KeyFound:
    """The best key that a search found.

    Attributes
    ----------
    key : (n_symbols,) int array
        What each sign reads as, an index into the model's alphabet; -1 for a sign that does not occur.
    plain : (T,) int array
        The text read with the key.
    score : float
        Mean natural log probability a symbol of `plain` under the model.
    runner_up : float
        The score of the likeliest other key met, -inf if there was none.
    confidence : (n_symbols,) array
        Probability that each sign is read right; 1 for signs whose reading was given, 0 for those that do not occur.
    expected_right : float
        Share of the letters expected to be right.
    nats_saved : float
        By how many nats the text and its key are shorter under the model than signs drawn one by one.
    agreeing, chains : int
        How many of the chains came to this key.
    verdict : KeyVerdict
        Whether the key is to be believed, and why.
    """

    key: Ints
    plain: Ints
    score: float
    runner_up: float
    confidence: NDArray[np.float64]
    expected_right: float
    nats_saved: float
    agreeing: int
    chains: int
    verdict: KeyVerdict

    @property
    def believed(self) -> bool:
        """Whether the key is to be believed."""
        return self.verdict.converged


def search_key(
    x: ArrayLike,
    lm: NGramLM,
    *,
    n_symbols: int | None = None,
    lengths: ArrayLike | None = None,
    fixed: Mapping[int, int] | None = None,
    one_to_one: bool | None = None,
    start: Mapping[int, int] | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> KeyFound:
    """Find the key of a substitution cipher of some 60 to 5,000 signs.

    Parameters
    ----------
    x : (T,) int array
        The cipher, one sign a position.
    lm : NGramLM
        The language of the plaintext; order 5 reads best, and higher orders are used at 5. For a text without word
        spaces it is to be a model without the space, see `without_symbols`.
    n_symbols : int, optional
        How many signs there are; by default the highest in `x` and one.
    lengths : (S,) int array, optional
        Where sequences end; by default there is one.
    fixed : mapping of int to int, optional
        Signs whose reading is known, as the space where spaces are kept. No other sign reads as these, but as a
        letter where several signs may read alike.
    one_to_one : bool, optional
        Whether no two signs read alike. By default that is tried first if there are letters enough, and where it leads
        to no text that is believed, that several may read alike.
    start : mapping of int to int, optional
        A key that may be wrong, of all signs or some, near which some searches begin.
    seed : int
        Of the search; the same seed gives the same key.
    seconds : float, optional
        How long to search where several signs may read alike. By default the search is of a fixed size, some
        four seconds of a core, and the key does not depend on the machine.

    Examples
    --------
    >>> from labelfree.alphabet import Alphabet
    >>> lm = NGramLM.from_language("en", Alphabet("abcdefghijklmnopqrstuvwxyz "), order=4)
    >>> text = "nobody at the library could say who had left the parcel on the reading room table or why it was tied "
    >>> text += "with green string but everyone agreed that it must be opened before the director came back from lunch"
    >>> cipher = (25 - lm.alphabet.encode(text)) % 27  # a is z, b is y ... and the space stays
    >>> found = search_key(cipher, lm, fixed={26: 26})
    >>> lm.alphabet.decode(found.plain[:25]), found.believed
    ('nobody at the library cou', True)
    """
    signs, ends, n_signs = _checked(x, lengths, n_symbols)
    cipher, seen = _laid_out(signs, ends, lm, dict(fixed or {}), one_to_one)
    effort = _Effort(seed, seconds, dict(start or {}))
    found = _key_of(cipher, seen, n_signs, lm, effort)
    if found.believed or one_to_one is not None or not cipher.one_to_one or cipher.n_sought < _LEAST_HOMOPHONIC:
        return found
    cipher, seen = _laid_out(signs, ends, lm, dict(fixed or {}), one_to_one=False)
    other = _key_of(cipher, seen, n_signs, lm, effort)
    return other if other.believed else found


@dataclass(frozen=True)
class _Effort:
    """How a key is searched: the seed, the seconds that there are, and the key to begin with."""

    seed: int
    seconds: float | None
    start: dict[int, int]

    def beginning(self, cipher: Cipher, seen: Ints) -> Ints | None:
        """What the sought signs read as to begin with."""
        if not self.start:
            return None
        return np.array([self.start.get(sign, -1) for sign in seen[: cipher.n_sought].tolist()], np.int64)


def _key_of(cipher: Cipher, seen: Ints, n_signs: int, lm: NGramLM, effort: _Effort) -> KeyFound:
    """Search, and weigh what was found; `seen` are the signs in the order of their slots."""
    rng, start = np.random.default_rng(effort.seed), effort.beginning(cipher, seen)
    table = score_table(lm, highest_order(lm, FULL_ORDER), FLOOR)
    if cipher.n_sought == 0 or (cipher.one_to_one and len(cipher.letters) == 1):  # there is only one key
        best, rivals, same, chains = cipher.keys(cipher.letters[None])[0], _no_rivals(cipher), 0, 0
    elif cipher.one_to_one:
        quick = score_table(lm, highest_order(lm, QUICK_ORDER), FLOOR)
        best, rivals, same, chains = _by_swaps(cipher, (quick, table), rng, start)
    else:
        best, rivals, same, chains = _by_annealing(cipher, table, rng, effort.seconds, start)
    readings = best[: len(seen)]
    plain = readings[cipher.slots]
    log_probability = float(lm.log_probabilities(plain, cipher.lengths).sum())
    confidence = np.append(belief.confidences(rivals), np.ones(len(cipher.given)))
    right = belief.expected_right(cipher, confidence)
    told = float(table.scores(best[None], cipher.windows(table.order)).sum(dtype=float))
    gained, price = belief.nats_gained(plain, told), belief.price_of(cipher)
    possible = own_gain(lm) * plain.size
    verdict = judge_key(KeySearched(gained - price, possible - price, gained / possible, right, same, chains))
    key, sure = np.full(n_signs, -1), np.zeros(n_signs)
    key[seen], sure[seen] = readings, confidence
    next_best = float(rivals.loss.max(initial=-np.inf))
    return KeyFound(
        key=key,
        plain=plain,
        score=log_probability / plain.size,
        runner_up=(log_probability + next_best) / plain.size,
        confidence=sure,
        expected_right=right,
        nats_saved=gained - price,
        agreeing=same,
        chains=chains,
        verdict=verdict,
    )


def _by_swaps(
    cipher: Cipher, tables: tuple[Table, Table], rng: np.random.Generator, start: Ints | None
) -> tuple[Ints, belief.Rivals, int, int]:
    """Search at a low order, whose table stays in the cache, and climb on at the full one."""
    quick, table = tables
    keys, _ = search_swaps(cipher, quick, rng, start)
    chains = len(keys)
    swaps = Swaps(cipher, table)
    scores = swaps.climb(keys).astype(np.float64)
    best = keys[scores.argmax()]
    gains = swaps.gains(best[None])[1][0].astype(np.float64)
    pairs = swaps.pairs
    changed = np.zeros((len(pairs), cipher.n_sought + 1), bool)
    for side in pairs.T:
        changed[np.arange(len(pairs)), np.minimum(side, cipher.n_sought)] = True
    rivals = _with_chains(cipher, keys, scores, best, changed[:, :-1], gains)
    return best, rivals, agreeing(cipher, keys, scores), chains


def _by_annealing(
    cipher: Cipher, table: Table, rng: np.random.Generator, seconds: float | None, start: Ints | None
) -> tuple[Ints, belief.Rivals, int, int]:
    """Anneal at the full order."""
    chains, ends, scores = search_anneal(cipher, table, rng, seconds, start)
    best = ends[scores.argmax()]
    losses = chains.losses(best)
    sign, letter = np.nonzero(np.arange(len(cipher.letters)) != best[:, None])
    changed = sign[:, None] == np.arange(cipher.n_sought)
    keys = cipher.keys(cipher.letters[ends])
    key = keys[scores.argmax()]
    rivals = _with_chains(cipher, keys, scores, key, changed, losses[sign, letter])
    return key, rivals, agreeing(cipher, keys, scores), len(keys)


def _with_chains(
    cipher: Cipher,
    keys: Ints,
    scores: NDArray[np.float64],
    best: Ints,
    changed: NDArray[np.bool_],
    losses: NDArray[np.float64],
) -> belief.Rivals:
    """Join the neighbours of the best key with the ends of other chains, each once."""
    ends, first = np.unique(keys[:, : cipher.n_sought], axis=0, return_index=True)
    differs = ends != best[: cipher.n_sought]
    far = differs.sum(axis=1) > (2 if cipher.one_to_one else 1)  # the nearer ones are neighbours
    return belief.Rivals(
        np.concatenate([changed, differs[far]]),
        np.concatenate([losses, scores[first[far]] - scores.max()]),
    )


def _no_rivals(cipher: Cipher) -> belief.Rivals:
    return belief.Rivals(np.zeros((0, cipher.n_sought), bool), np.zeros(0))


def _checked(x: ArrayLike, lengths: ArrayLike | None, n_symbols: int | None) -> tuple[Ints, Ints, int]:
    """Check the text, where it ends and how many signs it has."""
    signs = np.asarray(x)
    if signs.ndim != 1 or signs.size == 0 or signs.dtype.kind not in "iu":
        raise InputError(
            f"x is an array of {signs.dtype} with shape {signs.shape}, wanted one row of integers; pass one a sign"
        )
    n_signs = int(signs.max()) + 1 if n_symbols is None else n_symbols
    if signs.min() < 0 or signs.max() >= n_signs:
        found = signs.min() if signs.min() < 0 else signs.max()
        raise InputError(f"x holds the sign {found}, wanted 0 to {n_signs - 1}; number the signs from 0")
    return signs.astype(np.int64), as_lengths(lengths, signs.size), n_signs


def _laid_out(
    signs: Ints, ends: Ints, lm: NGramLM, fixed: dict[int, int], one_to_one: bool | None
) -> tuple[Cipher, Ints]:
    """Number the signs that occur, sought ones first; give the cipher and the signs in their new order."""
    n_letters = len(lm.alphabet)
    wrong = [letter for letter in fixed.values() if not 0 <= letter < n_letters]
    if wrong:
        raise InputError(f"fixed reads a sign as symbol {wrong[0]}, wanted 0 to {n_letters - 1}; give an index")
    occur = np.unique(signs)
    known = np.isin(occur, list(fixed))
    seen = np.concatenate([occur[~known], occur[known]])
    places = np.zeros(int(occur.max()) + 1, np.int64)
    places[seen] = np.arange(seen.size)
    letters = np.setdiff1d(np.arange(n_letters), list(fixed.values()))
    n_sought = int((~known).sum())
    if n_sought and letters.size == 0:
        raise InputError("fixed takes every symbol of the model, and signs are left; fix fewer or give another model")
    if one_to_one is None:
        one_to_one = n_sought <= letters.size and len(set(fixed.values())) == len(fixed)
    if not one_to_one:
        alone = [letter for letter in fixed.values() if not lm.alphabet.symbols[letter].isalpha()]
        letters = np.setdiff1d(np.arange(n_letters), alone)
    if one_to_one and n_sought > letters.size:
        raise InputError(
            f"the text has {n_sought} signs and the model {letters.size} symbols for them, wanted no more signs than "
            "symbols; leave one_to_one out"
        )
    given = np.array([fixed[sign] for sign in occur[known].tolist()], np.int64)
    return Cipher(places[signs], ends, n_sought, given, letters, n_letters, one_to_one), seen
