"""`labelfree decipher`, as typed."""

import codecs
import functools
import json
import os
import re

import pytest

from labelfree import cipher

PLAIN = (
    "When the ferry came in that evening there was nobody on the deck but the captain and a boy with a basket of eggs. "
    "They tied the rope to the post, looked up at the dark windows of the inn, and waited. After a while the boy put "
    "the basket down and began to whistle."
)
LONGER = (
    "The river had risen in the night, and by morning the lower fields were under water. We carried the sacks of grain "
    "up to the loft, two at a time, while the old man counted them aloud and wrote the number on the wall with a piece "
    "of chalk. Nobody spoke much. When the last sack was safe he sat down on the step, looked at the brown water "
    "moving past the gate, and said that it would be gone before the week was out."
)
KEY = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "phqgiumeaylnofdxjkrcvstzwbPHQGIUMEAYLNOFDXJKRCVSTZWB"
)


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text(PLAIN.translate(KEY), encoding="utf-8")
    return path


def test_plaintext_and_key_are_printed(labelfree, secret):
    found = labelfree("decipher", secret, "--key")
    assert found.code == 0
    text, key = found.out.split("\n\n")
    assert text == PLAIN
    assert "i\te\t" in key
    assert found.err == ""


def test_json_tells_score_confidence_and_belief(labelfree, secret):
    found = labelfree("decipher", secret, "--lang", "en", "--json")
    result = json.loads(found.out)
    assert result["text"] == PLAIN
    assert result["converged"] is True
    assert set(result["key"]) == set(result["confidence"])
    assert all(0 <= value <= 1 for value in result["confidence"].values())
    assert -4 < result["score"] < -1


def test_a_small_key_is_said(labelfree, tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text(codecs.encode(PLAIN, "rot13"), encoding="utf-8")
    found = labelfree("decipher", path)
    assert found.out == PLAIN + "\n"
    assert found.err == "labelfree: Caesar, shift 13\n"


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--known", "12", "a sign, = and its letter wanted"),
        ("--known", "€=e", "no sign '€'"),
        ("--crib", "12", "no letter"),
    ],
)
def test_hints_that_cannot_be_are_named(refused, secret, option, value, message):
    assert message in refused("decipher", secret, option, value)


def test_spaces_are_put_in_unless_they_are_not_wanted(labelfree, tmp_path):
    letters = "".join(c for c in PLAIN.lower() if c.isalpha())
    path = tmp_path / "secret.txt"
    path.write_text(letters.translate(KEY) + "\n", encoding="utf-8")
    assert labelfree("decipher", path).out.startswith("when the ferry came in that evening there was nobody on ")
    assert labelfree("decipher", path, "--no-spaces").out == letters + "\n"


def test_standard_input_is_read(labelfree, secret, monkeypatch):
    with secret.open("rb") as stream, os.fdopen(os.dup(stream.fileno()), encoding="utf-8") as text:
        monkeypatch.setattr("sys.stdin", text)
        assert labelfree("decipher", "-").out.strip() == PLAIN


def test_text_of_the_language_serves_instead_of_its_name(labelfree, secret, tmp_path):
    from labelfree.repro.tasks.spelling import standard_library_english

    text = tmp_path / "english.txt"
    text.write_text("\n".join(standard_library_english()), encoding="utf-8")
    result = json.loads(labelfree("decipher", secret, "--text", text, "--json").out)
    assert sum(a != b for a, b in zip(result["text"], PLAIN, strict=True)) < 0.1 * len(PLAIN)


def test_a_reading_that_is_not_believed_exits_with_one(labelfree, tmp_path):
    path = tmp_path / "noise.txt"
    path.write_text("qzx wvkj pqoe zzmx kqpw ynvb rtzk", encoding="utf-8")
    found = labelfree("decipher", path)
    assert found.code == 1
    assert "not to be believed: " in found.err
    assert re.search("; (perhaps|letters|too short)", found.err)
    assert "what would help: " in found.err
    told = json.loads(labelfree("decipher", path, "--json").out)
    assert told["verdict"]["reason"] in found.err
    assert told["verdict"]["converged"] is told["converged"] is False
    assert told["language"] == "en"


