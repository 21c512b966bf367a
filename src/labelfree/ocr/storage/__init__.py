"""What reading keeps on disk: readers as folders, and checkpoints of work that was stopped."""

from labelfree.ocr.storage.checkpoints import Checkpoints
from labelfree.ocr.storage.reader_folder import load_reader, save_reader

__all__ = ["Checkpoints", "load_reader", "save_reader"]
