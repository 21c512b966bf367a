"""From the picture of a text line to its characters, in reading order, with the spaces between words."""

from labelfree.ocr.segment.line import LineTiles, segment_line
from labelfree.ocr.segment.style import BookStyle, measure_book, sample_of

__all__ = ["BookStyle", "LineTiles", "measure_book", "sample_of", "segment_line"]
