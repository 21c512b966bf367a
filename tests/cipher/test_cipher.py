"""Ciphers as people bring them."""

import random
import string
from functools import lru_cache

import numpy as np
import pytest

from labelfree import Alphabet, NGramLM, decipher
from labelfree.cipher import LONG, Hints
from labelfree.cipher.spacing import Spacing
from labelfree.cipher.transcription import layouts
from labelfree.errors import InputError
from labelfree.lm.languages import word_frequencies
from labelfree.repro.tasks.spelling import segments_of, spelling_task, standard_library_english

PLAIN = (
    "The river had risen in the night, and by morning the lower fields were under water. We carried the sacks of grain "
    "up to the loft, two at a time, while the old man counted them aloud and wrote the number on the wall with a piece "
    "of chalk. Nobody spoke much. When the last sack was safe he sat down on the step, looked at the brown water "
    "moving past the gate, and said that it would be gone before the week was out."
)
SHUFFLED = "".join(random.Random(7).sample(string.ascii_lowercase, 26))
KEY = str.maketrans(string.ascii_lowercase + string.ascii_uppercase, SHUFFLED + SHUFFLED.upper())


@pytest.fixture(scope="module")
def english():
    return NGramLM.from_language("en", order=5)


@lru_cache
def rebuild(alphabet):
    return NGramLM.from_language("en", alphabet, 5)


def wrong(found, truth):
    assert len(found) == len(truth)
    return sum(a != b for a, b in zip(found, truth, strict=True)) / len(truth)


def test_layout_capitals_and_punctuation_stay_where_they_stood(english):
    found = decipher(PLAIN.translate(KEY), english, rebuild=rebuild)
    assert found.converged
    assert wrong(found.text, PLAIN) < 0.01
    assert found.layout == "letters, word spaces kept"
    assert found.key[SHUFFLED[4]] == "e"
    assert found.confidence[SHUFFLED[4]] > 0.9


@pytest.mark.parametrize("group", [0, 5])
def test_text_without_word_spaces_or_in_groups_of_five_is_read(english, group):
    letters = [c for c in PLAIN.lower() if c.isalpha()]
    plain = "".join(letters)
    secret = plain.translate(KEY).upper()
    if group:
        secret = " ".join(secret[i : i + group] for i in range(0, len(secret), group))
    found = decipher(secret, english, rebuild=rebuild)
    assert found.converged
    assert wrong(found.text.replace(" ", "").lower(), plain) < 0.02


def test_symbols_between_white_space_are_read_with_slashes_as_word_spaces(english):
    plain = "".join(c for c in PLAIN.lower() if c.isalpha() or c == " ")
    numbers = {c: str(i + 10) for i, c in enumerate(SHUFFLED)} | {" ": "/"}
    found = decipher(" ".join(numbers[c] for c in plain), english, rebuild=rebuild)
    assert found.converged
    assert wrong(found.text, plain) < 0.01


def test_a_model_without_a_recipe_is_redrawn_over_fewer_symbols(english):
    plain = "".join(c for c in PLAIN.lower() if c.isalpha())
    found = decipher(plain.translate(KEY), english)
    assert found.converged
    assert wrong(found.text, plain) < 0.02


def test_a_long_text_is_read_by_its_statistics_spaces_and_punctuation_hidden_too():
    task = spelling_task(segments_of(standard_library_english()), seed=5)
    lm = NGramLM.from_text(list(task.in_domain), task.alphabet)
    signs = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ,. "))
    secret = "".join(signs[task.train.x])
    found = decipher(secret, lm)
    assert found.method == "statistics"
    assert found.converged
    truth = task.alphabet.decode(task.train.y)
    assert wrong(found.text.lower(), truth) == 0


def test_noise_of_copying_is_read_over(english):
    rng = random.Random(1)
    secret = "".join(
        rng.choice(SHUFFLED) if c.isalpha() and rng.random() < 0.04 else c for c in PLAIN.lower().translate(KEY)
    )
    rough = decipher(secret, english, rebuild=rebuild)
    mended = decipher(secret, english, rebuild=rebuild, mending=True)
    assert wrong(mended.text, PLAIN.lower()) < wrong(rough.text, PLAIN.lower()) < 0.08


def test_letters_drawn_by_lot_are_not_believed(english):
    rng = random.Random(0)
    secret = " ".join("".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 8))) for _ in range(60))
    assert not decipher(secret, english, rebuild=rebuild).converged


@pytest.mark.parametrize(
    ("secret", "message"),
    [("", "empty"), (" \n \n", "empty"), ("a", "1 distinct sign"), ("aaaaaaaa", "1 distinct sign in 8")],
)
def test_texts_without_anything_to_read_are_named(english, secret, message):
    with pytest.raises(InputError, match=message):
        decipher(secret, english)


def test_a_language_without_letters_is_named():
    with pytest.raises(InputError, match="shares nothing"):
        decipher("abc abd", NGramLM.from_text("1212 2121", Alphabet("12 "), order=2))


def test_mixed_case_tells_signs_apart_and_sentence_case_does_not():
    assert len(layouts("AbCdEfGhIj" * 9 + "aBcD")[0].signs) == 14
    assert len(layouts("Hello there my Dear. " * 9)[0].signs) == len(set("hellotheremydear "))


