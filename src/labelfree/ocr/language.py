"""The language of a book as its printer set it: the letters and ligatures to expect, and how they follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.languages import sample_text
from labelfree.lm.neural import NeuralLM
from labelfree.lm.oldspelling import long_s
from labelfree.lm.sources import sequences_of_pieces
from labelfree.lm.wordlist import WordList
from labelfree.ocr.scripts import Script, script_named, script_of
from labelfree.ocr.scripts.frequent_words import language_of
from labelfree.ocr.scripts.settings import SymbolSettings, TypesettingSettings
from labelfree.ocr.scripts.symbols import alphabet_from_text, with_named
from labelfree.verdict import TextNorm


@dataclass(frozen=True)
class LanguageSettings:
    """How a language is learned."""

    order: int = 4  # of the language model
    pack_words: int = 700_000  # of a language's list of words, where there is no text
    rescoring: bool = False  # train a neural language model and count words too, which takes minutes
    symbols: SymbolSettings = field(default_factory=SymbolSettings)  # which characters become symbols
    typesetting: TypesettingSettings = field(default_factory=TypesettingSettings)  # what pages its text is set in


@dataclass(frozen=True, eq=False)
class BookLanguage:
    """What a book is written in.

    Attributes
    ----------
    lm : NGramLM
        Over the symbols of the print, ligatures among them, in the order in which they stand from the left.
    code : str
        Of the language, such as ``en``; empty where it is not known.
    script : Script
        What it is set in.
    words : WordList, optional
        What words there are, to learn by and to choose readings by.
    neural : NeuralLM, optional
        Knows more of the language than `lm`, to choose among the best readings of a line.
    """

    lm: NGramLM
    code: str
    script: Script
    words: WordList | None = None
    neural: NeuralLM | None = None

    @cached_property
    def norm(self) -> TextNorm:
        """What its text is like, by which a reading is judged."""
        return TextNorm(self.lm, self.words)


def unknown_language() -> BookLanguage:
    """Stand for a language of which nothing is known."""
    return BookLanguage(NGramLM.from_text("a a", order=1), "", script_named("signs"))


def book_language(
    text: Sequence[Path] = (),
    code: str | None = None,
    *,
    symbols: Sequence[str] | None = None,
    old_spelling: bool = False,
    script: str | None = None,
    named: Sequence[str] = (),
    settings: LanguageSettings | None = None,
) -> BookLanguage:
    """Learn a language from text, or take the pack of one.

    Parameters
    ----------
    text : sequence of Path
        Files or folders of text in the language; none for words of `code` by their frequency.
    code : str, optional
        The language; guessed from the text where it is not given.
    symbols : sequence of str, optional
        Letters that are one piece of type; by default those usual in the script.
    old_spelling : bool
        Write s as ſ where printers of old did.
    script : str, optional
        The name of what it is set in, one of `SCRIPTS`; by default as the spelling tells.
    named : sequence of str
        Symbols that a person has seen in the book, so that it has them however rare they are in text.
    settings : LanguageSettings, optional
    """
    settings = settings or LanguageSettings()
    chosen = None if script is None else script_named(script)
    if text:
        written = "\n".join("".join(pieces) for pieces in sequences_of_pieces(list(text)))
    elif code is not None:
        written = sample_text(code, settings.pack_words)
    else:
        raise InputError("no text and no language given, one wanted; name a file of text or a language such as en")
    if not written.strip():
        raise InputError(f"{text[0]} holds no text, text in the language of the book wanted; name another file")
    code = code or language_of(written, settings.symbols) or ""
    if old_spelling:
        written = long_s(written, code or "en")
    set_in = chosen or script_of(written, code or None, settings.symbols)
    written = set_in.from_left(set_in.as_pages(set_in.as_printed(written), settings.typesetting))
    alphabet = alphabet_from_text(written, set_in.ligatures if symbols is None else symbols, settings.symbols)
    alphabet = with_named(alphabet, named)
    lm = NGramLM.from_text(written, alphabet, settings.order, outside="break")
    words = WordList.from_text(written) if any(symbol.isalpha() for symbol in alphabet) else None
    return BookLanguage(lm, code, set_in, words, NeuralLM.from_text(written, alphabet) if settings.rescoring else None)
