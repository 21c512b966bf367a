"""From the picture of a text line to its characters, in reading order, with the spaces between words."""

from labelfree.ocr.segment.letters import Letters
from labelfree.ocr.segment.line import LineTiles, segment_line
from labelfree.ocr.segment.style import BookStyle, measure_book, measure_letters

__all__ = ["BookStyle", "Letters", "LineTiles", "measure_book", "measure_letters", "segment_line"]
