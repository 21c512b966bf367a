"""Scripts: what is in each, which one a text is printed in, and how another is added."""

import pickle

import pytest

from labelfree.errors import InputError
from labelfree.lm.oldspelling import long_s
from labelfree.ocr.scripts import SCRIPTS, Letterform, script_named, script_of
from labelfree.ocr.scripts.frequent_words import language_of

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
    assert script_of(GERMAN).name == script_of(FRENCH).name == script_of(ENGLISH).name == "antiqua"
    assert script_of(long_s(GERMAN, "de")).name == "fraktur"
    assert script_of(long_s(FRENCH, "fr")).name == "old antiqua"
    assert script_of("ſo", "de-AT").name == "fraktur"
    assert script_of("").name == "antiqua"


def test_each_script_has_its_ligatures() -> None:
    assert {"ch", "ck", "tz"} <= set(script_named("fraktur").ligatures)
    assert {"ſt", "ſſ", "ct"} <= set(script_named("old antiqua").ligatures)
    assert script_named("antiqua").ligatures == ("ff", "ffi", "ffl", "fi", "fl")
    assert script_named("signs").ligatures == ()
    with pytest.raises(
        InputError, match=r"no script 'runes'; give one of 'antiqua', 'old antiqua', 'fraktur', .*'signs'"
    ):
        script_named("runes")


def test_scripts_are_values() -> None:
    for name, script in SCRIPTS.items():
        assert script.name == name
        assert pickle.loads(pickle.dumps(script)) == script  # noqa: S301


def test_letters_that_are_one_piece_are_as_tall_as_the_taller() -> None:
    antiqua, fraktur = script_named("antiqua"), script_named("fraktur")
    (ligature,), (f,), (i,) = (antiqua.letterforms(symbol) for symbol in ("fi", "f", "i"))
    assert ligature.top == f.top
    assert ligature.width[1] > i.width[1]
    (ch,), (h,), (antiqua_h,) = fraktur.letterforms("ch"), fraktur.letterforms("h"), antiqua.letterforms("h")
    assert ch.bottom == h.bottom != antiqua_h.bottom


def test_what_is_not_listed_may_look_like_anything() -> None:
    assert script_named("antiqua").letterforms("☞") == script_named("fraktur").letterforms("") == (Letterform(),)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("μῆνιν ἄειδε θεὰ Πηληϊάδεω Ἀχιλῆος", "greek"),
        ("Все счастливые семьи похожи друг на друга", "cyrillic"),
        ("Все смѣшалось въ домѣ, и дѣти бѣгали", "old cyrillic"),
        ("Բոլոր մարդիկ ծնվում են ազատ", "armenian"),
        ("ყველა ადამიანი იბადება თავისუფალი", "georgian"),
        ("כל בני האדם נולדו בני חורין", "hebrew"),
        ("ϩⲛ ⲧⲉϩⲟⲩⲉⲓⲧⲉ ⲛⲉϥϣⲟⲟⲡ", "coptic"),
        ("ᏂᎦᏓ ᎠᏂᏴᏫ ᏂᎨᎫᏓᎸᎾ", "cherokee"),
        ("Tá an fear ag dul go dtí an ḃaile ṁór, a ċara", "gaelic"),
        ("Ⱂⱃⱁⱄⰵ ⰿⰵ", "neutral"),
        ("يولد جميع الناس أحرارا", "neutral rtl"),
    ],
)
def test_letters_tell_the_script(text: str, name: str) -> None:
    assert script_of(text).name == name
    assert script_of(f"{text} (see p. 4)").name == name


def test_a_capital_has_its_accents_before_it_and_a_small_letter_above() -> None:
    greek = script_named("greek")
    (plain,), (before,), (above,) = map(greek.letterforms, "ΑἌά")
    assert before.top == plain.top
    assert before.width[1] > plain.width[0]
    assert above.top[1] > greek.letterforms("α")[0].top[1]


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_letter_looks_like_a_dot_or_a_dash(name: str) -> None:
    if name == "signs":
        return
    script = script_named(name)
    dots = [form for mark in ".-" for form in script.letterforms(mark)]
    letters = [form for letter in "жԱბאⲁᎠⰀaΣ" for form in script.letterforms(letter)]
    assert not any(
        dot.top[1] >= letter.top[0] and dot.bottom[0] >= letter.bottom[1] for dot in dots for letter in letters
    )
