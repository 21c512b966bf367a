"""Type of one size: words taken apart into sorts, each with its ink, and how far apart they stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from labelfree.errors import InputError
from labelfree.repro.printer.typefaces import Typeface, draws, face_file, font

Shape = Literal["roman", "italic", "small capitals"]

_PHASES = 4  # places between two pixels at which a sort is drawn
_SPACED = 0.12  # of the size, between letters of a word that is spaced out
_LOOSE = 0.12  # of the size, before ; : ! ? where there is such a space
_POINTS = (";", ":", "!", "?")
_UNSHAPED = ("-liga", "-clig")

_LIGATURES = re.compile("ffi|ffl|ff|fi|fl|fj|ft|ſſi|ſſl|ſſt|ſſk|ſſ|ſch|ſi|ſl|ſt|ſh|ſk|Th|ch|ck|tz|tt|ll|.")
_SPACED_LIGATURES = re.compile("ch|ck|tz|ſt|.")

_CODES = {
    "ch": "\uf1bb",
    "ck": "\ueec4",
    "tz": "\ueedc",
    "tt": "\ueed9",
    "ll": "\uf4f9",
    "ſch": "\uf4fa",
    "ſh": "\ueba1",
    "ſi": "\ueba2",
    "ſl": "\ueba3",
    "ſk": "\uf4fc",
    "ſſ": "\ueba6",
    "ſſi": "\ueba7",
    "ſſl": "\ueba8",
    "ſſk": "\uf4fe",
    "ſſt": "\uf4ff",
    "ſt": "\ufb05",
    "ff": "\ufb00",
    "fi": "\ufb01",
    "fl": "\ufb02",
    "ffi": "\ufb03",
    "ffl": "\ufb04",
    "ft": "\ueecb",
}
"""Where faces that form no ligatures themselves keep them, by the recommendation of the Medieval Unicode Font
Initiative."""

_INSTEAD = {
    "’": ("'",),
    "‘": ("'", "’"),
    "“": ('"',),
    "”": ('"', "“"),
    "„": ("“", '"'),
    "«": ("“", '"'),
    "»": ("”", '"'),
    "—": ("–", "-"),
    "–": ("-",),
    "ſ": ("s",),
    "†": ("*",),
    "[": ("(",),
    "]": (")",),
    "æ": ("ae",),
    "œ": ("oe",),
    "Æ": ("Ae",),
    "Œ": ("Oe",),
    "Ä": ("Ae",),
    "Ö": ("Oe",),
    "Ü": ("Ue",),
    "ß": ("ss",),
}
"""What printers take where a fount lacks a character."""


@dataclass(frozen=True)
class Piece:
    """A letter or ligature and its place in a word.

    Attributes
    ----------
    text : str
        What it stands for.
    drawn : str
        The characters that draw it.
    path : Path
        Of the face.
    pixels : float
        Size of the face.
    features : tuple of str
        Of the face, switched on for it.
    x : float
        Of its origin, from that of the word.
    """

    text: str
    drawn: str
    path: Path
    pixels: float
    features: tuple[str, ...]
    x: float

    def ink(self, x: float, y: float) -> tuple[NDArray[np.uint8], int, int]:
        """Its picture when its origin is at a point, and the pixel where the picture's corner goes."""
        at_x, at_y = round(x * _PHASES), round(y * _PHASES)
        ink, left, top = _ink(self.path, self.pixels, self.drawn, self.features, at_x % _PHASES, at_y % _PHASES)
        return ink, left + at_x // _PHASES, top + at_y // _PHASES


@dataclass(frozen=True)
class SetWord:
    """A word in type.

    Attributes
    ----------
    pieces : tuple of Piece
    width : float
    """

    pieces: tuple[Piece, ...]
    width: float

    @property
    def text(self) -> str:
        """As it is printed, small capitals as capitals."""
        return "".join(piece.text for piece in self.pieces)


