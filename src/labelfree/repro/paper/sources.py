"""Where the language models of Table 2 come from: text of other domains, and the smallest of it fused with our own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.text import count_text
from labelfree.repro.tasks.spelling import docstring_english, segments_of

_PACKAGES = ("scipy", "numpy")
_FILES = {
    "novels": "lm_english_novels/english_novels.txt.gz",
    "news": "news_reuters21578/reuters_lm.txt.gz",
    "speeches": "lm_english_speeches/us_speeches.txt.gz",
}


@dataclass(frozen=True, eq=False)
class Source:
    """Text for a language model, or a language's name.

    Attributes
    ----------
    name : str
    text : tuple of str and Path
        Strings are text, paths are files or folders of it; empty for a language by name.
    language : str
        A language of the `wordfreq` package, for a source without text.
    is_fused : bool
        Whether text of the task's own domain is among it.
    """

    name: str
    text: tuple[str | Path, ...] = ()
    language: str = "en"
    is_fused: bool = False

    def lm(self, order: int, alphabet: Alphabet = PAPER_ALPHABET) -> NGramLM:
        """A language model of exactly this order."""
        if self.text:
            return NGramLM.from_text(self.text, alphabet, order, outside="break")
        return NGramLM.from_language(self.language, alphabet, order)

    @cached_property
    def characters(self) -> int | None:
        """How many characters of the paper's alphabet the text holds; None for word frequencies.

        Examples
        --------
        >>> Source("rhyme", ("Rain, rain, go away!",)).characters
        19
        """
        if not self.text:
            return None
        return int(count_text(self.text, PAPER_ALPHABET, 1, outside="break")[1].counts().total)


def public_sources(own: Iterable[str] = ()) -> list[Source]:
    """Three sources that every installation has: word frequencies, and the docstrings of two packages.

    Parameters
    ----------
    own : iterable of str
        Segments of the task, left out wherever a package repeats one.
    """
    known = set(own)
    return [Source("word frequencies"), *(_package_source(name, known) for name in _PACKAGES)]


def data_sources(folder: Path) -> list[Source]:
    """Three sources from a data folder: novels, news, speeches."""
    sources = [Source(name, (folder / file,)) for name, file in _FILES.items()]
    for source in sources:
        if not all(isinstance(part, Path) and part.is_file() for part in source.text):
            raise InputError(f"{source.text[0]}: no such file, text for a language model wanted; name another folder")
    return sources


def with_fusion(sources: Sequence[Source], in_domain: Sequence[str]) -> list[Source]:
    """The sources, and last the smallest text among them pooled with text of the task's own domain."""
    smallest = min((source for source in sources if source.text), key=lambda source: source.characters or 0)
    fused = Source(f"{smallest.name} and in-domain", (*smallest.text, *in_domain), is_fused=True)
    return [*sources, fused]


def _package_source(name: str, known: set[str]) -> Source:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise InputError(f"the package {name} is not installed, its docstrings wanted as text; install it")
    segments = set(segments_of(docstring_english(Path(found.origin).parent))) - known
    return Source(f"docstrings of {name}", tuple(sorted(segments)))
