"""The symbols of a print: ligatures as listed, characters by evidence."""

import pytest

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.oldspelling import long_s
from labelfree.ocr.scripts import script_named
from labelfree.ocr.scripts.settings import SymbolSettings
from labelfree.ocr.scripts.symbols import alphabet_from_text, symbols_from_option

GERMAN = "Der Wirt und die Nachbarn wissen nicht, ob ich den letzten Stock noch sah; sie ist alles. "
ENGLISH = "He was the first of the men to find that office, and his fine flag was with him for the night. "


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
    alphabet = alphabet_from_text(text, script_named("fraktur").ligatures)
    assert {"ch", "ck", "tz", "ll", "ſſ", "ſ", "ß"} & set(alphabet) == {"ch", "ck", "tz", "ll", "ſſ", "ſ"}
    assert "ff" not in alphabet
    lm = NGramLM.from_text(text, alphabet, 3, outside="break")
    ids = alphabet.encode("noch")
    assert [alphabet.symbols[place] for place in ids] == ["n", "o", "ch"]
    assert lm.joint(1)[alphabet.index("ch")] > lm.joint(1)[alphabet.index("c")]


def test_stray_signs_ask_for_no_symbol() -> None:
    text = ENGLISH * 2000 + "§ † Ж \ue000" + "è" * 3
    assert not set("§†Ж\ue000è") & set(alphabet_from_text(text))
    everything = SymbolSettings(coverage=1.0)
    assert "§" in alphabet_from_text(text, settings=everything)
    assert "\ue000" not in alphabet_from_text(text, settings=everything)


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
        alphabet_from_text("abc", settings=SymbolSettings(coverage=coverage))


def test_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="no character"):
        alphabet_from_text("")
