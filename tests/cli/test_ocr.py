"""What `labelfree ocr` asks of the reader, says while it works, and leaves behind."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from labelfree.cli import ocr_work
from labelfree.ocr.pipeline import Learned
from labelfree.ocr.types import Box, Document, Glyph, Line, Page
from labelfree.verdict import Outcome, ReadingVerdict, Remedy


class Reader:
    """Takes every line for the same words."""

    def __init__(self, converged=True):
        self.verdict = ReadingVerdict(
            outcome=Outcome.READ if converged else Outcome.STUCK,
            reason="3 of 90 words of five letters and more are words of the language",
            remedies=() if converged else (Remedy.MORE_DATA, Remedy.NEARER_TEXT),
            explained=0.9,
            long_words=90,
            known_words=1 / 30,
            drawn_words=0.3,
            saved=0.0,
            chance=1.0,
            expected_error=0.25,
            most_error=0.2,
        )
        self.classifier = SimpleNamespace(kl_=0.25)
        self.language = SimpleNamespace(lm=SimpleNamespace(alphabet=SimpleNamespace(symbols="ab ")))

    def pages_of(self, pages, reading):
        return (self._page(page) for page in pages)

    def document(self, pages):
        return Document(tuple(pages))

    def judge_pages(self, pages):
        return self.verdict

    def _page(self, page):
        box = Box(0, 0, page.width, page.height)
        line = Line(box, tuple(Glyph(character, box, 0.75) for character in "a bab"))
        return Page(page.source, page.page, page.width, page.height, (line,) * len(page.lines))


@pytest.fixture
def scans(tmp_path):
    folder = tmp_path / "scans"
    folder.mkdir()
    ink = np.zeros((40, 300), bool)
    for left in range(10, 280, 14):
        ink[10:30, left : left + 8] = True
    for name in ("a.png", "b.png"):
        Image.fromarray(~ink).save(folder / name)
    return folder


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("a lamp was lit in the tower, and the ferry turned back.\n" * 5)
    return path


@pytest.fixture
def asked(monkeypatch):
    """What learning was asked for; the reader it gives is `asked.reader`."""
    asked = SimpleNamespace(reader=Reader(), options={})

    def learn(pages, language, **options):
        asked.options, asked.language = options, language
        return Learned(SimpleNamespace(reading=(), scores=()), {"cut": 0.5})

    monkeypatch.setattr(ocr_work, "run_pipeline", learn)
    monkeypatch.setattr(ocr_work, "Reader", SimpleNamespace(of=lambda state: asked.reader))
    monkeypatch.setattr(ocr_work, "with_alternatives", lambda reader, found, pages: pages)

    def record(reader, document, *about):  # such a reader has learned nothing to report
        return SimpleNamespace(document=document, write=lambda folder: None)

    monkeypatch.setattr(ocr_work, "BookRecord", SimpleNamespace(of=record))
    return asked


def test_the_script_is_as_spelled_unless_another_is_given(labelfree, asked, scans, text, tmp_path):
    arguments = ["ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "-q"]
    assert labelfree(*arguments).code == 0
    assert asked.language.script.name == "antiqua"
    assert labelfree(*arguments, "--force", "--script", "signs").code == 0
    assert asked.language.script.name == "signs"


def test_every_stage_is_shown_with_its_name(labelfree, asked, scans, text, tmp_path, monkeypatch):
    monkeypatch.setattr("labelfree.cli.progress._LOG_EVERY", 0.0)
    arguments = ["ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "-f", "txt,json"]
    lines = labelfree(*arguments).err.splitlines()
    stages = list(dict.fromkeys(line.partition(";")[0] for line in lines))
    assert stages == ["counting the language", "finding lines", "writing pages"]
    assert "finding lines; step 2 of 2" in lines
    assert labelfree(*arguments, "--force", "-q").err == ""


def test_doubt_is_exit_1_with_advice_and_the_files_are_there(labelfree, asked, scans, text, tmp_path):
    asked.reader = Reader(converged=False)
    found = labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "-q")
    assert found.code == 1
    assert "warning: stuck: 3 of 90 words of five letters and more are words of the language; what would" in found.err
    assert "more lines of the same book, or text of the same language and time (--text FILE)" in found.err
    assert "n_init" not in found.err
    assert "believed        no, 3 of 90 words of five letters and more" in found.out
    assert "expected error  25.0%" in found.out
    assert (tmp_path / "out" / "a.txt").read_text() == "a bab\n"


def test_json_says_the_same_for_programs(labelfree, asked, scans, text, tmp_path):
    found = labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "--json")
    told = json.loads(found.out)
    assert told["pages"] == told["lines"] == 2
    assert told["expected_error"] == pytest.approx(0.25)
    assert told["sample"][0] == {"text": "a bab", "expected_error": pytest.approx(0.25)}
    assert (told["files"], told["folder"]) == (3, str(tmp_path / "out"))
    assert told["left_out"] == told["without_text"] == told["upside_down"] == []
    assert {"seconds_learning", "seconds_reading", "converged", "kl"} <= set(told)
    assert told["verdict"]["reason"] == asked.reader.verdict.reason
    assert told["verdict"]["chance"] == 1.0
    assert told["seconds_of_stages"] == {"cut": 0.5}
    assert [page["page"] for page in told["pages_by_doubt"]] == ["a", "b"]
    assert told["pages_by_doubt"][0] == {
        "page": "a",
        "expected_error": pytest.approx(0.25),
        "characters": 6,
        "lines": 1,
        "source": str(scans / "a.png"),
        "index": 0,
    }


def test_pages_are_listed_from_the_worst(labelfree, asked, scans, text, tmp_path, monkeypatch):
    sure = asked.reader._page

    def page(found):
        read = sure(found)
        if found.source.stem == "a":
            return read
        (line,) = read.lines
        return replace(read, lines=(replace(line, glyphs=tuple(replace(g, confidence=0.5) for g in line.glyphs)),))

    monkeypatch.setattr(asked.reader, "_page", page)
    assert labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "-q").code == 0
    header, *rows = (tmp_path / "out" / "pages.tsv").read_text().splitlines()
    assert header.split("\t") == ["page", "expected_error", "characters", "lines", "source", "index"]
    assert [row.split("\t")[:3] for row in rows] == [["b", "0.5000", "6"], ["a", "0.2500", "6"]]


@pytest.mark.parametrize(("least", "wanted"), [([], "a bab\n"), (["--least-confidence", "0.8"], "▯ ▯▯▯\n")])
def test_what_could_not_be_read_has_a_mark_in_texts_alone(labelfree, asked, scans, text, tmp_path, least, wanted):
    options = ["-f", "txt,text,json", "--unread", "▯", *least, "-q"]
    assert labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", *options).code == 0
    assert (tmp_path / "out" / "a.txt").read_text() == wanted
    assert (tmp_path / "out" / "book.txt").read_text() == 2 * wanted
    assert wanted.strip() in (tmp_path / "out" / "book.text.txt").read_text()
    assert json.loads((tmp_path / "out" / "a.json").read_text())["lines"][0]["text"] == "a bab"


@pytest.mark.parametrize("mark", ["", " ", "??"])
def test_a_mark_that_is_not_one_character_is_refused(refused, scans, text, tmp_path, mark):
    told = refused("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "-q", "--unread", mark)
    assert "one character to see wanted" in told


def test_a_page_without_text_is_listed_and_the_rest_read(labelfree, asked, scans, text, tmp_path):
    Image.new("L", (300, 40), 255).save(scans / "c.png")
    found = labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "--json")
    assert json.loads(found.out)["without_text"] == [str(scans / "c.png")]
    assert (tmp_path / "out" / "c.txt").read_text() == ""


def test_many_bad_files_are_counted_not_all_named(labelfree, asked, scans, text, tmp_path):
    for number in range(15):
        (scans / f"bad{number}.png").write_bytes(b"no picture")
    found = labelfree("ocr", "run", scans, "--text", text, "-o", tmp_path / "out", "--json", "-q")
    assert found.code == 0
    assert found.err.count("left out: ") == 10
    assert "5 more files were left out; --json lists them all" in found.err
    assert {Path(each["file"]).name for each in json.loads(found.out)["left_out"]} == {f"bad{n}.png" for n in range(15)}


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_files_that_are_there_stay_when_a_run_is_refused(refused, text, tmp_path, force):
    out = tmp_path / "out"
    out.mkdir()
    (out / "blank.txt").write_text("corrected by hand")
    Image.new("L", (300, 400), 255).save(tmp_path / "blank.png")
    refused("ocr", "run", tmp_path / "blank.png", "--text", text, "-o", out, "-q", *force)
    assert [(path.name, path.read_text()) for path in out.iterdir()] == [("blank.txt", "corrected by hand")]
    assert not out.with_name("out.checkpoint").exists()
