"""The symbols of a print: characters from the language model's text, and the ligatures cast as one piece."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from labelfree.alphabet import WHITE_SPACE, Alphabet, nfc
from labelfree.errors import InputError
from labelfree.ocr.scripts.letters import foreign_letters
from labelfree.ocr.scripts.settings import SymbolSettings

# What any print may hold, and is kept on little evidence.
_SURE = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,;:!?-—()‘’“”„&")
_LONGEST = 4  # characters in a ligature
_CLUSTER = re.compile("[^\\W\\d_][\u0300-\u036f]+")  # a letter with marks that no code point joins to it


def symbols_from_option(option: str) -> tuple[str, ...]:
    """Read ligatures from text such as "ch,ck,tz"; nothing at all stands for none."""
    if not option.strip():
        return ()
    listed = tuple(nfc(symbol.strip()) for symbol in option.split(","))
    _check_ligatures(listed, f"--symbols {option!r}")
    return listed


def alphabet_from_text(text: str, ligatures: Sequence[str] = (), settings: SymbolSettings | None = None) -> Alphabet:
    """Collect the symbols of a text of which there is enough to learn from.

    Characters are taken by falling frequency until they cover the text, so that stray signs do not each ask for a
    class. Letters, digits and the usual marks are kept on less evidence, since a book may hold more of them than
    the text does; if any digit is kept, all are. White space is one symbol, the space. Ligatures that the text hardly
    holds are left out, and so are letters of other alphabets, in which a text may quote a few words.

    Examples
    --------
    >>> alphabet_from_text("ich lache nicht " * 500 + "†", ["ch", "ck"]).symbols
    (' ', 'a', 'c', 'ch', 'e', 'h', 'i', 'l', 'n', 't')
    """
    settings = settings or SymbolSettings()
    ligatures = tuple(nfc(ligature) for ligature in ligatures)
    _check_ligatures(ligatures, "ligatures")
    text = nfc(text)
    times = _counted(text)
    if times.total() == 0:
        raise InputError("the text holds no character; give text of the language of the print")
    kept = {" "} | set(_covering(times, settings.coverage))
    letters = max(settings.few, settings.rare * times.total())
    kept |= {symbol for symbol, count in times.items() if count >= letters and symbol[0].isalpha()}
    often = {symbol for symbol, count in times.items() if count >= settings.few}
    kept |= {symbol for symbol in often if symbol in _SURE or symbol.lower() in kept}
    if any(symbol.isdecimal() for symbol in kept):
        kept |= set("0123456789")
    foreign = foreign_letters(times)
    kept = {symbol for symbol in kept if symbol[0] not in foreign}
    kept |= {ligature for ligature in ligatures if text.count(ligature) >= settings.rare * len(text)}
    return Alphabet(sorted(kept))


def with_named(alphabet: Alphabet, symbols: Iterable[str]) -> Alphabet:
    """An alphabet with symbols that a person has seen in the book besides.

    Examples
    --------
    >>> with_named(Alphabet("abc"), ["æ", "ffi", "b"]).symbols
    ('a', 'b', 'c', 'ffi', 'æ')
    """
    more = {nfc(symbol) for symbol in symbols if 0 < len(symbol) <= _LONGEST and not any(map(str.isspace, symbol))}
    return Alphabet(sorted({*alphabet.symbols, *more}))


def _counted(text: str) -> Counter[str]:
    """Count what may become a symbol: characters, and letters with the marks that stay on them; white space as one."""
    times = Counter(text)
    if any(unicodedata.combining(character) for character in times):
        clusters = Counter(_CLUSTER.findall(text))
        for cluster, count in clusters.items():
            times.subtract(dict.fromkeys(cluster, count))
        times += clusters
        times = Counter({symbol: count for symbol, count in times.items() if not unicodedata.combining(symbol[0])})
    spaces = sum(times.pop(white, 0) for white in WHITE_SPACE)
    if spaces:
        times[" "] = spaces
    for symbol in [symbol for symbol in times if unicodedata.category(symbol[0])[0] == "C"]:
        del times[symbol]  # controls and private signs are on no paper
    return times


def _covering(times: Counter[str], coverage: float) -> Iterable[str]:
    """Give the most frequent symbols that together reach a share of all."""
    missing = coverage * times.total()
    for symbol, count in times.most_common():
        if missing <= 0:
            return
        missing -= count
        yield symbol


def _check_ligatures(ligatures: Sequence[str], source: str) -> None:
    """Refuse what cannot stand as one shape in print."""
    for ligature in ligatures:
        if not 2 <= len(ligature) <= _LONGEST or any(character.isspace() for character in ligature):
            raise InputError(
                f"{source} holds {ligature!r}; give ligatures of 2 to {_LONGEST} characters, such as ch,ck,tz"
            )
    if len(set(ligatures)) < len(ligatures):
        twice = Counter(ligatures).most_common(1)[0][0]
        raise InputError(f"{source} holds {twice!r} more than once; list each once")
