"""The layer over the Tesseract program."""

import os
import shutil
import stat
from pathlib import Path

import matplotlib
import pytest
from PIL import Image, ImageDraw, ImageFont

from labelfree.errors import InputError
from labelfree.ocr.sources import tesseract
from labelfree.ocr.sources.tesseract import CharBox, parse_boxes, read_with_boxes, recognise

needs_program = pytest.mark.skipif(shutil.which("tesseract") is None, reason="no program tesseract")
SENTENCE = "Seven grey herons stood by the mill"


def printed_line(text: str) -> Image.Image:
    """The text in black on white, with a little paper around it."""
    font = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSerif.ttf"), 40)
    image = Image.new("L", (int(font.getlength(text)) + 20, 70), 255)
    ImageDraw.Draw(image).text((10, 10), text, font=font, fill=0)
    return image


@pytest.fixture
def line(tmp_path) -> Path:
    path = tmp_path / "line.png"
    printed_line(SENTENCE).save(path)
    return path


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put a script in the program's place."""

    def place(script: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        path = folder / "tesseract"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return place


@needs_program
def test_a_clean_line_is_read_to_the_letter(line):
    assert recognise(line) == SENTENCE


@needs_program
def test_text_and_boxes_of_one_run_agree(line):
    reading = read_with_boxes(line)
    assert reading.text == SENTENCE
    assert "".join(box.character for box in reading.boxes) == SENTENCE.replace(" ", "")


@needs_program
def test_boxes_are_measured_from_the_top_left_corner(tmp_path):
    path = tmp_path / "line.png"
    line = printed_line("MILL")
    page = Image.new("L", (line.width + 100, line.height + 60), 255)
    page.paste(line, (100, 0))  # to the right and high up
    page.save(path)
    boxes = read_with_boxes(path).boxes
    assert [box.x0 for box in boxes] == sorted(box.x0 for box in boxes)
    assert min(box.x0 for box in boxes) > 100
    assert max(box.y1 for box in boxes) < line.height


@needs_program
def test_its_languages_are_listed():
    assert tesseract.is_installed()
    assert "eng" in tesseract.languages()


@needs_program
def test_models_of_a_folder_of_ones_own(line, tmp_path):
    own = tmp_path / "models"
    own.mkdir()
    assert tesseract.languages(own) == ()
    with pytest.raises(InputError, match=r"no Tesseract model 'eng' found; .*apt install tesseract-ocr-eng"):
        recognise(line, tessdata=own)


@needs_program
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"language": "xyz"}, "line.png: no Tesseract model 'xyz' found"),
        ({"language": "eng+xyz"}, "line.png: no Tesseract model 'xyz' found"),
        ({"oem": 0}, "oem 0.*leave oem out"),
        ({"tessdata": Path("no/such")}, "no/such is no folder"),
    ],
)
@pytest.mark.parametrize("read", [recognise, read_with_boxes])
def test_settings_that_cannot_be_used_are_one_line(line, read, settings, message):
    with pytest.raises(InputError, match=message) as raised:
        read(line, **settings)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(90), b"II*\0" + bytes(range(60)), b"list.png\n"])
@pytest.mark.parametrize("read", [recognise, read_with_boxes])
def test_a_file_that_is_no_image_is_refused(tmp_path, read, content):
    path = tmp_path / "line.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"line.png cannot be read .*name a PNG"):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"none.png cannot be read \(No such file or directory\)"):
        recognise(tmp_path / "none.png")


def test_without_the_program_the_package_is_named(line, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert not tesseract.is_installed()
    with pytest.raises(InputError, match=r"line.png: no program tesseract found; .*apt install tesseract-ocr\)"):
        recognise(line)
    with pytest.raises(InputError, match="apt install tesseract-ocr"):
        tesseract.languages()


def test_a_program_that_hangs_is_stopped(line, program, monkeypatch):
    program("exec sleep 30")
    monkeypatch.setattr(tesseract, "TIMEOUT", 0.2)
    with pytest.raises(InputError, match=r"line.png: Tesseract not done after 0 s"):
        recognise(line)


@pytest.mark.parametrize("read", [recognise, read_with_boxes])
def test_what_a_program_that_fails_says_is_one_line(line, program, read):
    program("echo odd settings >&2; echo and more >&2; exit 3")
    with pytest.raises(InputError, match=r"^\S*line.png: Tesseract failed \(odd settings\); check the image") as raised:
        read(line)
    assert "\n" not in str(raised.value)


def test_a_program_that_prints_rubbish_is_survived(line, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program(r"printf '\377\376 wet \000\n'; printf '\377 1 2\nx 1 1 5 5 0\n' > $2.box")
    assert "wet" in recognise(line)
    assert [box.character for box in read_with_boxes(line).boxes] == ["x"]


def test_the_program_keeps_to_one_thread(line, program):
    program("echo threads $OMP_THREAD_LIMIT")
    assert recognise(line) == "threads 1"


@pytest.mark.parametrize(
    "text", ["", "\0\0", "a", "a 1 2 3 4", "a 1 2 3 4 5 6", " 1 2 3 4 0", "a 1 2 3 4 b", "é 9 1 9 9 0"]
)
def test_what_is_no_box_is_passed_over(text):
    assert parse_boxes([text, "b 0 0 10 12 0", text], height=20) == [CharBox("b", 0, 8, 10, 20)]


def test_boxes_are_kept_within_the_image_and_to_the_first_page():
    lines = ["fi -3 -2 10 25 0", "~ 1 1 5 5 1"]
    assert parse_boxes(lines, height=20) == [CharBox("fi", 0, 0, 10, 20)]
