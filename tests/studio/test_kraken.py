"""There and back: what the studio gives out, kraken's own parser takes; what kraken saves, the studio takes in."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from labelfree.studio.app import studio_app
from labelfree.studio.shelf import Shelf
from labelfree.studio.state import State

from ..report.printed import TEXT, print_pages, record_of

TOKEN, HOST = "secret-token", "127.0.0.1:8000"
KRAKEN = Path(__file__).parents[2] / "build" / "kraken"
FORMATS = ("alto", "page")
SCRIPT = Path(__file__).with_name("through_kraken.py")


@pytest.mark.skipif(not (KRAKEN / "kraken").is_dir(), reason="kraken is not there; make kraken gets it")
def test_a_book_goes_through_kraken_and_comes_back_corrected(tmp_path):
    document = print_pages(tmp_path, [TEXT])
    record_of(document).write(tmp_path / "out")
    app = studio_app(Shelf(tmp_path / "out", State(tmp_path / "out")), title="book", token=TOKEN, hosts=[HOST])
    client = TestClient(app, base_url=f"http://{HOST}")
    for name in FORMATS:
        (tmp_path / name).write_bytes(exported(client, name))
    words = [sys.executable, str(SCRIPT), str(KRAKEN), "put right in kraken", *FORMATS]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for seen in json.loads(done.stdout):
        assert seen["texts"] == list(TEXT)
        for line, (first, last) in zip(document.pages[0].lines, seen["baselines"], strict=True):
            standing = [glyph.box.y1 for glyph in line.glyphs if glyph.text in "aceimnorsuvwxz"]
            assert min(standing) <= first[1] == last[1] <= max(standing)
            assert (first[0], last[0]) == (line.box.x0, line.box.x1)
    for saved in sorted(tmp_path.glob("*.xml")):
        taken = client.post(f"/{TOKEN}/import?name={saved.name}", content=saved.read_bytes()).json()
        assert taken["lines"] == 1
        assert client.get(f"/{TOKEN}/export/txt").text.splitlines()[0] == "put right in kraken"
        client.post(f"/{TOKEN}/undo")


def exported(client, name):
    content = client.get(f"/{TOKEN}/export/{name}").content
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return packed.read(packed.namelist()[0])
