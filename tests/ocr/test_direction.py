"""Lines that run from right to left, as they stand on paper and as they are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelfree.ocr.scripts import script_named
from labelfree.ocr.scripts.direction import runs_to_left, turned, turned_text

# What is read, and what stands there from the left.
LINES = [
    ("שלום עולם", "םלוע םולש"),
    ("בשנת 1948, ביום", "םויב ,1948 תנשב"),
    ("(כן) «לא»", "«אל» (ןכ)"),
    ("12.5% ועוד 3,000", "3,000 דועו 12.5%"),
    ("ספר Tesseract 5 טוב", "בוט Tesseract 5 רפס"),
    ("קו-1 12 34", "34 12 1-וק"),
    ("", ""),
]


@pytest.mark.parametrize(("read", "standing"), LINES)
def test_letters_turn_and_numbers_do_not(read: str, standing: str) -> None:
    assert turned_text(read) == standing
    assert turned_text(standing) == read


def test_points_stay_with_their_letters() -> None:
    assert turned_text("שָׁלוֹם") == "םוֹלשָׁ"


@given(st.text("אבגדה ().,:-", max_size=30))
def test_what_is_turned_twice_is_as_it_was(text: str) -> None:
    assert turned_text(turned_text(text)) == text
    assert sorted(place for place, _ in turned(text)) == list(range(len(text)))


def test_only_scripts_that_run_to_the_left_turn() -> None:
    assert script_named("antiqua").from_left("שלום") == "שלום"
    assert script_named("hebrew").from_left("שלום\n(א)") == "םולש\n(א)"
    assert script_named("neutral rtl").other_order("אב") == [(1, "ב"), (0, "א")]


def test_most_letters_tell_the_direction_of_a_line() -> None:
    assert runs_to_left("שלום (x) 1234")
    assert not runs_to_left("1234 ...")
