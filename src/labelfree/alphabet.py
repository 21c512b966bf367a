"""Symbols to indices and back: Unicode normalisation, greedy cutting, what happens to a symbol outside."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelfree.errors import InputError

Codes = NDArray[np.integer[Any]]
"""Symbol indices as the cutter gives them, with `len(alphabet)` where a sequence ends."""

WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004"
    "\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Every character that reads as a space where an alphabet holds the space but not the character itself."""


def as_alphabet(given: Alphabet | str | Sequence[str]) -> Alphabet:
    """The alphabet, or one of the symbols given: a string stands for one symbol a character.

    Examples
    --------
    >>> as_alphabet("ab") == as_alphabet(["a", "b"]) == Alphabet("ab")
    True
    """
    return given if isinstance(given, Alphabet) else Alphabet(given)


_SURROGATE = re.compile("[\ud800-\udfff]")


class Alphabet:
    """The output symbols, in order; a symbol's index is its place.

    Parameters
    ----------
    symbols : str or sequence of str
        A string stands for one symbol a character; a sequence may hold symbols of several characters.
        Each is brought to Unicode's NFC.
    fold_case : bool, optional
        Whether capitals in a text are read as small letters. By default they are if no symbol is upper-case.

    Examples
    --------
    >>> fraktur = Alphabet(["a", "c", "h", "ch", " "])
    >>> fraktur.encode("Ach, hach")
    array([0, 3, 4, 2, 0, 3])
    >>> fraktur.decode([0, 3, 4, 2, 0, 3])
    'ach hach'
    """

    __slots__ = ("_fold", "_hash", "_index", "_long", "_symbols")

    def __init__(self, symbols: str | Sequence[str], *, fold_case: bool | None = None) -> None:
        listed = tuple(nfc(symbol) for symbol in _each_symbol(symbols))
        index = {symbol: place for place, symbol in enumerate(listed)}
        if not listed:
            raise InputError("an alphabet holds no symbol; give at least one")
        if "" in index:
            raise InputError(f"symbol {index['']} of the alphabet is empty; remove it")
        if len(index) < len(listed):
            twice = [symbol for symbol, times in Counter(listed).items() if times > 1]
            raise InputError(f"an alphabet holds {twice[0]!r} more than once; list each symbol once")
        broken = next((symbol for symbol in listed if _SURROGATE.search(symbol)), None)
        if broken is not None:
            raise InputError(f"an alphabet holds {broken[:20]!r}, half a character that no file can hold; leave it out")
        capital = next((symbol for symbol in listed if symbol != symbol.lower()), None)
        if fold_case and capital is not None:
            raise InputError(
                f"fold_case=True, but the alphabet holds the capital {capital!r}; "
                "list small letters only, or leave fold_case out"
            )
        self._symbols = listed
        self._index = index
        self._fold = capital is None if fold_case is None else fold_case
        self._long = sorted((symbol for symbol in listed if len(symbol) > 1), key=len, reverse=True)
        self._hash = hash((listed, self._fold))

    @classmethod
    def from_text(cls, text: str, min_count: int = 1) -> Alphabet:
        """Collect the characters of a text, sorted.

        Parameters
        ----------
        text : str
            Where to look.
        min_count : int
            How often a character must occur to become a symbol.

        Examples
        --------
        >>> Alphabet.from_text("banana, a ban", min_count=2).symbols
        (' ', 'a', 'b', 'n')
        """
        times = Counter(nfc(text))
        return cls(sorted(symbol for symbol, count in times.items() if count >= min_count))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols in order."""
        return self._symbols

    @property
    def fold_case(self) -> bool:
        """Whether capitals in a text are read as small letters."""
        return self._fold

    def __len__(self) -> int:
        return len(self._symbols)

    def __iter__(self) -> Iterator[str]:
        return iter(self._symbols)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._index

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Alphabet):
            return NotImplemented
        return self is other or (self._symbols == other._symbols and self._fold == other._fold)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        single = all(len(symbol) == 1 for symbol in self._symbols)
        return f"Alphabet({''.join(self._symbols) if single else list(self._symbols)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._symbols, self._fold)

    def index(self, symbol: str) -> int:
        """Give the place of a symbol.

        Examples
        --------
        >>> Alphabet("abc").index("b")
        1
        """
        try:
            return self._index[symbol]
        except KeyError:
            raise InputError(
                f"{symbol!r} is not in the alphabet of {len(self)} symbols {self._shown()}; use one of those"
            ) from None

    def encode(self, text: str, outside: str | Mapping[str, str] = "drop") -> NDArray[np.int64]:
        r"""Cut a text into symbols, greedily and longest first, and give their indices.

        White space reads as a space where the alphabet holds the space.

        Parameters
        ----------
        text : str
            What to cut.
        outside : {"drop", "break", "error"} or mapping
            What happens to a character that belongs to no symbol: it is left out; it ends the sequence, shown
            as -1; it raises; or the text that the mapping has for it stands in its place, if any.

        Returns
        -------
        ids : (T,) int64 array

        Examples
        --------
        >>> Alphabet("abc ").encode("Cab 7\nä", outside={"ä": "aa"})
        array([2, 0, 1, 3, 3, 0, 0])
        """
        ids = Cutter(self, outside).feed(text, last=True).astype(np.int64)
        ids[ids == len(self)] = -1
        return ids

    def sequences(
        self, text: str, outside: str | Mapping[str, str] = "break"
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cut a text into symbols, and into sequences where `outside="break"` says one ends.

        Returns
        -------
        ids : (T,) int64 array
            All sequences stacked.
        lengths : (S,) int64 array
            How long each is; none is empty.

        Examples
        --------
        >>> Alphabet("abc").sequences("ab, c")
        (array([0, 1, 2]), array([2, 1]))
        """
        ids = self.encode(text, outside)
        ends = np.concatenate(([-1], np.flatnonzero(ids < 0), [ids.size]))
        lengths = np.diff(ends) - 1
        return ids[ids >= 0], lengths[lengths > 0].astype(np.int64)

    def decode(self, ids: ArrayLike) -> str:
        r"""Give the text of a row of indices; -1 (the end of a sequence) becomes a line break.

        Examples
        --------
        >>> Alphabet(["a", "ch"]).decode([0, 1, -1, 0])
        'ach\na'
        """
        places = np.asarray(ids)
        if places.size == 0:
            return ""
        if places.dtype.kind not in "iu" or places.ndim != 1:
            raise InputError(
                f"decode got an array of {places.dtype} with shape {places.shape}; give one row of integers"
            )
        if places.min() < -1 or places.max() >= len(self):
            found = places.min() if places.min() < -1 else places.max()
            raise InputError(f"decode got the index {found}; give indices from 0 to {len(self) - 1}")
        table = (*self._symbols, "\n")
        return "".join([table[place] for place in places.tolist()])

    def _shown(self) -> str:
        """List the symbols for a message, cut short."""
        text = " ".join(repr(symbol) for symbol in self._symbols[:40])
        return text if len(self) <= 40 else f"{text} ..."


