"""Language packs: every language builds, and the row of words is computed exactly."""

import gzip
import os
import re
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import wordfreq

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError, UnknownLanguageError
from labelfree.lm import NGramLM, languages
from labelfree.lm.languages import known_languages, sample_text
from labelfree.lm.words import Separator, WordRow


@pytest.fixture
def short_lists(monkeypatch):
    monkeypatch.setattr(
        languages,
        "_frequencies",
        lambda code, wordlist="best": dict(islice(wordfreq.get_frequency_dict(code, "small").items(), 3000)),
    )


@pytest.mark.parametrize("code", known_languages())
def test_every_language_builds(short_lists, code):
    lm = NGramLM.from_language(code, order=2)
    joint = lm.joint(2)
    assert joint.sum() == pytest.approx(1)
    assert joint.min() > 0
    letters = "".join(lm.alphabet.symbols)
    assert 20 < len(letters) <= 3003
    if code not in ("zh", "ja"):
        assert lm.joint(1)[lm.alphabet.index(" ")] > 0.1
    assert letters == letters.lower()


def test_unknown_languages_are_listed():
    with pytest.raises(UnknownLanguageError) as caught:
        NGramLM.from_language("tlh")
    message = str(caught.value)
    assert "\n" not in message
    assert "'tlh'" in message
    assert all(f" {code}" in message for code in known_languages())


def test_windows_equal_a_long_draw():
    rng = np.random.default_rng(0)
    inside = {"ab": 0.5, "a": 0.2, "bcb": 0.3}
    first = {"C": 0.5, "Ca": 0.5}
    separators = {" ": 0.6, ", ": 0.1, ". ": 0.2, "": 0.1}
    alphabet = Alphabet("abc ,.C")

    def groups(words: dict[str, float]) -> list[tuple[np.ndarray, np.ndarray]]:
        return [(alphabet.encode(word)[None], np.array([weight])) for word, weight in words.items()]

    row = WordRow(
        len(alphabet),
        {False: groups(inside), True: groups(first)},
        [Separator(alphabet.encode(text), share, "." in text) for text, share in separators.items()],
    )
    drawn = []
    for separator in rng.choice(list(separators), 100000, p=list(separators.values())):
        words = first if "." in separator else inside
        drawn.append(separator + list(words)[int(rng.random() * 2)] if words is first else separator)
        if words is inside:
            drawn.append(str(rng.choice(list(inside), p=list(inside.values()))))
    text = "".join(drawn)
    for order in (1, 2, 3, 5):
        grams = row.windows(order)
        assert grams.weights.sum() == pytest.approx(1)
        seen = Counter(text[at : at + order] for at in range(len(text) - order + 1))
        places = len(alphabet) ** np.arange(order - 1, -1, -1)
        found = {
            alphabet.decode(code // places % len(alphabet)): weight
            for code, weight in zip(grams.codes, grams.weights, strict=True)
        }
        assert set(seen) <= set(found)
        total = sum(seen.values())
        assert sum(abs(seen[gram] / total - weight) for gram, weight in found.items()) < 0.03


def test_shorter_orders_are_marginals_of_longer_ones(short_lists):
    two, four = (languages.language_counts("en", order=order)[1] for order in (2, 4))
    total = two.counts[1].sum() / four.counts[1].sum()
    np.testing.assert_array_equal(two.codes[1], four.codes[1])
    np.testing.assert_allclose(two.counts[1], four.counts[1] * total, rtol=1e-9, atol=1e-6)


def test_english_is_the_papers_alphabet_and_looks_like_english():
    lm = NGramLM.from_language("en")
    assert lm.alphabet == PAPER_ALPHABET
    good = lm.perplexity("the committee said that it would meet again in the morning, and then left.")
    assert good < 9
    assert good < 0.3 * lm.perplexity("gninrom eht ni niaga teem dluow ti taht dias eettimmoc eht qx zj vk.")


def test_capitals_digits_and_marks_where_the_alphabet_has_them():
    alphabet = Alphabet([chr(point) for point in range(32, 127)])
    lm = NGramLM.from_language("en", alphabet)
    pairs = lm.conditional(3)[alphabet.index("."), alphabet.index(" ")]
    capitals = [alphabet.index(one) for one in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
    assert pairs[capitals].sum() > 0.9
    single = lm.joint(1)
    assert 0.01 < single[capitals].sum() < 0.06
    digits = single[[alphabet.index(one) for one in "0123456789"]]
    assert digits.min() > 0.0005
    assert single[alphabet.index("'")] > 0.001
    assert single[alphabet.index("?")] > 0.0002


def test_a_drawn_text_has_what_a_printed_one_has():
    text = sample_text("de", 5_000, seed=1)
    assert sample_text("de", 5_000, seed=1) == text
    assert len(text.split()) >= 5_000
    assert set('.,?!;:"()0123456789') <= set(text)
    words = re.findall(r"[^\W\d_]+", text)
    assert 0.1 < sum(word[0].isupper() for word in words) / len(words) < 0.5
    with pytest.raises(UnknownLanguageError, match="'xx'"):
        sample_text("xx", 10)


def test_other_alphabets(short_lists):
    upper = NGramLM.from_language("en", Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZ "))
    assert upper.alphabet.decode([int(upper.joint(1)[:26].argmax())]) == "E"
    fraktur = Alphabet([*"abcdefghijklmnopqrstuvwxyzäöüß ", "ch", "ck", "sch"])
    german = NGramLM.from_language("de", fraktur)
    assert german.joint(1)[fraktur.index("ch")] > 0.01
    partial = Alphabet([*"abdefghijklmnopqrstuvwxyz ", "ch"])  # no c on its own
    assert NGramLM.from_language("de", partial).joint(1)[partial.index("ch")] > 0.01
    with pytest.raises(InputError, match="no word of 'en'"):
        NGramLM.from_language("en", Alphabet("漢字"))


@pytest.mark.data
@pytest.mark.skipif("LABELFREE_DATA" not in os.environ, reason="LABELFREE_DATA names no folder")
def test_english_is_close_to_news():
    path = Path(os.environ["LABELFREE_DATA"]) / "news_reuters21578" / "reuters_lm.txt.gz"
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        news = NGramLM.from_text(stream, PAPER_ALPHABET, 2, outside="break").joint(2)
    ours = NGramLM.from_language("en", order=2).joint(2)
    assert (news * np.log(news / ours)).sum() < 0.08
