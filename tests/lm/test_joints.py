"""Where a part of a German word ends in s: every rule on words for which it alone decides."""

import pytest

from labelfree.lm.joints import Joints


def ends(word, words=()):
    """What `Joints` says of the s that stands before the bar of a word."""
    place = word.index("|") - 1
    assert word[place] == "s"
    return Joints(dict(words)).part_ends(word.replace("|", ""), place)


@pytest.mark.parametrize("word", ["Ges|brot", "das|für", "Haus|man", "wes|halb", "Is|lam", "Rös|lein"])
def test_before_most_consonants_a_part_ends(word):
    assert ends(word)


@pytest.mark.parametrize("word", ["s|o", "s|machen", "las|'s", "mass|machen", "Großs|machen", "lesens|2"])
def test_never_at_the_first_letter_beside_an_s_or_before_a_mark(word):
    assert not ends(word)


@pytest.mark.parametrize(
    ("word", "known", "wanted"),
    [
        ("uns|re", "unsere", False),
        ("wechs|le", "wechsele", False),
        ("bas|ne", "basene", False),
        ("bas|me", "baseme", True),
        ("uns|re", "Unserer", True),
    ],
)
def test_a_lost_e_is_no_joint(word, known, wanted):
    assert ends(word, {known: 9}) is wanted


@pytest.mark.parametrize(
    ("word", "noun", "wanted"),
    [
        ("Näs|chen", "Nase", True),
        ("Näs|chens", "Nase", True),
        ("näs|chen", "Nase", False),
        ("Näs|chem", "Nase", False),
        ("Glas|chen", "Glas", True),
        ("Gläs|chen", "Glas", True),
        ("Häus|chen", "Haus", True),
        ("Dos|chen", "Dose", True),
        ("Rös|chen", "Rose", True),
        ("Büs|chen", "Bus", True),
        ("Bräus|chen", "Braus", True),
        ("Näs|chen", "nase", False),
        ("Näs|chen", "Pferd", False),
    ],
)
def test_chen_makes_a_noun_small(word, noun, wanted):
    assert ends(word, {noun: 9}) is wanted


@pytest.mark.parametrize("other", [{"Hirsch": 5}, {"hirschen": 5}, {"Hir": 5}])
def test_sch_before_en_is_one_sound(other):
    assert ends("Hirs|chen", {"Hirs": 9})
    assert not ends("Hirs|chen", {"Hirs": 9} | other)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("Has|se", False),
        ("Has|sen", False),
        ("Volks|stamm", True),
        ("Volks|se", False),
        ("Volks|see", True),
        ("mus|ste", True),
        ("Aus|sicht", True),
        ("Gäus|sicht", True),
        ("Weis|sagung", True),
        ("Kreus|sagung", True),
        ("Dies|sagung", True),
        ("Fras|sagung", False),
        ("Chaus|see", False),
        ("das|selbe", True),
        ("des|selben", True),
        ("das|seits", True),
        ("das|sagen", False),
        ("was|selbe", False),
    ],
)
def test_the_first_of_two_s(word, wanted):
    assert ends(word) is wanted


@pytest.mark.parametrize(("words", "old"), [({"daß": 5, "dass": 5}, True), ({"dass": 5, "daß": 4}, False), ({}, True)])
def test_the_spelling_of_today_has_double_s_before_a_consonant(words, old):
    assert ends("mus|ste", words) is old
    assert not ends("mus|sen", words)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("Trans|port", True),
        ("trans|atlantisch", True),
        ("trans|akt", False),
        ("Trans|it", False),
        ("Trans|akt", True),
        ("aus|atmen", True),
        ("unaus|tilgbar", True),
        ("hinaus|eilen", True),
        ("neuaus|teilen", True),
        ("geaus|teilen", True),
        ("Haus|tier", False),
        ("Aus|ter", False),
        ("Aus|ternbank", False),
        ("aus|tralisch", False),
        ("Sams|tag", True),
        ("Diens|tage", True),
        ("Diens|tagen", True),
        ("Diens|tages", True),
        ("Diens|tags", True),
        ("Diens|tagsfeier", True),
        ("Diens|taglich", True),
        ("Diens|tagte", False),
        ("diens|tags", False),
        ("wahns|innig", False),
        ("lös|cher", False),
    ],
)
def test_words_with_rules_of_their_own(word, wanted):
    assert ends(word) is wanted


