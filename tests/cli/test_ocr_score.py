"""`labelfree ocr score`: what it says, and both texts side by side."""

import json

from lxml import html

TRUTH = "The <b>ferry</b> was late & nobody came, though the lamps of the long quay had been lit since the afternoon.\n"
READ = (
    "The <b>ferry</b>\nwas late & nobody\ncame, though the\nlamps of the long\nquay had been lit\nsince the after-\n"
    "nocn.\n"
)


def test_both_texts_stand_side_by_side_in_one_file(labelfree, refused, tmp_path):
    (tmp_path / "read.txt").write_text(READ)
    (tmp_path / "truth.txt").write_text(TRUTH)
    page = tmp_path / "compared.html"
    arguments = ["ocr", "score", tmp_path / "read.txt", tmp_path / "truth.txt", "--html", page]
    told = labelfree(*arguments).out
    assert "over 108 characters; line breaks, and hyphens at line ends, not compared" in told
    shown = html.fromstring(page.read_bytes())
    rows = [["".join(cell.itertext()) for cell in row] for row in shown.xpath("//tbody/tr")]
    assert " ".join(truth for _, truth, _ in rows) == TRUTH.strip()
    assert " ".join(read for *_, read in rows) == TRUTH.strip().replace("noon", "nocn")
    assert [each.text for each in shown.xpath("//td/del")] == ["o"]
    assert [each.text for each in shown.xpath("//td/ins")] == ["c"]
    assert not shown.xpath("//b | //script | //*[@src] | //link[not(starts-with(@href, 'data:'))]")
    assert "exists" in refused(*arguments)
    assert labelfree(*arguments, "--force").code == 0


def test_whether_line_breaks_count_can_be_said(labelfree, tmp_path):
    (tmp_path / "read.txt").write_text(READ)
    (tmp_path / "truth.txt").write_text(TRUTH)
    scored = ["ocr", "score", tmp_path / "read.txt", tmp_path / "truth.txt", "--json"]
    assert json.loads(labelfree(*scored).out)["character_errors"] == 1
    kept = json.loads(labelfree(*scored, "--line-breaks", "kept").out)
    assert (kept["line_breaks"], kept["character_errors"]) == ("kept", 8)
