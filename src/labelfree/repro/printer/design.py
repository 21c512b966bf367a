"""How a book is printed: its type, its page, what stands in it, and how badly it was scanned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelfree.errors import InputError
from labelfree.repro.printer.typefaces import STYLES, TYPEFACES, Typeface, typeface_named

LANGUAGES = ("en", "de", "fr")


@dataclass(frozen=True)
class BookDesign:
    """What a printer and a scanner decide.

    Attributes
    ----------
    typeface : str
        Name of one of `TYPEFACES`.
    language : {"en", "de", "fr"}
        Of headings, notes and lists, and of the rules for the long s.
    size : float
        Of the type, in points.
    leading : float
        From baseline to baseline, as a share of the size.
    measure : int
        Characters to a line, about.
    lines_a_page : int
    dpi : int
        Of the scan.
    damage : float
        0 for clean print; at 1 it is worn, badly inked and scanned askew.
    italics : float
        Share of words in italics, in single words and whole paragraphs; spaced out where the face has none.
    small_capitals : float
        Share of names in small capitals.
    lists : float
        Share of the book that is lists of names and dates.
    notes : float
        Share of paragraphs with a footnote.
    old_figures : bool
        Whether figures have ascenders and descenders, where the face has such figures.
    long_s : bool
    loose_points : bool
        Whether a little space stands before ; : ! ? and more of it after a sentence, as in much print of the 19th
        century.
    bilevel : bool
        Whether the scan is black and white or grey.
    seed : int
        Of all that is left to chance.

    Examples
    --------
    >>> BookDesign("Caslon", long_s=True).dpi
    300
    """

    typeface: str = "Old Standard"
    language: str = "en"
    size: float = 10.0
    leading: float = 1.25
    measure: int = 52
    lines_a_page: int = 36
    dpi: int = 300
    damage: float = 0.5
    italics: float = 0.05
    small_capitals: float = 0.03
    lists: float = 0.15
    notes: float = 0.1
    old_figures: bool = True
    long_s: bool = False
    loose_points: bool = False
    bilevel: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        typeface_named(self.typeface)
        if self.language not in LANGUAGES:
            raise InputError(f"language is {self.language!r}; one of {', '.join(LANGUAGES)} wanted")
        for name in ("italics", "small_capitals", "lists", "notes"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"{name} is {getattr(self, name)}; a share from 0 to 1 wanted")
        for name, least in (
            ("size", 4),
            ("leading", 1),
            ("measure", 20),
            ("lines_a_page", 5),
            ("dpi", 72),
            ("damage", 0),
        ):
            if not getattr(self, name) >= least:
                raise InputError(f"{name} is {getattr(self, name)}; {least} or more wanted")

    @property
    def face(self) -> Typeface:
        """The typeface itself."""
        return typeface_named(self.typeface)

    @property
    def pixels(self) -> float:
        """Size of the type in the scan."""
        return self.size * self.dpi / 72


def designs(n: int, seed: int = 0, typefaces: Sequence[Typeface] = TYPEFACES) -> list[BookDesign]:
    """Draw designs that differ in all that books differ in; every style of type has its turn, and every face in it.

    Blackletter is for German, with the long s; half of the books in old type have it too.

    Parameters
    ----------
    n : int
    seed : int
    typefaces : sequence of Typeface

    Examples
    --------
    >>> [design.typeface for design in designs(3, seed=1)] == [design.typeface for design in designs(3, seed=1)]
    True
    >>> len({design.face.style for design in designs(7)})
    7
    """
    rng = np.random.default_rng(seed)
    turns = []
    for style in STYLES:
        faces = [face for face in typefaces if face.style == style]
        if faces:
            turns.append([faces[i] for i in rng.permutation(len(faces))])
    chosen = [turns[i % len(turns)][i // len(turns) % len(turns[i % len(turns)])] for i in range(n)]
    return [_drawn(face, np.random.default_rng((seed, i))) for i, face in enumerate(chosen)]


def _drawn(face: Typeface, rng: np.random.Generator) -> BookDesign:
    typed = face.style == "typewriter"
    return BookDesign(
        typeface=face.name,
        language="de" if face.style == "blackletter" else "en",
        size=12.0 if typed else float(rng.choice([9.0, 10.0, 11.0, 12.0])),
        leading=1.6 if typed else round(float(rng.uniform(1.15, 1.35)), 2),
        measure=int(rng.integers(40, 66)),
        lines_a_page=int(rng.integers(28, 42)),
        dpi=int(rng.choice([200, 300, 300, 300, 400])),
        damage=round(float(rng.uniform(0.2, 0.8)), 2),
        italics=round(float(rng.uniform(0.0, 0.1)), 3),
        small_capitals=round(float(rng.uniform(0.0, 0.06)), 3),
        lists=round(float(rng.uniform(0.0, 0.4)), 2),
        notes=round(float(rng.uniform(0.0, 0.2)), 2),
        old_figures=bool(rng.random() < (0.8 if face.style in ("garalde", "old") else 0.3)),
        long_s=face.style == "blackletter" or (face.style == "old" and bool(rng.random() < 0.5)),
        loose_points=not typed and bool(rng.random() < 0.4),
        seed=int(rng.integers(2**31)),
    )
