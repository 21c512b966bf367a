"""`labelfree report`, and --report of the verbs that read, learn and decipher."""

import shutil

import numpy as np
import pytest
from lxml import html

from labelfree.verdict import KeySearched, judge_key

from .little import N_LINES, learn_little, print_book, run


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book that was read with a report, its model, and the reading with that."""
    folder = print_book(tmp_path_factory.mktemp("book"))
    words = ["--kind", "line", "--text", folder / "text.txt", "-q"]
    with pytest.MonkeyPatch.context() as patch:
        learn_little(patch.setattr)
        run("ocr", "run", folder / "lines", *words, "-o", folder / "out", "--report", folder / "run.html")
        run("ocr", "learn", folder / "lines", *words, "--fast", "-o", folder / "model")
        run("ocr", "read", folder / "lines", "-q", "-m", folder / "model", "-o", folder / "read", "--report",
            folder / "read.html")  # fmt: skip
    return folder


@pytest.mark.parametrize("name", ["run", "read"])
def test_a_book_is_reported_as_it_was_read(book, name):
    page = html.fromstring((book / f"{name}.html").read_text())
    out = book / ("out" if name == "run" else "read")
    lines = {each.get("id"): each for each in page.xpath("//li")}
    assert len(lines) == N_LINES
    for number in (0, 7, N_LINES - 1):
        shown = lines[f"p{number}l0"].xpath("./p[@class='read']")[0].text_content()
        assert " ".join(shown.split()) == (out / f"{number:03}.txt").read_text().strip()
    assert page.xpath("//section[@id='search']//*[@class='winner']")
    assert len(page.xpath("//details//img")) > 20
    assert any(", or " in each.get("title") for each in page.xpath("//p[@class='read']/b"))
    assert "Against the truth" in page.text_content()


def test_a_report_is_made_of_a_folder_later_on(labelfree, book, tmp_path):
    found = labelfree("report", book / "out", "-o", tmp_path / "a.html")
    assert found.code == 0
    assert str(tmp_path / "a.html") in found.out
    assert (tmp_path / "a.html").read_text() == (book / "run.html").read_text()


def test_it_lies_in_the_folder_unless_it_is_named_and_replaces_nothing(labelfree, refused, book, tmp_path):
    out = shutil.copytree(book / "out", tmp_path / "out")
    assert labelfree("report", out, "--json").code == 0
    assert (out / "report.html").stat().st_size > 10_000
    assert "exists already" in refused("report", out)
    assert labelfree("report", out, "--force", "--scans", book / "lines", "--truth", book / "lines").code == 0


def test_a_folder_that_was_not_read_is_refused(refused, tmp_path, book):
    assert "holds no reading.json.gz" in refused("report", tmp_path)
    assert "holds no reading.json.gz" in refused("report", book / "model", "-o", tmp_path / "a.html")


def test_a_report_that_is_there_stops_the_run_before_any_work(refused, book, tmp_path):
    (tmp_path / "r.html").write_text("mine")
    words = ["ocr", "run", book / "lines", "--text", book / "text.txt", "-q", "-o", tmp_path / "out"]
    assert "r.html exists already" in refused(*words, "--report", tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == "mine"
    assert not (tmp_path / "out").exists()


def test_a_fit_is_reported(labelfree, refused, workshop, tmp_path):
    words = ["fit", workshop / "data.npz", "--lm", workshop / "lm.arpa.gz", "-q", "--n-init", 4]
    labelfree(*words, "-o", tmp_path / "m", "--report", tmp_path / "fit.html")
    page = html.fromstring((tmp_path / "fit.html").read_text())
    assert page.xpath("//h1")[0].text == "data"
    assert "Against the truth" in page.text_content()
    assert "exists already" in refused(*words, "-o", tmp_path / "m2", "--report", tmp_path / "fit.html")
    assert not (tmp_path / "m2").exists()


def test_a_cipher_is_reported(labelfree, refused, tmp_path, monkeypatch):
    from labelfree import cipher

    plain = "the quiet ferry left the old harbour before dawn and no one waved"
    key = dict(
        zip(
            "abcdefghijklmnopqrstuvwxyz",
            np.random.default_rng(0).permutation(list("abcdefghijklmnopqrstuvwxyz")),
            strict=True,
        )
    )
    back = {secret: letter for letter, secret in key.items()} | {" ": " "}

    def known(text, lm, **options):
        used = {sign: back[sign] for sign in sorted(set(text.strip()))}
        name = "letters, word spaces kept"
        verdict = judge_key(KeySearched(90.0, 100.0, 0.9, 0.99, 7, 8))
        return cipher.Deciphered(plain, used, dict.fromkeys(used, 0.8), True, -2.0, "key search", name, verdict)

    monkeypatch.setattr(cipher, "decipher", known)
    (tmp_path / "secret.txt").write_text(plain.translate(str.maketrans(key)) + "\n")
    words = ["decipher", tmp_path / "secret.txt", "--report", tmp_path / "c.html"]
    assert labelfree(*words).out == plain + "\n"
    page = html.fromstring((tmp_path / "c.html").read_text())
    assert page.xpath("//section[@id='plaintext']/p[@class='text']")[0].text_content() == plain
    assert "exists already" in refused(*words)
