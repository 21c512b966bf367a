"""Scanned print: the selection of runs, the split by lines, and files that are not what they should be."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from labelfree.alphabet import PAPER_ALPHABET
from labelfree.errors import InputError
from labelfree.repro.tasks.scans import read_boxes, scanned_task
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line

LINES = [f"under the bridge number {i} a heron was waiting, quite still." for i in range(12)]


def make_book(folder: Path, lines: list[str] = LINES, **changes: object) -> Path:
    """A folder of line images with its boxes, as the data folders hold them."""
    folder.mkdir()
    rows = []
    for i, text in enumerate(lines):
        line = set_line(text, bundled_typefaces()[0], 24, np.random.default_rng(i), strength=0.2)
        Image.fromarray(line.ink < 0.5).save(folder / f"{i:03}.png")
        row = {"line": f"{i:03}", "boxes": line.boxes.tolist(), "labels": list(text), "aligned": True} | changes
        rows.append(json.dumps(row))
    boxes = folder.with_name(folder.name + ".tiles.jsonl.gz")
    boxes.write_bytes(gzip.compress("\n".join(rows).encode()))
    return folder


def test_runs_stop_at_symbols_outside_the_alphabet(tmp_path):
    task = scanned_task([make_book(tmp_path / "book")], min_length=25)
    texts = set()
    for part in (task.train, task.test):
        ends = np.cumsum(part.lengths)
        texts |= {PAPER_ALPHABET.decode(part.y[end - n : end]) for end, n in zip(ends, part.lengths, strict=True)}
    assert texts == {" a heron was waiting, quite still."}


def test_all_symbols_on_demand(tmp_path):
    task = scanned_task([make_book(tmp_path / "book")], alphabet=None)
    assert set(task.alphabet.symbols) == set("".join(LINES))
    assert len(task.train.y) + len(task.test.y) == sum(map(len, LINES))


def test_a_fifth_of_every_books_lines_is_kept_for_testing(tmp_path):
    books = [make_book(tmp_path / name) for name in ("one", "two")]
    task = scanned_task(books, alphabet=None)
    assert len(task.test.lengths) == 4
    assert len(task.train.lengths) == 20


def test_lines_that_do_not_match_their_truth_are_left_out(tmp_path):
    folder = make_book(tmp_path / "book", aligned=False)
    assert list(read_boxes(folder)) == []
    with pytest.raises(InputError, match="0 runs of at least 20"):
        scanned_task([folder])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": ["a"]}, "boxes but 1 labels"),
        ({"boxes": "none"}, "no row of boxes"),
        ({"line": "../../etc/passwd"}, "a plain file name wanted"),
        ({"line": "absent"}, "cannot be read as an image"),
    ],
)
def test_rows_that_are_wrong_are_named(tmp_path, changes, message):
    folder = make_book(tmp_path / "book", LINES[:1], **changes)
    with pytest.raises(InputError, match=message):
        list(read_boxes(folder))


def test_missing_and_damaged_files_are_named(tmp_path):
    with pytest.raises(InputError, match=r"nobook\.tiles\.jsonl\.gz: no such file"):
        list(read_boxes(tmp_path / "nobook"))
    folder = make_book(tmp_path / "book")
    boxes = tmp_path / "book.tiles.jsonl.gz"
    boxes.write_bytes(boxes.read_bytes()[:200])
    with pytest.raises(InputError, match="cannot be read"):
        list(read_boxes(folder))


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA is not set")
def test_a_real_book_gives_the_runs_that_its_readme_counts():
    folder = Path(os.environ["LABELFREE_DATA"]) / "english_books_dev" / "lusitania"
    task = scanned_task([folder])
    n_tiles = len(task.train.y) + len(task.test.y)
    assert 11_000 < n_tiles < 14_338
    spaces = (task.train.y == PAPER_ALPHABET.index(" ")).mean()
    assert 0.1 < spaces < 0.25
