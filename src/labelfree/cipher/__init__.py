"""Ciphers: transcription of a ciphertext, search for its key, and `decipher`, which puts both together."""

from labelfree.cipher.decipher import LONG, Deciphered, decipher

__all__ = ["LONG", "Deciphered", "decipher"]
