"""Ciphers with small keys: shifts and affine maps, periodic ones, transpositions; and the name of what is not solved.

One file a family; each proposes readings with the price of their keys, `letters` scores them all by the language model.
"""

from labelfree.cipher.kinds.letters import Letters, Reading
from labelfree.cipher.kinds.naming import has_own_letters, named
from labelfree.cipher.kinds.solve import by_map, by_order, letters_in, symbols_of

__all__ = ["Letters", "Reading", "by_map", "by_order", "has_own_letters", "letters_in", "named", "symbols_of"]
