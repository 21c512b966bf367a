"""A first language model with no corpus: words by frequency, with spaces and punctuation between them.

Text is taken as an endless row of independent pairs of a separator (a space, a comma and a space, ...) and a word.
N-grams inside words are counted with the words' frequencies; those across a border are products of how words end and
how a pair begins, so that nothing is drawn at random.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import Alphabet, Cutter, code_points, nfc
from labelfree.errors import UnknownLanguageError
from labelfree.lm.counting import NGramCounts, check_size
from labelfree.lm.words import Separator, WordGroups, WordRow

SHARES = {",": 0.055, ".": 0.045, "?": 0.003, "!": 0.003, ";": 0.003, ":": 0.004}
"""How often a word is followed by each mark; where an alphabet lacks one, a space alone stands there."""

MARKS = {
    "ar": {",": "،", ";": "؛", "?": "؟"},
    "fa": {",": "،", ";": "؛", "?": "؟"},
    "ur": {",": "،", ".": "۔", ";": "؛", "?": "؟"},
    "hi": {".": "।"},
    "bn": {".": "।"},
    "el": {";": "·", "?": ";"},
    "zh": {",": "，", ".": "。", "?": "？", "!": "！", ";": "；", ":": "："},
    "ja": {",": "、", ".": "。", "?": "？", "!": "！", ";": "；", ":": "："},
}
"""What a language writes for the marks above."""

SPACES = {"zh": 0.0, "ja": 0.0, "ko": 0.5}
"""How often a space stands between the words of the list, where not always (Korean's are parts of words)."""

NAMES = {"de": 0.45}
"""How often a word of medium or low frequency begins with a capital inside a sentence."""

ORDINARY_NAMES = 0.12
"""The same for other languages."""

FIGURES, QUOTED, BRACKETED = 0.004, 0.01, 0.003
"""How many of the words of a sampled text are numbers, and how many stand in quotes or brackets."""

COMMON = 1e-3
"""From what frequency on a word is taken to be no name."""

RARE_LETTER = 2e-4
"""What share of the letters one must have to be in the usual alphabet (a hundredth where there are thousands)."""

LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fil": "Filipino",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "is": "Icelandic",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian",
    "ms": "Malay", "nb": "Norwegian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sh": "Serbian, Croatian, Bosnian", "sk": "Slovak", "sl": "Slovene", "sv": "Swedish",
    "ta": "Tamil", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""What the languages of the word lists are called in English."""

OWN_SCRIPT = 0.02
"""What share of the main script's letters another must have to be the language's, too; Latin never is."""

MOST_SYMBOLS = 3000
"""How many letters the usual alphabet has at most."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def known_languages() -> tuple[str, ...]:
    """List the codes of all languages with word frequencies.

    Examples
    --------
    >>> "en" in known_languages(), len(known_languages()) >= 40
    (True, True)
    """
    from wordfreq import available_languages

    return tuple(sorted(available_languages("best")))


@dataclass(frozen=True)
class LanguagePack:
    """What is built in of a language."""

    code: str
    name: str  # in English
    scripts: tuple[str, ...]  # of its letters, as Unicode names them
    words: int
    source: str  # what its words are taken from


def language_pack(code: str) -> LanguagePack:
    """Tell what is built in of a language.

    Examples
    --------
    >>> pack = language_pack("el")
    >>> pack.name, pack.scripts
    ('Greek', ('GREEK',))
    """
    from wordfreq import available_languages, get_frequency_dict

    best = available_languages("best")
    small = get_frequency_dict(code, "small")
    words = len(small if best[code] == available_languages("small").get(code) else get_frequency_dict(code, "best"))
    size = "large list" if available_languages("large").get(code) == best[code] else "small list"
    letters = _weights_of_letters(small)
    own = sorted(
        _own_scripts(letters), key=lambda script: -sum(w for one, w in letters.items() if _script(one) == script)
    )
    return LanguagePack(code, LANGUAGES.get(code, code), tuple(own), words, f"wordfreq {version('wordfreq')}, {size}")


def language_counts(
    code: str, alphabet: Alphabet | None = None, order: int = 3, *, wordlist: str = "best"
) -> tuple[Alphabet, NGramCounts]:
    """Count the N-grams of a language; see `NGramLM.from_language`.

    The word list may be "small" where a first look in many languages is wanted.

    Examples
    --------
    >>> alphabet, counts = language_counts("en", order=2)
    >>> "".join(alphabet.symbols)
    'abcdefghijklmnopqrstuvwxyz ,.'
    """
    frequencies = _frequencies(code, wordlist)
    if alphabet is None:
        alphabet = _usual_alphabet(code, frequencies)
    check_size(len(alphabet), order)
    row = WordRow(len(alphabet), _word_lists(code, frequencies, alphabet), _separators(code, alphabet))
    grams = row.windows(order)
    # A word at the end of the list counts as seen once.
    counts = grams.weights / min(frequencies.values())
    return alphabet, NGramCounts.from_codes(grams.codes, counts, len(alphabet), order)


def word_frequencies(code: str) -> Mapping[str, float]:
    """Give the words of a language and what share of its text each makes up.

    Examples
    --------
    >>> frequencies = word_frequencies("en")
    >>> frequencies["the"] > frequencies["cat"] > 0
    True
    """
    return MappingProxyType(_frequencies(code))


def sample_text(code: str, n_words: int, seed: int = 0) -> str:
    """Draw words by their frequency and set them as text, with capitals, marks, quotes, brackets and figures.

    For what must be rewritten as text before it is counted, such as print in an old spelling; of a language alone
    `language_counts` knows the same without chance.

    Parameters
    ----------
    code : str
        A language of `known_languages`.
    n_words : int
    seed : int

    Examples
    --------
    >>> sample_text("en", 20, seed=2)[:42]
    'This at chat, and president calling, "is" '
    """
    frequencies = _frequencies(code)
    rng = np.random.default_rng(seed)
    words = np.array([nfc(word) for word in frequencies], dtype=object)
    share = np.fromiter(frequencies.values(), np.float64)
    chosen = rng.choice(len(words), n_words, p=share / share.sum())
    marks = MARKS.get(code, {})
    kinds = np.array(["", *(marks.get(mark, mark) for mark in SHARES)], dtype=object)
    likely = np.array([1 - sum(SHARES.values()), *SHARES.values()])
    mark = rng.choice(len(kinds), n_words, p=likely)
    ends = np.isin(kinds, [marks.get(each, each) for each in ".?!"])[mark]
    names = (share[chosen] < COMMON) & (rng.random(n_words) < NAMES.get(code, ORDINARY_NAMES))
    capital = names | np.append(True, ends[:-1])
    figure, quoted, bracketed = (rng.random(n_words) < each for each in (FIGURES, QUOTED, BRACKETED))
    space = " " if SPACES.get(code, 1.0) else ""
    pieces = []
    for i, word in enumerate(words[chosen].tolist()):
        if figure[i]:
            word = str(rng.integers(1, 100) if i % 2 else rng.integers(1500, 1950))
        elif capital[i]:
            word = word[:1].upper() + word[1:]
        if quoted[i]:
            word = f'"{word}"'
        elif bracketed[i]:
            word = f"({word})"
        pieces += [word, kinds[mark[i]], space]
    return "".join(pieces)


@lru_cache(maxsize=4)
def _frequencies(code: str, wordlist: str = "best") -> dict[str, float]:
    from wordfreq import get_frequency_dict

    if code not in known_languages():
        raise UnknownLanguageError(
            f"no word frequencies for the language {code!r}; known are {', '.join(known_languages())}"
        )
    table: dict[str, float] = get_frequency_dict(code, wordlist)
    if code == "el":  # the list folds the sigma that ends a word
        table = {f"{word[:-1]}ς" if word[-1:] == "σ" else word: share for word, share in table.items()}
    return table


def _usual_alphabet(code: str, frequencies: dict[str, float]) -> Alphabet:
    """Take the letters that are not too rare, the space, the comma and the full stop."""
    letters = _weights_of_letters(frequencies)
    own = _own_scripts(letters)
    letters = {one: share for one, share in letters.items() if _script(one) in own}
    least = RARE_LETTER * sum(letters.values()) / (100 if len(letters) > MOST_SYMBOLS else 1)
    usual = sorted(letters, key=lambda one: -letters[one])[:MOST_SYMBOLS]
    marks = MARKS.get(code, {})
    space = " " if SPACES.get(code, 1.0) else ""
    return Alphabet([*sorted(one for one in usual if letters[one] >= least), *space, *map(marks.get, ",.", ",.")])


def _weights_of_letters(frequencies: dict[str, float]) -> dict[str, float]:
    """How often each letter and mark occurs."""
    words = [nfc(word) for word in frequencies]
    weights = np.repeat(np.fromiter(frequencies.values(), np.float64), [len(word) for word in words])
    seen = np.bincount(code_points("".join(words)), weights)
    return {
        chr(point): float(seen[point])
        for point in np.flatnonzero(seen).tolist()
        if unicodedata.category(chr(point))[0] in "LM"
    }


def _own_scripts(letters: dict[str, float]) -> set[str]:
    """The scripts that a language is written in, told from how often each letter occurs."""
    scripts: Counter[str] = Counter()
    for one, share in letters.items():
        scripts[_script(one)] += share  # type: ignore[assignment]
    main = max(scripts, key=scripts.__getitem__)
    return {name for name, share in scripts.items() if share > OWN_SCRIPT * scripts[main]} - {"LATIN"} | {main}


def _script(letter: str) -> str:
    """Name the script of a letter, which begins its Unicode name."""
    return re.split("[ -]", unicodedata.name(letter, "?"))[0]


def _word_lists(code: str, frequencies: dict[str, float], alphabet: Alphabet) -> dict[bool, WordGroups]:
    """Encode the words as they stand inside a sentence (False) and at its beginning (True)."""
    words = _expand_digits(frequencies) if any(digit in alphabet for digit in "123456789") else frequencies
    small = any(symbol != symbol.upper() for symbol in alphabet)
    capital = any(symbol != symbol.lower() for symbol in alphabet)
    if capital and not small:
        words = {word.upper(): frequency for word, frequency in words.items()}
    plain = list(words)
    weights = np.fromiter(words.values(), np.float64, len(words))
    if not (capital and small):
        inside = _encoded(plain, weights, alphabet)
        return {False: inside, True: inside}
    raised = [word[:1].upper() + word[1:] for word in plain]
    names = np.where(weights < COMMON, NAMES.get(code, ORDINARY_NAMES), 0.0)
    if code == "en":
        names[[place for place, word in enumerate(plain) if word == "i" or word.startswith("i'")]] = 1.0
    inside = _encoded(plain + raised, np.concatenate((weights * (1 - names), weights * names)), alphabet)
    return {False: inside, True: _encoded(raised, weights, alphabet)}


def _expand_digits(frequencies: dict[str, float]) -> dict[str, float]:
    """Spread numbers, which the list writes with zeros only, over the digits; four of them mostly name years."""
    words: dict[str, float] = {}
    for word, frequency in frequencies.items():
        if "0" not in word:
            words[word] = words.get(word, 0.0) + frequency
            continue
        if word == "0000":
            shapes = [f"{century}{year:02}" for century in (18, 19, 20) for year in range(100)]
        elif len(word) <= 3 and not word.strip("0"):
            shapes = [str(number) for number in range(10 ** (len(word) - 1), 10 ** len(word))]
        else:
            shapes = [
                "".join(str((turn + 3 * at) % 10) if one == "0" else one for at, one in enumerate(word))
                for turn in range(10)
            ]
        for shape in shapes:
            words[shape] = words.get(shape, 0.0) + frequency / len(shapes)
    return words


def _encoded(words: list[str], weights: Floats, alphabet: Alphabet) -> WordGroups:
    """Encode words, without those that hold a letter or digit outside the alphabet."""
    lost = {ord(mark): None for mark in "'’-·" if mark not in alphabet}
    text = nfc("\0".join(words)).translate(lost)
    ids = Cutter(alphabet, "break").feed(text, last=True).astype(np.int64)
    ends = np.flatnonzero(np.append(ids, len(alphabet)) == len(alphabet))
    if ends.size != len(words):  # something is outside: find the words that hold it
        ends, ids, weights = _without_outsiders(text, weights, alphabet)
    lengths = np.diff(ends, prepend=-1) - 1
    starts = ends - lengths
    groups = []
    for length in np.unique(lengths[(lengths > 0) & (weights > 0)]).tolist():
        which = np.flatnonzero((lengths == length) & (weights > 0))
        groups.append((ids[starts[which, None] + np.arange(length)], weights[which]))
    total = sum(float(group[1].sum()) for group in groups) or 1.0
    return [(group, weight / total) for group, weight in groups]


def _without_outsiders(text: str, weights: Floats, alphabet: Alphabet) -> tuple[Ints, Ints, Floats]:
    """Encode words joined by NUL, leaving out those that hold anything outside the alphabet."""
    characters = sorted(set(text) - {"\0"})
    alone = Cutter(alphabet, "break").feed("\0".join(characters), last=True)[::2]
    parts = {part for symbol in alphabet if len(symbol) > 1 for part in symbol}
    table = np.zeros(0x110000, bool)
    table[[ord(one) for one, code in zip(characters, alone, strict=True) if code == len(alphabet)]] = True
    table[[ord(part) for part in parts]] = False
    points = code_points(text)
    good = np.ones(weights.size, bool)
    good[np.cumsum(points == 0)[table[points]]] = False
    kept = [word for word, keep in zip(text.split("\0"), good.tolist(), strict=True) if keep]
    ids = Cutter(alphabet, "break").feed("\0".join(kept), last=True).astype(np.int64)
    ends = np.flatnonzero(np.append(ids, len(alphabet)) == len(alphabet))
    if ends.size == len(kept):
        return ends, ids, weights[good]
    # Parts of long symbols stood alone: go word by word.
    each = [alphabet.encode(word, "break") for word in kept]
    whole = [bool((one >= 0).all()) for one in each]
    rows = [np.append(one, len(alphabet)) for one, keep in zip(each, whole, strict=True) if keep]
    ids = np.concatenate([*rows, np.zeros(0, np.int64)])
    return np.flatnonzero(ids == len(alphabet)), ids, weights[good][whole]


def _separators(code: str, alphabet: Alphabet) -> list[Separator]:
    """List what stands between two words."""
    marks = MARKS.get(code, {})
    spaces = SPACES.get(code, 1.0)
    texts = [(" ", (1 - sum(SHARES.values())) * spaces, False), ("", (1 - sum(SHARES.values())) * (1 - spaces), False)]
    for mark, share in SHARES.items():
        written = marks.get(mark, mark) + (" " if spaces else "")
        texts.append((written, share, mark in ".?!" and marks.get(mark, mark) in alphabet))
    return [Separator(alphabet.encode(text), share, ends) for text, share, ends in texts if share > 0]
