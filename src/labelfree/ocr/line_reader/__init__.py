"""A recogniser of whole lines: no boxes, a small network trained on readings that nobody checked."""

from labelfree.ocr.line_reader.model import Recogniser, StripReading
from labelfree.ocr.line_reader.strips import Strip, line_strip
from labelfree.ocr.line_reader.training import train_recogniser

__all__ = ["Recogniser", "Strip", "StripReading", "line_strip", "train_recogniser"]
