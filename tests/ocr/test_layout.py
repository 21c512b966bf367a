"""Pages to lines, on pages made of lines."""

import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelfree.ocr.layout.page import page_lines, single_line
from labelfree.ocr.layout.tesseract_layout import tesseract_lines
from labelfree.ocr.segment.orientation import upside_down
from labelfree.ocr.sources.images import PageImage
from labelfree.ocr.types import Box, Placement, TextLine
from labelfree.repro.printer.pictures import PICTURES, with_picture

from .pages import book_lines, found_in_order, make_page, overlap, rendered_lines, text_ink


def image(grey):
    return PageImage(Path("page.png"), 0, np.ascontiguousarray(grey), grey.shape[1], grey.shape[0])


def boxes_of(grey):
    return [line.box for line in page_lines(image(grey)).lines]


@pytest.fixture(scope="module")
def lines():
    return rendered_lines(40, size=38, width=1200)


@pytest.fixture(scope="module")
def head(lines):
    return lines[0][:, :400]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize(("skew", "scale", "dirt"), [(0, 1, False), (1.5, 1, True), (-2, 0.5, True), (2, 1.33, False)])
def test_every_line_in_order(lines, head, columns, skew, scale, dirt):
    page = make_page(lines, columns=columns, head=head, skew=skew, scale=scale, dirt=dirt)
    found = page_lines(image(page.grey))
    assert found_in_order(page.boxes, [line.box for line in found.lines]) == 1
    assert found.angle == pytest.approx(skew, abs=0.1)


@pytest.mark.parametrize("skew", [-9.7, 4, 10])
def test_steep_pages_are_straightened(lines, skew):
    page = make_page(lines[:20], skew=skew)
    found = page_lines(image(page.grey))
    assert found.angle == pytest.approx(skew, abs=0.1)
    assert len(found.lines) == 20
    assert min(overlap(box, line.box) for box, line in zip(page.boxes, found.lines, strict=True)) > 0.9


