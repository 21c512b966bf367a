"""What was read and the truth side by side, as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from labelfree.ocr.metrics import Score, ScoredLine, TextPairs, scored_lines
from labelfree.report.render import rendered, write_page


@dataclass(frozen=True)
class Piece:
    """A stretch of a line, and whether the other side has the same."""

    text: str
    is_same: bool


@dataclass(frozen=True)
class Row:
    """A line of the truth beside what was read for it."""

    number: int
    truth: tuple[Piece, ...]
    read: tuple[Piece, ...]
    errors: int


def write_compared(pairs: TextPairs, score: Score, path: Path) -> Path:
    """Write the page on texts that were scored."""
    return write_page(path, compared(pairs, score))


def compared(pairs: TextPairs, score: Score) -> str:
    """The page on texts that were scored, as HTML."""
    lines = scored_lines(pairs.texts, score.line_breaks)
    texts = [(name, list(_rows(own))) for name, own in groupby(lines, key=lambda line: line.file)]
    return rendered("compared.html", score=score, texts=texts)


def _rows(lines: Iterator[ScoredLine]) -> Iterator[Row]:
    for line in lines:
        blocks = Levenshtein.opcodes(line.truth, line.read)
        truth = [Piece(line.truth[op.src_start : op.src_end], op.tag == "equal") for op in blocks]
        read = [Piece(line.read[op.dest_start : op.dest_end], op.tag == "equal") for op in blocks]
        yield Row(line.number, _shown(truth), _shown(read), line.errors)


def _shown(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces that have text; a change of spaces alone is made visible."""
    shown = (Piece(each.text if each.is_same else each.text.replace(" ", "␣"), each.is_same) for each in pieces)
    return tuple(each for each in shown if each.text)
