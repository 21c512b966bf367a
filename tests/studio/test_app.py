"""The studio as programs see it: the queue, what is said and taken back, and what is refused."""

import asyncio
import json

import pytest
from starlette.testclient import TestClient

from labelfree.ocr.hints import parse_hints
from labelfree.studio import shelf
from labelfree.studio.app import studio_app
from labelfree.studio.guard import MOST_BYTES
from labelfree.studio.shelf import Shelf
from labelfree.studio.state import STATE, State

from ..report.printed import TEXT, print_pages, record_of

TOKEN, HOST = "secret-token", "127.0.0.1:8000"
HOME = f"http://{HOST}"


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return record_of(print_pages(tmp_path_factory.mktemp("scans"), [TEXT, TEXT[:1]]))


@pytest.fixture
def folder(record, tmp_path):
    record.write(tmp_path)
    return tmp_path


def client_of(folder, title="book"):
    app = studio_app(Shelf(folder, State(folder)), title=title, token=TOKEN, hosts=[HOST])
    return TestClient(app, base_url=HOME, follow_redirects=False)


@pytest.fixture
def client(folder):
    return client_of(folder)


def waiting(client):
    return client.get(f"/{TOKEN}/next").json()["lines"]


def book(client):
    return client.get(f"/{TOKEN}/export/txt").text


def say(client, key, text, **headers):
    return client.post(f"/{TOKEN}/say", content=json.dumps({"key": key, "text": text}), headers=headers)


def test_the_least_sure_line_comes_first_with_its_picture_and_alternatives(client):
    lines = waiting(client)
    errors = [line["error"] for line in lines]
    assert len(lines) == 5
    assert errors == sorted(errors, reverse=True)
    for line in lines:
        picture = client.get(f"/{TOKEN}/{line['picture']}")
        assert picture.headers["content-type"] == "image/webp"
        assert picture.content[8:12] == b"WEBP"
        assert "".join(part[0] for part in line["parts"]) == line["text"]
        assert all(0 <= begin < end <= 1 for *_, begin, end in line["parts"])
    assert [others for _, level, others, *_ in lines[0]["parts"] if level][:2] == [["x", "é"]] * 2


def test_what_is_said_leaves_the_queue_and_stands_in_the_text_and_the_hints(client, record):
    first, second, *_ = waiting(client)
    assert say(client, first["key"], "  What a   person reads ").json()["said"] == 1
    assert say(client, second["key"], second["text"]).json()["left"] == 3
    assert {first["key"], second["key"]}.isdisjoint(line["key"] for line in waiting(client))
    text = book(client)
    before = [line.text for page in record.document.pages for line in page.lines]
    assert sorted(filter(None, text.splitlines())) == sorted(
        ["What a person reads" if t == first["text"] else t for t in before]
    )
    hints = parse_hints(client.get(f"/{TOKEN}/export/hints").text, "hints.txt")
    assert {hint.name: hint.text for hint in hints.lines} == {
        first["name"]: "What a person reads",
        second["name"]: second["text"],
    }


def test_expected_errors_fall_as_lines_are_read(client):
    before = client.get(f"/{TOKEN}/next").json()["error"]
    for line in waiting(client):
        now = say(client, line["key"], line["text"]).json()["error"]
        assert now < before
        before = now
    assert before == 0
    assert waiting(client) == []


def test_undo_takes_back_one_action_after_the_other(client):
    key = waiting(client)[0]["key"]
    say(client, key, "one")
    say(client, key, "two")
    texts = []
    for _ in range(3):
        texts.append("one" in book(client).splitlines())
        client.post(f"/{TOKEN}/undo")
    assert texts == [False, True, False]
    assert waiting(client)[0]["key"] == key


def test_what_was_said_stays_when_the_studio_is_opened_again_and_the_book_read_again(client, folder, record):
    line = waiting(client)[0]
    say(client, line["key"], "said once")
    record_of(record.document).write(folder)
    again = client_of(folder)
    assert "said once" in book(again)
    assert line["key"] not in {each["key"] for each in waiting(again)}


@pytest.mark.parametrize(
    "path", ["/", "/next", "/wrong/", "/wrong/next", f"//{TOKEN}/", "/secret-toke/", f"/{TOKEN}x/"]
)
def test_without_the_token_nothing_is_told(client, path):
    assert client.get(path).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:9999", "evil.example:8000", ""])
def test_a_foreign_host_is_refused(client, host):
    assert client.get(f"/{TOKEN}/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8000", "http://127.0.0.1:9999"])
def test_a_foreign_origin_is_refused(client, origin):
    key = waiting(client)[0]["key"]
    assert say(client, key, "x", origin=origin).status_code == 403
    assert say(client, key, "x", **{"sec-fetch-site": "cross-site"}).status_code == 403
    assert say(client, key, "x", origin=HOME).status_code == 200


@pytest.mark.parametrize("name", ["..%2f..%2fetc%2fpasswd", "../state.py", "%2e%2e/studio.sqlite", STATE, "guard.py"])
def test_no_path_leads_to_a_file(client, name):
    found = client.get(f"/{TOKEN}/{name}")
    assert found.status_code in (403, 404)
    assert b"import" not in found.content
    assert b"SQLite" not in found.content


