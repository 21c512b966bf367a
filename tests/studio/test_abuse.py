"""What strangers try on the studio: each route without the token, odd methods and numbers, markup in names and text."""

import json
import signal

import pytest
from starlette.testclient import TestClient

from labelfree.studio.app import studio_app
from labelfree.studio.shelf import Shelf
from labelfree.studio.state import State

from ..report.chromium import browsing, complaints, in_chromium
from ..report.printed import TEXT, print_pages, record_of
from .test_browser import Server, until

TOKEN, HOST = "secret-token", "127.0.0.1:8000"
MARKUP = "<img src=x onerror=document.title='owned'>"


@pytest.fixture
def folder(tmp_path):
    record_of(print_pages(tmp_path, [TEXT])).write(tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def client(folder):
    app = studio_app(Shelf(folder, State(folder)), title="book", token=TOKEN, hosts=[HOST])
    return TestClient(app, base_url=f"http://{HOST}", follow_redirects=False, raise_server_exceptions=True)


def routes(client):
    for route in client.app.routes:
        path = route.path.removeprefix(f"/{TOKEN}/")
        for parameter in ("{p:int}", "{number:int}", "{i:int}"):
            path = path.replace(parameter, "0")
        yield from ((method, path.replace("{name}", "txt")) for method in route.methods)


def test_every_route_asks_for_the_token_the_host_and_the_origin(client):
    found = list(routes(client))
    assert len(found) > 20
    for method, path in found:
        if path == "events":  # never ends where it is let in
            continue
        for token in ("", "x", TOKEN[:-1], TOKEN.upper(), f"{TOKEN}%00", "%73ecret-toke"):
            assert client.request(method, f"/{token}/{path}").status_code == 403, (method, path, token)
        assert client.request(method, f"/{TOKEN}/{path}", headers={"host": "localhost.evil.example"}).status_code == 421
        foreign = client.request(method, f"/{TOKEN}/{path}", headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403, (method, path)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_do_nothing(client, method):
    for path in ("", "say", "upload", "export/txt", "next"):
        found = client.request(method, f"/{TOKEN}/{path}")
        assert found.status_code == 405
        assert "access-control-allow-origin" not in found.headers


@pytest.mark.parametrize(
    "path",
    [
        "page/99",
        "page/99999999999999999999",
        "page/0/99.jpg",
        "page/99/0.jpg",
        "line/0/0/99.webp",
        "line/0/99/0.webp",
        "line/99999999999999999999/0/0.webp",
        "symbol?symbol=",
        "symbol?symbol=%00",
        "symbol",
        "symbol?symbol=e&first=x",
        "symbol?symbol=e&first=99999999999999999999",
        "next?show=nothing",
        "export/nothing",
        "export/%00",
    ],
)
def test_odd_numbers_and_names_are_refused_or_give_nothing(client, path):
    found = client.get(f"/{TOKEN}/{path}")
    assert found.status_code in (200, 400, 404)
    assert "Traceback" not in found.text


def test_markup_that_was_said_leaves_as_text_in_every_format(client):
    line = client.get(f"/{TOKEN}/next").json()["lines"][0]
    client.post(f"/{TOKEN}/say", content=json.dumps({"key": line["key"], "text": MARKUP}))
    assert MARKUP in client.get(f"/{TOKEN}/export/txt").text
    for name in ("hocr", "alto", "page"):
        assert b"<img src" not in client.get(f"/{TOKEN}/export/{name}").content


@in_chromium
def test_markup_in_names_and_texts_is_shown_and_not_run(tmp_path):
    pages = print_pages(tmp_path, [TEXT[:1]], names=[f"{MARKUP.replace('/', '')}.png"])
    record_of(pages).write(tmp_path / "out")
    server = Server(tmp_path / "out")
    try:
        with browsing() as browser:
            browser.get(server.url)
            until(lambda: browser.switch_to.active_element.get_attribute("id"), "text")
            told = browser.execute_script(
                "return fetch('next').then(found => found.json()).then(found => fetch('say', {method: 'POST', body: "
                "JSON.stringify({key: found.lines[0].key, text: arguments[0]})})).then(found => found.status)".replace(
                    "arguments[0]", json.dumps(MARKUP)
                )
            )
            assert told == 200
            named = browser.execute_script(
                "return fetch('upload?kind=scans&name=' + encodeURIComponent(arguments[0] + '.png'), "
                "{method: 'POST', body: 'x'}).then(found => found.status)",
                MARKUP,
            )
            assert named == 200
            for view, where in (("pages", "page-text"), ("learn", "files"), ("lines", "main"), ("alphabet", "main")):
                browser.get("about:blank")
                browser.get(f"{server.url}#{view}")
                if where != "main":
                    until(lambda where=where: "onerror" in browser.find_element("id", where).text, True)
                assert browser.title != "owned"
                assert browser.find_elements("css selector", "img[src='x'], img[onerror]") == []
            assert complaints(browser) == []
    finally:
        server.end(signal.SIGKILL)
