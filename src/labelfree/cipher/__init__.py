"""Ciphers: transcription of a ciphertext, search for its key, and `decipher`, which puts both together."""

from labelfree.cipher.hints import Hints
from labelfree.cipher.language_search import which_language
from labelfree.cipher.substitution import LONG, Deciphered, decipher

__all__ = ["LONG", "Deciphered", "Hints", "decipher", "which_language"]
