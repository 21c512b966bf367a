"""Ciphertext as people bring it: characters or separated symbols, with word spaces, groups of five, or neither.

A text is cut into pieces. Some are signs, to be read by a key; the others (punctuation, line ends) stand where they
stood. What the spaces mean cannot always be seen, so a text may be laid out in more than one way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import nfc
from labelfree.errors import InputError

WORD_BREAK = "/"  # between separated symbols
_PLAUSIBLE_SPACES = (0.07, 0.4)  # share of word spaces in text
_MIXED_CASE = (0.2, 0.8)  # share of capitals from which case tells signs apart


@dataclass(frozen=True, eq=False)
class Layout:
    """One way to see a ciphertext.

    Attributes
    ----------
    pieces : tuple of str
        The text, cut.
    signs : tuple of str
        The distinct signs.
    x : array of shape (T,)
        The sign at each place that is read.
    places : array of shape (T,)
        The piece that each of them is.
    space : int or None
        The sign that is the word space itself, where spaces are kept.
    name : str
        The way, in words.
    """

    pieces: tuple[str, ...]
    signs: tuple[str, ...]
    x: NDArray[np.int64]
    places: NDArray[np.int64]
    space: int | None
    name: str

    def written(self, symbols: list[str]) -> str:
        """The text with a plain symbol at every place that was read, capitals as they were."""
        pieces = list(self.pieces)
        for place, symbol in zip(self.places.tolist(), symbols, strict=True):
            was_capital = len(pieces[place]) == 1 and pieces[place].isupper() and pieces[place] not in self.signs
            pieces[place] = symbol.upper() if was_capital else symbol
        return "".join(pieces)


def layouts(text: str) -> list[Layout]:
    """The ways to see a ciphertext, the likeliest first.

    Examples
    --------
    >>> [layout.name for layout in layouts("Uif dbu tbu po uif nbu. Ju xbt gbu.")]
    ['letters, word spaces kept', 'letters, spaces mean nothing', 'every character a sign']
    >>> layouts("12 7 33 7 / 12 9")[0].signs
    ('12', '33', '7', '9', '/')
    """
    text = nfc(text.strip("\n"))
    if not text.strip():
        raise InputError("the ciphertext is empty, signs wanted; give a text of about 100 letters or more")
    if _is_separated(text):
        return [_separated(text)]
    ways = [_spaces_kept(text), _spaces_ignored(text), _all_signs(text)]
    return [way for way in ways if way is not None]


def _is_separated(text: str) -> bool:
    """Whether white space stands between single symbols: numbers, or short tokens that come back again and again."""
    tokens = text.split()
    if len(tokens) < 4:
        return False
    if all(token.isdigit() or token == WORD_BREAK for token in tokens):
        return True
    widths = Counter(len(token) for token in tokens if token != WORD_BREAK)
    return len(widths) == 1 and max(widths) <= 3 and len(set(tokens)) <= max(30, len(tokens) // 3)


def _separated(text: str) -> Layout:
    tokens = text.split()
    pieces = [" " if token == WORD_BREAK else token for token in tokens]
    signs = [*sorted(set(tokens) - {WORD_BREAK}), *([WORD_BREAK] if WORD_BREAK in tokens else [])]
    number = {sign: i for i, sign in enumerate(signs)}
    x = np.array([number[token] for token in tokens])
    return Layout(
        tuple(pieces), tuple(signs), x, np.arange(len(x)), number.get(WORD_BREAK), "symbols between white space"
    )


def _spaces_kept(text: str) -> Layout | None:
    groups = text.split()
    share = len(groups) / max(1, sum(map(len, groups)) + len(groups))
    equal = Counter(map(len, groups)).most_common(1)[0][1] / len(groups)
    if not _PLAUSIBLE_SPACES[0] < share < _PLAUSIBLE_SPACES[1] or (equal > 0.8 and len(groups) > 5):
        return None
    is_sign = _sign_test(text)
    return _laid_out(text, lambda c: is_sign(c) or c.isspace(), "word spaces kept")


def _spaces_ignored(text: str) -> Layout | None:
    return _laid_out(text, _sign_test(text), "spaces mean nothing")


def _all_signs(text: str) -> Layout | None:
    if " " not in text:
        return None
    layout = _laid_out(text, lambda c: c not in "\r\n", "")
    return layout and replace(layout, space=None, name="every character a sign")


def _sign_test(text: str) -> Callable[[str], bool]:
    """Letters are signs; where letters are few, every visible character is."""
    visible = [c for c in text if not c.isspace()]
    if sum(map(str.isalpha, visible)) >= 0.7 * len(visible):
        return str.isalpha
    return lambda c: not c.isspace()


def _laid_out(text: str, is_sign: Callable[[str], bool], name: str) -> Layout | None:
    letters = [c for c in text if c.isalpha()]
    capitals = sum(map(str.isupper, letters)) / max(1, len(letters))
    case_matters = _MIXED_CASE[0] < capitals < _MIXED_CASE[1]
    folded = [c if case_matters else c.lower() for c in text]
    folded = [" " if c.isspace() else c for c in folded]
    places = [i for i, c in enumerate(text) if is_sign(c)]
    if not places:
        return None
    signs = sorted({folded[i] for i in places})
    number = {sign: i for i, sign in enumerate(signs)}
    what = "letters" if all(sign.isalpha() or sign == " " for sign in signs) else "signs"
    return Layout(
        tuple(text),
        tuple(signs),
        np.array([number[folded[i]] for i in places]),
        np.array(places),
        number.get(" "),
        f"{what}, {name}",
    )
