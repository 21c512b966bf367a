"""Text that was read held against the true text: character and word error rates, and what went wrong most.

Both sides are compared in Unicode NFC. White space at the end of a line and of a file does not count; line breaks do,
as one character each.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from labelfree.alphabet import nfc
from labelfree.errors import InputError
from labelfree.evaluate import bootstrap_rates
from labelfree.limits import read_bounded
from labelfree.ocr.export import PAIRS_FOLDER
from labelfree.ocr.sources.names import RUNNING, WHOLE

_Edit = tuple[str, int, int]
_ENDING = re.compile(r"(\.gt)?\.txt$")
_LEVEL = 0.95
_DRAWS = 1000
_FEW_LINES = 20  # below this many, resampling lines says too little


@dataclass(frozen=True)
class Confusion:
    """What stands in the truth, what was read for it, and how often; an empty string where one has nothing."""

    truth: str
    read: str
    count: int


@dataclass(frozen=True)
class ScoredLine:
    """A line of the truth, what was read for it, and the characters wrong."""

    file: str
    number: int
    truth: str
    read: str
    errors: int


@dataclass(frozen=True)
class Score:
    """A reading against the truth."""

    cer: float  # character errors to a character of the truth; may pass 1, as the WER may
    cer_low: float | None  # ends of the CER's 95% interval, lines resampled; None with fewer than 20
    cer_high: float | None
    wer: float  # word errors to a word of the truth
    characters: int
    character_errors: int
    words: int
    word_errors: int
    files: int  # of the truth, missing ones included
    missing: tuple[str, ...]  # files of the truth for which nothing was read; each counts as read empty
    extra: tuple[str, ...]  # files read for which there is no truth; they do not count
    confusions: tuple[Confusion, ...]  # the most frequent ones
    worst_lines: tuple[ScoredLine, ...]  # those with the most errors

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        return asdict(self)


def score(out: Path, truth: Path, *, top: int = 10) -> Score:
    """Compare text files with the truth, or two files with each other.

    Files are paired by their path below the folders, or by their name alone where that is unique on both sides; the
    ending is ``.txt`` or ``.gt.txt``. Left aside in `out` are the training pairs and, unless it is in the truth too,
    the text of the whole book.

    Parameters
    ----------
    out, truth : Path
        Two folders, or two files.
    top : int
        How many confusions and lines to name.
    """
    if out.is_file() and truth.is_file():
        return score_texts([(truth.name, _read(out), _read(truth))], top=top)
    read, true = _texts_below(out, "read"), _texts_below(truth, "truth")
    if not true:
        raise InputError(f"{truth} holds no .txt or .gt.txt file; name the folder of the true texts")
    partner = _pair(read, true)
    if not partner:
        raise InputError(
            f"no file of {len(read)} in {out} has the name of one of the {len(true)} in {truth}, such as "
            f"{min(true)}.txt; name the folders whose files belong together"
        )
    used = set(partner.values())
    extra = [
        name
        for name in read
        if name not in used and name not in (WHOLE, RUNNING) and Path(name).parts[0] != PAIRS_FOLDER
    ]
    texts = ((name, _read(read[partner[name]]) if name in partner else None, _read(true[name])) for name in true)
    return score_texts(texts, extra=tuple(extra), top=top)


def score_texts(texts: Iterable[tuple[str, str | None, str]], *, extra: tuple[str, ...] = (), top: int = 10) -> Score:
    """Compare texts, each given as its name, what was read (None for nothing) and the truth.

    Examples
    --------
    >>> found = score_texts([("a", "tbe cat", "the cat"), ("b", None, "sat")])
    >>> found.cer, found.wer, found.missing, found.confusions[0]
    (0.4, 0.6666666666666666, ('b',), Confusion(truth='h', read='b', count=1))
    """
    confusions: Counter[tuple[str, str]] = Counter()
    lines: list[ScoredLine] = []
    missing: list[str] = []
    n_files = words = word_errors = characters = character_errors = 0
    for name, got, wanted in texts:
        n_files += 1
        if got is None:
            missing.append(name)
        read, true = _compared(got or ""), _compared(wanted)
        edits = [(edit.tag, edit.src_pos, edit.dest_pos) for edit in Levenshtein.editops(true, read)]
        characters += len(true)
        character_errors += len(edits)
        words += len(true.split())
        word_errors += Levenshtein.distance(true.split(), read.split())
        confusions.update(
            (true[at] if tag != "insert" else "", read[to] if tag != "delete" else "") for tag, at, to in edits
        )
        lines.extend(_lines(name, edits, true, read))
    if not characters:
        raise InputError("the true texts hold 0 characters, at least 1 wanted; name the folder of the true texts")
    low, high = _interval(lines)
    worst = sorted((line for line in lines if line.errors), key=lambda line: -line.errors)[:top]
    return Score(
        cer=character_errors / characters,
        cer_low=low,
        cer_high=high,
        wer=word_errors / max(words, 1),
        characters=characters,
        character_errors=character_errors,
        words=words,
        word_errors=word_errors,
        files=n_files,
        missing=tuple(missing),
        extra=extra,
        confusions=tuple(Confusion(*pair, count) for pair, count in confusions.most_common(top)),
        worst_lines=tuple(worst),
    )


def _compared(text: str) -> str:
    lines = nfc(text).splitlines()
    return "\n".join(line.rstrip() for line in lines).rstrip()


def _lines(name: str, edits: list[_Edit], true: str, read: str) -> Iterator[ScoredLine]:
    """The lines of the truth, each with the errors in it and the part of the reading that stands against it."""
    places = [at for _, at, _ in edits]
    grown = [0, *accumulate((tag == "insert") - (tag == "delete") for tag, _, _ in edits)]
    begin = 0
    for number, line in enumerate(true.split("\n"), 1):
        end = begin + len(line)
        first, last = bisect_left(places, begin), bisect_right(places, end)
        # What became of the line break is an error of the line, but no part of its reading.
        broken = last > first and places[last - 1] == end and edits[last - 1][0] != "insert"
        part = read[begin + grown[first] : end + grown[last - broken]]
        yield ScoredLine(name, number, line, part, last - first)
        begin = end + 1


def _interval(lines: list[ScoredLine]) -> tuple[float | None, float | None]:
    if len(lines) < _FEW_LINES:
        return None, None
    errors = [[line.errors] for line in lines]
    ends_a_file = [following.number == 1 for following in lines[1:]] + [True]
    totals = [[len(line.truth) + (not ends)] for line, ends in zip(lines, ends_a_file, strict=True)]
    rates = bootstrap_rates(errors, totals, level=_LEVEL, n_draws=_DRAWS, seed=0)
    return float(rates.low[0]), float(rates.high[0])


def _texts_below(folder: Path, side: Literal["read", "truth"]) -> dict[str, Path]:
    """The text files of a folder by their path in it without ending; ``.gt.txt`` is first choice for the truth only."""
    if not folder.is_dir():
        raise InputError(f"{folder} is no folder; two folders of text files wanted, or two text files")
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.txt")):
        name = _ENDING.sub("", path.relative_to(folder).as_posix())
        first_choice = path.name.endswith(".gt.txt") == (side == "truth")
        if path.is_file() and (first_choice or name not in found):
            found[name] = path
    return found


def _pair(read: dict[str, Path], true: dict[str, Path]) -> dict[str, str]:
    """For names of the truth the name in the reading."""
    read_alone, true_alone = _alone(read), _alone(true)
    same_stem = {name: read_alone[stem] for stem, name in true_alone.items() if stem in read_alone}
    return same_stem | {name: name for name in true if name in read}


def _alone(texts: Iterable[str]) -> dict[str, str]:
    """The names by their last part, where no other name has the same."""
    names = [name for name in texts if Path(name).parts[0] != PAIRS_FOLDER]
    times = Counter(Path(name).name for name in names)
    return {Path(name).name: name for name in names if times[Path(name).name] == 1}


def _read(path: Path) -> str:
    try:
        return read_bounded(path, "text").decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; text in UTF-8 wanted: convert it") from None
