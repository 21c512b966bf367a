"""Text as print has it: quotes and hyphens, pages with heads and numbers."""

import re

import pytest

from labelfree.ocr.scripts import script_named
from labelfree.ocr.scripts.typesetting import roman

ANTIQUA, FRAKTUR = script_named("antiqua"), script_named("fraktur")


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ('"Go," she said, "go!"', "“Go,” she said, “go!”"),
        ("'Come in,' he'd say, 'tis the boys' hour", "‘Come in,’ he’d say, ’tis the boys’ hour"),
        ("(\"What?\") -- 'so'", "(“What?”) — ‘so’"),
        ("twenty\u2010one, end\u00ac, o\ufb03ce, so\u00adap", "twenty-one, end-, office, soap"),
        ("»bleibt«", "»bleibt«"),
        ("a\u0308", "ä"),
    ],
)
def test_typed_signs_become_printed_ones(typed: str, printed: str) -> None:
    assert ANTIQUA.as_printed(typed) == printed
    assert ANTIQUA.as_printed(printed) == printed


def test_fraktur_has_low_and_high_quotes() -> None:
    assert FRAKTUR.as_printed("»Er ſagt's: ›nein‹«") == "„Er ſagt’s: ‚nein‘“"


def test_pages_have_numbers_between_their_words_and_every_third_head_ends_with_a_full_stop() -> None:
    page = "the cat sat on the mat and looked at nothing in particular all day long. " * 100
    pages = ANTIQUA.as_pages(page)
    heads = re.findall(r"(?:[A-Z]+ ){4}[A-Z]+\.?", pages)
    assert [head.endswith(".") for head in heads] == [False, False, True, False, False]
    numbers = re.findall(r"(?<=[a-z.] )\d+", pages)
    assert len(numbers) > 15
    assert sum(1500 <= int(number) < 2000 for number in numbers) > 4
    assert set(re.findall(r"(?<=[a-z.] )[IVXL]+(?=[ ,.])", pages)) <= {roman(number) for number in range(1, 41)}
    assert len(re.findall(r"(?<=[a-z.] )[IVXL]+(?=[ ,.])", ANTIQUA.as_pages(page * 5))) > 5
    assert pages == ANTIQUA.as_pages(page)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [("“Go!”", "“[a-z ]+”"), ("„Geh!“", "„[a-z ]+“"), ("»Geh!«", "»[a-z ]+«"), ("«Va!»", "«[a-z ]+»"), ("Go!", "")],
)
def test_pages_have_words_in_brackets_and_in_the_quotes_of_the_text(said: str, quoted: str) -> None:
    pages = ANTIQUA.as_pages(f"{said} the cat sat on the mat and looked at nothing in particular all day long. " * 200)
    assert len(re.findall(r"\([a-z ]+\)", pages)) > 3
    assert len(re.findall(quoted, pages)) > 3 if quoted else not re.search("[“”„»«]", pages)
