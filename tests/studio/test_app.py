"""The studio as programs see it: the queue, what is said and taken back, and what is refused."""

import json

import pytest
from starlette.testclient import TestClient

from labelfree.ocr.hints import parse_hints
from labelfree.studio.app import studio_app
from labelfree.studio.guard import MOST_BYTES
from labelfree.studio.queue import Queue, open_queue
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
    app = studio_app(open_queue(folder), State(folder), title=title, token=TOKEN, hosts=[HOST])
    return TestClient(app, base_url=HOME, follow_redirects=False)


@pytest.fixture
def client(folder):
    return client_of(folder)


def waiting(client):
    return client.get(f"/{TOKEN}/next").json()["lines"]


def say(client, key, text, **headers):
    return client.post(f"/{TOKEN}/say", content=json.dumps({"key": key, "text": text}), headers=headers)


def test_the_least_sure_line_comes_first_with_its_picture_and_alternatives(client):
    lines = waiting(client)
    errors = [line["error"] for line in lines]
    assert len(lines) == 5
    assert errors == sorted(errors, reverse=True)
    assert all(line["picture"].startswith("data:image/webp;base64,") for line in lines)
    assert all("".join(text for text, _, _ in line["parts"]) == line["text"] for line in lines)
    assert [others for _, level, others in lines[0]["parts"] if level][:2] == [["x", "é"]] * 2


def test_what_is_said_leaves_the_queue_and_stands_in_the_text_and_the_hints(client, record):
    first, second, *_ = waiting(client)
    assert say(client, first["key"], "  What a   person reads ").json()["said"] == 1
    assert say(client, second["key"], second["text"]).json()["left"] == 3
    assert {first["key"], second["key"]}.isdisjoint(line["key"] for line in waiting(client))
    text = client.get(f"/{TOKEN}/book.txt").text
    before = [line.text for page in record.document.pages for line in page.lines]
    assert sorted(text.splitlines()) == sorted(["What a person reads" if t == first["text"] else t for t in before])
    hints = parse_hints(client.get(f"/{TOKEN}/hints.txt").text, "hints.txt")
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
        texts.append("one" in client.get(f"/{TOKEN}/book.txt").text.splitlines())
        client.post(f"/{TOKEN}/undo")
    assert texts == [False, True, False]
    assert waiting(client)[0]["key"] == key


def test_what_was_said_stays_when_the_studio_is_opened_again_and_the_book_read_again(client, folder, record):
    line = waiting(client)[0]
    say(client, line["key"], "said once")
    record_of(record.document).write(folder)
    again = client_of(folder)
    assert "said once" in again.get(f"/{TOKEN}/book.txt").text
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


def test_what_is_too_large_is_refused_before_it_is_taken(client):
    sent = 0

    def flood():
        nonlocal sent
        while sent < 10_000 * MOST_BYTES:
            sent += 65_536
            yield b"x" * 65_536

    assert client.post(f"/{TOKEN}/say", content=flood()).status_code == 413
    assert client.post(f"/{TOKEN}/say", content=b"x" * (MOST_BYTES + 1)).status_code == 413
    assert client.post(f"/{TOKEN}/say", content=b"", headers={"content-length": "1000000000"}).status_code == 413


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"key": 1}', b'{"key": "no", "text": "x"}', b"\xff", b'"x"'])
def test_what_makes_no_sense_is_refused(client, content):
    assert client.post(f"/{TOKEN}/say", content=content).status_code == 400


def test_texts_that_are_none_are_refused(client):
    key = waiting(client)[0]["key"]
    assert say(client, key, ["x"]).status_code == 400
    assert say(client, key, "x" * 10_000).status_code == 400
    assert say(client, key, "a\x00b\nc").status_code == 200
    assert any(
        line.startswith("a") and line.endswith("b c") for line in client.get(f"/{TOKEN}/book.txt").text.split("\n")
    )


def test_markup_in_names_is_escaped_and_every_answer_is_guarded(folder):
    client = client_of(folder, title="<script>alert(1)</script>")
    found = client.get(f"/{TOKEN}/")
    assert "<script>alert" not in found.text
    assert "&lt;script&gt;alert(1)" in found.text
    for path in ("", "studio.js", "studio.css", "next", "book.txt"):
        headers = client.get(f"/{TOKEN}/{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"


def test_a_spoilt_state_is_refused_in_one_line(folder):
    from labelfree.errors import InputError

    (folder / STATE).write_bytes(b"no base of data at all" * 100)
    with pytest.raises(InputError, match=r"studio.sqlite cannot be used \(file is not a database\)"):
        State(folder)


def test_a_book_without_lines_has_an_empty_queue(tmp_path):
    queue = Queue(record_of(print_pages(tmp_path, [TEXT[:1]])))
    assert queue.next({line.key for line in queue.lines}, 5) == []
    assert queue.hints({}) == ""
