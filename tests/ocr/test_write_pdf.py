"""Searchable PDF: what a reader of PDF finds, where, and what it shows."""

import io
import re
import zlib

import numpy as np
import pypdfium2
import pytest
from hypothesis import HealthCheck, given, settings
from PIL import Image, ImageDraw, ImageFont

from labelfree.errors import InputError
from labelfree.ocr.export.glyphless import font_file
from labelfree.ocr.export.pdf import searchable_pdf
from labelfree.ocr.types import Box, Document, Glyph, Line, Page

from .readings import GREEK_AND_RUSSIAN, HEIGHT, SCHOLARS, WIDTH, drawn_document, line_of, page_of, pages_of_text

INK = (200, 100, 500, 180)


def picture(paper: int = 255) -> Image.Image:
    image = Image.new("L", (WIDTH, HEIGHT), paper)
    ImageDraw.Draw(image).rectangle(INK, fill=0)
    return image


def streams(content: bytes) -> list[bytes]:
    packed = re.findall(rb"/FlateDecode /Length (\d+)[^>]*>>\nstream\n", content)
    starts = [match.end() for match in re.finditer(rb"/FlateDecode /Length \d+[^>]*>>\nstream\n", content)]
    return [zlib.decompress(content[start : start + int(size)]) for start, size in zip(starts, packed, strict=True)]


def text_by_its_tables(content: bytes) -> list[str]:
    """The lines of a PDF from its own table of codes, with no reader's ideas of what text looks like."""
    parts = streams(content)
    (table,) = (part for part in parts if b"begincmap" in part)
    pairs = re.findall(rb"<([0-9A-F]{4})> <([0-9A-F]+)>", table)
    meaning = {code: bytes.fromhex(utf16.decode()).decode("utf-16-be") for code, utf16 in pairs}
    drawings = [part for part in parts if part.startswith(b"q ")]
    rows = [row for drawing in drawings for row in drawing.split(b"\n") if b" Tm " in row]
    return ["".join(meaning[code] for code in re.findall(rb"<([0-9A-F]{4})> Tj", row)) for row in rows]


@pytest.mark.parametrize("text", [SCHOLARS, GREEK_AND_RUSSIAN])
def test_a_reader_finds_the_text_line_by_line(tmp_path, text):
    book = drawn_document(tmp_path, text, "und noch eine Zeile")
    with pypdfium2.PdfDocument(searchable_pdf(book)) as pdf:
        assert pdf[0].get_textpage().get_text_range().split("\r\n") == [text, "und noch eine Zeile"]


def test_each_character_stands_over_its_picture(tmp_path):
    book = drawn_document(tmp_path, SCHOLARS)
    line = book.pages[0].lines[0]
    with pypdfium2.PdfDocument(searchable_pdf(book)) as pdf:
        text = pdf[0].get_textpage()
        points = 72 / 300
        for i, glyph in enumerate(line.glyphs):
            left, bottom, right, top = (edge / points for edge in text.get_charbox(i))
            assert text.get_text_range(i, 1) == glyph.text
            assert left == pytest.approx(glyph.box.x0, abs=0.1)
            assert right == pytest.approx(glyph.box.x1, abs=1.1)  # a character ends where the next begins
            assert HEIGHT - top == pytest.approx(line.box.y0, abs=0.5)
            assert HEIGHT - bottom == pytest.approx(line.box.y1, abs=0.5)


def test_the_text_is_found_by_searching_for_it(tmp_path):
    with pypdfium2.PdfDocument(searchable_pdf(drawn_document(tmp_path, SCHOLARS))) as pdf:
        text = pdf[0].get_textpage()
        assert text.search("ſchöne", match_case=True).get_next() == (SCHOLARS.index("ſchöne"), 6)


SHADES = [("a.png", mode) for mode in ("L", "RGB", "P", "RGBA", "I;16")] + [("a.jpg", "RGB"), ("a.tif", "CMYK")]
BLACK_AND_WHITE = [("a.png", "1"), ("a.tif", "1"), ("a.png", "L")]


@pytest.mark.parametrize(
    ("name", "mode", "paper", "packing"),
    [(*case, 250, b"DCTDecode") for case in SHADES] + [(*case, 255, b"CCITTFaxDecode") for case in BLACK_AND_WHITE],
)
def test_the_picture_is_shown_and_the_text_is_not(tmp_path, name, mode, paper, packing):
    grey = picture(paper=paper)
    image = grey.convert(mode) if mode != "I;16" else Image.fromarray(np.asarray(grey, np.uint16) * 257)
    image.save(tmp_path / name, dpi=(150, 150))
    page = page_of("many letters " * 5, source=tmp_path / name)
    content = searchable_pdf(Document((page,)))
    assert packing in content
    with pypdfium2.PdfDocument(content) as pdf:
        assert pdf[0].get_size() == pytest.approx((WIDTH * 72 / 150, HEIGHT * 72 / 150), abs=0.01)
        shown = pdf[0].render(scale=150 / 72).to_pil().convert("L")
    difference = np.abs(np.asarray(shown.resize((WIDTH, HEIGHT)), int) - np.asarray(picture(), int))
    assert (difference > 60).mean() < 0.002  # edges at most
    assert difference[:90].max() < 10  # where only text is


def test_a_jpeg_goes_in_as_it_is(tmp_path):
    picture().save(tmp_path / "a.jpg", quality=60)
    content = searchable_pdf(Document((page_of("x", source=tmp_path / "a.jpg"),)))
    assert (tmp_path / "a.jpg").read_bytes() in content


