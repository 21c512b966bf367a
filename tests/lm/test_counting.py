"""Counts against `collections.Counter`, over any cut of the text into pieces, files and streams."""

import gzip
import io
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelfree.alphabet import PAPER_ALPHABET, Alphabet
from labelfree.errors import InputError
from labelfree.lm import NGramCounts, NGramLM, counting, sources
from labelfree.lm.counting import Tally
from labelfree.lm.text import count_text

ALPHABETS = [
    Alphabet("ab c"),
    Alphabet(["a", "b", "ab", "c", "cc", " "]),
    Alphabet("äbc漢"),
    Alphabet("a"),
    None,
]
TEXT = st.text(alphabet="aAbc  \nä!漢", max_size=40)


def slow_counts(alphabet: Alphabet, texts: list[str], order: int, outside: str) -> list[Counter[tuple[int, ...]]]:
    counters: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order)]
    for text in texts:
        ids = alphabet.encode(text, outside).tolist()
        space = alphabet.index(" ") if " " in alphabet else None
        ids = [s for i, s in enumerate(ids) if not (s == space and i and ids[i - 1] == space)]
        for n in range(1, order + 1):
            windows = (tuple(ids[at : at + n]) for at in range(len(ids) - n + 1))
            counters[n - 1].update(window for window in windows if -1 not in window)
    return counters


def as_counters(counts: NGramCounts) -> list[Counter[tuple[int, ...]]]:
    return [
        Counter(
            {
                tuple(int(code) // counts.size**place % counts.size for place in range(n - 1, -1, -1)): int(times)
                for code, times in zip(counts.codes[n - 1], counts.counts[n - 1], strict=True)
            }
        )
        for n in range(1, counts.order + 1)
    ]


@settings(deadline=None)
@given(
    st.sampled_from(ALPHABETS),
    st.lists(TEXT, min_size=1, max_size=4),
    st.integers(1, 5),
    st.sampled_from(["drop", "break"]),
    st.integers(1, 9),
    st.sampled_from([1, 8, 1 << 22]),
)
def test_counts_equal_counter_for_any_cut(alphabet, texts, order, outside, piece, dense):
    if alphabet is None and not "".join(texts):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PIECE", piece)
        patch.setattr("labelfree.lm.text.PIECE", piece)
        patch.setattr(counting, "DENSE_BINS", dense)
        patch.setattr(counting, "BLOCK", 7)
        patch.setattr("labelfree.lm.text._FIRST_SIZE", 2)
        parts = [io.BytesIO(text.encode()) if at % 2 else text for at, text in enumerate(texts)]
        found, tally = count_text(parts, alphabet, order, outside=outside)
    assert as_counters(tally.counts()) == slow_counts(found, texts, order, outside)
    kept, held = (as_counters(tally.counts(held=side)) for side in (False, True))
    assert [a + b for a, b in zip(kept, held, strict=True)] == as_counters(tally.counts())
    if alphabet is None:
        assert list(found) == sorted({" " if one.isspace() else one for one in "".join(texts)})


@given(st.lists(st.lists(st.integers(0, 2), max_size=8), min_size=1, max_size=4), st.integers(1, 4))
def test_sums_of_counts_are_counts_of_all(sequences, order):
    parts = [NGramCounts.from_ids(ids, [len(ids)], size=3, order=order) for ids in sequences]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    lengths = [len(ids) for ids in sequences]
    whole = NGramCounts.from_ids([one for ids in sequences for one in ids], lengths, size=3, order=order)
    assert as_counters(total) == as_counters(whole)


def test_all_ways_to_give_the_same_text(tmp_path):
    text = "Größe, \u201eQuelle\u201c e\u0301 漢字 " * 40
    (tmp_path / "deep").mkdir()
    plain, packed = tmp_path / "a.txt", tmp_path / "deep" / "b.txt.gz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    once = [text, text.encode(), plain, packed, io.StringIO(text), io.BytesIO(text.encode()), [text]]
    wanted = as_counters(count_text(text)[1].counts())
    for source in once:
        assert as_counters(count_text(source)[1].counts()) == wanted
    twice = as_counters(count_text([text, text])[1].counts())
    with plain.open("rb") as stream:
        for source in (tmp_path, [plain, packed], (one for one in (text, [packed])), [stream, text]):
            assert as_counters(count_text(source)[1].counts()) == twice


def test_a_string_is_never_a_path(tmp_path):
    (tmp_path / "text").write_text("zzz")
    assert count_text(str(tmp_path / "text"))[0].symbols != ("z",)


def test_byte_order_mark_is_no_character():
    assert count_text(b"\xef\xbb\xbfab")[0].symbols == ("a", "b")


class Endless(io.RawIOBase):
    """A long stream that remembers the largest read."""

    def __init__(self, pieces: int) -> None:
        self.left, self.largest = pieces, 0

    def read(self, size: int = -1) -> bytes:
        assert size > 0
        self.largest = max(self.largest, size)
        self.left -= 1
        return b"text, and more text. " * (size // 21) if self.left >= 0 else b""


def test_streams_are_read_in_small_pieces():
    stream = Endless(20)
    lm = NGramLM.from_text(stream, PAPER_ALPHABET)
    assert stream.largest <= 1 << 20
    assert lm.order == 3


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (b"ab\xff\xfe", "not UTF-8 near byte 2"),
        (7, "text is int"),
        ([3], "number 3"),
        (None, "text is NoneType"),
        ("", "no character"),
    ],
)
def test_bad_sources(source, said):
    with pytest.raises(InputError, match=said):
        count_text(source)


def test_a_stream_that_ends_within_a_character_is_refused():
    with pytest.raises(InputError, match="not UTF-8 near byte 3"):
        count_text(io.BytesIO(b"abc\xc3"))


def test_bad_files(tmp_path):
    cases = {
        "missing.txt": None,
        "short.gz": gzip.compress(b"abc" * 99)[:-9],
        "plain.gz": b"no gzip",
        "latin.txt": b"\xe4",
    }
    for name, content in cases.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InputError, match=name) as caught:
            count_text(path)
        assert "\n" not in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no file"):
        count_text(tmp_path / "empty")


def test_codes_that_would_overflow_are_refused():
    Tally(1400, 6)
    with pytest.raises(InputError, match="use an order up to 6"):
        Tally(1400, 7)
    with pytest.raises(InputError, match="order is 0"):
        Tally(3, 0)
    with pytest.raises(InputError, match="cannot be added"):
        NGramCounts.from_ids([0], [1], 1, 1) + NGramCounts.from_ids([0], [1], 1, 2)


def test_large_alphabet_at_a_high_order():
    rng = np.random.default_rng(0)
    alphabet = Alphabet([chr(0x4E00 + place) for place in range(500)])
    text = "".join(alphabet.symbols[place] for place in rng.integers(0, 500, 3000))
    counts = count_text(text, alphabet, 6)[1].counts()
    assert as_counters(counts) == slow_counts(alphabet, [text], 6, "drop")
