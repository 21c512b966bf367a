"""`labelfree demo` as typed: two ciphers, a small book, and folders of scans."""

import dataclasses
import re

import pytest

from labelfree.cli import demo_ciphers, demo_print
from labelfree.errors import InputError
from labelfree.repro.tasks.book import BookText, print_book
from labelfree.repro.tasks.spelling import standard_library_english

BRAILLE = re.compile("[\u2801-\u28ff]")
LINE = re.compile(r".{20,34}\s")
N_LINES = 60


@pytest.fixture(scope="module")
def small_book():
    """A book in small letters and other text of the same kind, so that learning is quick."""
    paragraphs = sorted({" ".join(each.split()).lower() for each in standard_library_english()})
    plain = [each for each in paragraphs if len(each) > 200 and re.fullmatch("[a-z ,.]+", each)]
    lines = [line.strip() for each in plain[::4] for line in LINE.findall(each)][:N_LINES]
    return BookText(tuple(lines), tuple(each for i, each in enumerate(plain) if i % 4))


@pytest.fixture(scope="module")
def scans(small_book, tmp_path_factory):
    """A folder of line images with their truth, and a file of text beside the folder."""
    place = tmp_path_factory.mktemp("scans")
    (place / "book").mkdir()
    print_book(small_book.lines, place / "book")
    (place / "text.txt").write_text("\n".join(small_book.other))
    return place


@pytest.fixture(scope="module")
def reader(scans):
    from labelfree.ocr.language import book_language
    from labelfree.ocr.layout.scans import read_lines

    return demo_print.learn(read_lines([scans / "book"]), book_language([scans / "text.txt"], "en"), fast=True)


@pytest.fixture
def learned(reader, monkeypatch):
    """What was learned once is learned by every demo."""
    monkeypatch.setattr(demo_print, "learn", lambda pages, language, **_: reader)


def share_wrong(out):
    return float(re.search(r"([\d.]+)% of [\d,]+\s+characters are wrong", out)[1]) / 100


def test_the_ciphers_are_read_in_plain_words(labelfree, monkeypatch):
    monkeypatch.setattr(demo_print, "printed_book", lambda console, seed: True)
    found = labelfree("demo")
    assert found.code == 0
    assert "0 of 387 characters wrong; it believes its reading" in found.out
    assert "0.00% of 15,000 test characters wrong" in found.out


def test_a_book_is_read_after_the_ciphers(labelfree, monkeypatch, small_book, learned):
    for cipher in ("short_cipher", "long_cipher"):
        monkeypatch.setattr(demo_ciphers, cipher, lambda console, seed: console.print("cipher") or True)
    monkeypatch.setattr(demo_print, "book_text", lambda characters, seed: small_book)
    found = labelfree("demo")
    assert found.code == 0
    assert found.out.count("cipher\n") == 2
    assert f"{N_LINES} pictures of lines" in found.out
    assert found.out.count("   read   ") == found.out.count("   truth  ") == 3
    assert share_wrong(found.out) < 0.08
    assert re.search(r"believes its reading\s+and expects \d+\.\d+% of the characters to be wrong", found.out)


def test_a_line_is_shown_as_dots_above_its_reading_and_its_truth(labelfree, scans, small_book, learned):
    out = labelfree("demo", "--images", scans / "book", "--text", scans / "text.txt").out
    shown = [block for block in out.split("\n\n") if "   scan   " in block]
    assert len(shown) == 3
    for block in shown:
        picture, _, words = block.partition("   read   ")
        assert len(BRAILLE.findall(picture)) > 100
        assert max(map(len, block.splitlines())) <= 100
        read, truth = re.match(r"(.*)\n   truth  (.*)", words).groups()
        assert truth in small_book.lines
        assert (read == truth) == ("^" not in words)
    assert "\x1b" not in out


