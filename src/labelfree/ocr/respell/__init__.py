"""Which letters each shape stands for, told by the language alone."""

from labelfree.ocr.respell.revision import revise, tile_of_each
from labelfree.ocr.respell.search import respell

__all__ = ["respell", "revise", "tile_of_each"]
