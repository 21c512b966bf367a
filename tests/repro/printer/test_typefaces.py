"""The table of typefaces, and what is said where they are not installed."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.repro.printer import STYLES, TYPEFACES, BookDesign, typefaces
from labelfree.repro.printer.founts import Fount, settable
from labelfree.repro.printer.typefaces import draws, face_file, packages, require, typeface_named

SMALL_LETTERS = "abcdefghijklmnopqrstuvwxyz"
BASIC = SMALL_LETTERS + SMALL_LETTERS.upper() + "0123456789.,;:!?()-"


def picture(word):
    """The ink of a word, side by side."""
    return [piece.ink(piece.x, 0.0)[0] for piece in word.pieces]


def is_alike(one, other):
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def test_there_are_two_dozen_typefaces_of_all_styles():
    assert len({face.name for face in TYPEFACES}) == len(TYPEFACES) >= 24
    assert {face.style for face in TYPEFACES} == set(STYLES)
    assert sum(face.italic is not None for face in TYPEFACES) >= 24


@pytest.mark.parametrize("face", TYPEFACES, ids=lambda face: face.name)
def test_a_typeface_draws_all_letters_and_no_two_alike(face):
    for name in filter(None, (face.roman, face.italic)):
        assert all(draws(face_file(name), character) for character in BASIC)
    assert settable(BASIC, face) == BASIC
    fount = Fount(face, 40.0)
    for shape in ("roman", "italic"):
        shapes = {piece.ink(0.0, 0.0)[0].tobytes() for piece in fount.word(SMALL_LETTERS, shape).pieces}
        assert len(shapes) == len(fount.word(SMALL_LETTERS, shape).pieces)


@pytest.mark.parametrize("face", [face for face in TYPEFACES if face.italic], ids=lambda face: face.name)
def test_italics_differ_from_roman(face):
    fount = Fount(face, 40.0)
    assert not is_alike(picture(fount.word("hamburgefonts")), picture(fount.word("hamburgefonts", "italic")))


def test_words_are_spaced_out_where_there_are_no_italics():
    fount = Fount(typeface_named("Fette Fraktur"), 40.0)
    assert fount.width("hand", "italic") > 1.1 * fount.width("hand")


@pytest.mark.parametrize("name", ["EB Garamond", "Caslon", "Courier Prime"])
def test_small_capitals_are_capitals_and_smaller(name):
    fount = Fount(typeface_named(name), 60.0)
    small, large = fount.word("Ahe", "small capitals"), fount.word("AHE")
    assert small.text == "AHE"
    heights = [[piece.ink(0.0, 0.0)[0].shape[0] for piece in word.pieces] for word in (small, large)]
    assert heights[0][0] == heights[1][0]
    assert all(0.5 < mine / full < 0.95 for mine, full in zip(heights[0][1:], heights[1][1:], strict=True))


def test_old_figures_hang_and_lining_ones_stand():
    old, lining = (Fount(typeface_named("EB Garamond"), 60.0, old_figures=flag) for flag in (True, False))
    heights = [{piece.ink(0.0, 0.0)[0].shape[0] for piece in fount.word("1357").pieces} for fount in (old, lining)]
    assert max(heights[0]) - min(heights[0]) > 10 > max(heights[1]) - min(heights[1])


def test_ligatures_are_one_piece():
    pieces = Fount(typeface_named("Cardo"), 40.0).word("office").pieces
    assert [piece.text for piece in pieces] == ["o", "ffi", "c", "e"]
    pieces = Fount(typeface_named("Fette Fraktur"), 40.0).word("ſchlecht").pieces
    assert [(piece.text, len(piece.drawn)) for piece in pieces if len(piece.text) > 1] == [("ſch", 1), ("ch", 1)]
    typed = Fount(typeface_named("Courier Prime"), 40.0).word("office")
    assert [piece.text for piece in typed.pieces] == list("office")
    assert np.ptp(np.diff([piece.x for piece in typed.pieces])) < 1e-6


def test_what_a_face_lacks_is_replaced_or_left_out():
    assert settable("‘tis—no", typeface_named("GNU Typewriter")) == "'tis-no"
    assert settable("„Ö“ & œé", typeface_named("Jessen")) == "Oe  oee"


def test_typefaces_that_are_not_there_are_named_with_the_way_to_get_them(monkeypatch):
    monkeypatch.setattr(typefaces, "_files", dict)
    message = "typefaces not installed: Cardo, Jessen; get them with: apt-get install fonts-cardo fonts-gotico-antiqua"
    with pytest.raises(InputError, match=f"^{message}$"):
        require([typeface_named("Cardo"), typeface_named("Jessen")])


def test_packages_are_printed_for_apt():
    found = subprocess.run(
        [sys.executable, "-m", "labelfree.repro.printer"], capture_output=True, text=True, check=True
    )
    assert tuple(found.stdout.split()) == packages()


def test_a_typeface_that_is_not_in_the_table_is_refused():
    with pytest.raises(InputError, match="there is no typeface 'Comic'; one of EB Garamond, "):
        BookDesign("Comic")
