"""Letterforms hold in typefaces nobody chose the numbers by, and tell apart what they should."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from labelfree.ocr.glyphs.concavities import measure_concavities
from labelfree.ocr.glyphs.counters import measure_counters
from labelfree.ocr.glyphs.shape_prior import ShapePrior, ShapePriorSettings
from labelfree.ocr.glyphs.tiles import Tiles, cut_tiles, stack
from labelfree.ocr.scripts import SCRIPTS, Letterform, Script
from labelfree.ocr.scripts.letterform import CONCAVITIES, CORNERS

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


def blank_tile() -> Tiles:
    paper = np.zeros((30, 20))
    return cut_tiles(paper, [[0, 0, 20, 30]], baseline=25, x_height=10, owner=np.full(paper.shape, -1))


def fit(tiles: Tiles, symbols: list[str], script: Script) -> np.ndarray:
    return ShapePrior.measure(tiles).log_fit(symbols, script)


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
    hyphen, blank = printed("-", "DejaVuSerif"), blank_tile()
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
    assert not fit(printed("aM,", "DejaVuSerif"), ["☞", "", "†"], ANTIQUA).any()
    assert not fit(printed("aM,", "DejaVuSerif"), ["M", ",", "a"], SIGNS).any()


def test_a_blank_tile_fits_everything() -> None:
    blank = blank_tile()
    assert not fit(blank, list(SYMBOLS), ANTIQUA).any()
    assert fit(blank[:0], ["a"], ANTIQUA).shape == (0, 1)


def slow_log_fit(tiles: Tiles, symbol: str, script: Script, settings: ShapePriorSettings) -> list[float]:
    """The same tile by tile, number by number."""

    def differs(apart: float) -> float:
        return min(max(4 * settings.outside * apart, 0.0), settings.most / 2)

    def cost_of_strokes(strokes: np.ndarray, form: Letterform) -> float:
        (counted,), (height,) = measure_counters(strokes[None])
        (shares,) = measure_concavities(strokes[None])
        cost = 0.0
        for concavity, share in zip(CONCAVITIES, shares, strict=True):
            least = settings.corner if concavity in CORNERS else settings.concavity
            cost += differs(least - share) if concavity in form.open else 0.0
            cost += differs(share - least) if concavity in form.shut else 0.0
        if form.counters is not None:
            cost += settings.most / 2 * abs(len(form.counters) - min(counted, 2))
            if form.counters and counted == 1:
                cost += differs(min(abs(height - wanted) for wanted in form.counters) - settings.counter_near)
        return cost

    found = []
    for image, (top, bottom, width, height) in zip(tiles.images, tiles.geometry.tolist(), strict=True):
        costs = []
        for form in script.letterforms(symbol):
            places = ((top, form.top), (bottom, form.bottom), (width, form.width))
            outside = sum(max(least - place, place - most, 0.0) for place, (least, most) in places)
            shape = min(cost_of_strokes(image >= 255 * ink, form) for ink in (settings.faint, settings.stained))
            costs.append(min(settings.most, settings.outside * outside) + shape)
        found.append(-min(costs) if height > 0 else 0.0)
    return found


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_the_fit_is_that_of_the_formula(script: Script) -> None:
    rng = np.random.default_rng(0)
    blots = rng.normal(128, 200, (40, 4, 4)).repeat(4, 1).repeat(4, 2) + rng.normal(0, 60, (40, 16, 16))
    geometry = rng.normal([1.2, 0, 0.9, 1.2], 0.5, (40, 4)).astype(np.float32)
    tiles = stack([Tiles(np.clip(blots, 0, 255).astype(np.uint8), geometry), printed("B6O,U", "DejaVuSerif")])
    prior = ShapePrior.measure(tiles)
    symbols = ["", "3", "8", "B", "O", "U", "fi", "é", "ç", ",", "—", "☞"]
    for symbol, logs in zip(symbols, prior.log_fit(symbols, script).T, strict=True):
        assert logs == pytest.approx(slow_log_fit(tiles, symbol, script, prior.settings), abs=1e-5), symbol


def test_tiles_are_measured_once_for_all_symbols() -> None:
    tiles = printed(SYMBOLS, "DejaVuSerif")
    prior = ShapePrior.measure(tiles)
    together = prior.log_fit(list(SYMBOLS), ANTIQUA)
    assert np.array_equal(together, fit(tiles, list(SYMBOLS), ANTIQUA))
    assert np.array_equal(together[:, 5:9], prior.log_fit(list(SYMBOLS[5:9]), ANTIQUA))
