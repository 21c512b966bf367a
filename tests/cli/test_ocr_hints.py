"""`labelfree ocr --hints` and `labelfree ocr groups`, from the files of a small book to a model and a picture."""

import json
import re

import numpy as np
import pytest
from PIL import Image

from labelfree.repro.tasks.spelling import standard_library_english
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

N_LINES = 40


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Line images in lines/, text of other paragraphs, hints.txt with every fourth line, and truth/ of the rest."""
    folder = tmp_path_factory.mktemp("book")
    for name in ("lines", "truth"):
        (folder / name).mkdir()
    paragraphs = sorted({" ".join(each.split()).lower() for each in standard_library_english()})
    paragraphs = [each for each in paragraphs if len(each) > 200 and re.fullmatch("[a-z ,.]+", each)]
    (folder / "text.txt").write_text("\n".join(paragraphs[1::2]))
    lines = [line.strip() for each in paragraphs[::2] for line in re.findall(r".{30,48}\s", each)][:N_LINES]
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    for number, line in enumerate(lines):
        drawn = set_line(line, face, 32, np.random.default_rng(number), strength=0.1)
        Image.fromarray(drawn.ink < 0.5).save(folder / "lines" / f"{number:02}.png")
        if number % 4:
            (folder / "truth" / f"{number:02}.gt.txt").write_text(line)
    (folder / "hints.txt").write_text("".join(f"{i:02}: {line}\n" for i, line in enumerate(lines) if i % 4 == 0))
    return folder


@pytest.fixture(scope="module")
def groups(book):
    """The groups as they are drawn before anything is learned."""
    from labelfree.cli import run

    assert run(["ocr", "groups", str(book / "lines"), "-o", str(book / "groups.png"), "-q"]) == 0
    return book / "groups.png"


def test_lines_that_were_not_transcribed_are_read_with_the_help_of_those_that_were(labelfree, book, groups, tmp_path):
    hints = tmp_path / "hints.txt"
    hints.write_text((book / "hints.txt").read_text() + "group 1 = space\n")
    model, out = tmp_path / "model", tmp_path / "out"
    arguments = ["--text", book / "text.txt", "--fast", "--hints", hints, "-o", model, "-q"]
    assert labelfree("ocr", "learn", book / "lines", *arguments).code == 0
    assert labelfree("ocr", "read", book / "lines", "-m", model, "-o", out, "-q").code == 0
    told = json.loads(labelfree("ocr", "score", out, book / "truth", "--json").out)
    assert told["files"] == N_LINES - N_LINES // 4
    assert told["cer"] < 0.04  # more than 0.05 without hints
    again = tmp_path / "again.png"
    told = json.loads(labelfree("ocr", "groups", book / "lines", "-m", model, "-o", again, "--json", "-q").out)
    assert told["picture"] == str(again)
    assert told["groups"][0]["symbol"] == " "
    first, second = (np.asarray(Image.open(path)) for path in (groups, again))
    assert first.shape == second.shape
    assert (first != second).any()  # the reading stands beside what was drawn before


def test_lines_that_were_transcribed_are_written_as_transcribed(labelfree, book, tmp_path):
    hints = tmp_path / "hints.txt"
    hints.write_text((book / "hints.txt").read_text().replace("00: ", "00: zzyzx "))
    arguments = ["--text", book / "text.txt", "--fast", "--hints", hints, "-o", tmp_path / "out", "-q"]
    assert labelfree("ocr", "run", book / "lines", *arguments).code == 0
    for line in hints.read_text().splitlines():
        name, _, said = line.partition(": ")
        assert (tmp_path / "out" / f"{name}.txt").read_text().strip() == said


def test_what_was_drawn_is_said_and_not_drawn_over(labelfree, refused, book, groups):
    found = labelfree("ocr", "groups", book / "lines", "-o", groups, "--force", "-q")
    assert re.search(r"groups +\d+ of 1,\d{3} characters", found.out)
    assert "--hints" in found.out
    assert "exists already" in refused("ocr", "groups", book / "lines", "-o", groups, "-q")


@pytest.mark.parametrize(
    ("hint", "message"),
    [
        ("99: nobody knows", "hints.txt, line 2: '99' found, the name of a scan without its ending wanted, such as 00"),
        ("01: a § here", "hints.txt, line 2: '§' found, one of the"),
        ("group 900 = e", "hints.txt, line 2: group 900 found, 1 to"),
        ("nothing of the kind", "hints.txt, line 2: 'nothing of the kind' found, 'NAME: text of the line' or"),
    ],
)
def test_hints_that_cannot_be_meant_are_refused_before_learning(refused, book, tmp_path, hint, message):
    (tmp_path / "hints.txt").write_text(f"# mine\n{hint}\n")
    arguments = ["--text", book / "text.txt", "--hints", tmp_path / "hints.txt", "-o", tmp_path / "out", "-q"]
    assert message in refused("ocr", "run", book / "lines", *arguments)
    assert not (tmp_path / "out").exists()
