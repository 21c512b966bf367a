"""The long s: where old print has it, and how often the rules agree with real print."""

import gzip
import os
import re
from pathlib import Path

import pytest

from labelfree.errors import InputError
from labelfree.lm.oldspelling import count_words, long_s

WORDS = {
    "Haus": 300, "Arbeit": 200, "Leben": 250, "Abend": 180, "Glas": 60, "Auge": 90, "Nase": 40, "Landes": 30,
    "unsere": 90, "Gesang": 20, "Kreis": 50, "kreischen": 8, "Schiller": 30, "Schillers": 9, "Land": 200, "Sturm": 80,
    "Turm": 60, "laufen": 40, "lesen": 70, "enden": 10, "senden": 20, "vers": 9, "Vers": 20, "Tisch": 60,
}  # fmt: skip


@pytest.mark.parametrize(
    ("modern", "old"),
    [
        ("Das Gras ist uns so nass", "Das Gras iſt uns ſo naſs"),
        ("Sie sass sprachlos am Fenster", "Sie ſaſs ſprachlos am Fenſter"),
        ("Waschfrauen wissen selbst das Beste", "Waſchfrauen wiſſen ſelbſt das Beſte"),
        ("Weisheit, Röslein, boshaft, löslich, Maske", "Weisheit, Röslein, boshaft, löslich, Maske"),
        ("Aussicht, unaussprechlich, ausatmen, Auster", "Ausſicht, unausſprechlich, ausatmen, Auſter"),
        ("dasselbe und desselben diesseits", "dasſelbe und desſelben diesſeits"),
        ("Reichssache, Volksstamm, Preisstufe", "Reichsſache, Volksſtamm, Preisſtufe"),
        ("Samstag, Dienstags, festlich", "Samstag, Dienstags, feſtlich"),
        ("Achtungserfolg, Freiheitsstatue", "Achtungserfolg, Freiheitsſtatue"),
        ("lass's, u. s. w., wo's geht, uns're", "laſſ's, u. ſ. w., wo's geht, unſ're"),
        ("Haus-Ordnung, eins-zwei", "Haus-Ordnung, eins-zwei"),
        ("GRÜSSE aus ESSEN, Ross", "GRÜSSE aus ESSEN, Roſs"),
        ("Transport, Manuskript, Islam", "Transport, Manuskript, Islam"),
    ],
)
def test_german_rules(modern: str, old: str) -> None:
    assert long_s(modern, "de", WORDS) == old


@pytest.mark.parametrize(
    ("modern", "old"),
    [
        ("Hausarbeit", "Hausarbeit"),
        ("Lebensabend", "Lebensabend"),
        ("Glasauge", "Glasauge"),
        ("Landesausschuss", "Landesausſchuſs"),
        ("Landsturm", "Landſturm"),
        ("Näschen und Häuschen", "Näschen und Häuschen"),
        ("Kreischen am Tischen", "Kreiſchen am Tiſchen"),
        ("den Schillerschen Gesang", "den Schillerſchen Geſang"),
        ("unsre", "unſre"),
        ("lesenden, versenden", "leſenden, verſenden"),
    ],
)
def test_words_show_where_a_german_compound_is_joined(modern: str, old: str) -> None:
    assert long_s(modern, "de", WORDS) == old


def test_the_spelling_of_today_keeps_double_s_before_a_consonant() -> None:
    assert long_s("bisschen, musste", "de", {"dass": 5}) == "biſſchen, muſſte"


def test_the_text_itself_is_the_list_of_words_by_default() -> None:
    text = "Mein Haus, die Arbeit, das Haus, die Arbeit, ein Haus, Arbeit. "
    assert long_s(text * 3 + "Hausarbeit", "de").endswith("Hausarbeit")
    assert long_s("Hausarbeit", "de") == "Hauſarbeit"


@pytest.mark.parametrize("language", ["fr", "en", "fr-FR", "EN"])
def test_french_and_english_have_long_s_but_at_the_end_and_beside_f(language: str) -> None:
    text = "Sans cesse s’asseoir, transfuge, offset, les choses us'd est-ce"
    assert long_s(text, language) == "Sans ceſſe s’aſſeoir, transfuge, offset, les choſes us'd eſt-ce"


def test_length_and_all_other_characters_stay() -> None:
    text = "»Süßes« — 3 s, _s_, ſie las das; ḿs\n\ts"
    assert long_s(text, "de").replace("ſ", "s") == text.replace("ſ", "s")
    assert long_s("", "de") == ""


def test_text_with_long_s_stays_as_it_is() -> None:
    old = long_s("Es ist so, dass sie desselben Weges reisen; wissen Sie es?", "de")
    assert long_s(old, "de") == old


def test_a_language_without_rules_is_refused() -> None:
    with pytest.raises(InputError, match=r"long s in 'fi'; give one of de, en, fr"):
        long_s("sisu", "fi")


def test_words_are_counted_as_written() -> None:
    assert count_words("Los, los!\nlos 3 x3") == {"Los": 1, "los": 2, "x": 1}


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="needs LABELFREE_DATA")
@pytest.mark.parametrize(
    ("language", "model", "books", "wanted"),
    [
        ("de", "lm_german_novels/german_novels.txt.gz", "fraktur_books_dev", 0.99),
        ("fr", "lm_french17/french17_lm.txt.gz", "french17_dev", 0.98),
    ],
)
def test_real_print_agrees(language: str, model: str, books: str, wanted: float) -> None:
    data = Path(os.environ["LABELFREE_DATA"])
    words = count_words(gzip.decompress((data / model).read_bytes()).decode()) if language == "de" else None
    lines = [path.read_text(encoding="utf-8").strip() for path in sorted((data / books).rglob("*.gt.txt"))]
    truth = re.sub(r"(?<=\w)[-¬]\n(?=[a-zäöüſß])", "", "\n".join(lines))
    written = long_s(truth.replace("ſ", "s"), language, words)
    pairs = [(a, b) for a, b in zip(truth, written, strict=True) if a in "sſ"]
    assert sum(a == b for a, b in pairs) / len(pairs) >= wanted
