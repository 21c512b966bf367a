"""The long s: text of today in the spelling of old print, by the rules of German, French and English."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from labelfree.errors import InputError
from labelfree.lm.joints import Joints

LONG_S = "ſ"

_WORD = re.compile(r"\b[^\W\d_s]*+s[^\W\d_]*+(?:['’](?=[^\W\d_]))?")
"""A run of letters that holds an s, with the apostrophe that ties it to the letters after it."""

_LETTERS = re.compile(r"[^\W\d_]+")

_ABBREVIATED = re.compile(r"(?<![\w'’])s(?=\.)")
"""An s that stands for a word, as in "u. s. w."."""


def long_s(text: str, language: str, words: Mapping[str, int] | None = None) -> str:
    """Write ſ where old print has it. Capitals stay, and so does a word in which ſ already stands.

    German print sets ſ where a syllable begins or goes on, and s where a word, a part of a compound or a
    syllable before a consonant ends. French and English print set ſ everywhere but at the end of a word, and s
    beside f.

    Parameters
    ----------
    text : str
        What to write anew, in the spelling of its time but for the ſ.
    language : {"de", "fr", "en"}
        Whose rules hold.
    words : mapping of str to int, optional
        Words and how often each occurs, from which the joints of German compounds are found (Haus|arbeit, but
        Ge|ſang); by default the words of the text itself.

    Returns
    -------
    text : str
        As long as the text given.

    Examples
    --------
    >>> long_s("Das ist sein Wasserglas, Samstags aus Hessen.", "de")
    'Das iſt ſein Waſſerglas, Samstags aus Heſſen.'
    >>> long_s("Les choses s’estoient passées sans satisfaction.", "fr")
    'Les choſes s’eſtoient paſſées ſans ſatisfaction.'
    """
    rule = _rule_of(language)
    if rule is _german:
        rule = partial(_german, joints=Joints(count_words(text) if words is None else words))
        text = _ABBREVIATED.sub(LONG_S, text)
    written = _Written(rule)
    return _WORD.sub(lambda found: written[found[0]], text)


def count_words(text: str) -> Counter[str]:
    """Count the words of a text as they are written, capitals and all.

    Examples
    --------
    >>> count_words("Haus an Haus")["Haus"]
    2
    """
    words: Counter[str] = Counter()
    for line in text.splitlines():
        words.update(_LETTERS.findall(line))
    return words


class _Written(dict[str, str]):
    """Words as the rule writes them; each is worked out once."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        self._rule = rule

    def __missing__(self, word: str) -> str:
        written = self._rule(word) if LONG_S not in word else word
        self[word] = written
        return written


def _rule_of(language: str) -> Callable[..., str]:
    """Give the rule of a language, or say which there are."""
    try:
        return _RULES[language.lower().replace("_", "-").split("-")[0]]
    except KeyError:
        raise InputError(
            f"there is no rule for the long s in {language!r}; give one of {', '.join(sorted(_RULES))}"
        ) from None


def _german(word: str, joints: Joints) -> str:
    letters = list(word)
    last = len(word) - 1
    for place, letter in enumerate(word):
        if letter == "s" and place < last and not joints.part_ends(word, place):
            letters[place] = LONG_S
    return "".join(letters)


def _french(word: str) -> str:
    return _INNER_S.sub(LONG_S, word)


_INNER_S = re.compile(r"(?<!f)s(?=[^\W\d_])(?!f)")
"""An s with a letter after it and no f beside it."""

_RULES: dict[str, Callable[..., str]] = {"de": _german, "fr": _french, "en": _french}
