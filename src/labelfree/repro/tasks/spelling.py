"""The paper's Spell-Corr task: English text under a random one-to-one substitution.

Segments longer than 100 characters that hold only small letters, space, comma and full stop are drawn from a pool of
text: 83,567 characters to learn from and 15,000 others to test on. What is left of the pool is in-domain text for a
language model; it shares no segment with either.
"""

from __future__ import annotations

import ast
import gzip
import re
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from pydoc_data import topics

import numpy as np
from numpy.typing import NDArray

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError

TRAIN_CHARACTERS = 83_567
TEST_CHARACTERS = 15_000
_RUN = re.compile("[a-z ,.]{100,}")


@dataclass(frozen=True, eq=False)
class Sequences:
    """Inputs, the labels that only evaluation may read, and where sequences end."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SpellingTask:
    """One substitution: what to learn from, what to test on, and in-domain text for a language model."""

    train: Sequences
    test: Sequences
    in_domain: tuple[str, ...]
    alphabet: Alphabet = PAPER_ALPHABET


def spelling_task(
    segments: Iterable[str],
    seed: int,
    *,
    train_characters: int = TRAIN_CHARACTERS,
    test_characters: int = TEST_CHARACTERS,
) -> SpellingTask:
    """Draw a substitution and the segments under it.

    A pool too small for the sizes asked is shared out in the same proportion, and leaves no in-domain text.

    Parameters
    ----------
    segments : iterable of str
        The pool, for example from `segments_of`; repeats are dropped.
    seed : int
        Of the draw and the substitution.
    train_characters, test_characters : int
        Sizes of the two parts.

    Examples
    --------
    >>> task = spelling_task(segments_of(standard_library_english()), seed=0)
    >>> len(task.train.x), len(task.test.x)
    (83567, 15000)
    """
    rng = np.random.default_rng(seed)
    train_text, test_text, rest = share_out(sorted(set(segments)), train_characters, test_characters, rng)
    key = rng.permutation(len(PAPER_ALPHABET))
    return SpellingTask(_encipher(train_text, key), _encipher(test_text, key), tuple(rest))


def share_out(
    pool: list[str], train_characters: int, test_characters: int, rng: np.random.Generator
) -> tuple[list[str], list[str], list[str]]:
    """Segments to learn from, others to test on, and the rest; in proportion where the pool is too small."""
    available = sum(map(len, pool))
    if available < train_characters + test_characters:
        share = available / (train_characters + test_characters)
        train_characters, test_characters = int(share * train_characters), int(share * test_characters)
    if test_characters < 100:
        raise InputError(
            f"{available} characters of usable segments found, at least 1,000 wanted: text in small letters, spaces, "
            "commas and full stops, in runs longer than 100; name a folder with more English prose"
        )
    shuffled = [pool[i] for i in rng.permutation(len(pool))]
    train_text, rest = _take(shuffled, train_characters)
    test_text, rest = _take(rest, test_characters)
    return train_text, test_text, rest


def segments_of(paragraphs: Iterable[str]) -> Iterator[str]:
    """The runs of allowed characters longer than 100 in each paragraph, in small letters, white space as one space.

    Examples
    --------
    >>> list(segments_of(["Too short."]))
    []
    """
    for paragraph in paragraphs:
        text = re.sub(r"\s+", " ", paragraph.lower())
        for run in _RUN.findall(text):
            segment = run.strip(" ,.")
            if len(segment) > 100:
                yield segment


def standard_library_english() -> Iterator[str]:
    """English that ships with Python itself: its help topics and the docstrings of its standard library."""
    for text in topics.topics.values():
        yield from _paragraphs(text)
    library = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted([*library.glob("*.py"), *library.glob("*/*.py")]):
        if not {"site-packages", "test", "tests"} & set(path.parts):
            yield from _docstring_paragraphs(path)


def docstring_english(folder: Path) -> Iterator[str]:
    """English in the docstrings of all Python files below a folder, such as an installed package; tests left out.

    Examples
    --------
    >>> next(docstring_english(Path(ast.__file__).parent / "json"))[:33]
    'JSON (JavaScript Object Notation)'
    """
    for path in sorted(folder.rglob("*.py")):
        if not {"test", "tests"} & set(path.relative_to(folder).parts):
            yield from _docstring_paragraphs(path)


def folder_paragraphs(folder: Path) -> Iterator[str]:
    """The lines of every ``.txt`` and ``.txt.gz`` file below a folder, or of one such file."""
    paths = [folder] if folder.is_file() else sorted([*folder.rglob("*.txt"), *folder.rglob("*.txt.gz")])
    if not paths:
        raise InputError(f"{folder}: no .txt or .txt.gz file found; name a file or folder of plain text")
    for path in paths:
        open_text = gzip.open if path.suffix == ".gz" else open
        with open_text(path, "rt", encoding="utf-8") as lines:
            yield from lines


def _docstring_paragraphs(path: Path) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of another's file
            tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError, OSError):  # a file of another encoding is no loss
        return
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield from _paragraphs(text)


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text)


def _take(segments: list[str], characters: int) -> tuple[list[str], list[str]]:
    """The first segments up to exactly so many characters, and the rest."""
    taken, total = [], 0
    for i, segment in enumerate(segments):
        taken.append(segment[: characters - total])
        total += len(taken[-1])
        if total == characters:
            return taken, segments[i + 1 :]
    return taken, []


def _encipher(segments: list[str], key: NDArray[np.int64]) -> Sequences:
    labels = np.concatenate([PAPER_ALPHABET.encode(segment) for segment in segments]).astype(np.int64)
    return Sequences(key[labels], labels, np.array([len(segment) for segment in segments]))