def flooded(app, path, query=b""):
    """Send a body without end; returns the status and how many bytes were taken of it."""
    taken, status = 0, []

    async def receive():
        nonlocal taken
        taken += 65_536
        return {"type": "http.request", "body": b"x" * 65_536, "more_body": taken < 1 << 30}

    async def send(message):
        status.append(message.get("status"))

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": [(b"host", HOST.encode())],
    }
    asyncio.run(app(scope, receive, send))
    return status[0], taken


def test_what_is_too_large_is_refused_before_it_is_taken(client, folder, monkeypatch):
    status, taken = flooded(client.app, f"/{TOKEN}/say")
    assert (status, taken <= MOST_BYTES + 2 * 65_536) == (413, True)
    assert client.post(f"/{TOKEN}/say", content=b"x" * (MOST_BYTES + 1)).status_code == 413
    for path in ("say", "upload?kind=scans&name=a.png", "import?name=a.xml"):
        found = client.post(f"/{TOKEN}/{path}", content=b"", headers={"content-length": "1000000000"})
        assert found.status_code == 413
    monkeypatch.setattr(shelf, "MOST_BYTES", 1_000_000)
    status, taken = flooded(client.app, f"/{TOKEN}/upload", b"kind=scans&name=a.png")
    assert (status, taken <= 1_000_000 + 2 * 65_536) == (400, True)
    assert not list((folder / "scans").iterdir())


def test_files_that_are_dropped_lie_under_names_that_do_no_harm(client, folder):
    def drop(name, kind="scans", content=b"x"):
        return client.post(f"/{TOKEN}/upload", params={"kind": kind, "name": name}, content=content)

    assert drop("../../outside.png").status_code == 200
    assert drop("<img src=x onerror=alert(1)>.png").status_code == 200
    assert drop("..\\..\\windows.png").status_code == 200
    assert drop("n" * 300 + ".png").status_code == 200
    for name in ("script.html", "no-ending", "", "..", "studio.sqlite"):
        assert drop(name).status_code == 400
    assert drop("text.png", kind="text").status_code == 400
    assert drop("a.png", kind="../x").status_code == 400
    assert drop("empty.png", content=b"").status_code == 400
    names = sorted(path.name for path in (folder / "scans").iterdir())
    assert names[:2] == ["_img src=x onerror=alert(1)_.png", "n" * 117 + ".png"]
    assert names[2:] == ["outside.png", "windows.png"]
    assert client.post(f"/{TOKEN}/drop", content=json.dumps({"kind": "scans", "name": "../reading.json.gz"})).is_success
    assert (folder / "reading.json.gz").is_file()
    client.post(f"/{TOKEN}/drop", content=json.dumps({"kind": "scans", "name": "outside.png"}))
    assert [file["name"] for file in client.get(f"/{TOKEN}/standing").json()["files"]] == names[:2] + names[3:]


@pytest.mark.parametrize(
    "told",
    [
        {"lang": "xx"},
        {"lang": ["en"]},
        {"lang": "en", "script": "none"},
        {"lang": "en", "script": ["fraktur"]},
        {"lang": "en", "fast": "x"},
    ],
)
def test_choices_that_are_none_begin_nothing(client, folder, told):
    assert client.post(f"/{TOKEN}/learn", content=json.dumps(told)).status_code == 400
    assert not (folder / "runs").exists()


def test_without_scans_nothing_is_learned(tmp_path):
    empty = client_of(tmp_path)
    assert "no scan found" in empty.post(f"/{TOKEN}/learn", content="{}").text
    assert empty.get(f"/{TOKEN}/standing").json()["current"] is None
    for path in ("next", "alphabet", "page/0", "export/txt"):
        assert "nothing was read yet" in empty.get(f"/{TOKEN}/{path}").text


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"key": 1}', b'{"key": "no", "text": "x"}', b"\xff", b'"x"'])
def test_what_makes_no_sense_is_refused(client, content):
    assert client.post(f"/{TOKEN}/say", content=content).status_code == 400


def test_texts_that_are_none_are_refused(client):
    key = waiting(client)[0]["key"]
    assert say(client, key, ["x"]).status_code == 400
    assert say(client, key, "x" * 10_000).status_code == 400
    assert say(client, key, "a\x00b\nc").status_code == 200
    assert any(line.startswith("a") and line.endswith("b c") for line in book(client).split("\n"))


def test_markup_in_names_is_escaped_and_every_answer_is_guarded(folder):
    client = client_of(folder, title="<script>alert(1)</script>")
    found = client.get(f"/{TOKEN}/")
    assert "<script>alert" not in found.text
    assert "&lt;script&gt;alert(1)" in found.text
    for path in ("", "studio.js", "studio.css", "next", "export/txt"):
        headers = client.get(f"/{TOKEN}/{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_a_spoilt_state_is_refused_in_one_line(folder):
    from labelfree.errors import InputError

    (folder / STATE).write_bytes(b"no base of data at all" * 100)
    with pytest.raises(InputError, match=r"studio.sqlite cannot be used \(file is not a database\)"):
        State(folder)
