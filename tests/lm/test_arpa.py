"""ARPA files: round trips, the real KenLM, and garbage."""

import contextlib
import gzip
from pydoc_data.topics import topics

import kenlm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.lm.arpa import symbol_of, token_of

ENGLISH = " ".join(topics.values())[:60000]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("smoothing", ["auto", "additive", "kneser-ney"])
def test_kenlm_gives_the_same_log_probabilities(tmp_path, order, smoothing):
    text = ENGLISH if smoothing != "additive" else ENGLISH[:3000]
    lm = NGramLM.from_text(text, PAPER_ALPHABET, order, smoothing=smoothing)
    ids = np.concatenate((PAPER_ALPHABET.encode(ENGLISH[-3000:]), np.random.default_rng(0).integers(0, 29, 500)))
    tokens = " ".join(token_of(PAPER_ALPHABET.symbols[place]) for place in ids)
    for name in ("lm.arpa", "lm.arpa.gz"):
        lm.write_arpa(tmp_path / name)
        scores = kenlm.Model(str(tmp_path / name)).full_scores(tokens, bos=False, eos=False)
        theirs = np.array([score for score, _, unknown in scores if not unknown])
        np.testing.assert_allclose(lm.log_probabilities(ids) / np.log(10), theirs, atol=1e-4)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_a_round_trip_keeps_everything(tmp_path, order):
    lm = NGramLM.from_text(ENGLISH[:20000], None, order)
    lm.write_arpa(tmp_path / "lm.arpa.gz")
    again = NGramLM.read_arpa(tmp_path / "lm.arpa.gz")
    assert again.alphabet == lm.alphabet
    assert again.order == order
    np.testing.assert_allclose(again.conditional(min(order, 3)), lm.conditional(min(order, 3)), rtol=1e-6)
    np.testing.assert_allclose(again.joint(2), lm.joint(2), atol=1e-8)
    lm.write_arpa(str(tmp_path / "two.arpa.gz"))
    assert (tmp_path / "lm.arpa.gz").read_bytes() == (tmp_path / "two.arpa.gz").read_bytes()


@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_symbol_becomes_a_token_and_comes_back(symbols):
    for symbol in [*symbols, " ", "<", "<sp>", "<s>", "</s>", "<unk>", "\\", "\\u{3c}", "\t", "\xa0", "漢", "<UNK>"]:
        token = token_of(symbol)
        assert symbol_of(token) == symbol
        assert token.split() == [token]
        assert token.casefold() not in ("<s>", "</s>", "<unk>")


def test_odd_symbols_through_kenlm(tmp_path):
    alphabet = Alphabet(["<s>", "<sp>", " ", "\\", "#", "ch", "漢", "\xa0", "<"])
    lm = NGramLM.from_text("ch ch#漢\\<s>\xa0<sp> #<" * 9, alphabet, 2)
    path = tmp_path / "odd.arpa"
    lm.write_arpa(path)
    again = NGramLM.read_arpa(path)
    assert again.alphabet == alphabet
    model = kenlm.Model(str(path))
    ids = alphabet.encode("ch<s><sp>#漢\xa0 \\<")
    scores = model.full_scores(" ".join(token_of(alphabet.symbols[place]) for place in ids), bos=False, eos=False)
    np.testing.assert_allclose([one[0] for one in scores], again.log_probabilities(ids) / np.log(10), atol=1e-4)


FOREIGN = r"""
\data\
ngram 1=5
ngram 2=4

\1-grams:
-1.0	<unk>
-99	<s>	-0.3
-0.8	</s>
-0.5	a	-0.2
-0.6	b	-0.1

\2-grams:
-0.2	<s> a
-0.3	a b
-0.4	a </s>
-0.9	b b

\end\
"""


def test_files_of_other_tools_are_scaled_to_the_symbols_left(tmp_path):
    path = tmp_path / "other.arpa"
    path.write_text(FOREIGN)
    lm = NGramLM.read_arpa(path)
    assert lm.alphabet.symbols == ("a", "b")
    a, b = 10**-0.5, 10**-0.6
    np.testing.assert_allclose(np.exp(lm.log_conditional(np.empty((1, 0), dtype=int))[0]), np.array([a, b]) / (a + b))
    np.testing.assert_allclose(lm.conditional(2).sum(axis=1), 1)
    rest = 10**-0.2 * a / (a + b)
    np.testing.assert_allclose(lm.conditional(2)[0], np.array([rest, 10**-0.3]) / (rest + 10**-0.3))


