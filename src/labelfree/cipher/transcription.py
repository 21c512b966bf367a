"""Ciphertext as people bring it: characters or separated symbols, with word spaces, groups of five, or neither.

A text is cut into pieces. Some are signs, to be read by a key; the others (punctuation, line ends) stand where they
stood. What the spaces mean cannot always be seen, so a text may be laid out in more than one way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import nfc
from labelfree.errors import InputError

WORD_BREAK = "/"  # between separated symbols
_PLAUSIBLE_SPACES = (0.07, 0.4)  # share of word spaces in text
_LONG_GROUP = 4  # digits that are no single sign
_LINE_BREAKS = ("\n", "\r", "\r\n", "\f")
_INNER_MARKS = 0.5  # share of marks between two letters, as in don't, up to which they are punctuation
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
    word_ends : callable, optional
        Finds after how many letters each word ends, where the cipher has no spaces that mean anything.
    """

    pieces: tuple[str, ...]
    signs: tuple[str, ...]
    x: NDArray[np.int64]
    places: NDArray[np.int64]
    space: int | None
    name: str
    word_ends: Callable[[str], list[int]] | None = None

    @property
    def has_punctuation(self) -> bool:
        """Whether what is no letter stands where punctuation does, beside white space; so if there is no such thing."""
        text = " " + "".join(self.pieces) + " "
        marks = re.findall(r"\w[^\w\s]+\w", text), re.findall(r"[^\w\s]+", text)
        return len(marks[0]) <= _INNER_MARKS * len(marks[1])

    def written(self, symbols: list[str]) -> str:
        """The text with what was read at every place; capitals and line breaks stay as they were.

        What a sign reads as may be several letters, or none.
        """
        pieces = list(self.pieces)
        ends: set[int] = set()
        if self.word_ends and self.space is None and " " not in symbols:
            ends = set(self.word_ends("".join(symbols)))
            pieces = ["" if piece.isspace() and piece not in _LINE_BREAKS else piece for piece in pieces]
        signs, done, last = set(self.signs), 0, 0
        for place, symbol in zip(self.places.tolist(), symbols, strict=True):
            was = pieces[place]
            if was.isspace() and symbol == " ":
                done += 1
                continue
            shown = symbol.upper() if len(was) == 1 and was.isupper() and was not in signs else symbol
            parted = "".join(f" {c}" if done + i in ends else c for i, c in enumerate(shown))
            begins_line = any(piece in _LINE_BREAKS for piece in pieces[last:place])
            pieces[place] = parted.removeprefix(" ") if begins_line and done in ends else parted
            done, last = done + len(symbol), place + 1 if symbol else last
        return "".join(pieces)


def layouts(text: str, word_ends: Callable[[str], list[int]] | None = None, *, redivide: bool = False) -> list[Layout]:
    """The ways to see a ciphertext, the likeliest first; `word_ends` is kept in each.

    With `redivide` only those in which spaces, and ``/`` among separated symbols, mean nothing.

    Examples
    --------
    >>> [layout.name for layout in layouts("Uif dbu tbu po uif nbu. Ju xbt gbu.")]
    ['letters, word spaces kept', 'letters, spaces mean nothing', 'every character a sign']
    >>> layouts("12 7 33 7 / 12 9")[0].signs
    ('12', '33', '7', '9', '/')
    """
    text = nfc(text)
    if not text.strip():
        raise InputError("the ciphertext is empty, signs wanted; give a text of about 100 letters or more")
    if redivide:
        text = re.sub(rf"(?<!\S){WORD_BREAK}(?!\S)", " ", text)
    ways: list[Layout | None]
    pairs = _pairs_of_digits(text)
    if pairs:
        ways = [replace(_separated(pairs), name="two-digit groups")]
    elif _is_separated(text):
        ways = [_separated(text)]
    elif redivide:
        ways = [_spaces_ignored(text)]
    else:
        ways = [_spaces_kept(text), _spaces_ignored(text), _all_signs(text)]
    return [replace(way, word_ends=word_ends) for way in ways if way is not None]


