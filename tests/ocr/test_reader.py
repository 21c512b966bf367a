"""A small rendered book read without labels, its model kept and loaded, and the commands over it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image
from rapidfuzz.distance import Levenshtein

from labelfree.cli import run
from labelfree.errors import InputError
from labelfree.lm.neural import NeuralLM
from labelfree.lm.wordlist import WordList
from labelfree.ocr.book import Book
from labelfree.ocr.correct.corrections import CORRECTIONS
from labelfree.ocr.language import book_language
from labelfree.ocr.layout.scans import read_lines
from labelfree.ocr.line_reader.rescoring import Rescorer
from labelfree.ocr.metrics import score
from labelfree.ocr.pipeline import STAGES, Settings, State
from labelfree.ocr.reader import Reader, learn
from labelfree.ocr.reader_folder import ARRAYS, CARD, LINES, NEURAL, WORDS
from labelfree.ocr.tile_reader import TileReaderSettings, read_tiles
from labelfree.ocr.types import Document
from labelfree.repro.tasks.spelling import standard_library_english
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line
from labelfree.storage.card import signed
from labelfree.storage.folder import CARD as MODEL_CARD

N_LINES = 150
LINE = re.compile(r".{30,48}\s")


def english() -> list[str]:
    paragraphs = sorted({" ".join(each.split()).lower() for each in standard_library_english()})
    return [each for each in paragraphs if len(each) > 200 and re.fullmatch("[a-z ,.]+", each)]


def error_rate(found: Document) -> float:
    truths = [page.source.with_suffix(".gt.txt").read_text().strip() for page in found.pages]
    edits = sum(Levenshtein.distance(page.text, truth) for page, truth in zip(found.pages, truths, strict=True))
    return edits / sum(map(len, truths))


def print_lines(folder: Path, shown: dict[int, int] | None = None) -> None:
    """Line images with truth beside them, some letters shown as others."""
    folder.mkdir()
    lines = [line.strip() for each in english()[::3] for line in LINE.findall(each)][:N_LINES]
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    for i, line in enumerate(lines):
        drawn = set_line(line.translate(shown or {}), face, 32, np.random.default_rng(i), strength=0.1)
        Image.fromarray(drawn.ink < 0.5).save(folder / f"{i:03}.png")
        (folder / f"{i:03}.gt.txt").write_text(line + "\n")


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    """A folder of line images with truth beside them, and text.txt of other paragraphs."""
    folder = tmp_path_factory.mktemp("book")
    print_lines(folder / "lines")
    rest = [each for i, each in enumerate(english()) if i % 3]
    (folder / "text.txt").write_text("\n".join(rest))
    return folder


@pytest.fixture(scope="module")
def reader(book):
    return learn(read_lines([book / "lines"]), book_language([book / "text.txt"], "en"), fast=True, seed=0)


@pytest.fixture(scope="module")
def line_reader(book, reader):
    """The same reader with one of whole lines that it taught, in two rounds without corrections."""
    lines = [line for page in read_lines([book / "lines"]) for line in page.lines]
    cut = Book.cut(lines, reader.language, reader.type).with_shapes()
    first = read_tiles(cut, reader.classifier, reader.settings.tile_reader)
    state = State(
        cut, without=frozenset(each.name for each in CORRECTIONS), classifier=reader.classifier, tile_reading=first
    )
    for stage in STAGES:
        state = stage.work(state) if stage.name in ("lines", "lines-2") else state
    return replace(reader, recogniser=state.recogniser)


@pytest.fixture(scope="module")
def rescoring_reader(book, line_reader):
    """The same with a language that knows words and has a neural model."""
    text = (book / "text.txt").read_text("utf-8")
    neural = NeuralLM.from_text(text, line_reader.language.lm.alphabet, symbols=15_000, hidden=16)
    return replace(line_reader, language=replace(line_reader.language, neural=neural, words=WordList.from_text(text)))


def sign_again(folder: Path) -> None:
    """Write the sums of a model folder anew, so that what else is wrong with its files is found."""
    card = json.loads((folder / MODEL_CARD).read_text("utf-8"))
    for name, sums in card["files"].items():
        content = (folder / name).read_bytes()
        sums |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / MODEL_CARD).write_text(signed(card), "utf-8")


def test_the_book_is_read_without_a_label(book, reader, tmp_path):
    from labelfree.ocr.export import write_document

    assert reader.converged
    found = reader.read(read_lines([book / "lines"]))
    write_document(found, ["txt"], tmp_path)
    assert score(tmp_path, book / "lines").cer < 0.08
    glyphs = [glyph for page in found.pages for line in page.lines for glyph in line.glyphs]
    assert all(0 <= glyph.confidence <= 1 for glyph in glyphs)
    assert np.mean([glyph.confidence for glyph in glyphs]) > 0.9


def test_the_same_lines_mirrored_are_not_believed(book, reader):
    pages = list(read_lines([book / "lines"]))
    mirrored = [
        replace(page, lines=tuple(replace(line, pixels=line.pixels[:, ::-1].copy()) for line in page.lines))
        for page in pages
    ]
    assert reader.judge_pages(reader.read(pages).pages).outcome == "read"
    assert reader.judge_pages(reader.read(mirrored).pages).outcome == "stuck"
    once = Settings(tile_reader=TileReaderSettings(clusters=(), rounds=1))
    unread = learn(mirrored, reader.language, fast=True, seed=0, settings=once)
    assert not unread.converged
    assert unread.verdict.expected_error > reader.verdict.expected_error


def test_whole_lines_are_read_at_least_as_well_by_what_the_tiles_taught(book, reader, line_reader):
    pages = list(read_lines([book / "lines"]))
    errors = [error_rate(each.read(pages)) for each in (line_reader, reader)]
    assert errors[0] <= errors[1] + 0.005
    assert errors[0] < 0.05
    for page in line_reader.read(pages[:20]).pages:
        glyphs = page.lines[0].glyphs
        assert all(left.box.x0 <= right.box.x0 for left, right in pairwise(glyphs))


def test_of_the_best_readings_of_a_line_the_one_chosen_is_read(book, line_reader, monkeypatch):
    pages = list(read_lines([book / "lines" / "00*.png"]))
    best = line_reader.read(pages)
    short = SimpleNamespace(choose=lambda candidates, lm: [line[0].labels[:3] for line in candidates])
    monkeypatch.setattr(Rescorer, "of", lambda language: short)
    for page, whole in zip(line_reader.read(pages).pages, best.pages, strict=True):
        assert page.text.strip() == whole.text[:3].strip()


def test_rescoring_makes_a_good_reading_no_worse(book, line_reader, rescoring_reader):
    pages = list(read_lines([book / "lines"]))
    assert error_rate(rescoring_reader.read(pages)) <= error_rate(line_reader.read(pages)) + 0.002


@pytest.mark.parametrize("kind", ["reader", "line_reader", "rescoring_reader"])
def test_a_kept_reader_reads_the_same(book, kind, tmp_path, request):
    reader = request.getfixturevalue(kind)
    reader.save(tmp_path / "model")
    again = Reader.load(tmp_path / "model")
    pages = list(read_lines([book / "lines" / "00*.png"]))
    assert again.read(pages).text == reader.read(pages).text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (LINES, b"nothing of the kind", "damaged"),
        (NEURAL, b"nothing of the kind", "damaged"),
        (WORDS, b"[1, 2]", "a list found, an object wanted"),
        (WORDS, b'{"word": 0}', "some that occur wanted"),
    ],
)
def test_a_damaged_line_reader_is_refused(rescoring_reader, tmp_path, name, content, message):
    rescoring_reader.save(tmp_path / "model")
    (tmp_path / "model" / name).write_bytes(content)
    with pytest.raises(InputError, match="was cut short, or belongs to another model"):
        Reader.load(tmp_path / "model")
    sign_again(tmp_path / "model")
    with pytest.raises(InputError, match=message):
        Reader.load(tmp_path / "model")


def test_signs_are_read_that_look_like_other_letters(book, tmp_path):
    print_lines(tmp_path / "cipher", str.maketrans("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba"))
    pages = list(read_lines([tmp_path / "cipher"]))
    found = learn(pages, book_language([book / "text.txt"], "en", script="signs"), fast=True, seed=0)
    assert found.converged
    assert error_rate(found.read(pages)) < 0.1


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (CARD, lambda content: b"{}", "no card of a reader"),
        (CARD, lambda content: content.replace(b'"x_height": ', b'"x_height": -'), "wrong kind"),
        (CARD, lambda content: content.replace(b'"antiqua"', b'"runes"'), "wrong kind"),
        (CARD, lambda content: None, "holds no ocr.json"),
        (ARRAYS, lambda content: content[:50], "damaged"),
        (ARRAYS, lambda content: None, "holds no ocr.safetensors"),
    ],
)
def test_a_damaged_model_is_refused(reader, tmp_path, name, change, message):
    reader.save(tmp_path / "model")
    file = tmp_path / "model" / name
    content = change(file.read_bytes())
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
        with pytest.raises(InputError, match="was cut short, or belongs to another model"):
            Reader.load(tmp_path / "model")
        sign_again(tmp_path / "model")
    with pytest.raises(InputError, match=message):
        Reader.load(tmp_path / "model")


def test_commands_read_with_a_kept_model_and_score(book, reader, tmp_path, capfd):
    reader.save(tmp_path / "model")
    scans = str(book / "lines" / "0[0-4]?.png")
    out = tmp_path / "out"
    formats = ["-f", "txt,json", "-f", "alto"]
    assert run(["ocr", "read", scans, "-m", str(tmp_path / "model"), *formats, "-o", str(out), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["lines"] == 50
    assert told["converged"]
    assert told["expected_error"] < 0.1
    assert {"007.txt", "007.json", "007.alto.xml", "book.txt"} <= {path.name for path in out.iterdir()}
    truth = tmp_path / "truth"
    truth.mkdir()
    for path in sorted((book / "lines").glob("0[0-4]?.gt.txt")):
        (truth / path.name).write_text(path.read_text())
    assert run(["ocr", "score", str(out), str(truth), "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["cer"] < 0.08
    assert run(["ocr", "score", str(out), str(truth)]) == 0
    assert "CER" in capfd.readouterr().out


def test_too_few_lines_are_refused_with_advice(book, tmp_path, capfd):
    scans = str(book / "lines" / "00?.png")
    assert run(["ocr", "run", scans, "--text", str(book / "text.txt"), "-o", str(tmp_path / "out"), "-q"]) == 2
    message = capfd.readouterr().err
    assert "at least 1000 wanted" in message
    assert "more pages" in message
    assert not (tmp_path / "out").exists()


def test_unknown_formats_and_missing_languages_are_refused(book, tmp_path, capfd):
    scans = str(book / "lines")
    assert run(["ocr", "run", scans, "--lang", "en", "-f", "docx", "-o", str(tmp_path / "out")]) == 2
    assert "'docx' found, one of txt" in capfd.readouterr().err
    assert run(["ocr", "run", scans, "-o", str(tmp_path / "out")]) == 2
    assert "neither --text nor --lang found, one wanted" in capfd.readouterr().err
    assert run(["ocr", "run", scans, "--lang", "en", "--fast", "--rescore", "-o", str(tmp_path / "out")]) == 2
    assert "--fast and --rescore found, one of them wanted" in capfd.readouterr().err
