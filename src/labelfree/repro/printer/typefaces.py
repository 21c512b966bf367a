"""The typefaces that books are printed in, by style, with the Debian package that brings each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from PIL import ImageFont

from labelfree.errors import InputError

Style = Literal["garalde", "old", "transitional", "didone", "slab", "blackletter", "typewriter"]
STYLES: tuple[Style, ...] = get_args(Style)

_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts/opentype"), Path("/usr/local/share/fonts"))
_NO_CHARACTER = "\U0010ffff"  # draws what a face draws where it has nothing


@dataclass(frozen=True)
class Typeface:
    """A family of type.

    Attributes
    ----------
    name : str
    style : str
        One of `STYLES`; ``"old"`` is type cut before 1760, or drawn after it.
    package : str
        Of Debian.
    roman : str
        Name of the upright face's file.
    italic : str, optional
        Name of the italic face's file; words are spaced out where there is none.
    """

    name: str
    style: Style
    package: str
    roman: str
    italic: str | None = None


TYPEFACES = (
    Typeface("EB Garamond", "garalde", "fonts-ebgaramond", "EBGaramond12-Regular.otf", "EBGaramond12-Italic.otf"),
    Typeface("Cardo", "garalde", "fonts-cardo", "Cardo104s.ttf", "Cardoi99.ttf"),
    Typeface("Linden Hill", "garalde", "fonts-lindenhill", "LindenHill.otf", "LindenHill-Italic.otf"),
    Typeface("Goudy Bookletter", "garalde", "fonts-goudybookletter", "GoudyBookletter1911.otf"),
    Typeface(
        "Accanthis", "garalde", "fonts-adf-accanthis", "AccanthisADFStd-Regular.otf", "AccanthisADFStd-Italic.otf"
    ),
    Typeface("TeX Gyre Pagella", "garalde", "fonts-texgyre", "texgyrepagella-regular.otf", "texgyrepagella-italic.otf"),
    Typeface("IM Fell Pica", "old", "fonts-cegui", "IMFePIrm29P.ttf"),
    Typeface("Junicode", "old", "fonts-junicode", "JunicodeTwoBeta-Regular.otf", "JunicodeTwoBeta-Italic.otf"),
    Typeface("Elstob", "old", "fonts-elstob", "ElstobD-Regular.otf", "ElstobD-Italic.otf"),
    Typeface("Essays 1743", "old", "fonts-essays1743", "Essays1743.ttf", "Essays1743-Italic.ttf"),
    Typeface("Caslon", "old", "fonts-georgewilliams", "CaslonRoman.ttf", "CaslonItalic.ttf"),
    Typeface(
        "Baskervald", "transitional", "fonts-adf-baskervald", "BaskervaldADFStd.otf", "BaskervaldADFStd-Italic.otf"
    ),
    Typeface("Linux Libertine", "transitional", "fonts-linuxlibertine", "LinLibertine_R.otf", "LinLibertine_RI.otf"),
    Typeface("Charis", "transitional", "fonts-sil-charis", "CharisSIL-Regular.ttf", "CharisSIL-Italic.ttf"),
    Typeface(
        "Gentium", "transitional", "fonts-sil-gentiumplus", "GentiumBookPlus-Regular.ttf", "GentiumBookPlus-Italic.ttf"
    ),
    Typeface("Tribun", "transitional", "fonts-adf-tribun", "TribunADFStd-Regular.otf", "TribunADFStd-Italic.otf"),
    Typeface("Romande", "transitional", "fonts-adf-romande", "RomandeADFStd-Regular.otf", "RomandeADFStd-Italic.otf"),
    Typeface("Fanwood", "transitional", "fonts-fanwood", "FanwoodText.otf", "FanwoodText-Italic.otf"),
    Typeface("Vollkorn", "transitional", "fonts-vollkorn", "Vollkorn-Regular.ttf", "Vollkorn-Italic.ttf"),
    Typeface("GFS Didot", "didone", "fonts-gfs-didot", "GFSDidot.otf", "GFSDidotItalic.otf"),
    Typeface("Old Standard", "didone", "fonts-oldstandard", "OldStandard-Regular.ttf", "OldStandard-Italic.ttf"),
    Typeface("Latin Modern", "didone", "fonts-lmodern", "lmroman10-regular.otf", "lmroman10-italic.otf"),
    Typeface("Berenis", "didone", "fonts-adf-berenis", "BerenisADFPro-Regular.otf", "BerenisADFPro-Italic.otf"),
    Typeface("Century Catalogue", "didone", "fonts-century-catalogue", "Century-Catalogue.ttf"),
    Typeface("TeX Gyre Schola", "slab", "fonts-texgyre", "texgyreschola-regular.otf", "texgyreschola-italic.otf"),
    Typeface("TeX Gyre Bonum", "slab", "fonts-texgyre", "texgyrebonum-regular.otf", "texgyrebonum-italic.otf"),
    Typeface("Concrete", "slab", "fonts-cmu", "cmunorm.ttf", "cmunoti.ttf"),
    Typeface("Fette Fraktur", "blackletter", "fonts-cegui", "FetteClassicUNZFraktur.ttf"),
    Typeface("Blankenburg", "blackletter", "fonts-blankenburg", "Blankenburg_UNZ1A.ttf"),
    Typeface("Gamaliel", "blackletter", "fonts-gamaliel", "Gamaliel.ttf"),
    Typeface("Jessen", "blackletter", "fonts-gotico-antiqua", "Jessen-Cicero12.otf"),
    Typeface("Courier Prime", "typewriter", "fonts-courier-prime", "Courier Prime.otf", "Courier Prime Italic.otf"),
    Typeface("GNU Typewriter", "typewriter", "fonts-gnutypewriter", "GNUTypewriter.ttf"),
    Typeface("TeX Gyre Cursor", "typewriter", "fonts-texgyre", "texgyrecursor-regular.otf", "texgyrecursor-italic.otf"),
    Typeface("FreeMono", "typewriter", "fonts-freefont-otf", "FreeMono.otf", "FreeMonoOblique.otf"),
    Typeface("Latin Modern Mono", "typewriter", "fonts-lmodern", "lmmono10-regular.otf", "lmmono10-italic.otf"),
)
"""Every typeface there is a book for."""


def typeface_named(name: str) -> Typeface:
    """The typeface of a name.

    Examples
    --------
    >>> typeface_named("Caslon").style
    'old'
    """
    for typeface in TYPEFACES:
        if typeface.name == name:
            return typeface
    raise InputError(f"there is no typeface {name!r}; one of {', '.join(each.name for each in TYPEFACES)} wanted")


def packages(typefaces: Iterable[Typeface] = TYPEFACES) -> tuple[str, ...]:
    """The Debian packages that bring typefaces, each once.

    Examples
    --------
    >>> packages(face for face in TYPEFACES if face.style == "slab")
    ('fonts-cmu', 'fonts-texgyre')
    """
    return tuple(sorted({typeface.package for typeface in typefaces}))


def face_file(name: str) -> Path | None:
    """Where the file of a face is, if it is on this machine."""
    return _files().get(name)


def is_installed(typeface: Typeface) -> bool:
    """Whether all files of a typeface are on this machine."""
    return all(face_file(name) for name in (typeface.roman, typeface.italic) if name)


def require(typefaces: Iterable[Typeface]) -> None:
    """Refuse typefaces that are not on this machine, in one line that says how to get them."""
    missing = [typeface for typeface in typefaces if not is_installed(typeface)]
    if missing:
        names = ", ".join(typeface.name for typeface in missing)
        several = "typefaces" if len(missing) > 1 else "typeface"
        raise InputError(
            f"{several} not installed: {names}; get them with: apt-get install {' '.join(packages(missing))}"
        )


@lru_cache(maxsize=256)
def font(path: Path, pixels: float) -> ImageFont.FreeTypeFont:
    """A face at a size, with its ligatures, kerning and features."""
    if not _can_shape():
        raise InputError(
            "Pillow was built without libraqm, which forms ligatures; install the wheel: pip install pillow"
        )
    try:
        return ImageFont.truetype(os.fspath(path), pixels, layout_engine=ImageFont.Layout.RAQM)
    except OSError as error:
        raise InputError(f"{path} is no typeface that can be read ({error}); install its package again") from None


@lru_cache(maxsize=8192)
def draws(path: Path, character: str) -> bool:
    """Whether a face has a shape of its own for a character."""
    face = font(path, 32)
    shape, _ = face.getmask2(character, "L")
    nothing, _ = face.getmask2(_NO_CHARACTER, "L")
    return 0 not in shape.size and any(shape) and (shape.size != nothing.size or bytes(shape) != bytes(nothing))


@lru_cache(maxsize=1)
def _files() -> dict[str, Path]:
    return {path.name: path for folder in _FOLDERS for path in sorted(folder.rglob("*.[to]tf"))}


def _can_shape() -> bool:
    from PIL import features

    return bool(features.check("raqm"))
