"""Marks and the room around them: two single quotes that are a double one, and spaces that are none.

Some printers set a little room between a quotation mark and its word, or around a dash, and a 1 stands apart from the
next figure. Whether that is a space is the same throughout a book, and the language tells it from all places together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from labelfree.alphabet import Alphabet
from labelfree.lm import NGramLM
from labelfree.ocr.book import Ints
from labelfree.ocr.correct.settings import DEFAULT, FormSettings

_DOUBLE = {"’": "”", "‘": "“"}


def join_quotes(read: Sequence[Ints], alphabet: Alphabet) -> list[Ints]:
    """Give lines with a double quote wherever two single ones stand side by side.

    Examples
    --------
    >>> alphabet = Alphabet("no‘’“”")
    >>> [alphabet.decode(line) for line in join_quotes([alphabet.encode("‘‘no’’"), alphabet.encode("‘no’")], alphabet)]
    ['“no”', '‘no’']
    """
    found = [line.copy() for line in read]
    for single, double in _DOUBLE.items():
        if single in alphabet and double in alphabet:
            for number, line in enumerate(found):
                is_single = line == alphabet.index(single)
                second = 1 + np.flatnonzero(is_single[:-1] & is_single[1:])
                line[second - 1] = alphabet.index(double)
                found[number] = np.delete(line, second)
    return found


def close_up(read: Sequence[Ints], lm: NGramLM, settings: FormSettings = DEFAULT.forms) -> list[Ints]:
    """Leave out the spaces before a mark, after it, or on both of its sides, if lines are likelier without.

    The same goes for those between a figure and the next.

    Examples
    --------
    >>> lm = NGramLM.from_text("He said, «no,» and «yes,» and «oh,» and no more. " * 9, order=3)
    >>> lines = [lm.alphabet.encode("He said, « no,» and « yes,» and « oh,» and")] * 2
    >>> {lm.alphabet.decode(line) for line in close_up(lines, lm)}
    {'He said, «no,» and «yes,» and «oh,» and'}
    """
    symbols = lm.alphabet.symbols
    is_space = np.array([symbol.isspace() for symbol in symbols])
    is_mark = np.array([not symbol.isalnum() for symbol in symbols]) & ~is_space
    is_figure = np.array([symbol.isdecimal() for symbol in symbols])
    places_of: dict[tuple[int, tuple[int, ...]], list[tuple[int, int]]] = defaultdict(list)
    for number, line in enumerate(read):
        spaced = np.concatenate([[False], is_space[line], [False]])
        for place in np.flatnonzero(is_mark[line]).tolist():
            sides = tuple(side for side in (-1, 1) if spaced[place + 1 + side] and 0 < place + side < len(line) - 1)
            places_of[int(line[place]), sides].append((number, place))
        for place in np.flatnonzero(is_figure[line[:-2]] & is_space[line[1:-1]] & is_figure[line[2:]]).tolist():
            places_of[int(line[place]), (1,)].append((number, place))
    left_out: dict[int, list[Ints]] = defaultdict(list)
    for (_, sides), places in places_of.items():
        if len(places) <= settings.least:
            continue
        choices = [np.array(chosen) for n in (1, 2) for chosen in combinations(sides, n)]
        gains = [_gain(read, [(number, place + chosen) for number, place in places], lm) for chosen in choices]
        if max(gains, default=0.0) > settings.gain * len(places):
            for number, place in places:
                left_out[number].append(place + choices[int(np.argmax(gains))])
    return [
        np.delete(line, np.concatenate(left_out[number])) if number in left_out else line
        for number, line in enumerate(read)
    ]


def _gain(read: Sequence[Ints], spaces: Sequence[tuple[int, Ints]], lm: NGramLM) -> float:
    """How much likelier lines are without some spaces."""
    around = [slice(max(0, places[0] - lm.order), places[-1] + 1 + lm.order) for _, places in spaces]
    with_spaces = [read[number][part] for (number, _), part in zip(spaces, around, strict=True)]
    parts = zip(with_spaces, spaces, around, strict=True)
    without = [np.delete(text, places - part.start) for text, (_, places), part in parts]
    return _log_probability(without, lm) - _log_probability(with_spaces, lm)


def _log_probability(lines: Sequence[Ints], lm: NGramLM) -> float:
    lengths = np.array([len(line) for line in lines])
    return float(np.sum(lm.log_probabilities(np.concatenate(lines), lengths)))
