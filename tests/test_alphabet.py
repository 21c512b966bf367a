"""Alphabet and Cutter against a slow, plain reading of the same rules."""

import copy
import pickle
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelfree.alphabet import PAPER_ALPHABET, WHITE_SPACE, Alphabet, Cutter
from labelfree.errors import InputError


def slow_encode(symbols: tuple[str, ...], text: str, policy: str, fold: bool) -> list[int]:
    text = unicodedata.normalize("NFC", text)
    ids: list[int] = []
    place = 0
    longest_first = sorted(symbols, key=len, reverse=True)
    while place < len(text):
        for symbol in longest_first:
            piece = text[place : place + len(symbol)]
            if piece == symbol or (fold and piece.lower() == symbol):
                ids.append(symbols.index(symbol))
                place += len(symbol)
                break
        else:
            if text[place].isspace() and " " in symbols:
                ids.append(symbols.index(" "))
            elif policy == "break":
                ids.append(-1)
            place += 1
    return ids


SYMBOLS = ["a", "b", "c", "h", "ch", "ck", "sch", "aa", "ab", "ä", " ", "#", "ﬁ", "漢", "が"]
TEXTS = st.text(alphabet="abcCHhksSä Aa\u0308\n#漢か\u3099!ÄÉ", max_size=60)


@given(
    st.lists(st.sampled_from(SYMBOLS), min_size=1, unique=True),
    TEXTS,
    st.sampled_from(["drop", "break"]),
    st.booleans(),
)
def test_encode_equals_the_slow_reading(symbols, text, policy, fold):
    alphabet = Alphabet(symbols, fold_case=fold)
    assert alphabet.encode(text, policy).tolist() == slow_encode(alphabet.symbols, text, policy, fold)


@given(
    st.lists(st.sampled_from(SYMBOLS), min_size=1, unique=True),
    st.lists(TEXTS, max_size=6),
    st.sampled_from(["drop", "break", "map"]),
    st.booleans(),
)
def test_pieces_give_what_the_whole_gives(symbols, pieces, policy, squeeze):
    alphabet = Alphabet(symbols)
    outside = {"!": symbols[0] * 2, "É": ""} if policy == "map" else policy
    whole = Cutter(alphabet, outside, squeeze).feed("".join(pieces), last=True)
    cutter = Cutter(alphabet, outside, squeeze)
    parts = [cutter.feed(piece) for piece in pieces] + [cutter.feed("", last=True)]
    assert np.concatenate(parts).tolist() == whole.tolist()


@given(TEXTS)
def test_squeezing_leaves_one_space_of_a_run(text):
    plain = PAPER_ALPHABET.encode(text).tolist()
    space = PAPER_ALPHABET.index(" ")
    wanted = [s for i, s in enumerate(plain) if not (s == space and i and plain[i - 1] == space)]
    assert Cutter(PAPER_ALPHABET, "drop", squeeze=True).feed(text, last=True).tolist() == wanted


@given(st.lists(st.sampled_from(range(len(SYMBOLS))), max_size=30))
def test_single_characters_come_back(ids):
    alphabet = Alphabet("abcdefghijklmno")
    assert alphabet.encode(alphabet.decode(ids)).tolist() == ids


def test_sequences_split_at_what_is_outside():
    ids, lengths = Alphabet("ab").sequences("--ab-ba--a-")
    assert ids.tolist() == [0, 1, 1, 0, 0]
    assert lengths.tolist() == [2, 2, 1]
    assert Alphabet("ab").sequences("")[1].size == 0


def test_mapping_expands_folds_and_drops():
    alphabet = Alphabet("abcdefghijklmnopqrstuvwxyz ")
    assert alphabet.decode(alphabet.encode("Ünder öfter!", {"ü": "ue", "ö": "oe"})) == "uender oefter"


@given(st.text(alphabet="é\u0301\u2019\u201cк\u2028Κ\u212aKaͅ😀ἀ", max_size=4), st.integers(0, 200))
def test_a_few_wide_characters_in_plain_text(wide, place):
    plain = "so much plain text, e" * 10
    text = plain[:place] + wide + plain[place:]
    for symbols in ("abcdefghijklmnopqrstuvwxyz ,.", "aekк "):
        alphabet = Alphabet(symbols)
        for policy in ("drop", "break"):
            assert alphabet.encode(text, policy).tolist() == slow_encode(alphabet.symbols, text, policy, True)


def test_a_large_alphabet_leaves_the_byte_path():
    symbols = [chr(0x4E00 + place) for place in range(700)]
    alphabet = Alphabet(symbols)
    assert alphabet.encode("".join(symbols)).tolist() == list(range(700))


def test_white_space_is_what_python_calls_space():
    assert set(WHITE_SPACE) == {chr(point) for point in range(0x110000) if chr(point).isspace()}


def test_it_is_a_value():
    one, two = Alphabet("ab "), Alphabet(["a", "b", " "])
    assert one == two
    assert hash(one) == hash(two)
    assert one != Alphabet("ab ", fold_case=False)
    assert one != "ab "
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301
    assert copy.deepcopy(one) == one
    assert list(one) == ["a", "b", " "]
    assert "a" in one
    assert "c" not in one
    assert len(PAPER_ALPHABET) == 29
    assert Alphabet("e\u0301").symbols == ("é",)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Alphabet(""), "no symbol"),
        (lambda: Alphabet("aba"), "'a' more than once"),
        (lambda: Alphabet(["é", "e\u0301"]), "more than once"),
        (lambda: Alphabet(["a", ""]), "symbol 1 of the alphabet is empty"),
        (lambda: Alphabet(["a", 3]), "holds 3"),
        (lambda: Alphabet(7), "symbols is int"),
        (lambda: Alphabet("aB", fold_case=True), "capital 'B'"),
        (lambda: Alphabet("ab").index("c"), "'c' is not in the alphabet"),
        (lambda: Alphabet("ab").encode("a?", "error"), r"'\?' \(U\+003F\) near place 1"),
        (lambda: Alphabet("ab").encode("a", "keep"), "outside is 'keep'"),
        (lambda: Alphabet("ab").encode("a", {"xy": "a"}), "maps 'xy'"),
        (lambda: Alphabet("ab").encode("a", {"x": "c"}), "maps 'x' to 'c'"),
        (lambda: Alphabet("ab").decode([0, 2]), "index 2"),
        (lambda: Alphabet("ab").decode([0, -2]), "index -2"),
        (lambda: Alphabet("ab").decode([0.5]), "float64"),
    ],
)
def test_errors_are_one_line_and_say_what_was_found(make, said):
    with pytest.raises(InputError, match=said) as caught:
        make()
    assert "\n" not in str(caught.value)
