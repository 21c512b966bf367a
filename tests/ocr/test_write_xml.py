"""hOCR, ALTO and PAGE: the order and attributes their schemas ask for, names, places, confidences, and the text."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from lxml import etree
from PIL import Image

from labelfree.ocr.export.alto import alto
from labelfree.ocr.export.hocr import hocr
from labelfree.ocr.export.pagexml import page_xml
from labelfree.ocr.sources.xml_pages import read_xml_page
from labelfree.ocr.types import Alternative, Box, Document, Line, Page, Region

from .readings import (
    GREEK_AND_RUSSIAN,
    HEIGHT,
    SCHOLARS,
    WIDTH,
    document_of,
    line_of,
    page_of,
    pages_of_text,
    two_columns,
)

NOON = datetime(2031, 5, 4, 12, 30, tzinfo=UTC)
DOCUMENT = Document((two_columns(),), "de", {"kl": 0.03, "path": Path("x"), "bad": float("nan")})

# For each element its children in the order the schema has them, with ? for at most one, + for at least one and * for
# any number; then the attributes that must be there.
ALTO = {
    "alto": ("Description? Styles? Tags? ReadingOrder? Layout", ""),
    "Description": ("MeasurementUnit sourceImageInformation? OCRProcessing* Processing*", ""),
    "MeasurementUnit": ("", ""),
    "sourceImageInformation": ("fileName? fileIdentifier* documentIdentifier*", ""),
    "fileName": ("", ""),
    "Processing": (
        "processingCategory? processingDateTime? processingAgency? processingStepDescription* "
        "processingStepSettings? processingSoftware?",
        "ID",
    ),
    "processingCategory": ("", ""),
    "processingDateTime": ("", ""),
    "processingStepSettings": ("", ""),
    "processingSoftware": ("softwareCreator? softwareName? softwareVersion? applicationDescription?", ""),
    "softwareName": ("", ""),
    "softwareVersion": ("", ""),
    "Layout": ("Page+", ""),
    "Page": ("TopMargin? LeftMargin? RightMargin? BottomMargin? PrintSpace?", "ID PHYSICAL_IMG_NR"),
    "Tags": ("LayoutTag*", ""),
    "LayoutTag": ("", "ID LABEL"),
    "PrintSpace": ("Shape? (TextBlock|Illustration)*", ""),
    "Illustration": ("Shape?", "ID"),
    "TextBlock": ("Shape? TextLine*", "ID"),
    "TextLine": ("Shape? (String SP?)+ HYP?", ""),
    "Shape": ("Polygon", ""),
    "Polygon": ("", "POINTS"),
    "String": ("Shape? ALTERNATIVE* Glyph*", "CONTENT"),
    "ALTERNATIVE": ("", ""),
    "SP": ("", ""),
    "Glyph": ("Shape? Variant*", "CONTENT"),
    "Variant": ("", "CONTENT"),
}
PAGE = {
    "PcGts": ("Metadata Page", ""),
    "Metadata": ("Creator Created LastChange Comments? UserDefined? MetadataItem*", ""),
    "Creator": ("", ""),
    "Created": ("", ""),
    "LastChange": ("", ""),
    "MetadataItem": ("Labels*", "value"),
    "Labels": ("Label*", ""),
    "Label": ("", "value"),
    "Page": (
        "AlternativeImage* Border? PrintSpace? ReadingOrder? Layers? Relations? TextStyle? UserDefined? Labels* "
        "(TextRegion|ImageRegion)*",
        "imageFilename imageWidth imageHeight",
    ),
    "ReadingOrder": ("OrderedGroup", ""),
    "OrderedGroup": ("UserDefined? Labels* RegionRefIndexed+", "id"),
    "RegionRefIndexed": ("", "index regionRef"),
    "ImageRegion": ("AlternativeImage* Coords UserDefined? Labels* Roles?", "id"),
    "TextRegion": (
        "AlternativeImage* Coords UserDefined? Labels* Roles? TextRegion* TextLine* TextEquiv* TextStyle?",
        "id",
    ),
    "TextLine": ("AlternativeImage* Coords Baseline? Word* TextEquiv* TextStyle? UserDefined? Labels*", "id"),
    "Word": ("AlternativeImage* Coords Glyph* TextEquiv* TextStyle? UserDefined? Labels*", "id"),
    "Glyph": ("AlternativeImage* Coords Graphemes? TextEquiv* TextStyle? UserDefined? Labels*", "id"),
    "Coords": ("", "points"),
    "Baseline": ("", "points"),
    "TextEquiv": ("PlainText? Unicode", ""),
    "Unicode": ("", ""),
}
HOCR_PARENT = {
    "ocr_carea": ["ocr_page"],
    "ocr_header": ["ocr_page"],
    "ocr_photo": ["ocr_page"],
    "ocr_par": ["ocr_carea", "ocr_header", "ocr_footer", "ocr_pageno", "ocr_textfloat"],
    "ocr_line": ["ocr_par"],
    "ocrx_word": ["ocr_line"],
    "ocrx_cinfo": ["ocrx_word", "alt"],
}


def with_regions() -> Page:
    """A page with a region of each kind but the footer, of which the last line is in none, and doubtful characters."""
    kinds = ("header", "heading", "paragraph", "marginalia", "page-number")
    page = page_of("Of ferries", "THE QUAY", "It waſ late", "a note", "12", "left over")
    regions = [Region(kind, page.lines[i].box, (i,)) for i, kind in enumerate(kinds)]
    regions.insert(2, Region("picture", Box(300, 50, 400, 90)))
    first, *others = page.lines[2].glyphs
    doubtful = replace(first, confidence=0.5, alternatives=(Alternative("l", 0.3), Alternative("ch", 0.2)))
    lines = list(page.lines)
    lines[2] = replace(lines[2], glyphs=(doubtful, *others))
    return replace(page, lines=tuple(lines), regions=tuple(regions))


NC_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
AWKWARD = {
    "two columns": DOCUMENT,
    "blank page": Document((Page(Path("blank.png"), 0, 50, 60, ()),)),
    "only an empty line": Document((Page(Path("dust.png"), 0, 50, 60, (Line(line_of("x").box, ()),)),)),
    "regions": Document((with_regions(),), "de"),
    "strange names": Document((page_of("x", source=Path('a "b"; \x01<c>.png')),), "not a language!"),
}
awkward = pytest.mark.parametrize("document", AWKWARD.values(), ids=AWKWARD)


def parsed(content: bytes):
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))


def local(element) -> str:
    return etree.QName(element).localname


def found(root, tag: str):
    return root.iterfind(f".//{{*}}{tag}")


def of_class(root, name: str):
    return root.xpath("//*[@class=$name]", name=name)


def properties(element) -> dict[str, list[str]]:
    parts = re.findall(r'\s*((?:"[^"]*"|[^;"])+)', element.get("title"))
    return {words[0]: words[1:] for words in (part.split() for part in parts)}


def assert_follows(root, table):
    for element in root.iter(etree.Element):
        children, attributes = table[local(element)]
        pattern = re.sub(r"(\w+)", r"(?:\1,)", children).replace(" ", "")
        names = "".join(local(child) + "," for child in element)
        assert re.fullmatch(pattern, names), (local(element), names)
        assert all(name in element.attrib for name in attributes.split()), local(element)


def assert_names_are_legal_and_given_once(root, attribute):
    names = [element.get(attribute) for element in root.iter(etree.Element) if element.get(attribute) is not None]
    assert len(set(names)) == len(names)
    assert all(NC_NAME.fullmatch(name) for name in names)


@awkward
def test_alto_has_the_order_and_attributes_of_its_schema(document):
    root = parsed(alto(document.pages[0], document, NOON))
    assert_follows(root, ALTO)
    assert_names_are_legal_and_given_once(root, "ID")
    assert next(found(root, "processingDateTime")).text == "2031-05-04T12:30:00Z"
    for sheet in found(root, "Page"):
        assert sheet.get("PROCESSINGREFS") == next(found(root, "Processing")).get("ID")
        assert re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", sheet.get("LANG", "de"))


@awkward
def test_page_has_the_order_and_attributes_of_its_schema(document):
    root = parsed(page_xml(document.pages[0], document, NOON))
    assert_follows(root, PAGE)
    assert_names_are_legal_and_given_once(root, "id")
    regions = [region.get("id") for region in root.iter("{*}TextRegion", "{*}ImageRegion")]
    assert [ref.get("regionRef") for ref in found(root, "RegionRefIndexed")] == regions
    assert next(found(root, "Created")).text == next(found(root, "LastChange")).text == "2031-05-04T12:30:00Z"
    assert next(found(root, "Page")).get("primaryLanguage", "German") == "German"


@awkward
def test_hocr_nests_its_classes_and_says_which_it_has(document):
    root = parsed(hocr(document.pages[0], document))
    assert_names_are_legal_and_given_once(root, "id")
    notes = {meta.get("name"): meta.get("content") for meta in found(root, "meta")}
    used = {element.get("class") for element in root.iter(etree.Element)} - {None}
    assert used <= set(notes["ocr-capabilities"].split())
    assert notes["ocr-system"].startswith("labelfree ")
    for name, parents in HOCR_PARENT.items():
        assert all(element.getparent().get("class") in parents for element in of_class(root, name))
    (sheet,) = of_class(root, "ocr_page")
    assert properties(sheet)["ppageno"] == [str(document.pages[0].index)]
    assert sheet.get("title").startswith('image "')
    assert sheet.get("title").count('"') == 2
    assert sheet.get("title").count(";") == 2


def test_alto_places_lie_on_the_page_and_confidences_in_their_ranges():
    root = parsed(alto(DOCUMENT.pages[0], DOCUMENT))
    places = [element for element in root.iter(etree.Element) if element.get("HPOS")]
    assert {local(element) for element in places} == {"PrintSpace", "TextBlock", "TextLine", "String", "SP", "Glyph"}
    for element in places:
        x, y, width, height = (int(element.get(name)) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
        assert x >= 0
        assert y >= 0
        assert width >= 0
        assert height >= 0
        assert x + width <= WIDTH
        assert y + height <= HEIGHT
    for string in found(root, "String"):
        assert 0 <= float(string.get("WC")) <= 1
        doubts = string.get("CC", "").split()
        glyphs = list(found(string, "Glyph"))
        assert len(doubts) == len(glyphs) == len(string.get("CONTENT"))
        for doubt, glyph in zip(doubts, glyphs, strict=True):
            assert doubt == str(round(9 * (1 - float(glyph.get("GC")))))
            assert len(glyph.get("CONTENT")) == 1  # by the schema: ligatures come apart
    sheet = next(found(root, "Page"))
    assert float(sheet.get("PC")) == pytest.approx(DOCUMENT.pages[0].confidence, abs=1e-3)
    assert float(sheet.get("ROTATION")) == -0.5  # counter-clockwise


def test_page_outlines_lie_within_those_of_their_parents():
    root = parsed(page_xml(DOCUMENT.pages[0], DOCUMENT))
    for coords in found(root, "Coords"):
        points = coords.get("points")
        assert re.fullmatch(r"(\d+,\d+ )+\d+,\d+", points)
        left, upper, right, lower = bounds(coords)
        outer = coords.getparent().getparent().find("{*}Coords")
        a, b, c, d = (0, 0, WIDTH, HEIGHT) if outer is None else bounds(outer)
        assert a <= left <= right <= c
        assert b <= upper <= lower <= d
    confidences = [float(text.get("conf")) for text in found(root, "TextEquiv") if text.get("conf")]
    assert min(confidences) == 0
    assert max(confidences) == 1
    ligatures = [glyph for glyph in found(root, "Glyph") if glyph.get("ligature") == "true"]
    assert [glyph.findtext("{*}TextEquiv/{*}Unicode") for glyph in ligatures] == ["ch"]
    assert float(next(found(root, "Page")).get("orientation")) == -0.5  # clockwise, to set it right


def bounds(coords) -> tuple[int, int, int, int]:
    xs, ys = zip(*(map(int, point.split(",")) for point in coords.get("points").split()), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def test_hocr_boxes_lie_on_the_page_and_confidences_in_their_ranges():
    root = parsed(hocr(DOCUMENT.pages[0], DOCUMENT))
    for name in ("ocr_carea", "ocr_par", "ocr_line", "ocrx_word", "ocrx_cinfo"):
        assert of_class(root, name)
        for element in of_class(root, name):
            said = properties(element)
            x0, y0, x1, y1 = map(int, said["x_bboxes" if name == "ocrx_cinfo" else "bbox"])
            assert 0 <= x0 <= x1 <= WIDTH
            assert 0 <= y0 <= y1 <= HEIGHT
    for word in of_class(root, "ocrx_word"):
        said = properties(word)
        assert 0 <= int(said["x_wconf"][0]) <= 100
        assert said["x_confs"] == [properties(sign)["x_confs"][0] for sign in word]
        assert all(0 <= float(sure) <= 100 for sure in said["x_confs"])
    assert properties(of_class(root, "ocr_line")[0])["textangle"] == ["-0.500"]


def test_lines_keep_their_own_names_where_these_are_legal_and_free():
    root = parsed(page_xml(DOCUMENT.pages[0], DOCUMENT))
    names = [line.get("id") for line in found(root, "TextLine")]
    assert names == ["head", "same", "same.2", "_7_not_a_name", "line_5"]


def test_lines_that_run_to_the_left_say_so():
    document = document_of("שלום (12)", "to the right")
    (page,) = document.pages
    to_left, to_right = found(parsed(alto(page, document, NOON)), "TextLine")
    assert (to_left.get("BASEDIRECTION"), to_right.get("BASEDIRECTION")) == ("rtl", None)
    to_left, to_right = found(parsed(page_xml(page, document, NOON)), "TextLine")
    assert (to_left.get("readingDirection"), to_right.get("readingDirection")) == ("right-to-left", None)
    to_left, to_right = of_class(parsed(hocr(page, document)), "ocr_line")
    assert (to_left.get("dir"), to_right.get("dir")) == ("rtl", None)


def test_a_column_is_a_block():
    root = parsed(alto(DOCUMENT.pages[0], DOCUMENT))
    assert [len(block) for block in found(root, "TextBlock")] == [3, 2]


def test_regions_have_the_types_of_page_the_tags_of_alto_and_the_classes_of_hocr():
    page = with_regions()
    document = Document((page,), "en")
    root = parsed(page_xml(page, document))
    kinds = [region.get("type", local(region)) for region in root.iter("{*}TextRegion", "{*}ImageRegion")]
    assert kinds == ["header", "heading", "ImageRegion", "paragraph", "marginalia", "page-number", "paragraph"]
    root = parsed(alto(page, document))
    labels = {tag.get("ID"): tag.get("LABEL") for tag in found(root, "LayoutTag")}
    blocks = root.iter("{*}TextBlock", "{*}Illustration")
    assert [labels.get(block.get("TAGREFS"), "ImageRegion") for block in blocks] == kinds
    root = parsed(hocr(page, document))
    (sheet,) = of_class(root, "ocr_page")
    areas = ["header", "carea", "photo", "carea", "textfloat", "pageno", "carea"]
    assert [area.get("class") for area in sheet] == [f"ocr_{name}" for name in areas]
    assert [local(paragraph) for paragraph in of_class(root, "ocr_par")] == ["p", "h2", "p", "p", "p", "p"]


@pytest.mark.parametrize("write", [page_xml, alto])
def test_kinds_of_regions_that_are_written_are_read_again(tmp_path, write):
    page = with_regions()
    Image.new("L", (WIDTH, HEIGHT), 255).save(tmp_path / "scan.png")
    (tmp_path / "page.xml").write_bytes(write(page, Document((page,))))
    again = read_xml_page(tmp_path / "page.xml")
    rest = Region("paragraph", page.lines[5].box, (5,))
    assert [(region.kind, region.lines) for region in again.regions] == [
        (region.kind, region.lines) for region in (*page.regions, rest)
    ]
    boxes = [Box(*map(int, (*region.outline.min(0), *region.outline.max(0)))) for region in again.regions]
    assert boxes[2] == page.regions[2].box


def test_a_doubtful_word_has_its_alternatives_the_likeliest_first():
    page = with_regions()
    document = Document((page,))
    (string,) = (each for each in found(parsed(alto(page, document)), "String") if each.get("CONTENT") == "It")
    assert [other.text for other in found(string, "ALTERNATIVE")] == ["lt", "cht"]
    assert [other.get("CONTENT") for other in found(string, "Variant")] == ["l"]  # by the schema, one character
    (word,) = (each for each in of_class(parsed(hocr(page, document)), "ocrx_word") if "It" in "".join(each.itertext()))
    assert ["".join(each.itertext()) for each in word[0]] == ["It", "lt", "cht"]
    costs = [float(properties(each)["nlp"][0]) for each in word[0]]
    assert costs == sorted(costs)
    assert properties(word)["x_wconf"] == ["70"]
    words = found(parsed(page_xml(page, document)), "Word")
    (read,) = (each for each in words if each.findtext("{*}TextEquiv/{*}Unicode") == "It")
    readings = [(each.get("index"), each.findtext("{*}Unicode")) for each in read.iterfind("{*}TextEquiv")]
    assert readings == [("0", "It"), ("1", "lt"), ("2", "cht")]


@pytest.mark.parametrize("text", ["a\x00b", "\x1b", "\ufffe", "\ud800"])
def test_what_xml_cannot_hold_is_marked(text):
    document = Document((Page(Path("scan.png"), 0, WIDTH, HEIGHT, (line_of(text),)),))
    for form in (hocr, alto, page_xml):
        assert "\ufffd" in etree.tostring(parsed(form(document.pages[0], document)), encoding="unicode")


@pytest.mark.parametrize("texts", [[SCHOLARS, GREEK_AND_RUSSIAN], ["]]> &amp; <!--", "'\"", "\U0001d504\u0364"]])
def test_the_text_can_be_read_back(texts):
    assert_same_text(texts)


@settings(max_examples=60, deadline=None)
@given(pages_of_text)
def test_any_text_can_be_read_back(texts):
    assert_same_text(texts)


def assert_same_text(texts):
    document = document_of(*texts)
    (page,) = document.pages
    wanted = [line.text for line in page.lines]
    root = parsed(alto(page, document))
    assert [" ".join(s.get("CONTENT") for s in found(line, "String")) for line in found(root, "TextLine")] == wanted
    root = parsed(page_xml(page, document))
    lines = list(found(root, "TextLine"))
    assert [line.findtext("{*}TextEquiv/{*}Unicode") for line in lines] == wanted
    words = [[word.findtext("{*}TextEquiv/{*}Unicode") for word in found(line, "Word")] for line in lines]
    assert [" ".join(of_line) for of_line in words] == wanted
    root = parsed(hocr(page, document))
    assert ["".join(line.itertext()) for line in of_class(root, "ocr_line")] == [
        " ".join("".join(glyph.text for glyph in word.glyphs) for word in line.words) for line in page.lines
    ]
