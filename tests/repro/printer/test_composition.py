"""Lines of one width, broken words, and where things stand on a page."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.repro.printer import BookDesign, designs
from labelfree.repro.printer.composition import Column, Compositor, break_points
from labelfree.repro.printer.founts import Fount
from labelfree.repro.printer.manuscript import Word, manuscript
from labelfree.repro.printer.pages import pages

from .passages import ENGLISH, GERMAN


def texts(design, paragraphs):
    return [[line.line.text for line in page.lines] for page in pages(manuscript(design, paragraphs), design)]


def test_lines_are_as_wide_as_their_column_and_say_the_text():
    design = BookDesign("Old Standard")
    words = [Word(each) for paragraph in ENGLISH for each in paragraph.split()]
    width = 900.0
    lines = list(Compositor(Fount(design.face, 42.0)).lines(words, Column(width, first=50.0)))
    ends = [line.words[-1].x + line.words[-1].word.width for line in lines]
    assert lines[0].words[0].x == 50.0
    assert np.allclose(ends[:-1], width)
    assert ends[-1] <= width + 1e-6
    joined = "\n".join(line.text for line in lines)
    assert "-\n" in joined
    whole = " ".join(ENGLISH)
    assert re.sub(r"-\n|[\n ]", "", joined) == whole.replace(" ", "")


def test_a_word_wider_than_its_column_is_broken_all_the_same():
    lines = list(Compositor(Fount(BookDesign().face, 42.0)).lines([Word("nnnnnnnnnnnn")], Column(150.0)))
    assert len(lines) > 1
    assert "".join(line.text.rstrip("-") for line in lines) == "nnnnnnnnnnnn"


@pytest.mark.parametrize("parts", ["go", "no|thing", "fa|mily,", "Was|ser|glas", "stretch", "bro|ther-|in-|law"])
def test_words_are_broken_after_hyphens_and_before_a_consonant_and_a_vowel(parts):
    word = parts.replace("|", "")
    places = [0, *break_points(word), len(word)]
    assert "|".join(word[start:end] for start, end in pairwise(places)) == parts


def test_a_book_has_heads_with_numbers_headings_lists_and_notes():
    design = BookDesign(lists=0.4, notes=1.0, lines_a_page=14, seed=3)
    book = texts(design, ENGLISH * 5)
    numbers = [int(re.search(r"\d+", page[0])[0]) for page in book]
    assert numbers == list(range(numbers[0], numbers[0] + len(book)))
    lines = [line for page in book for line in page]
    assert any(re.match(r"CHAPTER [IVX]+\.$", line) for line in lines)
    entries = [line for line in lines if re.search(r", [bdm]\. (\d+ [A-Z]\w+\.? )?1[6789]\d\d", line)]
    assert len(entries) > 5
    notes = [line for line in lines if re.match(r"[*†] See [A-Z]", line)]
    assert len(notes) > 5
    assert sum("*" in line or "†" in line for line in lines) >= 2 * len(notes)


def test_shares_are_about_what_the_design_asks():
    design = BookDesign(italics=0.3, lists=0.3, notes=0.0, small_capitals=0.0)
    blocks = manuscript(design, ENGLISH * 40)
    running = [word for block in blocks if block.kind == "paragraph" for word in block.words]
    assert 0.2 < np.mean([word.shape == "italic" for word in running]) < 0.4
    listed = [word for block in blocks if block.kind == "entry" for word in block.words]
    assert 0.25 < len("".join(word.text for word in listed)) / len("".join(w.text for w in listed + running)) < 0.35
    assert any(all(w.shape == "italic" for w in block.words) for block in blocks if block.kind == "paragraph")


def test_a_plain_design_prints_the_text_and_nothing_else():
    design = BookDesign(italics=0, lists=0, notes=0, small_capitals=0)
    words = [word for block in manuscript(design, ENGLISH) if block.kind == "paragraph" for word in block.words]
    assert {word.shape for word in words} == {"roman"}
    assert " ".join(word.text for word in words) == " ".join(ENGLISH)


def test_blackletter_has_the_long_s_and_no_words_in_capitals():
    design = BookDesign("Fette Fraktur", language="de", long_s=True, lists=0.3)
    whole = "\n".join(line for page in texts(design, GERMAN * 6) for line in page)
    assert "Waſſer" in whole.replace("-\n", "")
    assert "Kapitel." in whole
    assert not re.search(r"[A-ZÄÖÜ]{2}", whole)


def test_straight_quotes_are_printed_curly():
    whole = " ".join(line for page in texts(BookDesign(), ['He said "it\'s late" and left.'] * 3) for line in page)
    assert "“it’s late”" in whole


@pytest.mark.parametrize(
    ("field", "value"), [("italics", 1.5), ("lists", -0.1), ("dpi", 10), ("damage", -1.0), ("language", "xx")]
)
def test_designs_that_cannot_be_printed_are_refused(field, value):
    with pytest.raises(InputError, match=f"{field} is {value!r}; "):
        BookDesign(**{field: value})


def test_a_book_of_no_text_is_refused():
    with pytest.raises(InputError, match="the text for a book is empty"):
        manuscript(BookDesign(), [" ", ""])


def test_designs_differ_and_follow_from_the_seed():
    some = designs(24, seed=5)
    assert some == designs(24, seed=5)
    assert some != designs(24, seed=6)
    assert len({design.typeface for design in some}) >= 20
    assert len({design.face.style for design in some[:7]}) == 7
    assert len({design.seed for design in some}) == 24
    assert {design.dpi for design in some} == {200, 300, 400}
    assert all(design.long_s and design.language == "de" for design in some if design.face.style == "blackletter")
