"""Files of many pages are read page by page: the seconds grow with the pages, and what is held does not."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import growth
from labelfree.ocr.layout.scans import read_lines
from labelfree.workers import workers


@pytest.mark.parametrize("kind", growth.WRITERS)
def test_many_pages_cost_what_they_are_worth(kind):
    found = growth.growth([100, 400], [kind])
    (slope, held) = (check["value"] for check in found["checks"])
    assert slope < 1.5  # 2 where each page is looked for from the first
    assert held < 40


@pytest.mark.parametrize("kind", growth.WRITERS)
def test_pages_come_in_order_whoever_reads_them(kind, tmp_path):
    growth.WRITERS[kind](tmp_path / f"pages.{kind}", 40)
    for hands in (1, 2):
        with workers(hands):
            assert [page.page for page in read_lines([tmp_path / f"pages.{kind}"], "page")] == list(range(40))


def test_a_file_of_too_many_pages_is_refused_and_read_where_it_is_trusted(tmp_path, monkeypatch):
    from labelfree.errors import InputError

    growth.WRITERS["pdf"](tmp_path / "pages.pdf", 40)
    monkeypatch.setenv("LABELFREE_LIMITS", "pages=39")
    with pytest.raises(
        InputError, match=r"pages\.pdf has 40 pages, at most 39 wanted; allow LABELFREE_LIMITS=pages=40"
    ):
        list(read_lines([tmp_path / "pages.pdf"]))
    monkeypatch.setenv("LABELFREE_LIMITS", "pages=40")
    assert len(list(read_lines([tmp_path / "pages.pdf"], "line"))) == 40
