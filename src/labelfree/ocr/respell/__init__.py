"""Which letters each shape of tile stands for, told by the language alone."""

from labelfree.ocr.respell.search import respell

__all__ = ["respell"]
