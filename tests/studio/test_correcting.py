"""Corrections of single characters, pages, exports and imports, as programs see them."""

import io
import json
import re
import zipfile
from dataclasses import replace

import pytest
from lxml import etree
from starlette.testclient import TestClient

from labelfree.ocr.hints import parse_hints
from labelfree.ocr.types import Box, Glyph, Line
from labelfree.studio.app import studio_app
from labelfree.studio.corrected import changed_lines, transcribed
from labelfree.studio.shelf import Shelf
from labelfree.studio.state import State

from ..report.printed import TEXT, misread, print_pages, record_of

TOKEN, HOST = "secret-token", "127.0.0.1:8000"
N_WRONG = sum(line.count("the") for line in TEXT)


@pytest.fixture(scope="module")
def misread_book(tmp_path_factory):
    return misread(print_pages(tmp_path_factory.mktemp("scans"), [TEXT, TEXT[:1]]), "the", "tbe")


@pytest.fixture
def client(misread_book, tmp_path):
    record_of(misread_book).write(tmp_path)
    return TestClient(
        studio_app(Shelf(tmp_path, State(tmp_path)), title="book", token=TOKEN, hosts=[HOST]),
        base_url=f"http://{HOST}",
    )


def get(client, path):
    found = client.get(f"/{TOKEN}/{path}")
    assert found.status_code == 200, found.text
    return found


def post(client, path, **told):
    return client.post(f"/{TOKEN}/{path}", content=json.dumps(told))


def places_of(client, symbol):
    return get(client, f"symbol?symbol={symbol}").json()["places"]


def symbols(client):
    return {each["symbol"]: each["count"] for each in get(client, "alphabet").json()["symbols"]}


def test_strangers_come_first_and_can_be_named_in_one_action(client, misread_book):
    places = places_of(client, "b")
    assert [each["strange"] for each in places] == sorted((each["strange"] for each in places), reverse=True)
    wrong = [each["place"] for each in places if "tbe" in each["word"]]
    assert all(each["word"] != "tbe" for each in places[-1:])
    before = symbols(client)
    standing = post(client, "mark", number=0, places=wrong, symbol="h").json()
    assert standing["marked"] == len(wrong)
    after = symbols(client)
    assert (after["b"], after["h"]) == (before["b"] - len(wrong), before["h"] + len(wrong))
    assert "tbe" not in get(client, "export/txt").text
    post(client, "undo")
    assert symbols(client) == before


def test_marks_become_hints_that_name_their_place(client, misread_book):
    p, i, g = places_of(client, "b")[0]["place"]
    post(client, "mark", number=0, places=[[p, i, g]], symbol="æ")
    (mark,) = parse_hints(get(client, "export/hints").text, "hints.txt").marks
    assert (mark.symbol, mark.box) == ("æ", misread_book.pages[p].lines[i].glyphs[g].box)
    assert mark.name == f"page{p}:{i + 1}" if len(misread_book.pages[p].lines) > 1 else f"page{p}"


def test_all_of_a_symbol_can_be_merged_into_another(client):
    count = symbols(client)["z"] if "z" in symbols(client) else symbols(client)["x"]
    was = "z" if "z" in symbols(client) else "x"
    post(client, "merge", number=0, was=was, symbol="q")
    assert was not in symbols(client)
    assert symbols(client)["q"] >= count


@pytest.mark.parametrize(
    "told",
    [
        {"number": 0, "places": [], "symbol": "h"},
        {"number": 0, "places": [[0, 0, 999]], "symbol": "h"},
        {"number": 0, "places": [[-1, 0, 0]], "symbol": "h"},
        {"number": 0, "places": [["a", 0, 0]], "symbol": "h"},
        {"number": 0, "places": [[0, 0, 0]], "symbol": ""},
        {"number": 0, "places": [[0, 0, 0]], "symbol": "x" * 9},
        {"number": 0, "places": [[0, 0, 0]], "symbol": "\x00"},
        {"number": 7, "places": [[0, 0, 0]], "symbol": "h"},
        {"places": [[0, 0, 0]], "symbol": "h"},
    ],
)
def test_marks_that_make_no_sense_are_refused(client, told):
    assert post(client, "mark", **told).status_code == 400
    assert get(client, "standing").json()["marked"] == 0


