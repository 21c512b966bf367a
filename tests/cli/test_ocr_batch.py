"""`labelfree ocr batch`: all books of a folder are read, one that fails too, and a batch that was stopped goes on."""

import io
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout

import pytest

from labelfree.cli import ocr_batch
from labelfree.errors import InputError

from .little import N_LINES, files, learn_little, learn_once, print_book, run


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """books/ with two books alike, one of them with no text on it, and text.txt."""
    folder = print_book(tmp_path_factory.mktemp("shelf"))
    (folder / "books" / "empty").mkdir(parents=True)
    shutil.copytree(folder / "lines", folder / "books" / "one")
    shutil.copytree(folder / "lines", folder / "books" / "two")
    return folder


@pytest.fixture(autouse=True)
def _little(monkeypatch):
    learn_little(monkeypatch.setattr)
    learn_once(monkeypatch.setattr)


def batch(shelf, out, *more):
    """Run a batch; returns its exit code and what it told."""
    words = ["ocr", "batch", shelf / "books", "--kind", "line", "--text", shelf / "text.txt", "--fast", "-q", "--json"]
    with redirect_stdout(io.StringIO()) as told, redirect_stderr(io.StringIO()) as warned:
        code = run(*words, "-o", out, *more)
    return code, json.loads(told.getvalue() or "{}"), warned.getvalue()


def texts(folder):
    """What was read, by file."""
    found = {name: content for name, content in files(folder).items() if name.endswith(".txt")}
    assert len(found) == N_LINES + 1
    return found


def test_a_book_that_fails_does_not_stop_the_others(shelf, tmp_path):
    code, told, warned = batch(shelf, tmp_path / "out")
    assert code == 1
    assert [row["book"] for row in told["books"]] == ["empty", "one", "two"]
    empty, one, two = told["books"]
    assert "empty" in empty["error"]
    assert "wanted" in empty["error"]
    assert empty["error"] in warned
    assert one["characters"] == two["characters"] > 500
    assert one["converged"]
    assert one["error"] == ""
    assert 0 <= one["expected_error"] < 1
    alone = ["ocr", "run", shelf / "books" / "one", "--kind", "line", "--text", shelf / "text.txt", "--fast", "-q"]
    assert run(*alone, "-o", tmp_path / "alone") == 0
    assert texts(tmp_path / "out" / "one") == texts(tmp_path / "out" / "two") == texts(tmp_path / "alone")
    assert json.loads((tmp_path / "out" / "books.json").read_text())["books"] == told["books"]


def test_a_batch_goes_on_and_tries_again_only_what_failed(shelf, tmp_path, monkeypatch):
    read = []

    def dying(language, scans, how, output):
        read.append(output.folder.name)
        if output.folder.name == "two":
            raise ZeroDivisionError("a defect")
        return whole(language, scans, how, output)

    whole = ocr_batch.run
    monkeypatch.setattr(ocr_batch, "run", dying)
    code, told, _ = batch(shelf, tmp_path / "out")
    assert code == 1
    assert "ZeroDivisionError" in told["books"][2]["error"]
    kept = texts(tmp_path / "out" / "one")
    assert read == ["empty", "one", "two"]
    code, told, warned = batch(shelf, tmp_path / "out")
    assert (code, told) == (2, {})
    assert "--resume" in warned
    monkeypatch.setattr(ocr_batch, "run", whole)
    code, told, _ = batch(shelf, tmp_path / "out", "--resume")
    assert code == 1
    assert told["books"][2]["error"] == ""
    assert texts(tmp_path / "out" / "one") == texts(tmp_path / "out" / "two") == kept


@pytest.mark.parametrize(
    "content", ["", "[]", '{"books": [1]}', '{"books": [{"book": 3}]}', '{"books": [{"seconds": 1}]}']
)
def test_a_table_that_is_none_is_refused(tmp_path, content):
    (tmp_path / "books.json").write_text(content)
    with pytest.raises(InputError, match=r"books\.json is no table of a batch"):
        ocr_batch.read_table(tmp_path / "books.json")


def test_a_folder_without_books_is_refused(tmp_path):
    (tmp_path / ".hidden").mkdir()
    with pytest.raises(InputError, match="is empty, books wanted"):
        ocr_batch.find_books(tmp_path)
    with pytest.raises(InputError, match="is no folder"):
        ocr_batch.find_books(tmp_path / "none")
