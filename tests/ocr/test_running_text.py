"""Running text: paragraphs put together, words that lines part, and what is left out."""

from collections import Counter
from pathlib import Path

import pytest

from labelfree.ocr.export.hyphens import BookWords
from labelfree.ocr.export.running_text import running_text
from labelfree.ocr.types import Box, Document, Page, Region

from .readings import HEIGHT, WIDTH, line_of

COLUMN = 400


def page_with(*regions: tuple[str, tuple[str, ...]], columns: tuple[int, ...] = ()) -> Page:
    """A page of regions one below the other; those numbered in `columns` begin a new column."""
    lines, placed, top, left = [], [], 10, 5
    for number, (kind, texts) in enumerate(regions):
        if number in columns:
            top, left = 10, left + COLUMN
        first = len(lines)
        for text in texts:
            lines.append(line_of(text, top, left))
            top += 25
        box = Box.around([line.box for line in lines[first:]]) if texts else Box(0, top, 5, top + 5)
        placed.append(Region(kind, box, tuple(range(first, len(lines)))))
    return Page(Path("scan.png"), 0, WIDTH, HEIGHT, tuple(lines), regions=tuple(placed))


def passages(*pages: Page, words=frozenset()) -> list[str]:
    return running_text(Document(pages, "en", words=words)).decode().removesuffix("\n").split("\n\n")


def test_paragraphs_are_a_line_each_and_what_is_on_every_page_is_left_out():
    page = page_with(
        ("header", ("The ferry",)),
        ("heading", ("On the", "water")),
        ("paragraph", ("It was late.", "All slept.")),
        ("picture", ()),
        ("paragraph", ("Then rain.",)),
        ("page-number", ("12",)),
        ("footer", ("printed here",)),
    )
    assert passages(page) == ["On the water", "It was late. All slept.", "Then rain."]


def test_a_paragraph_goes_on_over_the_end_of_a_page_past_notes_and_heads():
    first = page_with(("paragraph", ("The mast was",)), ("marginalia", ("A note.",)), ("page-number", ("1",)))
    second = page_with(("header", ("Masts",)), ("paragraph", ("broken in the",)), ("paragraph", ("Storm.",)))
    assert passages(first, second) == ["The mast was broken in the", "A note.", "Storm."]


@pytest.mark.parametrize(
    ("end", "begin", "is_one"),
    [
        ("The end.", "A new one", False),
        ("He said “No.”", "A new one", False),
        ("The end of", "Italy was", True),
        ("About 5 p.m.", "the rain", True),
        ("the moun-", "tain stood", True),
    ],
)
def test_a_sentence_that_ends_ends_the_paragraph_at_the_end_of_a_page_and_of_a_column(end, begin, is_one):
    pages = [page_with(("paragraph", (text,))) for text in (end, begin)]
    columns = page_with(("paragraph", (end,)), ("paragraph", (begin,)), columns=(1,))
    for found in (passages(*pages), passages(columns)):
        assert (len(found) == 1) == is_one


def test_paragraphs_below_each_other_stay_apart_though_no_mark_ends_the_first():
    assert len(passages(page_with(("paragraph", ("Yours",)), ("paragraph", ("the captain",))))) == 2


def test_a_page_without_regions_is_a_paragraph():
    lines = tuple(line_of(text, top=10 + 30 * i) for i, text in enumerate(("One line", "and ano-", "ther")))
    assert passages(Page(Path("scan.png"), 0, WIDTH, HEIGHT, lines)) == ["One line and another"]


@pytest.mark.parametrize(
    ("inside", "parts", "joined"),
    [
        ("", "har- bour", "harbour"),
        ("the harbour town", "har- bour", "harbour"),
        ("a well-known man", "well- known", "well-known"),
        ("a Well-known man", "WELL- KNOWN", "WELL-KNOWN"),
        ("a far-off town; so far-off is it far away", "far- away", "far-away"),
        ("", "far- away", "faraway"),  # no word of the book is joined by a hyphen, as in German
        ("a far-off town", "sea- man", "seaman"),
        ("a far-off town", "Sea- Man", "Sea-Man"),
        ("a far-off town", "SEA- MAN", "SEAMAN"),
        ("a far-off town", "1914- 18", "1914-18"),
        ("a far-off town", "sea- , man", "sea- , man"),
        ("to-day or today, today", "to- day", "today"),
    ],
)
def test_parted_words_are_joined_as_the_words_of_the_book_and_the_language_tell(inside, parts, joined):
    words = BookWords.of([f"x {inside} x", "so bro-"], {"seaman", "sea", "man", "far", "away"})
    assert words.joined(parts.split(" ", 1)) == joined


def test_words_at_the_ends_of_lines_do_not_count_as_whole():
    words = BookWords.of(["bour is the har-", "bour of all"])
    assert words.whole == Counter(["is", "the", "of"])