def test_a_page_has_its_picture_and_every_line_its_box_and_words(client, misread_book):
    page = get(client, "page/0").json()
    assert [line["text"] for line in page["lines"]] == [line.text for line in misread_book.pages[0].lines]
    assert [word for word, _ in page["lines"][0]["words"]] == page["lines"][0]["text"].split()
    assert get(client, page["picture"]).content[:2] == b"\xff\xd8"
    assert client.get(f"/{TOKEN}/page/99").status_code == 400
    assert client.get(f"/{TOKEN}/page/0/99.jpg").status_code == 404


@pytest.mark.parametrize("name", ["alto", "page", "hocr", "json", "pdf", "pairs"])
def test_every_format_holds_what_was_said(client, name):
    key = get(client, "next").json()["lines"][0]["key"]
    post(client, "say", key=key, text="Put <right> & by hand")
    content = get(client, f"export/{name}").content
    if name == "pdf":
        assert content.startswith(b"%PDF")
        return
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        texts = [packed.read(each).decode("utf-8", "replace") for each in packed.namelist()]
    joined = "\n".join(texts)
    if name == "hocr":
        joined = re.sub(r"</?span[^>]*>", "", joined)
    assert "&lt;right&gt;" in joined or "<right>" in joined


def test_a_report_can_be_taken_and_a_model_only_where_one_was_learned(client):
    assert "<!doctype html>" in get(client, "export/report").text
    assert "learn again" in client.get(f"/{TOKEN}/export/model").text
    assert client.get(f"/{TOKEN}/export/..%2fstudio.sqlite").status_code in (403, 404)


@pytest.mark.parametrize("name", ["alto", "page"])
def test_what_was_corrected_elsewhere_comes_back_by_its_place(client, name, misread_book):
    with zipfile.ZipFile(io.BytesIO(get(client, f"export/{name}").content)) as packed:
        file = next(each for each in packed.namelist() if "page0" in each)
        content = packed.read(file).replace(b"tbe", b"the")
    etree.fromstring(content)
    taken = client.post(f"/{TOKEN}/import?name=renamed/{file}", content=content).json()
    assert taken["lines"] == sum("tbe" in line.text for line in misread_book.pages[0].lines)
    assert "tbe" not in get(client, "export/txt").text.split("\n\n")[0]
    again = client.post(f"/{TOKEN}/import?name={file}", content=content).json()
    assert again["lines"] == sum("tbe" in line.text for line in misread_book.pages[0].lines)
    assert client.post(f"/{TOKEN}/import?name=a.xml", content=b"<a/>").status_code == 400
    assert client.post(f"/{TOKEN}/import?name=a.xml", content=b"<!DOCTYPE a><a/>").status_code == 400


def test_what_a_person_wrote_lies_over_every_later_reading(misread_book, tmp_path):
    record_of(misread_book).write(tmp_path)
    state = State(tmp_path)
    first = Shelf(tmp_path, state).edition()
    line = next(line for line in misread_book.pages[0].lines if "tbe" in line.text)
    i = misread_book.pages[0].lines.index(line)
    state.say({first.index.keys[0][i]: "as a person read it"})
    moved = misread(misread_book, "tbe", "thc")  # what a later run makes of it, its boxes a little larger
    pages = list(moved.pages)
    grown = tuple(
        Line(Box(each.box.x0 - 2, each.box.y0 - 2, each.box.x1 + 2, each.box.y1 + 2), each.glyphs, each.id)
        for each in pages[0].lines
    )
    moved = replace(moved, pages=(replace(pages[0], lines=grown), *pages[1:]))
    record_of(moved).write(tmp_path)
    later = Shelf(tmp_path, state).edition()
    corrected = later.corrected(state)
    assert corrected.pages[0].lines[i].text == "as a person read it"
    changed = changed_lines(first.corrected(state), corrected)
    assert (0, i) not in changed
    assert set(changed) == {
        (p, k) for p, page in enumerate(moved.pages) for k, each in enumerate(page.lines) if "thc" in each.text
    } - {(0, i)}


@pytest.mark.parametrize("text", ["", "a", "abcdef", "xaxbxcx", "xyz", "ab c"])
def test_a_transcribed_line_has_its_text_inside_its_box(text):
    glyphs = tuple(Glyph(c, Box(10 * i, 2, 10 * i + 9, 20), 0.4) for i, c in enumerate("abc"))
    line = transcribed(Line(Box(0, 0, 40, 22), glyphs), text)
    assert "".join(glyph.text for glyph in line.glyphs) == text
    assert all(0 <= glyph.box.x0 <= glyph.box.x1 <= 40 and glyph.confidence == 1 for glyph in line.glyphs)
