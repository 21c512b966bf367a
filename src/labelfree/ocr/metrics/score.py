"""Text that was read held against the true text: character and word error rates, and what went wrong most.

Both sides are compared in Unicode NFC. White space at the end of a line and of a file does not count. Line breaks do,
as one character each, but where the truth has none of its own (`labelfree.ocr.metrics.lines`). Reading order is scored
apart: how many lines stand elsewhere, and the CER with all in the order of the truth.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from rapidfuzz.distance import Levenshtein

from labelfree.errors import InputError
from labelfree.evaluate import bootstrap_rates
from labelfree.ocr.metrics.files import text_pairs
from labelfree.ocr.metrics.lines import Compared, LineBreaks, joined, kept, line_breaks_of
from labelfree.ocr.metrics.order import Order, reading_order

_Edit = tuple[str, int, int]
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
    line_breaks: LineBreaks  # whether they were compared, or lines joined and hyphens at their ends left out
    lines_found: int  # that were read and stand in the truth somewhere
    order_error: float  # share of these that would have to be put elsewhere
    cer_in_order: float  # with what was read in the order of the truth
    files: int  # of the truth, missing ones included
    missing: tuple[str, ...]  # files of the truth for which nothing was read; each counts as read empty
    extra: tuple[str, ...]  # files read for which there is no truth; they do not count
    confusions: tuple[Confusion, ...]  # the most frequent ones
    worst_lines: tuple[ScoredLine, ...]  # those with the most errors

    def as_dict(self) -> dict[str, Any]:
        """In what JSON has."""
        return asdict(self)


def score(out: Path, truth: Path, *, top: int = 10, line_breaks: LineBreaks | Literal["auto"] = "auto") -> Score:
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
    line_breaks : {"auto", "kept", "joined"}
        Whether line breaks are compared, or lines joined and the hyphens at their ends left out; by default joined
        where the lines of the truth are much longer than those that were read.
    """
    pairs = text_pairs(out, truth)
    return score_texts(pairs.texts, extra=pairs.extra, top=top, line_breaks=line_breaks)


def score_texts(
    texts: Iterable[tuple[str, str | None, str]],
    *,
    extra: tuple[str, ...] = (),
    top: int = 10,
    line_breaks: LineBreaks | Literal["auto"] = "auto",
) -> Score:
    """Compare texts, each given as its name, what was read (None for nothing) and the truth.

    Examples
    --------
    >>> found = score_texts([("a", "tbe cat", "the cat"), ("b", None, "sat")])
    >>> found.cer, found.wer, found.missing, found.confusions[0]
    (0.4, 0.6666666666666666, ('b',), Confusion(truth='h', read='b', count=1))
    """
    listed = list(texts)
    breaks: LineBreaks = line_breaks_of(listed) if line_breaks == "auto" else line_breaks
    confusions: Counter[tuple[str, str]] = Counter()
    lines: list[ScoredLine] = []
    orders: list[Order] = []
    words = word_errors = characters = character_errors = errors_in_order = 0
    for name, got, wanted in listed:
        compared, order = _compared(name, got, wanted, breaks), reading_order(got or "", wanted)
        edits = _edits(compared)
        characters += len(compared.truth)
        character_errors += len(edits)
        if order.moved:
            in_order = _compared(name, order.in_order, wanted, breaks)
            errors_in_order += Levenshtein.distance(in_order.truth, in_order.read)
        else:
            errors_in_order += len(edits)
        words += len(compared.truth.split())
        word_errors += Levenshtein.distance(compared.truth.split(), compared.read.split())
        confusions.update(
            (compared.truth[at] if tag != "insert" else "", compared.read[to] if tag != "delete" else "")
            for tag, at, to in edits
        )
        lines.extend(_lines(compared, edits))
        orders.append(order)
    if not characters:
        raise InputError("the true texts hold 0 characters, at least 1 wanted; name the folder of the true texts")
    low, high = _interval(lines)
    n_found = sum(order.found for order in orders)
    return Score(
        cer=character_errors / characters,
        cer_low=low,
        cer_high=high,
        wer=word_errors / max(words, 1),
        characters=characters,
        character_errors=character_errors,
        words=words,
        word_errors=word_errors,
        line_breaks=breaks,
        lines_found=n_found,
        order_error=sum(order.moved for order in orders) / max(n_found, 1),
        cer_in_order=errors_in_order / characters,
        files=len(listed),
        missing=tuple(name for name, got, _ in listed if got is None),
        extra=extra,
        confusions=tuple(Confusion(*pair, count) for pair, count in confusions.most_common(top)),
        worst_lines=tuple(sorted((line for line in lines if line.errors), key=lambda line: -line.errors)[:top]),
    )


def scored_lines(texts: Sequence[tuple[str, str | None, str]], line_breaks: LineBreaks) -> Iterator[ScoredLine]:
    """Every line of the truth, or piece of it where lines are joined, with what was read for it."""
    for name, got, wanted in texts:
        compared = _compared(name, got, wanted, line_breaks)
        yield from _lines(compared, _edits(compared))


def _compared(name: str, got: str | None, wanted: str, breaks: LineBreaks) -> Compared:
    return (kept if breaks == "kept" else joined)(name, got or "", wanted)


def _edits(compared: Compared) -> list[_Edit]:
    found = Levenshtein.editops(compared.truth, compared.read)
    return [(edit.tag, edit.src_pos, edit.dest_pos) for edit in found]


def _lines(compared: Compared, edits: list[_Edit]) -> Iterator[ScoredLine]:
    """The lines of the truth, each with the errors in it and the part of the reading that stands against it."""
    places = [at for _, at, _ in edits]
    grown = [0, *accumulate((tag == "insert") - (tag == "delete") for tag, _, _ in edits)]
    begin = 0
    for number, end in enumerate(compared.ends, 1):
        first, last = bisect_left(places, begin), bisect_right(places, end)
        # What became of the line break is an error of the line, but no part of its reading.
        broken = last > first and places[last - 1] == end and edits[last - 1][0] != "insert"
        part = compared.read[begin + grown[first] : end + grown[last - broken]]
        yield ScoredLine(compared.name, number, compared.truth[begin:end], part, last - first)
        begin = end + 1


def _interval(lines: list[ScoredLine]) -> tuple[float | None, float | None]:
    if len(lines) < _FEW_LINES:
        return None, None
    errors = [[line.errors] for line in lines]
    ends_a_file = [following.number == 1 for following in lines[1:]] + [True]
    totals = [[len(line.truth) + (not ends)] for line, ends in zip(lines, ends_a_file, strict=True)]
    rates = bootstrap_rates(errors, totals, level=_LEVEL, n_draws=_DRAWS, seed=0)
    return float(rates.low[0]), float(rates.high[0])