def test_truth_that_comes_after_learning_is_compared_all_the_same(labelfree, monkeypatch, scans, small_book, tmp_path):
    """Until the reader is learned, all that lies beside the images is wrong."""
    folder = tmp_path / "book"
    folder.mkdir()
    print_book(small_book.lines, folder)
    truths = {path: path.read_text() for path in folder.glob("*.gt.txt")}
    for path in truths:
        path.write_text("q" * 30)
    learn = demo_print.learn

    def learn_then_tell(pages, language, **options):
        found = learn(pages, language, **options)
        for path, truth in truths.items():
            path.write_text(truth)
        return found

    monkeypatch.setattr(demo_print, "learn", learn_then_tell)
    found = labelfree("demo", "--images", folder, "--text", scans / "text.txt")
    assert found.code == 0
    assert share_wrong(found.out) < 0.08


def test_the_language_of_the_made_book_is_learned_from_other_text(monkeypatch, labelfree, small_book, learned):
    known = []
    language = demo_print.book_language
    monkeypatch.setattr(demo_print, "book_text", lambda characters, seed: small_book)
    monkeypatch.setattr(
        demo_print,
        "book_language",
        lambda text, code: known.extend(path.read_text() for path in text) or language(text),
    )
    for cipher in ("short_cipher", "long_cipher"):
        monkeypatch.setattr(demo_ciphers, cipher, lambda console, seed: True)
    assert labelfree("demo").code == 0
    assert known == ["\n".join(small_book.other)]


def test_without_truth_it_says_so(labelfree, scans, small_book, tmp_path, learned):
    for path in sorted((scans / "book").glob("*.png"))[:20]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    found = labelfree("demo", "--images", tmp_path, "--text", scans / "text.txt")
    assert found.code == 0
    assert "no truth to compare with" in found.out
    assert "truth  " not in found.out
    assert "characters are wrong" not in found.out


def test_english_is_the_language_where_none_is_named(labelfree, monkeypatch, scans, reader):
    languages = []
    monkeypatch.setattr(demo_print, "learn", lambda pages, language, **_: languages.append(language) or reader)
    assert labelfree("demo", "--images", scans / "book").code == 0
    assert labelfree("demo", "--images", scans / "book", "--lang", "nl").code == 0
    assert [language.code for language in languages] == ["en", "nl"]


def test_what_is_not_believed_is_said_and_ends_with_1(labelfree, monkeypatch, scans, reader):
    doubter = dataclasses.replace(reader, verdict=None)
    monkeypatch.setattr(demo_print, "learn", lambda pages, language, **_: doubter)
    found = labelfree("demo", "--images", scans / "book", "--text", scans / "text.txt")
    assert found.code == 1
    assert "It does not believe its reading" in found.out
    assert "learn it again" in found.err
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("truth", [b"\xff\xfe\x00garbage", b"", b"\n \n"])
def test_a_damaged_truth_is_no_reason_to_stop(labelfree, scans, tmp_path, learned, truth):
    for path in sorted((scans / "book").glob("*.png"))[:20]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "0001.gt.txt").write_bytes(truth)
    assert labelfree("demo", "--images", tmp_path, "--text", scans / "text.txt").code == 0


def test_a_scan_that_cannot_be_opened_is_left_out(labelfree, scans, tmp_path, learned):
    for path in sorted((scans / "book").iterdir())[:40]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "broken.png").write_bytes(b"\x89PNG cut short")
    found = labelfree("demo", "--images", tmp_path, "--text", scans / "text.txt")
    assert found.code == 0
    assert "broken.png" in found.err


def test_what_cannot_be_read_is_refused(labelfree, scans, tmp_path):
    for arguments, message in [
        (["--lang", "en"], "without --images"),
        (["--images", tmp_path / "none"], "none is no folder"),
        (["--images", scans / "text.txt"], "text.txt is no folder"),
        (["--images", scans / "book", "--lang", "xx"], "'xx'"),
    ]:
        found = labelfree("demo", *arguments)
        assert found.code == 2
        assert message in found.err
        assert found.err.count("\n") == 1


def test_too_few_lines_are_refused(scans, tmp_path):
    from rich.console import Console

    (tmp_path / "0001.png").write_bytes((scans / "book" / "0001.png").read_bytes())
    with pytest.raises(InputError, match="at least 1000 wanted"):
        demo_print.scans(Console(quiet=True), tmp_path, [scans / "text.txt"], None, 0)