def _pairs_of_digits(text: str) -> str:
    """Digits without separation, or in groups of four and more, as numbers of two; empty where there is no such thing.

    Examples
    --------
    >>> _pairs_of_digits("12071 30712")
    '12 07 13 07 12'
    >>> _pairs_of_digits("12 7 13 7 12")
    ''
    """
    groups = text.split()
    if not all(group.isdecimal() for group in groups) or sorted(map(len, groups))[len(groups) // 2] < _LONG_GROUP:
        return ""
    lines = ["".join(line.split()) for line in text.split("\n")]
    if any(len(line) % 2 for line in lines):  # lines are no more than where the paper ended
        lines = ["".join(lines)]
    if len(lines[0]) % 2:
        return ""
    return "\n".join(" ".join(line[i : i + 2] for i in range(0, len(line), 2)) for line in lines)


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
    """Numbers or short tokens; where lines never end at a mark between words, their ends part words, too."""
    pieces = re.findall(r"\r?\n|\S+", text.rstrip())
    ends_of_lines = [line.split() for line in text.splitlines()]
    has_words = WORD_BREAK in pieces
    lines_are_whole = has_words and not any(WORD_BREAK in (line[0], line[-1]) for line in ends_of_lines if line)
    signs = [*sorted({piece for piece in pieces if not piece.isspace()} - {WORD_BREAK}), *([WORD_BREAK] * has_words)]
    number = {sign: i for i, sign in enumerate(signs)}
    places = [i for i, piece in enumerate(pieces) if not piece.isspace() or (lines_are_whole and _begins(pieces, i))]
    x = np.array([number[WORD_BREAK if pieces[i].isspace() else pieces[i]] for i in places])
    shown = tuple(" " if piece == WORD_BREAK else piece for piece in pieces)
    return Layout(shown, tuple(signs), x, np.array(places), number.get(WORD_BREAK), "symbols between white space")


def _begins(pieces: Sequence[str], i: int) -> bool:
    """Whether a run of white space begins here, behind something to read."""
    return i > 0 and pieces[i].isspace() and not pieces[i - 1].isspace()


def _spaces_kept(text: str) -> Layout | None:
    groups = text.split()
    share = len(groups) / max(1, sum(map(len, groups)) + len(groups))
    equal = Counter(map(len, groups)).most_common(1)[0][1] / len(groups)
    if not _PLAUSIBLE_SPACES[0] < share < _PLAUSIBLE_SPACES[1] or (equal > 0.8 and len(groups) > 5):
        return None
    is_sign = _sign_test(text)
    places = [i for i, c in enumerate(text) if is_sign(c) or _begins(text, i)]
    return _laid_out(text, places, "word spaces kept")


def _spaces_ignored(text: str) -> Layout | None:
    is_sign = _sign_test(text)
    return _laid_out(text, [i for i, c in enumerate(text) if is_sign(c)], "spaces mean nothing")


def _all_signs(text: str) -> Layout | None:
    if " " not in text:
        return None
    layout = _laid_out(text, [i for i, c in enumerate(text) if c not in "\r\n"], "")
    return layout and replace(layout, space=None, name="every character a sign")


def _sign_test(text: str) -> Callable[[str], bool]:
    """Letters are signs; where letters are few, every visible character is."""
    visible = [c for c in text if not c.isspace()]
    if sum(map(str.isalpha, visible)) >= 0.7 * len(visible):
        return str.isalpha
    return lambda c: not c.isspace()


def _laid_out(text: str, places: list[int], name: str) -> Layout | None:
    letters = [c for c in text if c.isalpha()]
    capitals = sum(map(str.isupper, letters)) / max(1, len(letters))
    case_matters = _MIXED_CASE[0] < capitals < _MIXED_CASE[1]
    folded = [c if case_matters else c.lower() for c in text]
    folded = [" " if c.isspace() else c for c in folded]
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
