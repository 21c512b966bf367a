"""Which letters each shape stands for, told by the language alone."""

from labelfree.ocr.respell.marks import close_up, join_quotes
from labelfree.ocr.respell.revision import revise, tile_of_each
from labelfree.ocr.respell.search import respell
from labelfree.ocr.respell.words import put_words_right

__all__ = ["close_up", "join_quotes", "put_words_right", "respell", "revise", "tile_of_each"]