def changed(old: str, new: str) -> str:
    assert old in FOREIGN
    return FOREIGN.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"line 1: found .*wanted \\data\\"),
        ("hello\n", r"line 1: found 'hello', wanted \\data\\"),
        ("\\data\\\n", "line 2: found 'the end of the file', wanted ngram 1="),
        (changed("ngram 1=5", "ngram 1=five"), "line 3: found 'ngram 1=five', wanted ngram 1="),
        (changed("ngram 2=4", "ngram 3=4"), "line 4: .* wanted ngram 2="),
        (changed("ngram 1=5", "ngram 1=6"), r"line 13: found .*-grams:', wanted 6 1-grams"),
        (changed("ngram 1=5", "ngram 1=4"), "line 11: .* no more than the 4 1-grams"),
        (changed("ngram 2=4", "ngram 2=9999999"), "wanted 9999999 2-grams"),
        (changed("ngram 2=4", "ngram 2=99999999999999"), "promises 100,000,000,000,004 N-grams, at most"),
        (changed("ngram 2=4", "ngram 2=" + "9" * 5000), r"wanted \\1-grams:"),
        (changed("-0.5\ta", "-0.5\t" + "a" * 70_000), "line 10: .* wanted a line of at most 65,536 bytes"),
        (changed("\\1-grams:", "\\9-grams:"), r"line 6: found .*9-grams:', wanted \\1-grams:"),
        (changed("-0.5\ta", "x\ta"), "line 10: found .*wanted a log10 probability"),
        (changed("-0.5\ta", "nan\ta"), "line 10: .*wanted a log10 probability"),
        (changed("-0.5\ta", "0.5\ta"), "line 10: .*wanted a log10 probability, 0 or less"),
        (changed("a\t-0.2", "a\tx"), "line 10: .*wanted a log10 back-off weight"),
        (changed("a\t-0.2", "a\tinf"), "line 10: .*wanted a log10 back-off weight"),
        (changed("-0.6\tb", "-0.6\ta"), "line 11: .*wanted each 1-gram once"),
        (changed("a b", "a q"), "line 15: .*not 'q'"),
        (changed("a b", "a"), "line 15: .*wanted a log probability, 2 symbols"),
        (changed("b b", "a b"), "line 17: found an 2-gram a second time"),
        (changed("\\end\\", ""), r"found 'the end of the file', wanted \\end\\"),
        (FOREIGN[:90], "line"),
        ("\\data\\\nngram 1=1\n\n\\1-grams:\n-1\t<s>\n\n\\end\\\n", "at least one symbol"),
    ],
)
def test_garbage_is_refused_in_one_line(tmp_path, text, said):
    for name, content in (("bad.arpa", text.encode()), ("bad.arpa.gz", gzip.compress(text.encode()))):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match=said) as caught:
            NGramLM.read_arpa(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


@given(st.data())
def test_no_damage_gives_another_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("damage") / "bad.arpa"
    content = bytearray(FOREIGN.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    with contextlib.suppress(InputError):
        lm = NGramLM.read_arpa(path)
        np.testing.assert_allclose(lm.conditional(lm.order).sum(axis=-1), 1, atol=1e-6)


def test_bad_files(tmp_path):
    whole = gzip.compress(FOREIGN.encode())
    for name, content in (("cut.gz", whole[:-10]), ("plain.gz", b"\\data\\"), ("bytes.arpa", b"\\data\\\n\xff\n")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=name):
            NGramLM.read_arpa(tmp_path / name)
    with pytest.raises(InputError, match="nowhere"):
        NGramLM.read_arpa(tmp_path / "nowhere.arpa")
    missing = FOREIGN.replace("ngram 2=4", "ngram 2=1\nngram 3=1").replace("-0.2\t<s> a\n-0.3\ta b\n-0.4\ta </s>\n", "")
    (tmp_path / "hole.arpa").write_text(missing.replace("\n\\end", "\n\\3-grams:\n-0.1\ta b a\n\n\\end"))
    with pytest.raises(InputError, match="no 2-gram"):
        NGramLM.read_arpa(tmp_path / "hole.arpa")


def test_a_failed_write_leaves_nothing(tmp_path):
    lm = NGramLM.from_text("abc")
    with pytest.raises(InputError, match="no folder"):
        lm.write_arpa(tmp_path / "no" / "lm.arpa")
    (tmp_path / "lm.arpa").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        lm.write_arpa(tmp_path / "lm.arpa")
    assert [path.name for path in tmp_path.iterdir()] == ["lm.arpa"]