class Cutter:
    """Turn a text that arrives in pieces into indices, as if it had come in one.

    Parameters
    ----------
    alphabet : Alphabet
    outside : {"drop", "break", "error"} or mapping
        As in `Alphabet.encode`.
    squeeze : bool
        Whether a run of spaces counts as one, also where it is left after dropping what was between.

    Notes
    -----
    A character's fate stands in one table over all of Unicode: its index, or `len(alphabet)` for the end of a
    sequence, or above that `drop`, `error`, and one code for every mapped text that is not just one symbol.

    Examples
    --------
    >>> cutter = Cutter(Alphabet(["a", "ch", " "]), "drop", squeeze=True)
    >>> cutter.feed("ac"), cutter.feed("ha  7 "), cutter.feed("", last=True)
    (array([], dtype=uint8), array([0, 1, 0, 2], dtype=uint8), array([], dtype=uint8))
    """

    def __init__(self, alphabet: Alphabet, outside: str | Mapping[str, str], squeeze: bool = False) -> None:
        key = outside if isinstance(outside, str) else tuple(sorted(outside.items()))
        self._fates = _fates(alphabet, key)
        self._alphabet = alphabet
        self._break = len(alphabet)
        self._drop = self._break + _DROP
        self._error = self._break + _ERROR
        self._long = alphabet._long
        self._longest = len(self._long[0]) if self._long else 1
        self._folds = _fold_table() if self._long and alphabet.fold_case else None
        self._space = alphabet.index(" ") if squeeze and " " in alphabet else -1
        self._after_space = False
        self._held = ""
        self._held_points = np.zeros(0, np.uint32)
        self._consumed = 0

    def feed(self, text: str, last: bool = False) -> Codes:
        """Give the codes that are certain after this piece; `last` says that no more will come."""
        text = self._held + text
        cut = len(text) if last else last_fresh(text)
        text, self._held = text[:cut], text[cut:]
        codes = self._cut(text, last)
        return self._squeezed(codes) if self._space >= 0 else codes

    def restart(self) -> None:
        """Forget what came before, for the next text."""
        self._held, self._held_points = "", self._held_points[:0]
        self._after_space, self._consumed = False, 0

    def _cut(self, text: str, last: bool) -> Codes:
        """Look every character up; the short way for text in bytes, else by code points."""
        low = self._in_bytes(text)
        if low is not None and self._fates.low is not None:
            codes = np.frombuffer(low.translate(self._fates.low, self._fates.dropped), np.uint8)
            if codes.max(initial=0) <= self._break:
                self._consumed += len(low)
                return codes
        points = code_points(nfc(text))
        if self._long:
            return self._cut_long(points, last)
        return self._settled(self._fates.table.take(points, mode="clip"), points)

    def _in_bytes(self, text: str) -> bytes | None:
        """Write a text as bytes; the few characters that do not fit as others with the same fate, if any has it."""
        if self._fates.low is None:
            return None
        try:
            return text.encode("latin-1")
        except UnicodeEncodeError:
            pass
        wide = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.dtype("<u2"))
        high = np.flatnonzero(wide > 255)
        if wide.size != len(text) or high.size * 16 > wide.size:
            return None
        points = wide[high]
        stand_ins = self._fates.stand_ins[self._fates.table[points]]
        if stand_ins.min() < 0 or not all(_stands_alone(chr(point)) for point in np.unique(points).tolist()):
            return None
        low = wide.astype(np.uint8)
        low[high] = stand_ins
        return low.tobytes()

    def _cut_long(self, points: NDArray[np.uint32], last: bool) -> Codes:
        """Cut where symbols of several characters are about: the longest that fits, from left to right."""
        points = np.concatenate((self._held_points, points))
        codes = self._fates.table[points]
        starts, widths, places = self._long_matches(points)
        certain = points.size if last else max(points.size - self._longest + 1, 0)
        inside = np.zeros(points.size + self._longest, bool)
        for step in range(1, self._longest):
            inside[starts[widths > step] + step] = True
        codes[starts] = places
        while certain < points.size and inside[certain]:
            certain += 1
        self._held_points = points[certain:]
        keep = ~inside[:certain]
        return self._settled(codes[:certain][keep], points[:certain][keep], consumed=certain)

    def _long_matches(
        self, points: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Find where long symbols stand: start, width and index of each, none overlapping."""
        if self._folds is not None:
            points = self._folds[points]
        padded = np.concatenate((points, np.full(self._longest, sys.maxunicode + 1, np.uint32)))
        widths = np.zeros(points.size, np.int64)
        places = np.zeros(points.size, np.int64)
        for symbol in self._long:
            wanted = code_points(symbol)
            at = np.flatnonzero(points == wanted[0])
            for step in range(1, wanted.size):
                at = at[padded[at + step] == wanted[step]]
            at = at[widths[at] == 0]
            widths[at], places[at] = wanted.size, self._alphabet.index(symbol)
        starts = np.flatnonzero(widths)
        ends = starts + widths[starts]
        if (starts[1:] < ends[:-1]).any():
            kept, free = [], 0
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                if start >= free:
                    kept.append(start)
                    free = end
            starts = np.array(kept, np.int64)
        return starts, widths[starts], places[starts]

    def _settled(self, codes: Codes, points: NDArray[np.uint32], consumed: int | None = None) -> Codes:
        """Carry out what the codes above the break say: raise, expand, drop."""
        top = codes.max(initial=0)
        if top >= self._error:
            if (codes == self._error).any():
                place = int(np.flatnonzero(codes == self._error)[0])
                raise InputError(
                    f"character {chr(points[place])!r} (U+{points[place]:04X}) near place "
                    f"{self._consumed + place} is outside the alphabet {self._alphabet._shown()}; "
                    'add it, or choose outside="drop", "break" or a mapping'
                )
            codes = self._expanded(codes)
        if top >= self._drop:
            codes = codes[codes != self._drop]
        self._consumed += points.size if consumed is None else consumed
        return codes

    def _expanded(self, codes: Codes) -> Codes:
        """Put the mapped texts in place of their codes."""
        widths = np.ones(codes.size, np.int64)
        for number, expansion in enumerate(self._fates.expansions, start=1):
            widths[codes == self._error + number] = expansion.size
        starts = np.cumsum(widths) - widths
        wide = np.repeat(codes, widths)
        for number, expansion in enumerate(self._fates.expansions, start=1):
            at = starts[codes == self._error + number]
            for step, code in enumerate(expansion):
                wide[at + step] = code
        return wide

    def _squeezed(self, codes: Codes) -> Codes:
        """Leave one of every run of spaces."""
        if codes.size == 0:
            return codes
        space = codes == self._space
        again = np.empty_like(space)
        again[0] = space[0] and self._after_space
        np.logical_and(space[1:], space[:-1], out=again[1:])
        self._after_space = bool(space[-1])
        return codes[~again] if again.any() else codes


_DROP, _ERROR = 1, 2
"""What stands above the break in a table of fates: leave out, raise; then one code for each expansion."""


class _Fates(NamedTuple):
    """What becomes of every character of Unicode under an alphabet and a policy."""

    table: Codes  # (0x110000,)
    expansions: list[Codes]
    low: bytes | None  # the table's first 256, where bytes hold every code and no symbol is long
    dropped: bytes  # which of those 256 are left out
    stand_ins: NDArray[np.int64]  # for each code one of those 256 that has it, or -1


@lru_cache(maxsize=16)
def _fates(alphabet: Alphabet, outside: str | tuple[tuple[str, str], ...]) -> _Fates:
    """Say for each code point what becomes of it."""
    size = len(alphabet)
    known = {ord(symbol): place for place, symbol in enumerate(alphabet) if len(symbol) == 1}
    expansions: list[Codes] = []
    if isinstance(outside, str):
        policies = {"drop": size + _DROP, "break": size, "error": size + _ERROR}
        if outside not in policies:
            raise InputError(f'outside is {outside!r}; give "drop", "break", "error" or a mapping')
        rest = policies[outside]
    else:
        rest = size + _DROP
        for key, value in outside:
            character = nfc(key)
            if len(character) != 1:
                raise InputError(f"outside maps {key!r}; give single characters as keys")
            ids = _mapped(alphabet, key, value)
            if ids.size > 1:
                expansions.append(ids)
                fate = size + _ERROR + len(expansions)
            else:
                fate = int(ids[0]) if ids.size else rest
            known.setdefault(ord(character), fate)
    if " " in alphabet:
        for character in WHITE_SPACE:
            known.setdefault(ord(character), alphabet.index(" "))
    if alphabet.fold_case:
        for small, capitals in _capitals().items():
            if small in known:
                for capital in capitals:
                    known.setdefault(capital, known[small])
    top = size + _ERROR + len(expansions)
    dtype = np.uint8 if top < 256 else np.uint16 if top < 65536 else np.int32
    table: Codes = np.full(sys.maxunicode + 1, rest).astype(dtype)
    table[list(known)] = list(known.values())
    plain = top < 256 and all(len(symbol) == 1 for symbol in alphabet)
    dropped = np.flatnonzero(table[:256] == size + _DROP).astype(np.uint8).tobytes()
    stand_ins = np.full(top + 1, -1)
    stand_ins[table[:256]] = np.arange(256)
    return _Fates(table, expansions, table[:256].tobytes() if plain else None, dropped, stand_ins)


def _mapped(alphabet: Alphabet, key: str, value: str) -> Codes:
    """Encode the text that stands for an outside character."""
    try:
        return Cutter(alphabet, "error").feed(value, last=True)
    except InputError as error:
        raise InputError(f"outside maps {key!r} to {value!r}: {error}") from None


def _each_symbol(symbols: object) -> Iterable[str]:
    """Give the symbols one by one, or say what was found in place of one."""
    if isinstance(symbols, str):
        return nfc(symbols)
    if not isinstance(symbols, Iterable) or isinstance(symbols, bytes):
        raise InputError(f"symbols is {type(symbols).__name__}; give a string or a sequence of strings")
    listed = list(symbols)
    for symbol in listed:
        if not isinstance(symbol, str):
            raise InputError(f"symbols holds {symbol!r}; give strings only")
    return listed


def _rebuild(symbols: tuple[str, ...], fold_case: bool) -> Alphabet:
    return Alphabet(symbols, fold_case=fold_case)


def code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def nfc(text: str) -> str:
    r"""Bring a text to Unicode's NFC, which takes time that grows with the square of the marks on one letter.

    Examples
    --------
    >>> nfc("a\u0308") == "\u00e4"
    True
    """
    if text.isascii():
        return text
    if len(text) > _MOST_JOINED:
        points = code_points(text)
        present = np.flatnonzero(np.bincount(points))
        joining = [point for point in present.tolist() if _may_join(chr(point))]
        if joining:
            loose = np.flatnonzero(~np.isin(points, joining))
            runs = np.diff(np.concatenate(([-1], loose, [points.size]))) - 1
            if int(runs.max()) > _MOST_JOINED:
                raise _too_many_marks(chr(joining[0]))
    return unicodedata.normalize("NFC", text)


def last_fresh(text: str) -> int:
    """Give the place of the last character that cannot join with the one before it under NFC."""
    for place in range(len(text) - 1, 0, -1):
        if not _may_join(text[place]):
            return place
        if len(text) - place > _MOST_JOINED:
            raise _too_many_marks(text[place])
    return 0


_MOST_JOINED = 64
"""How many characters may join with the one before them; no script needs a tenth of it."""


@lru_cache(maxsize=4096)
def _may_join(character: str) -> bool:
    return character >= "\u0300" and bool(
        unicodedata.combining(character)
        or unicodedata.category(character)[0] == "M"
        or "\u1160" <= character <= "\u11ff"
    )


def _too_many_marks(character: str) -> InputError:
    return InputError(
        f"more than {_MOST_JOINED} marks on one letter found, such as U+{ord(character):04X}, text wanted; leave that "
        "part out"
    )


@lru_cache(maxsize=4096)
def _stands_alone(character: str) -> bool:
    """Say whether NFC leaves a character as it is, whatever stands before it."""
    return last_fresh(f"a{character}") == 1 and unicodedata.is_normalized("NFC", character)


@lru_cache(maxsize=1)
def _capitals() -> dict[int, list[int]]:
    """Give for each small letter's code point those of its capitals."""
    capitals: dict[int, list[int]] = {}
    for point in range(0x1F000):
        small = chr(point).lower()
        if small != chr(point):
            capitals.setdefault(ord(small[0]), []).append(point)
    return capitals


@lru_cache(maxsize=1)
def _fold_table() -> NDArray[np.uint32]:
    """Give for each code point that of its small letter."""
    table = np.arange(sys.maxunicode + 1, dtype=np.uint32)
    for small, points in _capitals().items():
        table[points] = small
    return table


PAPER_ALPHABET = Alphabet("abcdefghijklmnopqrstuvwxyz ,.")
"""The 29 symbols of the paper's experiments: small letters, space, comma, full stop."""
