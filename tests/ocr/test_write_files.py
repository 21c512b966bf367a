"""Which files a book becomes, and what is in text, JSON and training pairs."""

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from PIL import Image

from labelfree.errors import InputError
from labelfree.ocr.export import FORMATS, DocumentWriter, check_outputs, output_stems, write_document
from labelfree.ocr.export.pairs import pairs
from labelfree.ocr.export.records import json_record
from labelfree.ocr.export.writer import plain_text
from labelfree.ocr.types import Alternative, Box, Document, Glyph, Line, Page, Region

from .readings import HEIGHT, SCHOLARS, WIDTH, document_of, drawn_document, line_of, page_of, pages_of_text, two_columns

NOON = datetime(2031, 5, 4, 12, 30, tzinfo=UTC)


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def stems(*sources: str | tuple[str, int]) -> list[str]:
    named = [(source, 0) if isinstance(source, str) else source for source in sources]
    return [stem.as_posix() for stem in output_stems([(Path(name), i) for name, i in named])]


@pytest.mark.parametrize(
    ("sources", "wanted"),
    [
        (["in/a.png", "in/b.png"], ["a", "b"]),
        (["one/a.png", "two/b.png"], ["a", "b"]),
        (["one/a.png", "two/a.png", "two/b.png"], ["one/a", "two/a", "two/b"]),
        (["in/a.png", "in/deep/A.png"], ["a", "deep/A"]),
        (["x/../one/a.png", "two/a.png"], ["one/a", "two/a"]),
        (["in/a.png", "in/a.tif"], ["a", "a.tif"]),
        (["in/a.png", "in/A.tif"], ["a", "A.tif"]),
        ([("in/a.tif", 0), ("in/a.tif", 1)], ["a_0001", "a_0002"]),
        ([("in/a.pdf", 6)], ["a"]),
        (["in/a_0001.png", ("in/a.tif", 0), ("in/a.tif", 1)], ["a_0001", "a.tif_0001", "a_0002"]),
        (["in/book.png", "in/c.png"], ["book.png", "c"]),
        (["in/a.png", "in/a.png"], ["a_0001", "a.png_0001"]),
        ([("a.tif", 0), ("a.tif", 0), ("a.tif", 0)], ["a_0001", "a.tif_0001", "a.tif_0001-2"]),
        (["in/v1.2.png"], ["v1.2"]),
    ],
)
def test_files_have_the_stem_of_their_image_and_none_takes_anothers_place(sources, wanted):
    assert stems(*sources) == wanted


def test_every_format_gives_its_files(tmp_path):
    book = drawn_document(tmp_path, "one line", "and another")
    written = write_document(book, FORMATS, tmp_path / "deep" / "out")
    of_a_page = [f"scan.{ending}" for ending in ("alto.xml", "hocr", "json", "page.xml", "txt")]
    of_pairs = [f"pairs/scan_000{i}.{ending}" for i in (1, 2) for ending in ("gt.txt", "png")]
    assert files_below(tmp_path / "deep" / "out") == sorted(
        ["book.pdf", "book.text.txt", "book.txt", *of_a_page, *of_pairs]
    )
    assert sorted(path.relative_to(tmp_path / "deep" / "out").as_posix() for path in written) == files_below(
        tmp_path / "deep" / "out"
    )


def test_only_what_is_asked_for_is_written(tmp_path):
    write_document(document_of("no picture is needed"), ["json", "json"], tmp_path)
    assert files_below(tmp_path) == ["scan.json"]


