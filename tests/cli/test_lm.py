"""Language models from the shell."""

import json

import numpy as np
import pytest

from labelfree import Alphabet, NGramLM


def test_a_model_of_text_over_a_given_alphabet(labelfree, workshop, tmp_path):
    found = labelfree(
        "lm", "build", workshop / "text.txt", "--alphabet", "fabcde", "--order", 2, "-o", tmp_path / "a.arpa"
    )
    assert found.code == 0
    lm = NGramLM.read_arpa(tmp_path / "a.arpa")
    wanted = NGramLM.from_text((workshop / "text.txt").read_text(), Alphabet("fabcde"), order=2)
    assert lm.alphabet == wanted.alphabet
    np.testing.assert_allclose(lm.joint(2), wanted.joint(2), atol=1e-7)


def test_without_an_alphabet_the_text_s_own_is_taken(labelfree, workshop, tmp_path):
    assert labelfree("lm", "build", workshop / "text.txt", "-o", tmp_path / "a.arpa.gz").code == 0
    lm = NGramLM.read_arpa(tmp_path / "a.arpa.gz")
    assert (lm.alphabet.symbols, lm.order) == (tuple("abcdef"), 3)


def test_a_language_gives_words_or_only_its_alphabet(labelfree, workshop, tmp_path):
    assert labelfree("lm", "build", "--lang", "de", "--order", 2, "-o", tmp_path / "words.arpa").code == 0
    words = NGramLM.read_arpa(tmp_path / "words.arpa")
    assert "ä" in words.alphabet
    np.testing.assert_allclose(words.joint(2), NGramLM.from_language("de", order=2).joint(2), atol=1e-7)
    assert labelfree("lm", "build", workshop / "text.txt", "--lang", "de", "-o", tmp_path / "text.arpa").code == 0
    text = NGramLM.read_arpa(tmp_path / "text.arpa")
    assert text.alphabet == words.alphabet
    assert text.joint(1)[text.alphabet.index("ä")] < 1e-3


@pytest.mark.parametrize("options", [["--alphabet", "abcdef"], []], ids=str)
def test_symbols_of_several_characters(labelfree, workshop, tmp_path, options):
    command = ["lm", "build", workshop / "text.txt", *options, "--symbols", "ab,cde", "-o", tmp_path / "a.arpa"]
    assert labelfree(*command).code == 0
    assert NGramLM.read_arpa(tmp_path / "a.arpa").alphabet.symbols == (*"abcdef", "ab", "cde")


def test_what_a_model_knows(labelfree, workshop):
    lm = NGramLM.read_arpa(workshop / "lm.arpa.gz")
    out = labelfree("lm", "info", workshop / "lm.arpa.gz", "--top", 2).out
    assert "6: a b c d e f" in out
    assert f"{np.exp(lm.entropy):.2f}" in out
    found = json.loads(labelfree("lm", "info", workshop / "lm.arpa.gz", "--json", "--top", 4).out)
    assert (found["order"], found["symbols"]) == (3, list("abcdef"))
    assert found["ngrams"] == [level.codes.size for level in lm.backoff.levels]
    assert found["perplexity"] == pytest.approx(np.exp(lm.entropy))
    best = lm.joint(2).argmax()
    assert found["frequent"][1][0]["text"] == "abcdef"[best // 6] + "abcdef"[best % 6]
    assert found["frequent"][1][0]["share"] == pytest.approx(lm.joint(2).max())
    assert [len(rows) for rows in found["frequent"]] == [4, 4, 4]


@pytest.fixture
def two(tmp_path):
    for name, text in (("one", "aab" * 40), ("two", "abb" * 40)):
        NGramLM.from_text(text, Alphabet("ab"), order=2).write_arpa(tmp_path / f"{name}.arpa")
    return [tmp_path / "one.arpa", tmp_path / "two.arpa"]


@pytest.mark.parametrize(("weights", "share"), [([], 0.5), (["--weights", "3,1"], 0.75)], ids=str)
def test_models_are_mixed_by_weight(labelfree, two, tmp_path, weights, share):
    assert labelfree("lm", "mix", *two, *weights, "-o", tmp_path / "m.arpa").code == 0
    one, other, mixed = (NGramLM.read_arpa(path).conditional(2) for path in (*two, tmp_path / "m.arpa"))
    np.testing.assert_allclose(mixed, share * one + (1 - share) * other, atol=1e-6)


def test_models_are_mixed_to_suit_a_text(labelfree, two, tmp_path):
    (tmp_path / "held.txt").write_text("aab" * 30)
    command = ["lm", "mix", *two, "--held-out", tmp_path / "held.txt", "-o", tmp_path / "m.arpa", "--json"]
    assert json.loads(labelfree(*command).out)["order"] == 2
    one, mixed = (NGramLM.read_arpa(path).conditional(2) for path in (two[0], tmp_path / "m.arpa"))
    np.testing.assert_allclose(mixed, one, atol=0.02)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--weights", "1,x"], "--weights is '1,x', numbers with commas between wanted"),
        (["--weights", "1"], "give 2 numbers"),
        (["--weights", "1,1", "--held-out", "one.arpa"], "give one of them"),
        (["--held-out", "nowhere.txt"], "nowhere.txt is no file or folder"),
    ],
)
def test_wrong_weights_are_named(refused, two, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused("lm", "mix", *two, *options, "-o", tmp_path / "m.arpa")
    assert not (tmp_path / "m.arpa").exists()


def test_models_over_other_symbols_are_not_mixed(refused, two, workshop, tmp_path):
    line = refused("lm", "mix", two[0], workshop / "lm.arpa.gz", "-o", tmp_path / "m.arpa")
    assert f"{workshop / 'lm.arpa.gz'} is over 'abcdef', the symbols of {two[0]}, 'ab', wanted" in line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "found neither TEXT nor --lang, one wanted"),
        (["--lang", "xx"], "xx"),
        (["TEXT", "--lang", "en", "--alphabet", "abc"], "found --alphabet and --lang beside TEXT"),
        (["TEXT", "--alphabet", "xyz"], "holds no symbol of the alphabet"),
        (["TEXT", "--alphabet", "aa"], "more than once"),
        (["TEXT", "--alphabet", "a"], "found one symbol, 'a', at least 2 different wanted"),
        (
            ["--lang", "en", "--alphabet", "жщ"],
            "--alphabet 'жщ' shares no symbol with 'abcdefghijklmnopqrstuvwxyz ,.' of en",
        ),
    ],
)
def test_what_no_model_can_be_built_from_is_named(refused, workshop, tmp_path, options, message):
    words = [workshop / "text.txt" if word == "TEXT" else word for word in options]
    assert message in refused("lm", "build", *words, "-o", tmp_path / "m.arpa")
    assert list(tmp_path.iterdir()) == []