@pytest.mark.parametrize("change", [lambda grey: 255 - grey, lambda grey: 150 + grey // 4])
def test_light_on_dark_and_faded(lines, change):
    page = make_page(lines[:15], dirt=True)
    assert found_in_order(page.boxes, boxes_of(change(page.grey))) == 1


def test_three_columns_of_unlike_length(lines):
    page = make_page(lines[:31], columns=3)
    assert found_in_order(page.boxes, boxes_of(page.grey)) == 1


def test_strokes_of_neighbours_are_masked_even_where_they_touch(lines):
    first, second = lines[:2]
    page = make_page([first, second], leading=1.0)
    (x0, y0, x1, _), (_, lower, *_) = page.boxes
    grey = page.grey.copy()
    foot = x0 + int(np.flatnonzero(first[-8:].any(axis=0))[0])
    grey[lower - 10 : lower + 8, foot : foot + 4] = 0
    one, other = page_lines(image(grey)).lines
    assert one.ink.sum() == pytest.approx(first.sum(), rel=0.02)
    assert other.ink.sum() == pytest.approx(second.sum(), rel=0.02)
    assert abs(one.box.y0 - y0) <= 2
    assert abs(one.box.x1 - x1) <= 2


def test_ink_of_an_upright_black_and_white_page_is_untouched(lines):
    page = make_page(lines[:3], leading=1.5)
    for line, ink, box in zip(page_lines(image(page.grey)).lines, lines, page.boxes, strict=False):
        assert line.box == box
        np.testing.assert_array_equal(line.ink, ink)


@pytest.mark.parametrize("skew", [0, 1.5])
@pytest.mark.parametrize("scale", [0.4, 1])
def test_boxes_in_the_ink_lead_back_to_the_page(lines, skew, scale):
    page = make_page(lines[:10], skew=skew, scale=scale)
    for line in page_lines(image(page.grey)).lines:
        height, width = line.ink.shape
        for left in (0, width // 2, width - 40):
            word = line.ink[:, left : left + 40]
            if not word.any():
                continue
            x0, y0, x1, y1 = line.page_box((left, 0, left + 40, height))
            dark = 1 - page.grey[y0:y1, x0:x1].mean() / 255
            share = word.mean()
            assert 0.5 * share < dark < 1.8 * share


def test_a_reduced_page_has_boxes_of_the_file(lines):
    page = make_page(lines[:10])
    height, width = page.grey.shape
    found = page_lines(PageImage(Path("page.tif"), 2, page.grey, 3 * width, 3 * height))
    assert found_in_order(page.boxes, [Box(*(value // 3 for value in line.box)) for line in found.lines]) == 1
    assert (found.width, found.page) == (3 * width, 2)


@pytest.mark.parametrize(
    "grey",
    [
        np.full((900, 700), 255, np.uint8),
        np.zeros((300, 300), np.uint8),
        np.clip(np.random.default_rng(0).normal(215, 6, (900, 700)), 0, 255).astype(np.uint8),
        np.zeros((1, 1), np.uint8),
        np.arange(200, dtype=np.uint8)[None],
        np.arange(200, dtype=np.uint8)[:, None],
    ],
    ids=["white", "black", "paper", "dot", "row", "column"],
)
def test_blank_pages_have_no_lines(grey):
    assert page_lines(image(grey)).lines == ()
    assert single_line(image(grey)).lines == ()


def test_a_picture_gives_few_lines_and_soon():
    from scipy.ndimage import gaussian_filter

    rng = np.random.default_rng(0)
    clouds = sum(size * gaussian_filter(rng.normal(size=(900, 800)), size) for size in (1, 2, 4, 8, 16, 32))
    picture = (255 * (clouds - clouds.min()) / np.ptp(clouds)).astype(np.uint8)
    start = time.process_time()
    assert len(boxes_of(picture)) < 20
    assert time.process_time() - start < 5


def test_a_page_upside_down_still_has_its_lines(lines):
    page = make_page(lines[:15], skew=1)
    assert len(boxes_of(page.grey[::-1, ::-1])) == 15


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
@pytest.mark.parametrize(("columns", "skew"), [(1, 0), (2, 1.5)])
def test_pages_turned_by_quarters_are_turned_back(lines, quarters, columns, skew):
    page = make_page(lines[:20], columns=columns, skew=skew)
    upright = page_lines(image(page.grey))
    found = page_lines(image(np.rot90(page.grey, quarters)))
    if upside_down([found]):
        found = found.turned_over
    assert len(found.lines) == len(upright.lines) == 20
    assert not upside_down([upright])
    assert found.angle % 360 == pytest.approx((skew - 90 * quarters) % 360, abs=0.1)
    for here, there in zip(found.lines, upright.lines, strict=True):
        assert here.strokes.sum() == pytest.approx(there.strokes.sum(), rel=0.02)
        assert here.pixels.shape == pytest.approx(there.pixels.shape, abs=3)
        corners = np.array([*here.box[:2], *here.box[2:]]).reshape(2, 2)
        expected = np.sort(turned_points(np.array(there.box).reshape(2, 2), page.grey.shape, quarters), axis=0)
        assert np.abs(corners - expected).max() <= 4


def turned_points(points, shape, quarters):
    """Where points of a picture lie once it is turned to the left by quarters."""
    height, width = shape
    for _ in range(quarters):
        points, (height, width) = np.column_stack([points[:, 1], width - points[:, 0]]), (width, height)
    return points


def test_a_page_of_capitals_and_figures_is_never_upside_down():
    import matplotlib
    from PIL import ImageFont

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    face = ImageFont.truetype(str(fonts / "DejaVuSerif.ttf"), 40)
    texts = ["QUIET JQ, 1892; QUAY, Q. 45, JUNE 7,"] * 12
    page = page_lines(image(make_page([text_ink(text, face) for text in texts]).grey))
    assert len(page.lines) == 12
    assert not upside_down([page])


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_pictures_are_not_read(lines, picture):
    rng = np.random.default_rng(1)
    alone = np.pad(picture(400, 500, rng), 80, constant_values=255)
    assert boxes_of(alone) == []
    page = make_page(lines[:12], leading=1.3)
    among, box = with_picture(page.grey, PICTURES.index(picture), rng)
    found = boxes_of(among)
    assert not [one for one in found if box.y0 <= (one.y0 + one.y1) / 2 < box.y1]
    assert len(found) == 12


def test_framed_text_is_read(lines):
    grey = make_page(lines[:12]).grey.copy()
    ink = np.argwhere(grey < 128)
    (y0, x0), (y1, x1) = ink.min(axis=0) - 30, ink.max(axis=0) + 30
    frame = np.zeros(grey.shape, np.bool_)
    frame[y0:y1, x0:x1] = True
    frame[y0 + 4 : y1 - 4, x0 + 4 : x1 - 4] = False
    grey[frame] = 0
    assert len(boxes_of(grey)) == 12


def test_lettering_in_a_drawing_is_no_line_and_text_beside_it_is_in_order(lines):
    page = make_page([line[:, :900] for line in lines[:24]], columns=2, gutter=2)
    grey = page.grey.copy()
    gone = page.boxes[12:18]
    left, upper = min(box.x0 for box in gone), min(box.y0 for box in gone)
    right, lower = max(box.x1 for box in gone), max(box.y1 for box in gone)
    grey[upper - 5 : lower + 5, left - 5 : right + 5] = 255
    grey[upper:lower, left : left + 4] = grey[upper : upper + 4, left:right] = 0
    grey[lower - 4 : lower, left:right] = grey[upper:lower, right - 4 : right] = 0
    word = lines[0][:, :70]
    grey[upper + 60 : upper + 60 + len(word), left + 300 : left + 370][word] = 0
    boxes = page.boxes[:12] + page.boxes[18:]
    assert found_in_order(boxes, boxes_of(grey)) == 1


def test_specks_alone_are_no_text():
    grey = np.full((900, 700), 255, np.uint8)
    for x, y in ((100, 200), (500, 220), (300, 700)):
        grey[y : y + 14, x : x + 11] = 0
    assert boxes_of(grey) == []


def test_strangers_in_a_line_image_are_left_out(lines):
    middle, above, below = lines[0], lines[1], lines[2]
    width = max(part.shape[1] for part in (middle, above, below))
    parts = [np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in (above[-14:], middle, below[:12])]
    gap = np.zeros((5, width), bool)
    ink = np.vstack([parts[0], gap, parts[1], gap, parts[2]])
    (line,) = single_line(image(np.where(ink, 0, 255).astype(np.uint8))).lines
    assert line.box.y0 >= 14
    assert line.box.y1 <= len(ink) - 12
    assert line.ink.sum() == pytest.approx(middle.sum(), rel=0.02)


def test_a_skewed_line_image_is_straightened(lines):
    page = make_page([lines[0]], skew=1.5)
    (line,) = single_line(image(page.grey)).lines
    assert line.angle == pytest.approx(1.5, abs=0.3)
    assert len(line.ink) < len(lines[0]) + 8


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="no program tesseract")
def test_tesseract_finds_the_lines_of_a_clean_page(lines):
    page = make_page(lines[:8], leading=1.4)
    found = tesseract_lines(image(page.grey))
    assert found_in_order(page.boxes, [line.box for line in found.lines]) == 1


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA names no folder")
@pytest.mark.parametrize(
    "book",
    [
        "english_books_dev/boy_apprenticed",
        "english_books_dev/lusitania",
        "fraktur_books_dev/ludendorff_kriegserinnerungen_1921",
        "fraktur_books_dev/schiller_oberoesterreich_1905",
    ],
)
def test_lines_of_books(book):
    shares = []
    for start, columns, skew, scale, dirt in [(30, 1, 0, 1, False), (60, 2, 1.5, 1, True), (200, 2, -2, 0.5, False)]:
        lines = book_lines(Path(os.environ["LABELFREE_DATA"]) / book, start, 20 * columns)
        page = make_page(lines, columns=columns, skew=skew, scale=scale, dirt=dirt)
        shares.append(found_in_order(page.boxes, boxes_of(page.grey)))
    assert np.mean(shares) > 0.97


@given(st.integers(-50, 150), st.integers(-50, 150), st.integers(0, 60), st.integers(0, 60), st.floats(-3, 3))
def test_a_box_that_lies_outside_its_line_is_empty_and_not_inside_out(x, y, width, height, angle) -> None:
    line = TextLine(Path("a.png"), 0, Box(20, 30, 90, 60), np.zeros((30, 70), np.uint8), 0.0, Placement(angle=angle))
    x0, y0, x1, y1 = line.page_box((x, y, x + width, y + height))
    assert 20 <= x0 <= x1 <= 90
    assert 30 <= y0 <= y1 <= 60
