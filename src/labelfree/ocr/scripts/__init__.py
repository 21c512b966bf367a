"""Scripts: what reading a book depends on the script for.

To add one, write a file with its `Script` and list that in `SCRIPTS`: `--script`, model folders and the guess from the
language then know it.
"""

from __future__ import annotations

from collections.abc import Sequence

from labelfree.errors import InputError
from labelfree.ocr.scripts.antiqua import ANTIQUA
from labelfree.ocr.scripts.armenian import ARMENIAN
from labelfree.ocr.scripts.cherokee import CHEROKEE
from labelfree.ocr.scripts.coptic import COPTIC
from labelfree.ocr.scripts.cyrillic import CYRILLIC
from labelfree.ocr.scripts.fraktur import FRAKTUR
from labelfree.ocr.scripts.frequent_words import language_of
from labelfree.ocr.scripts.gaelic import GAELIC
from labelfree.ocr.scripts.georgian import GEORGIAN
from labelfree.ocr.scripts.greek import GREEK
from labelfree.ocr.scripts.hebrew import HEBREW
from labelfree.ocr.scripts.letterform import Letterform
from labelfree.ocr.scripts.letters import RIGHT_TO_LEFT, main_letters
from labelfree.ocr.scripts.neutral import NEUTRAL, NEUTRAL_RTL
from labelfree.ocr.scripts.old_antiqua import OLD_ANTIQUA
from labelfree.ocr.scripts.old_cyrillic import OLD_CYRILLIC
from labelfree.ocr.scripts.script import ANY_LANGUAGE, ANY_LETTERS, Script
from labelfree.ocr.scripts.settings import SymbolSettings
from labelfree.ocr.scripts.signs import SIGNS
from labelfree.ocr.scripts.typewriter import TYPEWRITER

__all__ = ["SCRIPTS", "Letterform", "Script", "script_named", "script_of", "script_of_letters"]

SCRIPTS = {
    script.name: script
    for script in (
        ANTIQUA,
        OLD_ANTIQUA,
        FRAKTUR,
        GAELIC,
        TYPEWRITER,
        GREEK,
        CYRILLIC,
        OLD_CYRILLIC,
        ARMENIAN,
        GEORGIAN,
        HEBREW,
        COPTIC,
        CHEROKEE,
        NEUTRAL,
        NEUTRAL_RTL,
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


def script_of(text: str, language: str | None = None, settings: SymbolSettings | None = None) -> Script:
    """Tell the script that a text was printed in, by its letters, its spelling and its language.

    Parameters
    ----------
    text : str
        The language model's text, in the spelling of the print.
    language : str, optional
        Its code, by default that of `language_of`.
    settings : SymbolSettings, optional

    Examples
    --------
    >>> script_of("Das iſt der Weg, und er iſt nicht weit.").name, script_of("τὸν πρῶτον λόγον").name
    ('fraktur', 'greek')
    """
    settings = settings or SymbolSettings()
    written = _of_letters(main_letters(text))
    old = [script for script in written if _is_old(text, script, settings)]
    new = [script for script in written if script.old_letter is None]
    code = (language or language_of(text, settings) or "").lower()
    return _of_language(old or new, code)


def script_of_letters(letters: str, language: str) -> Script:
    """The script that a language is printed in today, whose letters Unicode calls by a name.

    Examples
    --------
    >>> script_of_letters("CYRILLIC", "bg").name, script_of_letters("ARABIC", "fa").name
    ('cyrillic', 'neutral rtl')
    """
    return _of_language([script for script in _of_letters(letters) if script.old_letter is None], language)


def _of_letters(letters: str) -> list[Script]:
    """The scripts that have such letters, or else those for any, in the direction in which these run."""
    own = [script for script in SCRIPTS.values() if script.letters == letters]
    direction = "rtl" if letters in RIGHT_TO_LEFT else "ltr"
    return own or [each for each in SCRIPTS.values() if (each.letters, each.direction) == (ANY_LETTERS, direction)]


def _of_language(scripts: Sequence[Script], code: str) -> Script:
    own = [script for script in scripts if code.startswith(script.languages)]
    return next(iter(own), None) or next(script for script in scripts if ANY_LANGUAGE in script.languages)


def _is_old(text: str, script: Script, settings: SymbolSettings) -> bool:
    """Whether a text has the letters that only print in a script has."""
    if script.old_letter is None:
        return False
    old, usual = (sum(map(text.count, letters)) for letters in script.old_letter)
    return old > settings.clear * usual