def test_an_unknown_format_is_named_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"format 'docx' is not known; one of txt, text, hocr, .* wanted"):
        write_document(document_of("x"), ["txt", "docx"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match=r"out cannot be written"):
        write_document(document_of("x"), ["txt"], tmp_path / "out")


def test_images_of_the_same_stem_keep_apart(tmp_path):
    book = Document((page_of("one", source=tmp_path / "a" / "1.png"), page_of("two", source=tmp_path / "b" / "1.png")))
    write_document(book, ["txt"], tmp_path / "out")
    texts = {name: (tmp_path / "out" / name).read_text() for name in files_below(tmp_path / "out")}
    assert texts == {"a/1.txt": "one\n", "b/1.txt": "two\n", "book.txt": "one\ntwo\n"}


def written_page_by_page(document: Document, out: Path, formats=FORMATS) -> DocumentWriter:
    keys = [page.key for page in document.pages]
    writer = DocumentWriter(out, formats, dict(zip(keys, output_stems(keys), strict=True)), created=NOON)
    facts = Document((), document.language, document.model)
    for page in reversed(document.pages):
        writer.page(page, facts)
    writer.whole(document)
    return writer


def test_pages_written_one_by_one_are_those_written_at_once(tmp_path):
    for name in ("one.png", "two.png"):
        Image.new("L", (WIDTH, HEIGHT), 255).save(tmp_path / name)
    pages = tuple(page_of("a line", "another", source=tmp_path / name) for name in ("one.png", "two.png"))
    document = Document(pages, "de", {"kl": 0.02})
    writer = written_page_by_page(document, tmp_path / "by page")
    write_document(document, FORMATS, tmp_path / "at once", created=NOON)
    names = files_below(tmp_path / "at once")
    assert files_below(tmp_path / "by page") == names
    assert all((tmp_path / "by page" / n).read_bytes() == (tmp_path / "at once" / n).read_bytes() for n in names)
    planned = [path.relative_to(tmp_path / "by page").as_posix() for path in writer.planned]
    assert sorted(planned) == sorted([name for name in names if not name.startswith("pairs/")] + ["pairs"])


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_there_is_refused_before_it_would_be_replaced(tmp_path, form):
    document = drawn_document(tmp_path, "one line")
    writer = written_page_by_page(document, tmp_path / "out", [form])
    there = len(writer.planned)
    with pytest.raises(InputError, match=rf"exists already \({there} in all\); .*force=True") as caught:
        check_outputs(writer.planned, force=False)
    assert str(caught.value).startswith(str(writer.planned[0]))
    assert "\n" not in str(caught.value)
    check_outputs(writer.planned, force=True)


def test_places_that_are_free_are_allowed_and_those_below_a_file_are_not(tmp_path):
    check_outputs([tmp_path / "new" / "deep" / "a.txt"], force=False)
    (tmp_path / "new").write_text("a file")
    with pytest.raises(InputError, match="new is no folder"):
        check_outputs([tmp_path / "new" / "deep" / "a.txt"], force=True)


def test_a_page_whose_lines_an_xml_file_marks_has_the_picture_of_its_image(tmp_path):
    numbered_picture().save(tmp_path / "scan.png")
    schema = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
    (tmp_path / "marks.xml").write_text(f'<PcGts xmlns="{schema}"><Page imageFilename="scan.png"/></PcGts>')
    document = Document((page_of("one line", source=tmp_path / "marks.xml"),))
    write_document(document, FORMATS, tmp_path / "out")
    assert 'imageFilename="scan.png"' in (tmp_path / "out" / "marks.page.xml").read_text()
    assert "scan.png" in (tmp_path / "out" / "marks.alto.xml").read_text()
    assert (tmp_path / "out" / "pairs" / "marks.png").exists()


def test_a_blank_page_has_an_empty_text():
    assert plain_text(Page(Path("blank.png"), 0, 9, 9, ())) == b""


def test_text_that_utf_8_cannot_hold_is_marked():
    assert plain_text(page_of("a\ud800b")).decode() == "a\ufffdb\n"


@settings(max_examples=60, deadline=None)
@given(pages_of_text)
def test_any_text_can_be_read_back(texts):
    book = document_of(*texts)
    (page,) = book.pages
    wanted = [line.text for line in page.lines]
    assert plain_text(page).decode().split("\n") == [*wanted, ""]
    record = json.loads(json_record(page, book))
    assert [line["text"] for line in record["lines"]] == wanted
    assert ["".join(glyph["text"] for glyph in line["glyphs"]) for line in record["lines"]] == texts


def test_json_has_boxes_and_confidences_of_lines_words_and_glyphs():
    page = two_columns()
    book = Document((page,), "de", {"kl": float("inf"), "from": Path("model"), "steps": (1, 2)})
    record = json.loads(json_record(page, book), parse_constant=pytest.fail)
    assert record["model"] == {"kl": None, "from": "model", "steps": [1, 2]}
    assert (record["source"], record["index"], record["width"], record["angle"]) == ("leaf.tif", 3, WIDTH, 0.5)
    line = record["lines"][1]
    assert [word["text"] for word in line["words"]] == ["a", "chQ"]
    assert line["words"][1] == {"text": "chQ", "box": [40, 55, 72, 95], "confidence": 0.9}
    assert line["glyphs"][1] == {"text": " ", "box": [22, 60, 40, 80], "confidence": 0.7}
    for part in (glyph for line in record["lines"] for glyph in line["glyphs"]):
        assert 0 <= part["box"][0] <= part["box"][2] <= WIDTH
        assert 0 <= part["box"][1] <= part["box"][3] <= HEIGHT


def test_json_has_regions_and_what_else_a_doubtful_character_may_be():
    page = page_of("It", "12")
    doubtful = replace(page.lines[0].glyphs[0], confidence=0.5, alternatives=(Alternative("l", 0.3),))
    line = replace(page.lines[0], glyphs=(doubtful, *page.lines[0].glyphs[1:]))
    regions = (Region("paragraph", line.box, (0,)), Region("picture", Box(5, 90, WIDTH + 5, 99)))
    page = replace(page, lines=(line, page.lines[1]), regions=regions)
    record = json.loads(json_record(page, Document((page,))))
    assert [(region["kind"], region["lines"]) for region in record["regions"]] == [("paragraph", [0]), ("picture", [])]
    assert record["regions"][1]["box"] == [5, 90, WIDTH, 99]
    assert record["lines"][0]["words"][0]["alternatives"] == [{"text": "lt", "share": 0.27}]
    assert record["lines"][0]["glyphs"][0]["alternatives"] == [{"text": "l", "share": 0.3}]
    assert "alternatives" not in record["lines"][1]["words"][0]


def numbered_picture() -> Image.Image:
    """Every pixel differs from its neighbours, so that a cut shows where it was made."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    return Image.fromarray(((7 * x + 31 * y) % 256).astype(np.uint8))


def test_a_pair_is_the_lines_part_of_the_page_and_its_text(tmp_path):
    image = numbered_picture()
    image.save(tmp_path / "scan.png")
    (pair,) = pairs(page_of(SCHOLARS, source=tmp_path / "scan.png"))
    box = line_of(SCHOLARS).box
    np.testing.assert_array_equal(
        np.asarray(Image.open(io.BytesIO(pair.image))), np.asarray(image)[box.y0 : box.y1, box.x0 : box.x1]
    )
    assert pair.text.decode() == SCHOLARS + "\n"


def test_lines_of_little_confidence_and_of_nothing_make_no_pair(tmp_path):
    Image.new("L", (WIDTH, HEIGHT)).save(tmp_path / "scan.png")
    lines = (line_of("sure", 10, confidence=0.95), line_of("unsure", 40, confidence=0.6), line_of("  ", 70))
    page = Page(tmp_path / "scan.png", 0, WIDTH, HEIGHT, lines)
    assert [pair.number for pair in pairs(page, 0.9)] == [1]
    assert [pair.number for pair in pairs(page, 0.0)] == [1, 2]
    write_document(Document((page,)), ["pairs"], tmp_path / "out", least_confidence=0.9)
    assert files_below(tmp_path / "out") == ["pairs/scan_0001.gt.txt", "pairs/scan_0001.png"]


def test_names_of_pairs_have_no_dot_and_none_is_given_twice(tmp_path):
    for name in ("v1.2.png", "v1_2.png"):
        Image.new("L", (WIDTH, HEIGHT)).save(tmp_path / name)
    book = Document(tuple(page_of("x", source=tmp_path / name) for name in ("v1.2.png", "v1_2.png")))
    write_document(book, ["pairs"], tmp_path / "out")
    names = ["v1_2-2.gt.txt", "v1_2-2.png", "v1_2.gt.txt", "v1_2.png"]
    assert files_below(tmp_path / "out") == [f"pairs/{name}" for name in names]


def test_a_slanted_line_is_turned_level(tmp_path):
    downhill, cell, top = 10.0, 24, 40
    rng = np.random.default_rng(0)
    stripe = np.kron(rng.integers(2, size=(4, 60)), np.full((6, 6), 255)).astype(np.uint8)  # 24 x 360, in small squares
    level = np.full((HEIGHT, WIDTH), 255, np.uint8)
    level[top : top + 24, 60:420] = stripe
    turned = Image.fromarray(level).rotate(-downhill, Image.Resampling.BICUBIC, center=(0, 0), fillcolor=255)
    turned.save(tmp_path / "scan.png")
    cos, sin = np.cos(np.radians(downhill)), np.sin(np.radians(downhill))
    glyphs = []
    for along in range(60 + cell // 2, 420, cell):
        x, y = along * cos - (top + 12) * sin, along * sin + (top + 12) * cos
        glyphs.append(Glyph("x", Box(round(x - 12), round(y - 12), round(x + 12), round(y + 12)), 1.0))
    line = Line(Box.around(glyph.box for glyph in glyphs), tuple(glyphs))
    (pair,) = pairs(Page(tmp_path / "scan.png", 0, WIDTH, HEIGHT, (line,), downhill))
    cut = Image.open(io.BytesIO(pair.image))
    assert cut.height < 30 < line.box.height
    assert cut.width == pytest.approx(360, abs=5)
    likeness = np.corrcoef(np.asarray(cut.resize((360, 24))).ravel(), stripe.ravel())[0, 1]
    assert likeness > 0.75


def test_a_box_beside_the_page_still_gives_a_picture(tmp_path):
    Image.new("1", (WIDTH, HEIGHT)).save(tmp_path / "scan.png")
    line = Line(Box(WIDTH + 5, 5, WIDTH + 9, 5), line_of("x").glyphs)
    (pair,) = pairs(Page(tmp_path / "scan.png", 0, WIDTH, HEIGHT, (line,)))
    assert Image.open(io.BytesIO(pair.image)).size == (1, 1)


def test_an_image_that_went_missing_is_named(tmp_path):
    line = Line(Box(0, 0, 9, 9), line_of("x").glyphs)
    with pytest.raises(InputError, match=r"gone\.png cannot be opened again \(No such file"):
        list(pairs(Page(tmp_path / "gone.png", 0, 9, 9, (line,))))
