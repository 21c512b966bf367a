"""Scans that cannot be read well, through the commands: one clear line or an honest doubt, and no file half written."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein

from labelfree.cli import ocr_work, run
from labelfree.ocr.pipeline import Learned
from labelfree.ocr.reader import Reader

from .scans import GERMAN, GREEK, english_lines, english_text, lines_of, page_of, photograph, save_lines

N_LINES = 80
LAUGHS = '<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {name} "{f"&{of};" * 10}">' for of, name in zip("abcdefgh", "bcdefghi", strict=True)
)
XML = {
    "external entity": '<!DOCTYPE PcGts [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
    "billion laughs": f"<!DOCTYPE PcGts [{LAUGHS}]>",
}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def told(self):
        return json.loads(self.out)


@pytest.fixture
def labelfree(capfd):
    def ran(*arguments):
        capfd.readouterr()
        code = run([str(each) for each in arguments])
        return Ran(code, *capfd.readouterr())

    return ran


@pytest.fixture
def refused(labelfree, tmp_path, text):
    """Run scans that must be refused: exit 2, one line, nothing written."""

    def ran(scans):
        found = labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "-q")
        assert (found.code, found.out) == (2, "")
        *warnings, error = found.err.splitlines()
        assert error.startswith("labelfree: error: ")
        assert all(line.startswith("labelfree: warning: ") for line in warnings)
        assert not (tmp_path / "out").exists()
        return error

    return ran


@pytest.fixture
def text(tmp_path_factory):
    """A little, for commands that do not come to learning."""
    path = tmp_path_factory.mktemp("language") / "text.txt"
    path.write_text(english_text()[:2000])
    return path


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Line images, and among them half of one."""
    folder = save_lines(tmp_path_factory.mktemp("book") / "lines", english_lines(N_LINES))
    whole = (folder / "007.png").read_bytes()
    (folder / "007.png").write_bytes(whole[: len(whole) // 2])
    return folder


@pytest.fixture(scope="module")
def model(book, tmp_path_factory):
    """What `ocr learn` makes of the book."""
    folder = tmp_path_factory.mktemp("learned")
    (folder / "text.txt").write_text(english_text())
    model = folder / "model"
    assert run(["ocr", "learn", str(book), "--text", str(folder / "text.txt"), "-o", str(model), "--fast", "-q"]) == 0
    return model


@pytest.fixture(scope="module")
def reader(model):
    return Reader.load(model)


@pytest.fixture
def learned(reader, monkeypatch):
    """Learning cut short: it gives the reader that `model` holds."""
    monkeypatch.setattr(ocr_work, "run_pipeline", lambda *_, **__: Learned(SimpleNamespace(reading=(), scores=()), {}))
    monkeypatch.setattr(ocr_work, "Reader", SimpleNamespace(of=lambda state: reader))
    monkeypatch.setattr(Reader, "pages_of", lambda self, pages, reading: self.read_pages(pages))


def test_one_bad_scan_is_named_and_the_rest_is_read_and_scores(labelfree, learned, book, text, tmp_path):
    out = tmp_path / "out"
    found = labelfree("ocr", "run", book, "--text", text, "-o", out, "-f", "txt,pairs", "--json")
    assert found.code == 0
    assert found.err.count("warning: left out: ") == 1
    (bad,) = found.told["left_out"]
    assert bad["file"] == str(book / "007.png")
    assert bad["file"] in bad["reason"]
    assert found.told["lines"] == N_LINES - 1
    assert len(found.told["sample"]) == 3
    assert not (out / "007.txt").exists()
    scored = labelfree("ocr", "score", out, book, "--json")
    assert (scored.told["missing"], scored.told["extra"]) == (["007"], [])
    assert scored.told["cer"] < 0.1


def test_the_summary_says_what_was_read_how_sure_and_where_it_is(labelfree, learned, book, text, tmp_path):
    out = tmp_path / "out"
    found = labelfree("ocr", "run", book / "0[01]?.png", "--text", text, "-o", out, "-q")
    assert found.code == 0
    facts = dict(line.split("  ", 1) for line in found.out.splitlines() if not line.startswith(" "))
    assert "19 lines" in facts["read"]
    assert facts["believed"].strip().startswith("yes")
    assert facts["expected error"].endswith("%")
    assert facts["left out"].strip() == "1"
    assert facts["written"].strip() == f"20 files in {out}"
    samples = [
        line.removeprefix("sample").strip() for line in found.out.splitlines() if line.startswith(("sample", " "))
    ]
    assert len(samples) == 3
    assert set(samples) <= {path.read_text().strip() for path in out.glob("[0-9]*.txt")}


def test_pages_score_against_a_folder_of_truth(labelfree, model, tmp_path):
    pages, truth = tmp_path / "pages", tmp_path / "truth"
    pages.mkdir()
    truth.mkdir()
    lines = english_lines(16)
    for number, part in enumerate((lines[:8], lines[8:])):
        page_of(part).save(pages / f"p{number}.png")
        (truth / f"p{number}.gt.txt").write_text("\n".join(part) + "\n")
    assert labelfree("ocr", "read", pages, "-m", model, "-o", tmp_path / "out", "-q").code == 0
    found = labelfree("ocr", "score", tmp_path / "out", truth, "--json")
    assert found.told["files"] == 2
    assert found.told["missing"] == []
    assert found.told["cer"] < 0.1


def test_twenty_lines_are_too_few_to_learn_from(refused, tmp_path):
    scans = save_lines(tmp_path / "few", english_lines(20))
    assert "on 20 lines, at least 1000 wanted" in refused(scans)


def test_a_blank_page(refused, tmp_path):
    Image.new("L", (800, 1200), 250).save(tmp_path / "blank.png")
    assert f"no line of text found on 1 page, {tmp_path / 'blank.png'} first" in refused(tmp_path / "blank.png")


def test_a_photograph(refused, tmp_path):
    photograph().save(tmp_path / "photo.jpg")
    assert "found" in refused(tmp_path / "photo.jpg")


def test_half_a_png(refused, book):
    error = refused(book / "007.png")
    assert str(book / "007.png") in error
    assert "cannot be read" in error


def test_only_bad_scans(refused, tmp_path):
    for name in ("a.png", "b.tif", "c.pdf"):
        (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    assert "none of 3 files can be read; the first: " in refused(tmp_path)


@pytest.mark.parametrize("kind", XML)
def test_xml_that_declares_entities(refused, tmp_path, kind):
    entity = "x" if kind == "external entity" else "i"
    (tmp_path / "page.xml").write_text(f'{XML[kind]}<PcGts><Page imageFilename="&{entity};"/></PcGts>')
    error = refused(tmp_path / "page.xml")
    assert str(tmp_path / "page.xml") in error
    assert "entities" in error or "well-formed" in error


def test_the_image_beside_bad_xml_is_read_without_it(labelfree, model, tmp_path):
    page_of(english_lines(6)).save(tmp_path / "page.png")
    (tmp_path / "page.xml").write_text(f'{XML["external entity"]}<PcGts><Page imageFilename="&x;"/></PcGts>')
    found = labelfree("ocr", "read", tmp_path, "-m", model, "-o", tmp_path / "out", "--json", "-q")
    assert found.code == 0
    assert [each["file"] for each in found.told["left_out"]] == [str(tmp_path / "page.xml")]
    assert found.told["lines"] == 6


def test_a_page_that_is_turned_is_read_all_the_same_and_told(labelfree, model, tmp_path):
    page = page_of(english_lines(8))
    page.save(tmp_path / "right.png")
    page.rotate(180).save(tmp_path / "wrong.png")
    page.rotate(90, expand=True).save(tmp_path / "left.png")
    page.rotate(270, expand=True).save(tmp_path / "side.png")
    found = labelfree("ocr", "read", tmp_path, "-m", model, "-o", tmp_path / "out", "--json", "-q")
    assert str(tmp_path / "wrong.png") in found.told["upside_down"]
    assert str(tmp_path / "right.png") not in found.told["upside_down"]
    assert "found upside down and turned" in found.err
    texts = {name: (tmp_path / "out" / f"{name}.txt").read_text() for name in ("right", "wrong", "left", "side")}
    for name, text in texts.items():
        assert Levenshtein.normalized_similarity(text, texts["right"]) > 0.95, name


def test_a_page_without_text_gives_an_empty_file_and_a_word(labelfree, model, tmp_path):
    page_of(english_lines(8)).save(tmp_path / "a.png")
    specks = np.full((900, 700), 255, np.uint8)
    specks[200:214, 100:111] = specks[700:712, 500:511] = 0
    Image.fromarray(specks).save(tmp_path / "b.png")
    found = labelfree("ocr", "read", tmp_path, "-m", model, "-o", tmp_path / "out", "--json", "-q")
    assert (tmp_path / "out" / "b.txt").read_bytes() == b""
    assert found.told["without_text"] == [str(tmp_path / "b.png")]


def test_other_languages_and_scripts_lower_the_confidence(labelfree, model, tmp_path):
    expected = {}
    for name, lines in (
        ("english", english_lines(10)),
        ("german", lines_of(GERMAN, 10)),
        ("greek", lines_of(GREEK, 10)),
    ):
        scans = save_lines(tmp_path / name, lines)
        found = labelfree("ocr", "read", scans, "-m", model, "-o", tmp_path / "out" / name, "--json", "-q")
        expected[name] = found.told["expected_error"]
    assert expected["german"] > 2 * expected["english"]
    assert expected["greek"] > 2 * expected["english"]


MEASURED = """
import sys
from pathlib import Path
from labelfree.cli import run
code = run(sys.argv[1:])
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
sys.exit(code)
"""
"""A command line that prints the most kilobytes it had at a time; what `resource` tells counts its parent's, too."""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a process's memory")
@pytest.mark.parametrize(("mode", "message"), [("RGB", "scale it down"), ("1", "no line of text found")])
def test_400_megapixels_stay_within_their_share_of_memory(tmp_path, mode, message):
    Image.new(mode, (20_000, 20_000), "white").save(tmp_path / "large.png", compress_level=1)
    arguments = [
        "ocr",
        "run",
        str(tmp_path / "large.png"),
        "--lang",
        "en",
        "--kind",
        "page",
        "-o",
        str(tmp_path / "out"),
    ]
    done = subprocess.run([sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert int(done.stdout.splitlines()[-1]) < 2 * 2**20


def test_strange_sizes_are_survived(labelfree, model, tmp_path):
    for width, height in ((1, 1), (1, 5000), (5000, 1), (3, 3), (40, 40)):
        noise = np.random.default_rng(width).integers(0, 256, (height, width), dtype=np.uint8)
        Image.fromarray(noise).save(tmp_path / f"{width}x{height}.png")
    page_of(english_lines(6)).save(tmp_path / "page.png")
    found = labelfree("ocr", "read", tmp_path, "-m", model, "-o", tmp_path / "out", "--kind", "page", "--json", "-q")
    assert found.code == 0
    assert found.told["lines"] >= 6
