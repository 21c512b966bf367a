"""Nomenclators: signs that stand for nothing, for a word or for a pair of letters, among those that stand for letters.

Once most letters are read, each sign is read in turn as nothing and as each of a list of strings. With y the text that
the signs spell, c_s the count of sign s and C_r that of all signs read as r, a reading of the signs is as likely as

    log p(y)  +  sum_s c_s log(c_s / C_r(s)),

where signs for nothing are drawn among the others by their share, and a string that is sometimes spelled by letters by
theirs. Then the letters are searched again with what was
found left out or spelled, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from labelfree.cipher.keysearch import FLOOR, FULL_ORDER, KeyFound, search_key
from labelfree.cipher.keysearch.belief import TEMPER
from labelfree.cipher.keysearch.problem import Table, highest_order, score_table
from labelfree.lm import NGramLM
from labelfree.verdict import KeySearched, KeyVerdict, judge_key, own_gain, price_of_key
from labelfree.verdict.language import entropy

Ints = NDArray[np.int64]
String = tuple[int, ...]

_WORDS, _PAIRS = 80, 40
_LEAST_GAIN = 1.0  # nats beyond what a string takes more to tell than a letter
_ROUNDS = 4
_NOTHING: String = ()


@dataclass(frozen=True, eq=False)
class Nomenclator:
    """What was found.

    Attributes
    ----------
    spelled : tuple of tuple of int
        What each sign spells, empty where it stands for nothing.
    confidence : (signs,) array
        Probability that each sign is read right.
    verdict : KeyVerdict
        On all of it.
    """

    spelled: tuple[String, ...]
    confidence: NDArray[np.float64]
    verdict: KeyVerdict


def common_strings(lm: NGramLM, words: Mapping[str, float]) -> list[String]:
    """The words and pairs of letters that a sign may stand for.

    Parameters
    ----------
    lm : NGramLM
    words : mapping of str to float
        Words and how frequent they are; may be empty.
    """
    letters = {symbol for symbol in lm.alphabet if symbol.isalpha()}
    known = [word for word in words if len(word) > 1 and set(word) <= letters]
    found = sorted(known, key=lambda word: -words[word])[:_WORDS]
    pairs = np.asarray(lm.joint(2))
    for place in np.argsort(-pairs, axis=None)[: 2 * _PAIRS].tolist():
        pair = "".join(lm.alphabet.symbols[i] for i in divmod(place, len(lm.alphabet)))
        if set(pair) <= letters:
            found.append(pair)
    return list(dict.fromkeys(tuple(lm.alphabet.encode(each).tolist()) for each in found[: _WORDS + _PAIRS]))


def read_nomenclator(
    x: Ints,
    lm: NGramLM,
    first: KeyFound,
    strings: Sequence[String],
    *,
    fixed: Mapping[int, int] | None = None,
    seed: int = 0,
) -> Nomenclator | None:
    """Find the signs of a cipher that stand for no letter, and read the others again; None where there are none.

    Parameters
    ----------
    x : (T,) int array
        The cipher.
    lm : NGramLM
    first : KeyFound
        What a search for letters alone found.
    strings : sequence of tuple of int
        What a sign may spell besides a letter.
    fixed : mapping of int to int, optional
        Signs that are what they are, as the space.
    seed : int
    """
    table = score_table(lm, highest_order(lm, FULL_ORDER), FLOOR)
    given = dict(fixed or {})
    found, spelled, before = first, _letters(first.key), None
    for _ in range(_ROUNDS):
        spelled = _improved(x, spelled, table, [_NOTHING, *strings], given)
        others = {sign: string for sign, string in enumerate(spelled) if len(string) != 1}
        if others == before or not others:
            break
        before = others
        found = _searched_again(x, spelled, lm, given, seed)
        letters = _letters(found.key[: len(spelled)])
        spelled = [others.get(sign, letter) for sign, letter in enumerate(letters)]
    if not before:
        return None
    sure = np.minimum(found.confidence[: len(spelled)], 1.0)
    for sign in np.setdiff1d(np.unique(x), list(given)).tolist():
        scores = _scores(x, spelled, sign, ways := _ways(table, [_NOTHING, *strings]), table)
        rivals = np.delete(scores - scores[ways.index(spelled[sign])], ways.index(spelled[sign]))
        others_sure = 1 / (1 + np.exp(TEMPER * np.minimum(rivals, 0.0)).sum())
        sure[sign] = min(sure[sign], others_sure) if len(spelled[sign]) == 1 else others_sure
    return Nomenclator(tuple(spelled), sure, _judged(x, spelled, lm, found, (sure, len(strings) + 1)))


def _letters(key: Ints) -> list[String]:
    return [(letter,) for letter in key.tolist()]


def _improved(
    x: Ints, spelled: list[String], table: Table, strings: Sequence[String], fixed: Mapping[int, int]
) -> list[String]:
    """Read one sign after the other as what is likeliest, twice; those that fit worst come first."""
    spelled, price = list(spelled), np.log(len(strings) / (table.size - 1)) + _LEAST_GAIN
    for _ in range(2):
        for sign in _worst_first(x, spelled, table):
            if sign in fixed:
                continue
            ways = _ways(table, strings)
            scores = _scores(x, spelled, sign, ways, table)
            scores[table.size - 1 :] -= price
            now = ways.index(spelled[sign])
            best = int(scores.argmax())
            if scores[best] > scores[now] + 1e-6 and (len(ways[best]) != 1 or len(spelled[sign]) != 1):
                spelled[sign] = ways[best]
        spelled = _swapped(x, spelled, table)
    return spelled


def _swapped(x: Ints, spelled: list[String], table: Table) -> list[String]:
    """Exchange what two signs for words spell wherever that is likelier: each keeps the other from its own."""
    others = [sign for sign in np.unique(x).tolist() if len(spelled[sign]) != 1]
    now = _score(x, spelled, table)
    for one, other in combinations(others, 2):
        tried = list(spelled)
        tried[one], tried[other] = spelled[other], spelled[one]
        then = _score(x, tried, table)
        if then > now + 1e-6:
            spelled, now = tried, then
    return spelled


def _ways(table: Table, strings: Sequence[String]) -> list[String]:
    """All that a sign may spell, letters first."""
    return [*((letter,) for letter in range(table.size - 1)), *strings]


def _worst_first(x: Ints, spelled: Sequence[String], table: Table) -> list[int]:
    """The signs of a text by what their letters, and the next ones, lose by standing where they do."""
    plain, owner = _written(x, spelled)
    logs = _logs(plain, table)
    loss = np.convolve(logs, np.ones(table.order))[table.order - 1 :][: len(logs)]
    total = np.bincount(owner, loss, minlength=len(spelled))
    mean = total / np.maximum(np.bincount(owner, minlength=len(spelled)), 1)
    mean[np.bincount(owner, minlength=len(spelled)) == 0] = -np.inf
    return [sign for sign in np.argsort(mean).tolist() if (x == sign).any()]


def _written(x: Ints, spelled: Sequence[String]) -> tuple[Ints, Ints]:
    """The letters that signs spell, and the sign that each belongs to."""
    lengths = np.array([len(string) for string in spelled])
    begins = np.cumsum(lengths) - lengths
    flat = np.array([letter for string in spelled for letter in string], np.int64)
    each = lengths[x]
    owner = np.repeat(x, each)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(each) - each, each)
    return flat[begins[owner] + place], owner


def _logs(plain: Ints, table: Table) -> NDArray[np.float64]:
    """Log p of each letter after those before it."""
    row = np.concatenate([np.full(table.order - 1, table.size - 1), plain])
    codes = np.zeros(len(plain), np.int64)
    for place in range(table.order):
        codes = codes * table.size + row[place : place + len(plain)]
    return table.flat[codes].astype(np.float64)


def _scores(x: Ints, spelled: Sequence[String], sign: int, ways: Iterable[String], table: Table) -> NDArray[np.float64]:
    """The log-likelihood with each of the ways to read a sign."""
    changed, found = list(spelled), []
    for way in ways:
        changed[sign] = way
        found.append(_score(x, changed, table))
    return np.array(found)


def _score(x: Ints, spelled: Sequence[String], table: Table) -> float:
    """The log-likelihood of a reading of the signs."""
    plain, _ = _written(x, spelled)
    counts = np.bincount(x, minlength=len(spelled)).astype(np.float64)
    return float(_logs(plain, table).sum()) + _log_choice(counts, spelled, plain)


def _log_choice(counts: NDArray[np.float64], spelled: Sequence[String], plain: Ints) -> float:
    """The log probability of the signs that stand for each reading, and of where those for no letter stand."""
    of_reading: dict[String, float] = {}
    for count, string in zip(counts.tolist(), spelled, strict=True):
        of_reading[string] = of_reading.get(string, 0.0) + count
    whole, nothing = counts.sum(), of_reading.get(_NOTHING, 0.0)
    chosen = xlogy(counts, counts).sum() - sum(xlogy(count, count) for count in of_reading.values())
    text = "".join(map(chr, plain.tolist()))
    where = _log_share(nothing, whole)
    for string, count in of_reading.items():
        if len(string) > 1:
            where += _log_share(count, max(count, text.count("".join(map(chr, string)))))
    return float(chosen) + where


def _log_share(part: float, whole: float) -> float:
    """The log probability of which ones are chosen, each by the share that is."""
    return float(xlogy(part, part) + xlogy(whole - part, whole - part) - xlogy(whole, whole))


def _searched_again(x: Ints, spelled: Sequence[String], lm: NGramLM, fixed: Mapping[int, int], seed: int) -> KeyFound:
    """Search for the letters where the other signs are spelled by signs of their own, whose readings are known."""
    n = len(spelled)
    pseudo = [string if len(string) != 1 else (-1,) for string in spelled]
    plain, owner = _written(x, pseudo)
    signs = np.where(plain < 0, owner, n + plain)
    own = {n + letter: letter for letter in set(plain[plain >= 0].tolist())}
    start = {sign: string[0] for sign, string in enumerate(spelled) if len(string) == 1 and string[0] >= 0}
    return search_key(
        signs,
        lm,
        n_symbols=n + len(lm.alphabet),
        fixed=dict(fixed) | own,
        start={sign: letter for sign, letter in start.items() if sign not in fixed},
        one_to_one=False,
        seed=seed,
    )


def _judged(
    x: Ints, spelled: Sequence[String], lm: NGramLM, found: KeyFound, known: tuple[NDArray[np.float64], int]
) -> KeyVerdict:
    """Judge the whole key: its strings are paid for, and each sign may have been one.

    `known` is how sure each sign is, and how many strings were tried.
    """
    sure, n_strings = known
    names = {string: place for place, string in enumerate(dict.fromkeys(spelled))}
    readings = np.array([names[string] for string in spelled])[x]
    others = sum(len(string) != 1 for string in spelled)
    price = price_of_key(len(spelled) - others, len(lm.alphabet), one_to_one=False)
    price += others * float(np.log(n_strings)) + len(spelled) * float(np.log(2))
    told = found.score * len(found.plain)
    gained = told + x.size * entropy(np.bincount(readings) / x.size)
    possible = own_gain(lm) * len(found.plain)
    return judge_key(
        KeySearched(
            saved=gained - price,
            possible=possible - price,
            explained=gained / possible,
            expected_right=float(sure[x].mean()),
            agreeing=found.agreeing,
            chains=found.chains,
        )
    )