class Fount:
    """A typeface at a size.

    Parameters
    ----------
    typeface : Typeface
    pixels : float
    old_figures : bool
        As in `BookDesign`.
    loose_points : bool
        As in `BookDesign`.
    """

    def __init__(self, typeface: Typeface, pixels: float, *, old_figures: bool = True, loose_points: bool = False):
        self.typeface = typeface
        self.pixels = pixels
        self._loose = _LOOSE * pixels if loose_points else 0.0
        self._roman = _path(typeface.roman)
        self._italic = _path(typeface.italic) if typeface.italic else None
        self._figures = ("onum",) if old_figures else ("lnum",)
        self._is_typed = typeface.style == "typewriter"
        self._words: dict[tuple[str, Shape], SetWord] = {}
        self.space = font(self._roman, pixels).getlength(" ")

    def word(self, text: str, shape: Shape = "roman") -> SetWord:
        """Set a word."""
        key = text, shape
        if key not in self._words:
            self._words[key] = self._set(text, shape)
        return self._words[key]

    def width(self, text: str, shape: Shape = "roman") -> float:
        """How wide a word is."""
        return self.word(text, shape).width

    def _set(self, text: str, shape: Shape) -> SetWord:
        if shape == "italic" and self._italic is None:
            return self._row(text, self._roman, spacing=_SPACED * self.pixels)
        if shape == "italic" and self._italic is not None:
            return self._row(text, self._italic)
        if shape == "small capitals" and self.typeface.style != "blackletter":
            return self._in_small_capitals(text)
        return self._row(text, self._roman)

    def _row(self, text: str, path: Path, spacing: float = 0.0) -> SetWord:
        """Letters of one face side by side."""
        pieces: list[Piece] = []
        x, before = 0.0, ""
        features = self._features(spacing)
        for letters in self._letters(text, spacing):
            drawn = self._drawn(letters, path)
            if before and not self._is_typed:
                x += _kerning(path, self.pixels, before, letters[0])
                x += self._loose if letters in _POINTS else 0.0
            pieces.append(Piece(letters, drawn, path, self.pixels, features, x))
            x += _advance(path, self.pixels, drawn, features) + spacing
            before = letters[-1]
        return SetWord(tuple(pieces), x - spacing if pieces else 0.0)

    def _in_small_capitals(self, text: str) -> SetWord:
        pieces: list[Piece] = []
        x = 0.0
        for letter in text:
            capital = letter.upper()
            drawn, pixels, features = letter, self.pixels, self._features(0.0)
            if letter.islower() and len(capital) == 1 and draws(self._roman, capital):
                drawn, pixels, features = _small_capital(self._roman, self.pixels, letter)
                letter = capital
            pieces.append(Piece(letter, drawn, self._roman, pixels, features, x))
            x += _advance(self._roman, pixels, drawn, features) + 0.03 * self.pixels
        return SetWord(tuple(pieces), x)

    def _letters(self, text: str, spacing: float) -> Iterable[str]:
        """Letters and ligatures of a word."""
        if self._is_typed:
            return text
        return (_SPACED_LIGATURES if spacing else _LIGATURES).findall(text)

    def _features(self, spacing: float) -> tuple[str, ...]:
        return (*self._figures, *_UNSHAPED) if spacing or self._is_typed else self._figures

    def _drawn(self, text: str, path: Path) -> str:
        """The characters to draw for a letter or ligature."""
        code = _CODES.get(text)
        if code and self.typeface.style == "blackletter" and draws(path, code):
            return code
        return text


def settable(text: str, typeface: Typeface) -> str:
    """A text with what a typeface cannot draw replaced by the nearest it can, or left out.

    Parameters
    ----------
    text : str
    typeface : Typeface
        That is installed.
    """
    return "".join(each if each.isspace() else _settable(each, typeface) for each in text)


@lru_cache(maxsize=8192)
def _settable(character: str, typeface: Typeface) -> str:
    faces = [_path(name) for name in (typeface.roman, typeface.italic) if name]
    bare = "".join(each for each in unicodedata.normalize("NFD", character) if not unicodedata.combining(each))
    for instead in (character, *_INSTEAD.get(character, ()), bare):
        if instead and all(draws(face, each) for face in faces for each in instead):
            return instead
    return ""


def _path(name: str) -> Path:
    path = face_file(name)
    if path is None:
        raise InputError(f"{name} is not installed; get all typefaces with: make fonts")
    return path


@lru_cache(maxsize=8192)
def _small_capital(path: Path, pixels: float, letter: str) -> tuple[str, float, tuple[str, ...]]:
    """What draws the small capital of a letter, at which size and with which features.

    Where a face has none it is a capital of a smaller size, as printers took.
    """
    face, letter = font(path, pixels), letter.replace("ſ", "s")
    own, _ = face.getmask2(letter, "L", features=["smcp"])
    plain, _ = face.getmask2(letter, "L")
    if own.size != plain.size or bytes(own) != bytes(plain):
        return letter, pixels, ("smcp",)
    _, x_top, _, _ = face.getbbox("x", anchor="ls")
    _, capital_top, _, _ = face.getbbox("X", anchor="ls")
    return letter.upper(), pixels * min(1.0, 1.1 * x_top / capital_top), ()


@lru_cache(maxsize=65536)
def _ink(
    path: Path, pixels: float, drawn: str, features: tuple[str, ...], phase_x: int, phase_y: int
) -> tuple[NDArray[np.uint8], int, int]:
    start = (phase_x / _PHASES, phase_y / _PHASES)
    mask, (left, top) = font(path, pixels).getmask2(drawn, "L", features=list(features), anchor="ls", start=start)
    width, height = mask.size
    ink = np.frombuffer(bytes(mask), np.uint8).reshape(height, width)
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    if not len(rows):
        return ink, left, top
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.ascontiguousarray(ink), left + int(columns[0]), top + int(rows[0])


@lru_cache(maxsize=65536)
def _advance(path: Path, pixels: float, drawn: str, features: tuple[str, ...]) -> float:
    return font(path, pixels).getlength(drawn, features=list(features))


@lru_cache(maxsize=65536)
def _kerning(path: Path, pixels: float, before: str, after: str) -> float:
    face = font(path, pixels)
    both = face.getlength(before + after, features=list(_UNSHAPED))
    return both - face.getlength(before) - face.getlength(after)