def test_which_language_it_is_is_asked_and_said_with_its_lead(labelfree, secret, monkeypatch):
    some = functools.partial(cipher.which_language, codes=["en", "es", "fi"])
    monkeypatch.setattr(cipher, "which_language", some)
    found = labelfree("decipher", secret, "--lang", "auto", "--json")
    told = json.loads(found.out)
    assert told["language"] == "en"
    assert set(told["languages_tried"]["nats"]) == {"en", "es", "fi"}
    assert told["languages_tried"]["clear"] is True
    assert told["languages_tried"]["lead"] > 5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"q", "1 distinct sign"),
        (b"q" * 3000, "1 distinct sign in 3000"),
        (bytes(range(256)) * 8, "byte 128 is 0x80, UTF-8 text wanted"),
        ("schöne Grüße".encode("latin-1"), "byte 3 is 0xf6"),
        (b"abc\x00def", "control character '\\x00'"),
    ],
    ids=["empty", "blank", "one sign", "one repeated", "garbage", "latin-1", "control"],
)
def test_bad_ciphertexts_are_named(refused, tmp_path, content, message):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    line = refused("decipher", path)
    assert str(path) in line
    assert message in line


def test_a_gigabyte_in_one_line_is_refused(refused, tmp_path):
    path = tmp_path / "huge.txt"
    with path.open("wb") as stream:
        stream.truncate(2**30)
    assert "has 1,073,741,824 bytes, at most 16,777,216 wanted" in refused("decipher", path)


def test_a_missing_file_and_too_many_languages_are_named(refused, tmp_path, secret):
    assert "No such file" in refused("decipher", tmp_path / "none.txt")
    assert "one of --lang, --lm and --text" in refused("decipher", secret, "--lang", "en", "--text", secret)
    assert "xx" in refused("decipher", secret, "--lang", "xx")


def test_a_model_that_shares_nothing_with_letters_is_named(refused, secret, tmp_path):
    from labelfree import Alphabet, NGramLM

    NGramLM.from_text("1212 2121" * 9, Alphabet("12 "), order=2).write_arpa(tmp_path / "digits.arpa")
    line = refused("decipher", secret, "--lm", tmp_path / "digits.arpa")
    assert str(secret) in line
    assert "shares nothing" in line


def test_a_key_that_is_wrong_in_places_is_begun_with_and_corrected(labelfree, secret, tmp_path):
    key = {chr(KEY[ord(plain)]): plain for plain in "abcdefghilnorstuwy"} | {"i": "t", "c": "e"}
    path = tmp_path / "key.txt"
    path.write_text("the text\n\n" + "".join(f"{sign}\t{letter}\t0.50\n" for sign, letter in key.items()), "utf-8")
    assert labelfree("decipher", secret, "--known", path).out.startswith(PLAIN)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nothing", "no key found"),
        ("{}", "a JSON object without a key"),
        ("{", "key.txt"),
    ],
)
def test_files_without_a_key_are_named(refused, secret, tmp_path, content, message):
    (tmp_path / "key.txt").write_text(content, encoding="utf-8")
    assert message in refused("decipher", secret, "--known", tmp_path / "key.txt")


def test_wrong_word_divisions_are_repaired(labelfree, refused, tmp_path):
    letters = "".join(c for c in PLAIN.lower() if c.isalpha())
    divided = " ".join(re.findall(".{1,4}", letters[:60]) + re.findall(".{1,7}", letters[60:]))
    path = tmp_path / "secret.txt"
    path.write_text(divided.translate(KEY), encoding="utf-8")
    found = labelfree("decipher", path, "--redivide")
    assert found.out.startswith("when the ferry came in that evening there was nobody on the deck but the captain")
    assert "give one of them" in refused("decipher", path, "--redivide", "--no-spaces")


def test_signs_for_words_and_for_nothing_are_found(labelfree, tmp_path):
    words = [*re.findall("[a-z]+", PLAIN.lower()), *re.findall("[a-z]+", LONGER.lower())]
    signs = []
    for i, word in enumerate(words):
        signs += ["THE" if word == "the" else "AND"] if word in ("the", "and") else [*word]
        if i % 4 == 0:
            signs.insert(len(signs) - i % 3, ["N1", "N2"][i // 4 % 2])
    names = {sign: str(10 + (7 * i) % 60) for i, sign in enumerate(dict.fromkeys(signs))}
    path = tmp_path / "secret.txt"
    path.write_text(" ".join(names[sign] for sign in signs), encoding="utf-8")
    told = json.loads(labelfree("decipher", path, "--nomenclator", "--json").out)
    assert told["kind"] == "nomenclator"
    assert told["key"][names["THE"]] == "the"
    assert told["key"][names["AND"]] == "and"
    assert told["key"][names["N1"]] == told["key"][names["N2"]] == ""
    assert told["text"].startswith("when the ferry came in that evening there was nobody on the deck but")
    assert told["converged"] is True