@pytest.mark.parametrize("ending", ["ung", "heit", "keit", "schaft", "ion", "tät", "tum", "ling"])
def test_endings_of_nouns_are_linked_by_s(ending):
    assert ends(f"Bar{ending}s|amt")
    assert ends(f"bar{ending}s|artig")
    assert not ends(f"Bar{ending}s|te")
    assert not ends(f"Bar{ending}s|ten")
    assert not ends(f"Bar{ending}es|amt")


@pytest.mark.parametrize("beginning", ["auf", "aus", "ent", "unter", "über"])
def test_after_a_known_part_some_beginnings_are_enough(beginning):
    assert ends(f"Haus|{beginning}gabe", {"Haus": 9})
    assert not ends(f"Haus|{beginning}gabe", {"Maus": 9})


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ({"Haus": 9, "Arbeit": 5}, True),
        ({"Haus": 9}, False),
        ({"Arbeit": 5}, False),
        ({"Haus": 2, "Arbeit": 5}, False),
        ({"Haus": 3, "Arbeit": 3}, True),
        ({"Haus": 9, "Arbeit": 2}, False),
        ({"Haus": 9, "Arbeit": 9, "und": 5_000_000}, False),
        ({"Haus": 11, "Arbeit": 11, "und": 5_000_000}, True),
        ({"Haus": 9, "arbeit": 5}, False),
        ({"Haus": 9, "arbeit": 5, "Arbeit": 5}, False),
        ({"Haus": 9, "arbeit": 5, "Arbeit": 6}, True),
        ({"Haus": 9, "Arbeit": 5, "Hausarbeit": 5}, False),
        ({"Haus": 9, "Arbeit": 5, "Hausarbeit": 4}, True),
        ({"Haus": 9, "Arbeit": 5, "hausarbeit": 5}, False),
        ({"Haus": 9, "Arbeit": 5, "Hau": 7, "Sarbeit": 5}, False),
        ({"Haus": 9, "Arbeit": 5, "Hau": 7, "Sarbeit": 4}, True),
        ({"Haus": 9, "Arbeit": 5, "Hau": 4, "Sarbeit": 9}, True),
    ],
)
def test_both_parts_are_known_and_better_than_one_word_or_another_cut(words, wanted):
    assert ends("Haus|arbeit", words) is wanted


def test_small_words_are_made_of_small_words_and_as_many_are_enough():
    assert ends("los|eilen", {"los": 9, "eilen": 5})
    assert ends("los|eilen", {"los": 9, "Los": 9, "eilen": 5})
    assert not ends("los|eilen", {"los": 9, "Eilen": 5})
    assert not ends("los|irr", {"los": 9, "irr": 9})
    assert ends("Los|irr", {"Los": 9, "Irr": 9})
    assert not ends("Los|ei", {"Los": 9, "Ei": 9})


@pytest.mark.parametrize(("turm", "wanted"), [(60, True), (10, False)])
def test_a_part_without_its_s_counts_less(turm, wanted):
    """Of Lands three in ten of Land; against it, all of Sturm."""
    assert ends("Lands|turm", {"Land": 200, "Sturm": 50, "Turm": turm}) is wanted
    assert not ends("Lands|turm", {"Land": 200, "Sturm": 60, "Turm": turm})


def test_a_prefix_before_a_word_in_s_is_no_part():
    words = {"vers": 30, "enden": 20}
    assert ends("vers|enden", words)
    assert not ends("vers|enden", words | {"senden": 1})
    assert not ends("vers|enden", words | {"versenden": 20})
    for participle in ("endend", "endende", "endenden"):
        assert ends(f"vers|{participle}", words | {participle: 20})
        assert not ends(f"vers|{participle}", words | {participle: 20, "versenden": 20})


@pytest.mark.parametrize("middle", ["ver", "be"])
def test_a_prefix_may_stand_between_a_part_and_one_in_s(middle):
    words = {f"{middle.title()}s": 100, "Land": 200, "Uch": 50}
    assert ends(f"Land{middle}s|uch", words)
    assert ends(f"Land{middle}s|uch", words | {"Such": 4})
    assert not ends(f"Land{middle}s|uch", words | {"Such": 5})


def test_a_part_may_have_two_parts_itself():
    words = {"Glas": 300, "Kreis": 100, "Amt": 50}
    assert ends("Glaskreis|amt", words)  # one in twenty of the rarer part: 5
    assert not ends("Glaskreis|amt", words | {"Glas": 40})  # 2, which is too rare
    assert not ends("Glkreis|amt", {"Gl": 300} | words)
    assert ends("Kreis|glasamt", words)
    assert ends("Glaskreis|amt", words | {"Skreis": 30, "Gla": 40})