POEM = "\n".join(
    [
        "  The miller woke before the sun",
        "    And swept the floor of stone;",
        "  He counted sacks, and lost at one,",
        "    And had to start alone.",
        "",
        "  The river turned the heavy wheel,",
        "    The wheel it turned the mill,",
        "  And all the valley had its meal",
        "    While all the house lay still.",
        "",
    ]
)


def test_a_poem_keeps_its_lines_indents_and_stanzas(english):
    found = decipher(POEM.translate(KEY), english, rebuild=rebuild)
    assert found.converged
    assert found.text == POEM


def test_numbers_keep_their_lines_which_part_words_where_no_line_ends_at_a_slash(english):
    plain = "\n".join(
        line.strip() for line in "".join(c for c in POEM.lower() if c.isalpha() or c in " \n").split("\n")
    )
    numbers = {c: str(i + 10) for i, c in enumerate(SHUFFLED)} | {" ": "/"}
    secret = "\n".join(" ".join(numbers[c] for c in line) for line in plain.split("\n"))
    found = decipher(secret, english, rebuild=rebuild)
    assert found.converged
    assert found.text == plain.rstrip("\n")


def test_a_long_text_keeps_its_punctuation_and_lines(english):
    long = "\n".join((PLAIN + "\n", POEM, '"Quick," said Jo; "my fox zigzags!"\n'))
    long = "\n".join([long] * (LONG // len(long) + 1))
    found = decipher(long.translate(KEY), english, rebuild=rebuild)
    assert found.converged
    assert wrong(found.text, long) < 0.001


def test_word_spaces_are_put_in_where_groups_mean_nothing(english):
    letters = "".join(c for c in PLAIN.lower() if c.isalpha())
    secret = letters.translate(KEY)
    groups = " ".join(secret[i : i + 5] for i in range(0, len(secret), 5))
    spaced = NGramLM.from_language("en", Alphabet(string.ascii_lowercase + " "), 5)
    spacing = Spacing(spaced, word_frequencies("en"))
    found = decipher(groups, english, rebuild=rebuild, word_ends=spacing.word_ends)
    assert found.text.replace(" ", "") == letters
    words = "".join(c for c in PLAIN.lower() if c.isalpha() or c == " ").split()
    ends, found_ends = (set(np.cumsum([*map(len, row)]).tolist()) for row in (words, found.text.split()))
    assert len(ends ^ found_ends) <= 0.08 * len(ends)


def test_digits_without_separation_are_groups_of_two(english):
    letters = "".join(c for c in PLAIN.lower() if c.isalpha())
    digits = "".join(str(ord(c) - 70) for c in letters.translate(KEY))
    for secret in (digits, " ".join(digits[i : i + 5] for i in range(0, len(digits), 5))):
        assert layouts(secret)[0].name == "two-digit groups"
        assert "".join(layouts(secret)[0].signs[i] for i in layouts(secret)[0].x) == digits
    found = decipher(digits, english, rebuild=rebuild)
    assert found.converged
    assert wrong(found.text, letters) < 0.02


SHORT = "the parcel is under the third bench; bring the lantern and a rope"


def test_known_signs_read_as_said_and_wrong_ones_do_not_stop_the_search(english):
    secret = SHORT.translate(KEY)
    known = {SHUFFLED[ord(c) - 97]: c for c in "etanrbl"}
    found = decipher(secret, english, rebuild=rebuild, hints=Hints(known))
    assert {found.key[sign] for sign in known} == set("etanrbl")
    assert wrong(found.text, SHORT) < 0.1
    long = PLAIN.translate(KEY)
    found = decipher(long, english, rebuild=rebuild, hints=Hints({SHUFFLED[4]: "q", SHUFFLED[19]: "z"}))
    assert found.converged
    assert found.text == PLAIN


def test_a_crib_finds_its_place(english):
    plain = "".join(c for c in SHORT if c.isalpha())
    found = decipher(plain.translate(KEY), english, rebuild=rebuild, hints=Hints(crib="bring the lantern"))
    assert "bringthelantern" in found.text
    assert wrong(found.text, plain) < 0.2


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        (Hints({"9": "e"}), "no sign '9'"),
        (Hints({SHUFFLED[0]: "ß"}), "no letter 'ß'"),
        (Hints(crib="12 34"), "no letter of the language"),
    ],
)
def test_hints_that_cannot_be_are_named(english, hints, message):
    with pytest.raises(InputError, match=message):
        decipher(PLAIN.translate(KEY), english, rebuild=rebuild, hints=hints)


def test_a_key_begun_with_that_the_text_has_no_sign_of_is_named(english):
    with pytest.raises(InputError, match="no sign of the ciphertext"):
        decipher(PLAIN.translate(KEY), english, rebuild=rebuild, hints=Hints(start={"9": "e"}))


def test_wrong_slashes_between_symbols_are_left_out_and_words_found():
    letters = [c for c in PLAIN.lower() if c.isalpha()]
    numbers = [str(ord(c)) + (" /" if i % 7 == 3 else "") for i, c in enumerate(letters)]
    (layout,) = layouts(" ".join(numbers), lambda _: [3, 8], redivide=True)
    assert layout.space is None
    assert layout.written(letters).startswith("the river hadrisen")
