"""The language of a text, told by its most frequent words."""

from __future__ import annotations

import re
from collections import Counter

from labelfree.ocr.scripts.settings import SymbolSettings

_FREQUENT = {
    "de": "und der die das nicht ist ein zu ich sie",
    "en": "the of and to that was he his with for",
    "es": "el los las y con una por su no se",
    "fr": "les et que qui il vous des le ne pas",
    "it": "il che di non per una gli della con è",
    "la": "et in non ad est cum ut quod ex sed",
    "nl": "het een van en niet de dat zijn te ik",
}

_BEGINNING = 1 << 20  # characters, which are enough to tell


def language_of(text: str, settings: SymbolSettings | None = None) -> str | None:
    """Tell German, English, Spanish, French, Italian, Latin and Dutch apart; None where none of them is clear.

    Examples
    --------
    >>> language_of("Vous ne sçavez pas que les Dames et le Prince sont icy")
    'fr'
    """
    words = Counter(re.findall(r"[^\W\d_]+", text[:_BEGINNING].lower().replace("ſ", "s")))
    hits = {code: sum(words[word] for word in frequent.split()) for code, frequent in _FREQUENT.items()}
    ((first, most),) = Counter(hits).most_common(1)
    return first if most > (settings or SymbolSettings()).clear * words.total() else None
