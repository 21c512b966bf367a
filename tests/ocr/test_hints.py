"""Files of hints: what they say, and what is said of those that cannot be meant."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr.hints import GroupHint, Hints, LineHint, parse_hints, read_hints
from labelfree.ocr.language import BookLanguage
from labelfree.ocr.scripts import script_named
from labelfree.ocr.types import Box, PageLines, TextLine

quick = settings(deadline=None, derandomize=True)


@pytest.fixture(scope="module")
def language() -> BookLanguage:
    symbols = Alphabet([*"abcdehilrst, ’—ÆæA", "ch"])
    return BookLanguage(
        NGramLM.from_text("a third chair, there, at last", symbols, order=2), "en", script_named("antiqua")
    )


def page(name: str, n_lines: int, index: int = 0) -> PageLines:
    line = TextLine(Path(name), index, Box(0, 0, 9, 9), np.zeros((9, 9), np.uint8))
    return PageLines(Path(name), index, 100, 100, 0.0, (line,) * n_lines)


PAGES = [page("book/0001.png", 1), page("book/0002.png", 3), page("book/0003.png", 0), page("book/a: b.png", 1)]


def test_a_file_says_what_lines_and_groups_are(tmp_path):
    path = tmp_path / "hints.txt"
    path.write_bytes("\ufeff# mine\r\n\r\n0001: at  last \r\nleaf:3\tthe: rest\r\ngroup 4=æ\ngroup 5 = space".encode())
    at = [f"{path}, line {number}" for number in range(1, 7)]
    assert read_hints(path) == Hints(
        (LineHint(at[2], "0001", "at last"), LineHint(at[3], "leaf:3", "the: rest")),
        (GroupHint(at[4], 4, "æ"), GroupHint(at[5], 5, "space")),
    )


def test_lines_are_found_by_the_name_of_their_image_and_their_number(language):
    hints = parse_hints("0002:3: third\n0001: chair, AA\na: b\tthere\n", "h")
    found = hints.line_labels(PAGES, language)
    assert {line: language.lm.alphabet.decode(labels) for line, labels in found.items()} == {
        3: "third",
        0: "chair, AA",
        4: "there",
    }
    assert len(found[0]) == len("chair, AA") - 1  # ch is one piece of type


def test_pages_of_one_file_are_named_as_what_is_written_for_them(language):
    pages = [page("scan.tif", 1, 0), page("scan.tif", 2, 1)]
    assert list(parse_hints("scan_0002:2: last", "h").line_labels(pages, language)) == [2]


def test_a_name_is_the_same_however_its_accents_are_coded(language):
    assert list(parse_hints("e\u0301te\u0301: last", "h").line_labels([page("été.png", 1)], language)) == [0]


def test_text_is_taken_as_print_has_it(language):
    (labels,) = parse_hints("0001: ch'a--a", "h").line_labels(PAGES, language).values()
    assert language.lm.alphabet.decode(labels) == "ch’a—a"


def test_groups_have_one_symbol_each(language):
    found = parse_hints("group 2 = ch\ngroup 7 = space\ngroup 1 = Æ", "h").group_labels(7, language)
    assert {group: language.lm.alphabet.symbols[label] for group, label in found.items()} == {1: "ch", 6: " ", 0: "Æ"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "h holds no hint, 'NAME: text of the line' or 'group 17 = æ' wanted"),
        ("# nothing\n\n", "h holds no hint"),
        ("0001: a\nwhatever", "h, line 2: 'whatever' found, 'NAME: text of the line' or"),
        ("0001:", "h, line 1: '0001:' found"),
        ("group 3 =", "h, line 1: 'group 3 =' has no symbol, one wanted"),
        ("group æ = 3", "h, line 1: 'group æ = 3' found"),
        ("x" * 500, r"x{60}\.\.\.' found"),
    ],
)
def test_what_is_no_hint_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_hints(text, "h")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0009: a", "h, line 1: '0009' found, the name of a scan without its ending wanted, such as 0001"),
        ("0001.png: a", "'0001.png' found, the name of a scan without its ending wanted"),
        ("0009:1: a", "'0009:1' found, the name of a scan"),
        ("0002: a", "'0002' shows 3 lines, one wanted; write 0002:1 for the first"),
        ("0003: a", "'0003' shows 0 lines, one wanted; name another image"),
        ("0002:4: a", "line 4 of '0002' found, 1 to 3 wanted"),
        ("0002:0: a", "line 0 of '0002' found, 1 to 3 wanted"),
        ("# so\n0001: a§b", "h, line 2: '§' found, one of the 19 symbols of the language wanted"),
        ("0001: a\n0001:1: b", "h, line 2: '0001:1' is named twice"),
    ],
)
def test_lines_that_cannot_be_meant_are_refused(text, message, language):
    with pytest.raises(InputError, match=message):
        parse_hints(text, "h").line_labels(PAGES, language)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("group 8 = a", "h, line 1: group 8 found, 1 to 7 wanted; draw the groups anew"),
        ("group 0 = a", "group 0 found, 1 to 7 wanted"),
        ("group 999999999 = a", "group 999999999 found"),
        ("group 1 = ab", "'ab' is 2 symbols, one wanted; where they are one piece of type, name it with symbols="),
        ("group 1 = ß", "'ß' found, one of the 19 symbols"),
        ("group 1 = a\ngroup 1 = b", "h, line 2: group 1 is named twice"),
    ],
)
def test_groups_that_cannot_be_meant_are_refused(text, message, language):
    with pytest.raises(InputError, match=message):
        parse_hints(text, "h").group_labels(7, language)


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path):
    path = tmp_path / "hints.txt"
    path.write_bytes(b"0001: a\n0002: \xe9\n")
    with pytest.raises(InputError, match=r"hints\.txt, line 2: byte 0xe9 found, text in UTF-8 wanted"):
        read_hints(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_hints(tmp_path)


@quick
@given(st.binary(max_size=200))
def test_garbage_is_read_or_refused_in_one_line(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "garbage.txt"
    path.write_bytes(content)
    assert "\n" not in refusal(lambda: read_hints(path))


lines = st.tuples(st.sampled_from(["0001", "0002:2", "group 3 =", "x:1", "", "#"]), st.sampled_from([": ", "\t", " "]))
texts = st.text(max_size=12)


@quick
@given(st.lists(st.tuples(lines, texts), max_size=4))
def test_what_is_read_finds_lines_and_groups_or_is_refused_in_one_line(language, parts):
    text = "\n".join("".join(head) + rest for head, rest in parts)

    def use():
        hints = parse_hints(text, "h")
        for number, labels in hints.line_labels(PAGES, language).items():
            assert number in range(5)
            assert labels.min(initial=0) >= 0
        hints.group_labels(7, language)

    assert "\n" not in refusal(use)


def refusal(use) -> str:
    try:
        use()
    except InputError as error:
        return str(error)
    return ""
