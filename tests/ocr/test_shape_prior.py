"""Letterforms hold in typefaces nobody chose the numbers by, and tell apart what they should."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from labelfree.ocr.glyphs.shape_prior import fit
from labelfree.ocr.glyphs.tiles import Tiles, cut_tiles, stack
from labelfree.ocr.scripts import SCRIPTS, Script

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
FONT_NAMES = ["DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSans", "DejaVuSerif-Italic", "STIXGeneral", "STIXGeneralItalic"]
ANTIQUA, FRAKTUR, SIGNS = (SCRIPTS[name] for name in ("antiqua", "fraktur", "signs"))
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
SYMBOLS = LETTERS + "0123456789.,:;!?()-–—‘’“”„«»éèêëàçôûüöäÉÖœæ&"


def printed(symbols: str, font: str, size: int = 60) -> Tiles:
    type_ = ImageFont.truetype(str(FONTS / f"{font}.ttf"), size)
    _, top, _, _ = type_.getbbox("x", anchor="ls")
    tiles = []
    for symbol in symbols:
        image = Image.new("L", (3 * size, 3 * size))
        ImageDraw.Draw(image).text((size, 2 * size), symbol, fill=255, font=type_, anchor="ls")
        ink = np.asarray(image) / 255
        box, owner = [[0, 0, 3 * size, 3 * size]], np.where(ink > 0, 0, -1)
        tiles.append(cut_tiles(ink, box, baseline=2 * size, x_height=-top, owner=owner))
    return stack(tiles)


@pytest.mark.parametrize("font", FONT_NAMES)
def test_symbols_of_any_typeface_fit(font: str) -> None:
    found = fit(printed(SYMBOLS, font), list(SYMBOLS), ANTIQUA).diagonal()
    assert {symbol: round(float(log), 2) for symbol, log in zip(SYMBOLS, found, strict=True) if log < -0.5} == {}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        "Mm",
        "Oo",
        "’e",
        "’,",
        "-2",
        "!.",
        "?–",
        ";:",
        "éc",
        "Öo",
        "qP",
        "03",
        "59",
        "80",
        "69",
        "(Z",
        "“H",
        "“‘",
        "25",
        "35",
        "17",
        "UO",
        "CO",
        "()",
        "NV",
        "LT",
    ],
)
def test_what_it_tells_apart(one: str, other: str) -> None:
    found = fit(printed(one + other, "DejaVuSerif"), [one, other], ANTIQUA)
    assert found[0, 0] > found[0, 1] + 0.5
    assert found[1, 1] > found[1, 0] + 0.5


@pytest.mark.parametrize("script", [ANTIQUA, FRAKTUR])
def test_a_space_has_no_ink(script: Script) -> None:
    hyphen, blank = printed("-", "DejaVuSerif"), cut_tiles(np.zeros((30, 20)), [[0, 0, 20, 30]])
    assert fit(hyphen, [" "], script)[0, 0] < fit(hyphen, ["-"], script)[0, 0] - 2
    assert fit(blank, [" "], script)[0, 0] == 0


def test_a_stroke_may_be_faint_and_paper_stained() -> None:
    o = printed("O", "DejaVuSerif-Bold")
    faint, stained = o.images.copy(), o.images.copy()
    faint[:, 0, 5:11] = faint[:, 1, 5:11] = 80
    stained[stained < 80] = 80
    for images in (faint, stained):
        assert fit(Tiles(images, o.geometry), ["O"], ANTIQUA)[0, 0] > -0.5


def test_small_letters_are_no_tall_figures() -> None:
    found = fit(printed("over", "DejaVuSerif-Italic"), list("68over"), ANTIQUA)
    assert (found[:, :2] < -1).all()
    assert (found[np.arange(4), 2 + np.arange(4)] > -0.5).all()


def test_figures_stand_on_the_baseline_or_are_small_and_hang_below() -> None:
    tiles = printed("333", "DejaVuSerif")
    tiles.geometry[1, :2] -= 0.5
    tiles.geometry[2, 1] -= 0.5
    assert (fit(tiles, ["3"], ANTIQUA)[:, 0] < -1).tolist() == [False, False, True]


def test_what_is_not_known_may_look_like_anything() -> None:
    assert not fit(printed("aM,", "DejaVuSerif"), ["☞", "", "ж"], ANTIQUA).any()
    assert not fit(printed("aM,", "DejaVuSerif"), ["M", ",", "a"], SIGNS).any()


def test_a_blank_tile_fits_everything() -> None:
    blank = cut_tiles(np.zeros((30, 20)), [[0, 0, 20, 30]], baseline=25, x_height=10)
    assert not fit(blank, list(SYMBOLS), ANTIQUA).any()
    assert fit(blank[:0], ["a"], ANTIQUA).shape == (0, 1)
