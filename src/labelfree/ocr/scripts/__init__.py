"""Scripts: how each looks and is typeset. One file a script, one line of `SCRIPTS` each."""

from __future__ import annotations

from labelfree.errors import InputError
from labelfree.ocr.scripts.antiqua import ANTIQUA
from labelfree.ocr.scripts.fraktur import FRAKTUR
from labelfree.ocr.scripts.frequent_words import language_of
from labelfree.ocr.scripts.letterform import Letterform
from labelfree.ocr.scripts.old_antiqua import OLD_ANTIQUA
from labelfree.ocr.scripts.script import ANY_LANGUAGE, Script
from labelfree.ocr.scripts.signs import SIGNS

__all__ = ["SCRIPTS", "Letterform", "Script", "script_named", "script_of"]

SCRIPTS = {
    script.name: script
    for script in (
        ANTIQUA,
        OLD_ANTIQUA,
        FRAKTUR,
        SIGNS,
    )
}
"""Every script by its name."""


def script_named(name: str) -> Script:
    """Give the script of a name.

    Examples
    --------
    >>> script_named("antiqua").ligatures
    ('ff', 'ffi', 'ffl', 'fi', 'fl')
    """
    try:
        return SCRIPTS[name]
    except KeyError:
        raise InputError(f"there is no script {name!r}; give one of {', '.join(map(repr, SCRIPTS))}") from None


def script_of(text: str, language: str | None = None) -> Script:
    """Tell the script that a text was printed in, by its spelling and its language.

    Parameters
    ----------
    text : str
        The language model's text, in the spelling of the print.
    language : str, optional
        Its code, by default that of `language_of`.

    Examples
    --------
    >>> script_of("Das iſt der Weg, und er iſt nicht weit.").name
    'fraktur'
    """
    is_old = text.count("ſ") > 0.05 * text.count("s")
    code = (language or language_of(text) or "").lower()
    spelled = [script for script in SCRIPTS.values() if script.long_s == is_old]
    own = [script for script in spelled if code.startswith(script.languages)]
    return next(iter(own), None) or next(script for script in spelled if ANY_LANGUAGE in script.languages)
