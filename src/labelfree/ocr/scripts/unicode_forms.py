"""What Unicode knows of the look of a letter that a script does not list: that it is one, and whether it is a capital.

Letters of either case stand on the line or hang below it, and are no dots, dashes or quotes; capitals are tall.
"""

from __future__ import annotations

import unicodedata

from labelfree.ocr.scripts.latin import CAPITAL, ON_IT_OR_BELOW, TALL
from labelfree.ocr.scripts.letterform import Letterform

_CAPITAL = Letterform(TALL, ON_IT_OR_BELOW, CAPITAL)
_SMALL = Letterform((0.8, 2.2), ON_IT_OR_BELOW, (0.15, 2.5))
_CASELESS = Letterform((0.7, 2.4), (-1.2, 0.8), (0.1, 3.5))


def unicode_form(character: str) -> Letterform:
    """What a character may look like, by its class.

    Examples
    --------
    >>> unicode_form("Ⰰ").top, unicode_form("ⰰ").top, unicode_form("☞").top
    ((1.2, 2.2), (0.8, 2.2), (-inf, inf))
    """
    category = unicodedata.category(character)
    if category == "Lu" and character.lower() != character:
        return _CAPITAL
    if category == "Ll" and character.upper() != character:
        return _SMALL
    return _CASELESS if category in ("Ll", "Lo", "Lt") else Letterform()
