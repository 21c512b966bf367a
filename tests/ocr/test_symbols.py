"""The symbols of a print: ligatures by script, characters by evidence, quotes as printed."""

import re

import pytest

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.oldspelling import long_s
from labelfree.ocr.scripts.symbols import (
    alphabet_from_text,
    default_symbols,
    language_of,
    script_of,
    symbols_from_option,
)
from labelfree.ocr.scripts.typesetting import as_pages, as_printed, roman

GERMAN = "Der Wirt und die Nachbarn wissen nicht, ob ich den letzten Stock noch sah; sie ist alles. "
ENGLISH = "He was the first of the men to find that office, and his fine flag was with him for the night. "
FRENCH = "Il ne sçait pas que les Dames et le Prince qui vous estoient chers ont le cœur des Rois. "


@pytest.mark.parametrize(
    ("text", "code"), [(GERMAN, "de"), (ENGLISH, "en"), (FRENCH, "fr"), ("zzz qqq", None), ("", None)]
)
def test_frequent_words_tell_the_language(text: str, code: str | None) -> None:
    assert language_of(text) == code
    if code:
        assert language_of(long_s(text, code)) == code


def test_long_s_tells_old_print() -> None:
    assert script_of(GERMAN) == script_of(FRENCH) == script_of(ENGLISH) == "antiqua"
    assert script_of(long_s(GERMAN, "de")) == "fraktur"
    assert script_of(long_s(FRENCH, "fr")) == "old antiqua"
    assert script_of("ſo", "de-AT") == "fraktur"
    assert script_of("") == "antiqua"


def test_each_script_has_its_ligatures() -> None:
    assert {"ch", "ck", "tz"} <= set(default_symbols("fraktur"))
    assert {"ſt", "ſſ", "ct"} <= set(default_symbols("old antiqua"))
    assert default_symbols("antiqua") == ("ff", "ffi", "ffl", "fi", "fl")
    assert default_symbols("signs") == ()
    with pytest.raises(InputError, match="no script 'runes'; give one of 'antiqua'"):
        default_symbols("runes")


@pytest.mark.parametrize(
    ("option", "symbols"), [("ch,ck , tz", ("ch", "ck", "tz")), ("", ()), (" ", ()), ("ſt", ("ſt",))]
)
def test_an_option_lists_ligatures(option: str, symbols: tuple[str, ...]) -> None:
    assert symbols_from_option(option) == symbols


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("ch,,tz", "holds ''; give ligatures of 2 to 4"),
        ("ch,c", "holds 'c'"),
        ("c h", "holds 'c h'"),
        ("schön", "holds 'schön'"),
        ("ch,tz,ch", "holds 'ch' more than once"),
        ("a\u0308", "holds 'ä'"),
    ],
)
def test_an_option_that_lists_none_is_refused(option: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        symbols_from_option(option)


def test_alphabet_cuts_ligatures_and_a_model_learns_from_it() -> None:
    text = long_s(GERMAN * 30, "de")
    alphabet = alphabet_from_text(text, default_symbols("fraktur"))
    assert {"ch", "ck", "tz", "ll", "ſſ", "ſ", "ß"} & set(alphabet) == {"ch", "ck", "tz", "ll", "ſſ", "ſ"}
    assert "ff" not in alphabet
    lm = NGramLM.from_text(text, alphabet, 3, outside="break")
    ids = alphabet.encode("noch")
    assert [alphabet.symbols[place] for place in ids] == ["n", "o", "ch"]
    assert lm.joint(1)[alphabet.index("ch")] > lm.joint(1)[alphabet.index("c")]


def test_stray_signs_ask_for_no_symbol() -> None:
    text = ENGLISH * 2000 + "§ † Ж \ue000" + "è" * 3
    assert not set("§†Ж\ue000è") & set(alphabet_from_text(text))
    assert "§" in alphabet_from_text(text, coverage=1.0)
    assert "\ue000" not in alphabet_from_text(text, coverage=1.0)


def test_letters_digits_and_marks_are_kept_on_little_evidence() -> None:
    alphabet = alphabet_from_text(ENGLISH * 2000 + "Zoë 7? " * 20)
    assert set("Zë?0123456789") <= set(alphabet)


def test_a_capital_follows_its_small_letter() -> None:
    alphabet = alphabet_from_text("über öde " * 100_000 + "Öl " * 20 + "Él " * 20)
    assert "Ö" in alphabet
    assert "É" not in alphabet


def test_white_space_is_one_symbol() -> None:
    assert alphabet_from_text("a\tb\n\u00a0c" * 9).symbols == (" ", "a", "b", "c")


def test_a_letter_with_its_mark_is_one_symbol() -> None:
    alphabet = alphabet_from_text("ſcho\u0364n u\u0364ber a\u0308ltere " * 30)
    assert {"o\u0364", "u\u0364", "ä"} <= set(alphabet)
    assert "\u0364" not in alphabet
    assert "o" not in alphabet


@pytest.mark.parametrize("coverage", [0.0, 1.5, float("nan")])
def test_coverage_is_a_share(coverage: float) -> None:
    with pytest.raises(InputError, match="coverage is"):
        alphabet_from_text("abc", coverage=coverage)


def test_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="no character"):
        alphabet_from_text("")


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
    assert as_printed(typed) == printed
    assert as_printed(printed) == printed


def test_fraktur_has_low_and_high_quotes() -> None:
    assert as_printed("»Er ſagt's: ›nein‹«", "fraktur") == "„Er ſagt’s: ‚nein‘“"


def test_pages_have_numbers_between_their_words_and_every_third_head_ends_with_a_full_stop() -> None:
    page = "the cat sat on the mat and looked at nothing in particular all day long. " * 100
    pages = as_pages(page)
    heads = re.findall(r"(?:[A-Z]+ ){4}[A-Z]+\.?", pages)
    assert [head.endswith(".") for head in heads] == [False, False, True, False, False]
    numbers = re.findall(r"(?<=[a-z.] )\d+", pages)
    assert len(numbers) > 15
    assert sum(1500 <= int(number) < 2000 for number in numbers) > 4
    assert set(re.findall(r"(?<=[a-z.] )[IVXL]+(?=[ ,.])", pages)) <= {roman(number) for number in range(1, 41)}
    assert len(re.findall(r"(?<=[a-z.] )[IVXL]+(?=[ ,.])", as_pages(page * 5))) > 5
    assert pages == as_pages(page)


@pytest.mark.parametrize(
    ("said", "quoted"),
    [("“Go!”", "“[a-z ]+”"), ("„Geh!“", "„[a-z ]+“"), ("»Geh!«", "»[a-z ]+«"), ("«Va!»", "«[a-z ]+»"), ("Go!", "")],
)
def test_pages_have_words_in_brackets_and_in_the_quotes_of_the_text(said: str, quoted: str) -> None:
    pages = as_pages(f"{said} the cat sat on the mat and looked at nothing in particular all day long. " * 200)
    assert len(re.findall(r"\([a-z ]+\)", pages)) > 3
    assert len(re.findall(quoted, pages)) > 3 if quoted else not re.search("[“”„»«]", pages)
