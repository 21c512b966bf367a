"""Boxes, glyphs, words, lines and pages."""

import dataclasses
from pathlib import Path

import pytest

from labelfree.errors import InputError
from labelfree.ocr.types import Box, Document, Glyph, Line, Page, Region, Word

from .readings import line_of, page_of

HERE = Box(0, 0, 10, 20)


def test_a_box_that_ends_before_it_begins_is_refused():
    with pytest.raises(InputError, match=r"^box \(5, 0, 4, 9\) ends before it begins"):
        Box(5, 0, 4, 9)


@pytest.mark.parametrize(
    ("box", "kept"),
    [
        (Box(-3, -4, 5, 6), Box(0, 0, 5, 6)),
        (Box(90, 40, 130, 70), Box(90, 40, 100, 50)),
        (Box(200, 200, 300, 300), Box(100, 50, 100, 50)),
    ],
)
def test_a_box_keeps_to_the_page(box, kept):
    assert box.within(100, 50) == kept


@pytest.mark.parametrize("confidence", [-0.1, 1.0001, float("nan")])
def test_a_confidence_that_is_no_share_is_refused(confidence):
    with pytest.raises(InputError, match="a share from 0 to 1 wanted"):
        Glyph("a", HERE, confidence)


def test_nothing_can_be_changed():
    for thing, name in ((Glyph("a", HERE, 1.0), "text"), (line_of("a"), "box"), (page_of("a"), "lines")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, name, None)
    with pytest.raises(AttributeError):
        HERE.x0 = None


def test_words_are_parted_at_spaces_of_any_kind_and_number():
    line = line_of("  one  two\u00a0three ")
    assert [word.text for word in line.words] == ["one", "two", "three"]
    assert line.text == "one two three"


def test_a_word_has_the_box_and_the_mean_confidence_of_its_glyphs():
    word = Word((Glyph("a", Box(3, 5, 9, 20), 0.4), Glyph("b", Box(8, 1, 15, 19), 0.8)))
    assert word.box == Box(3, 1, 15, 20)
    assert word.confidence == pytest.approx(0.6)


def test_a_lines_confidence_counts_its_spaces():
    line = Line(HERE, (Glyph("a", HERE, 1.0), Glyph(" ", HERE, 0.1), Glyph("b", HERE, 1.0)))
    assert line.confidence == pytest.approx(0.7)
    assert all(word.confidence == 1 for word in line.words)


def test_text_is_in_nfc_though_a_mark_is_a_glyph_of_its_own():
    assert line_of("e\u0301t").text == "\u00e9t"


def test_nothing_read_is_no_confidence():
    empty = Page(Path("blank.png"), 0, 10, 10, ())
    assert empty.confidence == Line(HERE, ()).confidence == 0
    assert empty.text == Line(HERE, ()).text == ""


def test_a_ligature_is_shared_out_among_its_characters():
    parts = Glyph("ſch", Box(10, 2, 20, 9), 0.5).characters()
    assert "".join(part.text for part in parts) == "ſch"
    assert [part.box.x0 for part in parts] == [10, 13, 16]
    assert parts[-1].box == Box(16, 2, 20, 9)
    assert {part.confidence for part in parts} == {0.5}


def test_a_document_of_line_images_has_a_line_for_each_and_one_of_pages_an_empty_line_between():
    assert Document((page_of("one"), page_of("two"))).text == "one\ntwo\n"
    assert Document((page_of("one", "two"), page_of("three"))).text == "one\ntwo\n\nthree\n"


@pytest.mark.parametrize(
    ("region", "said"),
    [
        (("poem", (0,)), "one of paragraph, heading, header"),
        (("picture", (0,)), "picture with 1 lines found"),
    ],
)
def test_a_region_that_cannot_be_is_refused(region, said):
    kind, lines = region
    with pytest.raises(InputError, match=said):
        Region(kind, HERE, lines)


@pytest.mark.parametrize("lines", [((0, 2),), ((-1,),), ((0,), (1, 0))])
def test_regions_hold_each_line_of_a_page_once_at_most(lines):
    regions = tuple(Region("paragraph", HERE, each) for each in lines)
    with pytest.raises(InputError, match="found on a page of 2 lines"):
        dataclasses.replace(page_of("one", "two"), regions=regions)
