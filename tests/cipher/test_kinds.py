"""Ciphers with small keys are read and named; what is none of them is not believed, and its kind is told."""

import random
import string
from functools import lru_cache

import numpy as np
import pytest

from labelfree import Alphabet, NGramLM, decipher
from labelfree.cipher.kinds import by_map, by_order, letters_in, named
from labelfree.cipher.transcription import layouts

PLAIN = (
    "The ferry crossed only twice a day, and whoever missed the second boat had to sleep at the inn. The landlady knew "
    "this well: she watched the road from her kitchen, and when a cart came late she put the soup back on the fire."
)
LETTERS = "".join(c for c in PLAIN.lower() if c.isalpha())
A = string.ascii_lowercase


@lru_cache
def rebuild(alphabet):
    return NGramLM.from_language("en", alphabet, 5)


@pytest.fixture(scope="module")
def english():
    return NGramLM.from_language("en", order=5)


def mapped(text, function):
    """Write each letter as another, by its number and how many letters came before; the rest stays."""
    written, place = "", 0
    for c in text:
        if c.lower() in A:
            letter = A[function(A.index(c.lower()), place) % 26]
            written += letter.upper() if c.isupper() else letter
            place += 1
        else:
            written += c
    return written


def fives(text):
    return " ".join(text[i : i + 5] for i in range(0, len(text), 5))


def in_columns(word, text):
    return "".join(text[j :: len(word)] for j in sorted(range(len(word)), key=lambda j: (word[j], j)))


def over_fence(rails, text):
    row, step, rows = 0, 1, [""] * rails
    for letter in text:
        rows[row] += letter
        step = 1 if row == 0 else -1 if row == rails - 1 else step
        row += step
    return "".join(rows)


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        (PLAIN, "plain text already"),
        (mapped(PLAIN, lambda p, _: p + 3), "Caesar, shift 3"),
        (mapped(PLAIN, lambda p, _: 25 - p), "Atbash"),
        (mapped(PLAIN, lambda p, _: 5 * p + 8), "affine, 5 p + 8"),
        (mapped(PLAIN, lambda p, i: p + A.index("orchard"[i % 7])), "Vigenere, key orchard"),
        (fives(mapped(LETTERS, lambda p, i: A.index("lanterns"[i % 8]) - p)), "Beaufort, key lanterns"),
        (fives(over_fence(5, LETTERS)), "rail fence, 5 rails"),
        (in_columns("zebras", LETTERS), "columnar transposition, columns written in the order 6 3 2 4 1 5"),
        (
            in_columns("fgdbcaieh", LETTERS).upper(),
            "columnar transposition, columns written in the order 6 7 4 2 3 1 9 5 8",
        ),
        (LETTERS[::-1], "written backwards"),
    ],
)
def test_a_small_key_is_found_and_its_kind_said(english, secret, kind):
    found = decipher(secret, english, rebuild=rebuild)
    assert found.kind == kind
    assert found.converged
    truth = PLAIN if "," in secret else LETTERS
    assert found.text.replace(" ", "").lower() == truth.replace(" ", "").lower()
    if "," in secret:
        assert found.text == PLAIN


@pytest.mark.parametrize("plain", ["meet me at the old mill at noon", "meetmeattheoldmillatnoontomorrow"])
def test_some_thirty_letters_are_enough_for_a_shift(english, plain):
    found = decipher(mapped(plain, lambda p, _: p + 7), english, rebuild=rebuild)
    assert (found.text, found.converged, found.kind) == (plain, True, "Caesar, shift 7")


def nothing_to_read(seed):
    rng = random.Random(seed)
    key = "".join(rng.sample(A, 26))
    return {
        "even": "".join(rng.choices(A, k=240)),
        "shuffled": "".join(rng.sample(LETTERS, len(LETTERS))),
        "simple": LETTERS.translate(str.maketrans(A, key)),
        "one-time": mapped(LETTERS, lambda p, _: p + rng.randrange(26)),
        "two columns": in_columns("fgdbcaieh", in_columns("qmwaxno", LETTERS)),
        "short": "".join(rng.choices(LETTERS, k=14)),
        "backwards, simple": LETTERS[::-1].translate(str.maketrans(A, key)),
    }


@pytest.mark.parametrize("seed", range(3))
def test_what_has_no_small_key_is_not_believed(english, seed):
    for name, secret in nothing_to_read(seed).items():
        letters = letters_in(layouts(secret)[0], rebuild(Alphabet(A)))
        assert by_map(letters) is None, name
        if seed == 0:
            assert by_order(letters) is None, name


@pytest.mark.parametrize(
    ("secret", "name"),
    [
        (mapped(LETTERS * 2, lambda p, i: [7, 3, 19, 11, 2, 23, 5][i % 7] + 3 * p), "perhaps Vigenere with period 7"),
        (nothing_to_read(0)["shuffled"], "perhaps a transposition"),
        (nothing_to_read(0)["simple"], "perhaps a simple substitution"),
        (nothing_to_read(0)["even"], "letters as even as chance"),
    ],
)
def test_the_statistics_tell_what_was_not_read(english, secret, name):
    letters = letters_in(layouts(secret)[0], rebuild(Alphabet(A)))
    assert named(letters).startswith(name)


def test_letters_are_scored_as_the_model_scores_them(english):
    lm = NGramLM.from_text(PLAIN.lower() * 3, Alphabet(A + " "), order=5)
    letters = letters_in(layouts(PLAIN)[0], lm)
    plain = "".join(c for c in PLAIN.lower() if c in A + " ")
    mixed = np.log(0.99 * np.exp(lm.log_probabilities(lm.alphabet.encode(plain))) + 0.01 / 27).sum()
    assert letters.scores(letters.x[None])[0] == pytest.approx(mixed, rel=1e-4)
