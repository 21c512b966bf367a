"""The symbols of a print: characters from the language model's text, and the ligatures cast as one piece."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from labelfree.alphabet import WHITE_SPACE, Alphabet
from labelfree.errors import InputError

LIGATURES: dict[str, tuple[str, ...]] = {
    "antiqua": ("ff", "ffi", "ffl", "fi", "fl"),
    "old antiqua": ("ct", "ff", "ffi", "ffl", "fi", "fl", "ſſ", "ſt"),
    "fraktur": ("ch", "ck", "ff", "fi", "fl", "ll", "tz", "ſſ"),
    "signs": (),
}
"""Letters that each script joins into one shape. ſt and ſi in Fraktur, and ſi in French print, mostly stay apart.
Signs, such as those of a cipher, look like no letters."""

_SURE = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,;:!?-—()‘’“”„&")
"""What any print may hold, and is kept on little evidence."""

_FEW = 20
"""How often one of those, or the capital of a letter that is kept, must occur in a text."""

_LETTER_SHARE = 3e-5
"""How large a share of a text any other letter must make up: with less, a book holds one or two."""

_LIGATURE_SHARE = 2e-5
"""How large a share of a text must be written with a ligature."""

_LONGEST = 4
"""The most characters in a ligature."""

_CLUSTER = re.compile("[^\\W\\d_][\u0300-\u036f]+")
"""A letter with marks that no code point joins to it."""

_FREQUENT = {
    "de": "und der die das nicht ist ein zu ich sie",
    "en": "the of and to that was he his with for",
    "es": "el los las y con una por su no se",
    "fr": "les et que qui il vous des le ne pas",
    "it": "il che di non per una gli della con è",
    "la": "et in non ad est cum ut quod ex sed",
    "nl": "het een van en niet de dat zijn te ik",
}
"""Words that give a language away, no two lists alike."""


def default_symbols(script: str) -> tuple[str, ...]:
    """Give the ligatures of a script.

    Parameters
    ----------
    script : {"antiqua", "old antiqua", "fraktur", "signs"}
        See `script_of`, which tells the first three.

    Examples
    --------
    >>> default_symbols("antiqua")
    ('ff', 'ffi', 'ffl', 'fi', 'fl')
    """
    try:
        return LIGATURES[script]
    except KeyError:
        raise InputError(f"there is no script {script!r}; give one of {', '.join(map(repr, LIGATURES))}") from None


def script_of(text: str, language: str | None = None) -> str:
    """Tell the script that a text was printed in: with ſ, German is Fraktur and all else old antiqua.

    Parameters
    ----------
    text : str
        The language model's text, in the spelling of the print.
    language : str, optional
        Its code, by default that of `language_of`.

    Examples
    --------
    >>> script_of("Das iſt der Weg, und er iſt nicht weit.")
    'fraktur'
    """
    if text.count("ſ") * 20 <= text.count("s"):
        return "antiqua"
    return "fraktur" if (language or language_of(text) or "").lower().startswith("de") else "old antiqua"


def language_of(text: str) -> str | None:
    """Tell German, English, Spanish, French, Italian, Latin and Dutch apart by their most frequent words.

    Returns
    -------
    code : str or None
        None where no language is clear.

    Examples
    --------
    >>> language_of("Vous ne sçavez pas que les Dames et le Prince sont icy")
    'fr'
    """
    words = Counter(re.findall(r"[^\W\d_]+", text[: 1 << 20].lower().replace("ſ", "s")))
    hits = {code: sum(words[word] for word in frequent.split()) for code, frequent in _FREQUENT.items()}
    (first, most), (_, second) = Counter(hits).most_common(2)
    return first if most > 0.05 * words.total() and most > 1.3 * second else None


def symbols_from_option(option: str) -> tuple[str, ...]:
    """Read ligatures from text such as "ch,ck,tz"; nothing at all stands for none.

    Examples
    --------
    >>> symbols_from_option("ch, ck,tz")
    ('ch', 'ck', 'tz')
    """
    if not option.strip():
        return ()
    listed = tuple(unicodedata.normalize("NFC", symbol.strip()) for symbol in option.split(","))
    _check_ligatures(listed, f"--symbols {option!r}")
    return listed


def alphabet_from_text(text: str, ligatures: Sequence[str] = (), *, coverage: float = 0.9995) -> Alphabet:
    """Collect the symbols of a text of which there is enough to learn from.

    Characters are taken by falling frequency until they cover the text, so that stray signs do not each ask for a
    class. Letters, digits and the usual marks are kept on less evidence, since a book may hold more of them than
    the text does; if any digit is kept, all are. White space is one symbol, the space.

    Parameters
    ----------
    text : str
        The language model's text, in the spelling and with the signs of the print (see `long_s`, `as_printed`).
    ligatures : sequence of str
        Symbols of several characters; those that the text hardly holds are left out.
    coverage : float
        The share of the text that the symbols must reach, above 0 and at most 1.

    Returns
    -------
    alphabet : Alphabet
        For `NGramLM.from_text(text, alphabet, order, outside="break")`.

    Examples
    --------
    >>> alphabet_from_text("ich lache nicht " * 500 + "†", ["ch", "ck"]).symbols
    (' ', 'a', 'c', 'ch', 'e', 'h', 'i', 'l', 'n', 't')
    """
    if not 0 < coverage <= 1:
        raise InputError(f"coverage is {coverage}; give a share above 0 and at most 1")
    ligatures = tuple(unicodedata.normalize("NFC", ligature) for ligature in ligatures)
    _check_ligatures(ligatures, "ligatures")
    text = unicodedata.normalize("NFC", text)
    times = _counted(text)
    if times.total() == 0:
        raise InputError("the text holds no character; give text of the language of the print")
    kept = {" "} | set(_covering(times, coverage))
    letters = max(_FEW, _LETTER_SHARE * times.total())
    kept |= {symbol for symbol, count in times.items() if count >= letters and symbol[0].isalpha()}
    kept |= {symbol for symbol, count in times.items() if count >= _FEW and (symbol in _SURE or symbol.lower() in kept)}
    if any(symbol.isdecimal() for symbol in kept):
        kept |= set("0123456789")
    kept |= {ligature for ligature in ligatures if text.count(ligature) >= _LIGATURE_SHARE * len(text)}
    return Alphabet(sorted(kept))


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
