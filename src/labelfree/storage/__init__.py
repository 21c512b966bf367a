"""What is kept on disk: model folders, checkpoints and data files."""

from labelfree.storage.folder import load, load_card, save

__all__ = ["load", "load_card", "save"]
