"""Ciphers: transcription of a ciphertext, search for its key, and `decipher`, which puts both together."""

from labelfree.cipher.substitution import LONG, Deciphered, decipher
from labelfree.cipher.which_language import which_language

__all__ = ["LONG", "Deciphered", "decipher", "which_language"]
