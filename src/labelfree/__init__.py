"""Learn to label sequences without a single label."""

from labelfree._version import __version__

__all__ = ["__version__"]
