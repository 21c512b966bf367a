"""Text that was read held against the truth."""

from labelfree.ocr.metrics.files import TextPairs, text_pairs
from labelfree.ocr.metrics.lines import LineBreaks
from labelfree.ocr.metrics.score import Confusion, Score, ScoredLine, score, score_texts, scored_lines

__all__ = [
    "Confusion",
    "LineBreaks",
    "Score",
    "ScoredLine",
    "TextPairs",
    "score",
    "score_texts",
    "scored_lines",
    "text_pairs",
]
