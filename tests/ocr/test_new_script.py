"""A script is added by its own object and one entry of the registry: the commands then know it and read with it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw
from rapidfuzz.distance.Levenshtein import normalized_distance

from labelfree.cli import run
from labelfree.ocr.glyphs.shape_prior import ShapePrior
from labelfree.ocr.glyphs.tiles import stack
from labelfree.ocr.scripts import SCRIPTS, Script
from labelfree.ocr.scripts.letterform import SIDES, Concavity, Letterform
from labelfree.repro.tasks.boxed_line import cut_boxes

SIZE = 24  # pixels of a small shape
SMALL, TALL, BASELINE = (0.8, 1.2), (1.4, 2.6), (-0.2, 0.2)
RIGHT = Concavity.RIGHT_ABOVE | Concavity.RIGHT_BELOW
SHAPES = Script(
    "shapes",
    "rings, boxes and cups that nobody prints with",
    (
        ("○", Letterform(SMALL, BASELINE, (0.8, 1.2), (0.5,))),
        ("●", Letterform(SMALL, BASELINE, (0.8, 1.2), (), shut=SIDES)),
        ("⊏", Letterform(SMALL, BASELINE, (0.8, 1.2), (), open=RIGHT)),
        ("⊔", Letterform(SMALL, BASELINE, (0.8, 1.2), (), open=Concavity.TOP)),
        ("⊓", Letterform(SMALL, BASELINE, (0.8, 1.2), (), open=Concavity.BOTTOM)),
        ("│", Letterform(TALL, BASELINE, (0.1, 0.4), ())),
        ("▮", Letterform(TALL, BASELINE, (0.8, 1.2), ())),
        ("─", Letterform((0.2, 1.0), (0.2, 1.0), (0.8, 1.2), ())),
    ),
    capital_lines=False,
)
DRAWN = {
    "○": [(0, 0, 1, 1), (0.25, 0.25, 0.75, 0.75)],
    "●": [(0, 0, 1, 1)],
    "⊏": [(0, 0, 1, 1), (0.25, 0.25, 1, 0.75)],
    "⊔": [(0, 0, 1, 1), (0.25, 0.25, 0.75, 1)],
    "⊓": [(0, 0, 1, 1), (0.25, 0, 0.75, 0.75)],
    "│": [(0, 0, 0.25, 2)],
    "▮": [(0, 0, 1, 2)],
    "─": [(0, 0.4, 1, 0.65)],
}
"""Boxes of each shape, from the baseline up: the first is inked, the second cut out again."""


def written(n_words: int, seed: int) -> str:
    """Text in the words of a language of shapes, some of them frequent."""
    vocabulary = np.random.default_rng(0)
    words = ["".join(vocabulary.choice(list(DRAWN), vocabulary.integers(2, 6))) for _ in range(60)]
    share = 1 / np.arange(1, 61)
    return " ".join(np.random.default_rng(seed).choice(words, n_words, p=share / share.sum()))


def typeset(text: str) -> Image.Image:
    image = Image.new("L", (SIZE * 2 * (len(text) + 1), 4 * SIZE), 255)
    draw = ImageDraw.Draw(image)
    left, baseline = SIZE, 3 * SIZE
    for symbol in text:
        for box, ink in zip(DRAWN.get(symbol, []), (0, 255), strict=False):
            x0, y0, x1, y1 = (round(SIZE * side) for side in box)
            draw.rectangle((left + x0, baseline - y1, left + x1 - 1, baseline - y0 - 1), fill=ink)
        left += round(SIZE * (0.25 + DRAWN[symbol][0][2])) if symbol in DRAWN else SIZE
    return image.crop((0, 0, left + SIZE, image.height))


TRUTH = written(240, seed=1).split()


def scanned(folder: Path, step: int = 1) -> Path:
    """Lines of the truth, whose characters follow each other to the right, or with a step of -1 to the left."""
    folder.mkdir()
    for number in range(0, len(TRUTH), 8):
        typeset(" ".join(TRUTH[number : number + 8])[::step]).save(folder / f"line{number:03}.png")
    return folder


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    return scanned(tmp_path / "scans")


@pytest.fixture
def labelfree(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def ran(*arguments: object) -> tuple[int, str]:
        code = run([str(each) for each in arguments])
        return code, capfd.readouterr().err

    return ran


def test_a_script_that_is_registered_is_learned_stored_and_read(
    labelfree: Callable[..., tuple[int, str]], scans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, out = tmp_path / "model", tmp_path / "out"
    (tmp_path / "text.txt").write_text(written(4000, seed=2), "utf-8")
    learn = ["ocr", "learn", scans, "-o", model, "--text", tmp_path / "text.txt", "--script", "shapes", "--fast", "-q"]
    code, said = labelfree(*learn)
    assert code == 2
    assert "there is no script 'shapes'" in said

    monkeypatch.setitem(SCRIPTS, SHAPES.name, SHAPES)
    assert labelfree(*learn) == (0, "")
    assert labelfree("ocr", "read", scans, "-m", model, "-o", out, "-q") == (0, "")
    found = " ".join((out / f"{scan.stem}.txt").read_text("utf-8").strip() for scan in sorted(scans.iterdir()))
    assert normalized_distance(found, " ".join(TRUTH)) < 0.02

    monkeypatch.delitem(SCRIPTS, SHAPES.name)
    code, said = labelfree("ocr", "read", scans, "-m", model, "-o", tmp_path / "again", "-q")
    assert code == 2
    assert "wrong kind" in said


def test_a_script_that_runs_to_the_left_is_read_in_the_order_of_its_text(
    labelfree: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hebrew = str.maketrans("".join(DRAWN), "אבגדהוזח")  # as Unicode tells how letters run
    forms = tuple((symbol.translate(hebrew), form) for symbol, form in SHAPES.forms)
    monkeypatch.setitem(SCRIPTS, SHAPES.name, replace(SHAPES, forms=forms, direction="rtl"))
    (tmp_path / "text.txt").write_text(written(4000, seed=2).translate(hebrew), "utf-8")
    scans, out = scanned(tmp_path / "scans", -1), tmp_path / "out"
    options = ["--text", tmp_path / "text.txt", "--script", "shapes", "--fast", "-q", "-f", "txt", "-f", "json"]
    _, said = labelfree("ocr", "run", scans, "-o", out, *options)
    assert re.search(r"too little to know: (\d+) of \1 words", said)  # they are judged in the order in which they stand
    found = " ".join((out / f"{scan.stem}.txt").read_text("utf-8").strip() for scan in sorted(scans.iterdir()))
    assert normalized_distance(found, " ".join(TRUTH).translate(hebrew)) < 0.02
    (line,) = json.loads((out / "line000.json").read_text("utf-8"))["lines"]
    edges = [glyph["box"][0] for glyph in line["glyphs"] if glyph["text"] != " "]
    assert edges == sorted(edges, reverse=True)


def test_its_letterforms_tell_its_symbols_apart() -> None:
    symbols = list(DRAWN)
    lines = [np.asarray(typeset(symbol)) < 128 for symbol in symbols]
    tiles = stack([cut_boxes(ink, [[0, 0, *ink.shape[::-1]]], baseline=3 * SIZE, x_height=SIZE) for ink in lines])
    found = ShapePrior.measure(tiles).log_fit(symbols, SHAPES)
    assert (found.diagonal() == 0).all()
    assert (found[~np.eye(len(symbols), dtype=bool)] < -0.5).all()
