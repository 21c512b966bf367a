"""Ciphers: transcription of a ciphertext, search for its key, and `decipher`, which puts both together."""

from labelfree.cipher.substitution import LONG, Deciphered, decipher
from labelfree.cipher.which_language import LanguageFound, which_language

__all__ = ["LONG", "Deciphered", "LanguageFound", "decipher", "which_language"]
