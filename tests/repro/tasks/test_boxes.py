"""Character boxes made with Tesseract, and the check that a small network can read them."""

import gzip
import json
import os
import shutil
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from labelfree.errors import InputError
from labelfree.ocr.sources.tesseract import BoxedText, CharBox
from labelfree.repro.tasks.boxes import aligned_labels, boxed_line, line_images, make_boxes, with_gaps

needs_program = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no program tesseract")
FONT = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"), 40)
LINES = {
    "a_001": "Barley grew where the road had been,",
    "a_002": "and nobody in the village could say",
    "b_001": "when the last cart went by.",
}


@pytest.fixture
def folder(tmp_path) -> Path:
    folder = tmp_path / "book"
    folder.mkdir()
    for name, text in LINES.items():
        image = Image.new("L", (int(FONT.getlength(text)) + 20, 70), 255)
        ImageDraw.Draw(image).text((10, 10), text, font=FONT, fill=0)
        image.save(folder / f"{name}.png")
        (folder / f"{name}.gt.txt").write_text(text + "\n", encoding="utf-8")
    return folder


def rows_of(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        return [json.loads(row) for row in rows]


def boxes_side_by_side(text: str) -> BoxedText:
    """Ten pixels a letter, five between them, as Tesseract would box it."""
    return BoxedText(text, tuple(CharBox(c, 15 * i, 3, 15 * i + 10, 20) for i, c in enumerate(text) if c != " "))


@needs_program
def test_every_line_becomes_a_row_that_spells_its_truth(folder, tmp_path):
    heard = []
    out = tmp_path / "book.tiles.jsonl.gz"
    summary = make_boxes(folder, out, progress=lambda done, total: heard.append((done, total)))
    rows = rows_of(out)
    assert [tuple(row) for row in rows] == [("line", "boxes", "labels", "aligned")] * 3
    assert {row["line"]: "".join(row["labels"]) for row in rows} == LINES
    assert [row["line"] for row in rows] == sorted(LINES)
    assert all(row["aligned"] for row in rows)
    assert all(len(row["boxes"]) == len(row["labels"]) for row in rows)
    assert (summary.lines, summary.aligned_lines, summary.failed_lines) == (3, 3, 0)
    assert summary.tiles == sum(map(len, LINES.values()))
    assert heard == [(1, 3), (2, 3), (3, 3)]


@needs_program
def test_boxes_lie_where_the_characters_are_printed(folder, tmp_path):
    make_boxes(folder, tmp_path / "out.gz")
    for row in rows_of(tmp_path / "out.gz"):
        text = LINES[row["line"]]
        for place, (label, (x0, y0, x1, y1)) in enumerate(zip(row["labels"], row["boxes"], strict=True)):
            assert 0 <= x0 < x1
            assert 0 <= y0 < y1 <= 70
            middle = 10 + FONT.getlength(text[:place]) + FONT.getlength(label) / 2
            assert abs((x0 + x1) / 2 - middle) < 30


@needs_program
def test_the_same_folder_gives_the_same_bytes_whatever_the_workers(folder, tmp_path):
    for name, workers in (("one.gz", 1), ("two.gz", 2)):
        make_boxes(folder, tmp_path / name, workers=workers)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


@needs_program
def test_a_line_that_cannot_be_read_is_named_and_the_others_go_on(folder, tmp_path):
    (folder / "a_001.png").write_bytes(b"no image")
    (folder / "a_002.gt.txt").write_text(" \n")
    summary = make_boxes(folder, tmp_path / "out.gz")
    assert [row["line"] for row in rows_of(tmp_path / "out.gz")] == ["b_001"]
    assert (summary.lines, summary.failed_lines) == (1, 2)
    assert "a_001.png cannot be read" in summary.failures[0]
    assert "a_002.gt.txt is empty" in summary.failures[1]


@needs_program
def test_nothing_is_written_where_no_line_can_be_read(folder, tmp_path):
    for path in folder.glob("*.png"):
        path.write_bytes(b"no image")
    with pytest.raises(InputError, match=r"none of 3 lines could be boxed; the first: .*a_001.png cannot be read"):
        make_boxes(folder, tmp_path / "out.gz")
    assert not (tmp_path / "out.gz").exists()


@needs_program
def test_a_language_without_a_model_is_refused_before_any_line(folder, tmp_path):
    with pytest.raises(
        InputError, match=r"no Tesseract model 'xyz' found, one of .*eng.*apt install tesseract-ocr-xyz"
    ):
        make_boxes(folder, tmp_path / "out.gz", language="eng+xyz")


def test_folders_that_cannot_be_used(folder, tmp_path):
    with pytest.raises(InputError, match="none is no folder"):
        line_images(tmp_path / "none")
    with pytest.raises(InputError, match="no image with its text"):
        line_images(tmp_path)
    with pytest.raises(InputError, match="none is no folder"):
        make_boxes(folder, tmp_path / "none" / "out.gz")


def test_images_without_their_text_are_left_aside(folder):
    (folder / "a_001.gt.txt").unlink()
    assert [path.name for path in line_images(folder)] == ["a_002.png", "b_001.png"]


def test_a_gap_reaches_from_word_to_word_as_high_as_both():
    boxes = (CharBox("a", 0, 8, 10, 20), CharBox("p", 18, 9, 30, 25))
    assert with_gaps(BoxedText("a p", boxes)) == [boxes[0], CharBox(" ", 10, 8, 18, 25), boxes[1]]


def test_a_gap_between_words_that_touch_is_one_column():
    boxes = (CharBox("a", 0, 8, 20, 20), CharBox("b", 18, 2, 30, 20))
    assert with_gaps(BoxedText("a b", boxes))[1] == CharBox(" ", 19, 2, 20, 20)


@pytest.mark.parametrize(
    ("text", "characters", "wanted"),
    [
        ("ab cd", ["a", "b", "c", "d"], "ab cd"),
        ("of fine", ["o", "f", "fi", "n", "e"], "of fine"),
        ("ab  cd e", ["a", "b", "c", "e"], "ab c e"),  # a character without a box
        ("ab cd", ["a", "b", "x", "c", "d"], "abx cd"),  # a box without a character
        ("ab cd", ["c", "d"], "cd"),  # no gap before the first tile
        ("ab cd", ["a", "b"], "ab"),  # nor after the last
        ("", ["a"], "a"),
        ("a b", [], ""),
    ],
)
def test_gaps_stand_where_the_text_read_has_spaces(text, characters, wanted):
    reading = BoxedText(text, tuple(CharBox(c, 20 * i, 0, 20 * i + 9, 9) for i, c in enumerate(characters)))
    assert "".join(tile.character for tile in with_gaps(reading)) == wanted


@pytest.mark.parametrize(
    ("read", "truth", "labels", "complete"),
    [
        ("oak", "oak", ["o", "a", "k"], True),
        ("0ak", "oak", ["o", "a", "k"], True),
        ("oak", "oaks", ["o", "a", "k"], False),
        ("oaks", "oak", ["o", "a", "k", ""], False),
        (["o", "fi"], "ofi", ["o", ""], False),
        ("a.b", "a b", ["a", "", "b"], False),
        ("a b", "a.b", ["a", "", "b"], False),
        ("ab", "xy", ["x", "y"], True),
        ("ab", "", ["", ""], False),
    ],
)
def test_labels_come_from_the_truth_where_partners_are_certain(read, truth, labels, complete):
    assert aligned_labels(read, truth) == (labels, complete)


def test_a_misread_line_keeps_its_boxes_and_says_it_is_not_aligned():
    found = boxed_line("a_001", boxes_side_by_side("the rnill"), "the mill")
    assert len(found.boxes) == len(found.labels) == 9
    assert not found.aligned
    assert json.loads(found.as_json())["labels"] == ["t", "h", "e", " ", "", "", "i", "l", "l"]


def test_a_line_without_characters_is_refused():
    with pytest.raises(InputError, match="a_001: Tesseract found no character"):
        boxed_line("a_001", BoxedText("", ()), "the mill")


@needs_program
@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA names no folder")
def test_rows_of_scans_have_the_form_and_about_the_boxes_of_the_given_ones(tmp_path):
    books = Path(os.environ["LABELFREE_DATA"]) / "english_books_dev"
    given = {row["line"]: row for row in rows_of(books / "boy_apprenticed.tiles.jsonl.gz")}
    sample = [name for name, row in given.items() if row["aligned"]][:10]
    for name in sample:
        for suffix in (".png", ".gt.txt"):
            shutil.copy(books / "boy_apprenticed" / (name + suffix), tmp_path)
    make_boxes(tmp_path, tmp_path / "out.gz")
    made = {row["line"]: row for row in rows_of(tmp_path / "out.gz")}
    assert sorted(made) == sorted(sample)
    same = [name for name in sample if made[name]["labels"] == given[name]["labels"]]
    assert len(same) >= 7
    middles = [[np.array(row[name]["boxes"])[:, [0, 2]].mean(1) for name in same] for row in (made, given)]
    assert np.median(np.abs(np.concatenate(middles[0]) - np.concatenate(middles[1]))) < 3
