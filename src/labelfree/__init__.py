"""Learn to label sequences without a single label.

>>> import labelfree
>>> lm = labelfree.NGramLM.from_language("en")
>>> reader = labelfree.SequenceClassifier(lm)  # then reader.fit(X, lengths=lengths) and reader.predict(X)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from labelfree._version import __version__

if TYPE_CHECKING:
    from labelfree.alphabet import Alphabet
    from labelfree.cipher import Deciphered, decipher
    from labelfree.estimator import SequenceClassifier
    from labelfree.lm import NGramLM
    from labelfree.storage import load, save

_HOMES = {
    "Alphabet": "alphabet",
    "Deciphered": "cipher",
    "decipher": "cipher",
    "NGramLM": "lm",
    "SequenceClassifier": "estimator",
    "load": "storage",
    "save": "storage",
}

__all__ = ["Alphabet", "Deciphered", "NGramLM", "SequenceClassifier", "__version__", "decipher", "load", "save"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import labelfree`` stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