def test_a_page_of_a_pdf_keeps_its_size_and_look(tmp_path):
    picture().save(tmp_path / "in.pdf", resolution=200)
    page = page_of("one", source=tmp_path / "in.pdf")
    with pypdfium2.PdfDocument(searchable_pdf(Document((page,)))) as pdf:
        assert pdf[0].get_size() == pytest.approx((WIDTH * 72 / 200, HEIGHT * 72 / 200), abs=0.5)
        shown = np.asarray(pdf[0].render(scale=200 / 72).to_pil().convert("L"))
    assert shown[140, 300] < 30
    assert shown[30, 300] > 225


def test_pages_of_one_file_come_in_their_order(tmp_path):
    first, second = picture(), Image.new("L", (WIDTH, HEIGHT), 0)
    first.save(tmp_path / "two.tif", save_all=True, append_images=[second])
    pages = tuple(page_of(text, source=tmp_path / "two.tif", index=i) for i, text in enumerate(("first", "second")))
    with pypdfium2.PdfDocument(searchable_pdf(Document(pages))) as pdf:
        assert [page.get_textpage().get_text_range() for page in pdf] == ["first", "second"]
        assert [int(np.asarray(page.render().to_pil().convert("L"))[2, 2]) for page in pdf] == [255, 0]


def test_text_of_a_slanted_line_climbs_along_with_it(tmp_path):
    picture().save(tmp_path / "scan.png")
    downhill = 3.0
    slope = np.tan(np.radians(downhill))
    glyphs = tuple(
        Glyph(letter, Box(20 + 40 * i, round(50 + slope * 40 * i), 50 + 40 * i, round(80 + slope * 40 * i)), 0.9)
        for i, letter in enumerate("slantedletters")
    )
    page = Page(tmp_path / "scan.png", 0, WIDTH, HEIGHT, (Line(Box.around(g.box for g in glyphs), glyphs),), downhill)
    with pypdfium2.PdfDocument(searchable_pdf(Document((page,)))) as pdf:
        text = pdf[0].get_textpage()
        assert text.get_text_range() == "slantedletters"
        for i, glyph in enumerate(glyphs):
            left, bottom, right, top = (edge * 300 / 72 for edge in text.get_charbox(i))
            assert (left + right) / 2 == pytest.approx((glyph.box.x0 + glyph.box.x1) / 2, abs=7)
            assert HEIGHT - (top + bottom) / 2 == pytest.approx((glyph.box.y0 + glyph.box.y1) / 2, abs=4)


def test_letters_that_run_leftwards_are_set_where_they_are(tmp_path):
    book = drawn_document(tmp_path, "x")
    glyphs = tuple(Glyph(letter, Box(300 - 30 * i, 20, 320 - 30 * i, 40), 0.9) for i, letter in enumerate("abc"))
    page = Page(book.pages[0].source, 0, WIDTH, HEIGHT, (Line(Box(240, 20, 320, 40), glyphs),))
    content = searchable_pdf(Document((page,)))
    assert text_by_its_tables(content) == ["a", "b", "c"]
    with pypdfium2.PdfDocument(content) as pdf:
        text = pdf[0].get_textpage()
        places = {text.get_text_range(i, 1): text.get_charbox(i)[0] * 300 / 72 for i in range(text.count_chars())}
    assert [places[letter] for letter in "abc"] == pytest.approx([300, 270, 240], abs=0.1)


def test_empty_pages_lines_and_boxes_are_no_trouble(tmp_path):
    picture().save(tmp_path / "scan.png")
    nothing = Line(Box(5, 5, 5, 5), ())
    thin = Line(Box(9, 9, 9, 9), (Glyph(" ", Box(9, 9, 9, 9), 0.5), Glyph("i", Box(9, 9, 9, 9), 0.5)))
    page = Page(tmp_path / "scan.png", 0, WIDTH, HEIGHT, (nothing, thin))
    blank = Page(tmp_path / "scan.png", 0, WIDTH, HEIGHT, ())
    content = searchable_pdf(Document((page, blank)))
    assert text_by_its_tables(content) == ["i"]
    with pypdfium2.PdfDocument(content) as pdf:
        assert len(pdf) == 2


def test_a_picture_that_went_missing_is_named(tmp_path):
    with pytest.raises(InputError, match=r"gone\.png cannot be opened again .* put it back"):
        searchable_pdf(Document((page_of("x", source=tmp_path / "gone.png"),)))


def test_the_same_book_gives_the_same_bytes(tmp_path):
    book = drawn_document(tmp_path, SCHOLARS)
    assert searchable_pdf(book) == searchable_pdf(book)


def test_the_font_checks_out():
    font = font_file()
    assert sum(int.from_bytes(font[i : i + 4], "big") for i in range(0, len(font), 4)) % 2**32 == 0xB1B0AFBA
    assert ImageFont.truetype(io.BytesIO(font), 20).getmetrics() == (16, 4)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pages_of_text)
def test_any_text_can_be_read_back(tmp_path, texts):
    book = drawn_document(tmp_path, *texts)
    content = searchable_pdf(book)
    assert text_by_its_tables(content) == texts


def test_a_line_of_thousands_of_signs_has_a_code_for_each(tmp_path):
    signs = "".join(chr(code) for code in range(0x4E00, 0x4E00 + 3000))
    book = drawn_document(tmp_path, "x")
    page = Page(book.pages[0].source, 0, WIDTH, HEIGHT, (line_of(signs),))
    content = searchable_pdf(Document((page,)))
    assert text_by_its_tables(content) == [signs]
    sections = [int(n) for part in streams(content) for n in re.findall(rb"(\d+) beginbfchar", part)]
    assert max(sections) == 100  # no more are allowed in one
    assert sum(sections) == 3000
