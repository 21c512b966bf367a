"""Search over the keys of short ciphers, scored by a character model of order 4 or 5.

Where no two signs read alike, chains climb by swaps of two readings and are kicked out of local maxima (`swaps`); where
several may, chains sample one reading after the other while they cool (`anneal`). What is found is weighed without
labels (`belief`), and a text with miscopied signs can be mended (`mending`).
"""

from labelfree.cipher.keysearch.mending import mend
from labelfree.cipher.keysearch.search import FLOOR, FULL_ORDER, KeyFound, search_key
from labelfree.cipher.keysearch.spaceless import without_symbols

__all__ = ["FLOOR", "FULL_ORDER", "KeyFound", "mend", "search_key", "without_symbols"]
