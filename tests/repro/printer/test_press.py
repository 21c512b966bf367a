"""Scans of printed pages: the truth agrees with the picture, and the same seed gives the same bits."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.metrics import score_texts
from labelfree.ocr.scripts.typesetting import as_printed
from labelfree.ocr.sources import tesseract
from labelfree.repro.printer import TYPEFACES, BookDesign, designs, print_book, printed_pages

from .passages import ENGLISH, GERMAN

CLEAN = BookDesign("Old Standard", dpi=200, damage=0.0, italics=0.1, seed=1)
WORN = replace(CLEAN, damage=0.7)


def has_ink(page, box):
    x0, y0, x1, y1 = (round(float(each)) for each in box)
    return (page.picture[max(0, y0) : y1, max(0, x0) : x1] < 128).any()


@pytest.mark.parametrize("face", TYPEFACES, ids=lambda face: face.name)
def test_every_letter_of_the_truth_has_ink_in_its_box(face):
    language = "de" if face.style == "blackletter" else "en"
    design = BookDesign(face.name, language, damage=0.0, italics=0.2, lists=0.2, small_capitals=0.5, dpi=200)
    for page in printed_pages(design, GERMAN if language == "de" else ENGLISH):
        for line in page.lines:
            assert "".join(line.pieces) == line.text.replace(" ", "")
            assert all(has_ink(page, box) for box in line.boxes)


def test_boxes_follow_the_letters_of_a_page_that_lies_askew():
    for page in printed_pages(replace(WORN, seed=4), ENGLISH * 8):
        covered = np.zeros(page.picture.shape, bool)
        assert np.mean([has_ink(page, box) for line in page.lines for box in line.boxes]) > 0.98
        for line in page.lines:
            for x0, y0, x1, y1 in np.rint(line.boxes).astype(int):
                covered[max(0, y0 - 2) : y1 + 2, max(0, x0 - 2) : x1 + 2] = True
        outside = (page.picture < 128)[~covered]
        assert outside.mean() < 0.01


def test_letters_stand_in_order_and_lines_below_each_other():
    for page in printed_pages(WORN, ENGLISH * 8):
        for line in page.lines:
            assert (np.diff(line.boxes[:, 0]) > -3).all()
        tops = [line.boxes[:, 1].mean() for line in page.lines]
        assert (np.diff(tops) > 0).all()


@pytest.mark.parametrize("kind", ["page", "line"])
def test_the_same_seed_prints_the_same_bits(tmp_path, kind):
    files = []
    for name, design in (("one", WORN), ("again", WORN), ("other", replace(WORN, seed=2))):
        print_book(design, ENGLISH, tmp_path / name, kind)
        files.append({path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())})
    assert files[0] == files[1]
    assert files[0]["0001.png"] != files[2]["0001.png"]


def test_pages_lie_beside_their_lines(tmp_path):
    lines = print_book(replace(WORN, lines_a_page=10), ENGLISH * 3, tmp_path / "book")
    names = sorted(path.name for path in (tmp_path / "book").iterdir())
    assert names[:2] == ["0001.gt.txt", "0001.png"]
    assert len(names) > 4
    truth = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "book").glob("*.gt.txt")))
    assert truth.splitlines() == lines
    with Image.open(tmp_path / "book" / "0001.png") as page:
        assert page.mode == "1"
        assert page.info["dpi"] == pytest.approx((200, 200), abs=0.1)


def test_line_images_hold_one_line_each(tmp_path):
    lines = print_book(CLEAN, ENGLISH, tmp_path / "book", "line")
    truth = [path.read_text("utf-8").strip() for path in sorted((tmp_path / "book").glob("*.gt.txt"))]
    assert truth == lines
    for path in sorted((tmp_path / "book").glob("*.png")):
        ink = ~np.asarray(Image.open(path))
        assert ink.shape[0] < 2 * CLEAN.pixels
        assert 0.02 < ink.mean() < 0.4
        assert ink[:, :8].any()  # cut close to its ink
        assert ink[:, -8:].any()


def test_a_grey_scan_has_shades(tmp_path):
    print_book(replace(WORN, bilevel=False), ENGLISH, tmp_path / "book")
    with Image.open(tmp_path / "book" / "0001.png") as page:
        assert page.mode == "L"
        assert len(np.unique(np.asarray(page))) > 100


def test_more_damage_leaves_more_traces_on_the_paper():
    traces = []
    for damage in (0.1, 0.5, 1.0):
        page = next(printed_pages(replace(CLEAN, damage=damage, bilevel=False), ENGLISH))
        traces.append(float(page.picture[: int(CLEAN.pixels)].std()))  # of the upper margin
    assert traces == sorted(traces)
    assert traces[-1] > 3 * traces[0]


def test_italics_change_the_picture_and_not_the_truth():
    roman, italic = (next(printed_pages(replace(CLEAN, italics=share, notes=0.0), ENGLISH)) for share in (0.0, 1.0))
    said = [" ".join(line.text for line in page.lines).replace("- ", "") for page in (roman, italic)]
    words = [set(text.split()) for text in said]
    assert len(words[0] & words[1]) > 0.8 * len(words[0])
    assert not np.array_equal(roman.picture, italic.picture)


@pytest.mark.skipif(not tesseract.is_installed(), reason="needs Tesseract")
@pytest.mark.parametrize("typeface", ["Old Standard", "TeX Gyre Schola"])
def test_another_engine_reads_a_clean_page(tmp_path, typeface):
    design = BookDesign(typeface, damage=0.0, italics=0.03, small_capitals=0.0, lists=0.1, notes=0.1, lines_a_page=60)
    truth = print_book(design, ENGLISH * 2, tmp_path / "book")
    assert len(list((tmp_path / "book").glob("*.png"))) == 1
    command = ["tesseract", str(tmp_path / "book" / "0001.png"), "-", "-l", "eng", "--psm", "6"]
    read = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pair = ("page", as_printed(" ".join(read.split())), as_printed(" ".join(truth)))
    assert score_texts([pair]).cer < 0.03


def test_what_is_there_is_not_replaced(tmp_path):
    with pytest.raises(InputError, match="is there already, a new folder wanted"):
        print_book(CLEAN, ENGLISH, tmp_path)


def test_drawn_designs_can_be_printed():
    for design in (replace(each, dpi=150) for each in designs(7, seed=2)):
        page = next(printed_pages(design, GERMAN if design.language == "de" else ENGLISH))
        assert 0.02 < (page.picture < 128).mean() < 0.4
