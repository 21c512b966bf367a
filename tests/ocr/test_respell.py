"""Shapes that a reading takes for something else throughout are put right by the language alone."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from labelfree.lm import NGramLM
from labelfree.ocr.correct.context import Text
from labelfree.ocr.correct.counts import novelty
from labelfree.ocr.correct.forms import find_forms
from labelfree.ocr.correct.respelling import _commonest, _group, _most_said, _told, respell
from labelfree.ocr.correct.revision import revise, tile_of_each
from labelfree.ocr.correct.spellings import list_spellings
from labelfree.repro.tasks.spelling import standard_library_english

TINY = NGramLM.from_text("ab ba aab bba ab a b ba " * 9, order=3)
SPELLINGS = list_spellings(TINY)


def log_probability(labels: np.ndarray) -> float:
    """Of a line that follows a space, symbol by symbol."""
    before, total = [TINY.alphabet.index(" ")], 0.0
    for label in labels.tolist():
        context = before[-(TINY.order - 1) :]
        total += float(np.log(TINY.conditional(len(context) + 1)[(*context, label)]))
        before.append(label)
    return total


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.lists(st.integers(0, len(SPELLINGS) - 1), max_size=5), min_size=1, max_size=3).filter(any), st.data()
)
def test_evidence_is_the_probability_of_the_whole_text(lines, data) -> None:
    lengths = np.array([len(line) for line in lines])
    spelled = np.concatenate([np.array(line, np.int64) for line in lines])
    tile = data.draw(st.integers(0, len(spelled) - 1))
    text = Text(TINY, SPELLINGS, lengths)
    is_taken = tile + 1 < len(spelled) and not text.is_first[tile + 1] and SPELLINGS.joins[spelled[tile + 1]]
    if is_taken or (text.is_first[tile] and SPELLINGS.joins[spelled[tile]]):
        return
    candidates = np.flatnonzero(~SPELLINGS.joins | (not text.is_first[tile]))
    found = text.evidence(spelled, np.array([tile]), candidates)[0]
    whole = []
    for candidate in candidates:
        changed = spelled.copy()
        changed[tile] = candidate
        whole.append(sum(log_probability(line) for line in text.labels(changed)))
    previous_is_silent = not text.is_first[tile] and SPELLINGS.length[spelled[tile - 1]] == 0
    if previous_is_silent:  # the end of a letter needs its beginning in the tile just before
        candidates, found, whole = (
            values[~SPELLINGS.joins[candidates]] for values in (candidates, found, np.array(whole))
        )
    assert np.asarray(whole) - whole[0] == pytest.approx(found - found[0], abs=1e-6)


def test_the_end_of_a_letter_takes_the_place_of_its_beginning() -> None:
    text = Text(TINY, SPELLINGS, np.array([2, 1]))
    a, b = TINY.alphabet.index("a"), TINY.alphabet.index("b")
    ending = int(np.flatnonzero(SPELLINGS.joins & (SPELLINGS.symbols[:, 0] == b))[0])
    assert [line.tolist() for line in text.labels(np.array([a, ending, a]))] == [[b], [a]]
    nothing = int(np.flatnonzero(SPELLINGS.length == 0)[0])
    assert [line.tolist() for line in text.labels(np.array([nothing, nothing, b]))] == [[], [b]]


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    paragraphs = sorted({" ".join(each.split()) for each in standard_library_english()})
    return [each for each in paragraphs if len(each) > 60 and re.fullmatch("[A-Za-z ,.']+", each)]


@pytest.fixture(scope="module")
def lm(sentences) -> NGramLM:
    return NGramLM.from_text("\n".join(sentences[::2]), order=4, outside="break")


def drawn(
    sentences: list[str], lm: NGramLM, cut, n_lines: int = 200
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str]]:
    """Lines as tiles: `cut` gives for a character the shapes that it shows and what each is read as."""
    rng = np.random.default_rng(0)
    known = set(lm.alphabet.symbols)
    truth = [line for each in sentences[1::2] for line in [each[:60].strip()] if set(line) <= known][:n_lines]
    pieces = [[piece for character in line for piece in cut(character)] for line in truth]
    shapes = sorted({shape for line in pieces for shape, _ in line})
    centres = dict(zip(shapes, rng.normal(0, 4, (len(shapes), 12)), strict=True))
    rows = np.array([centres[shape] for line in pieces for shape, _ in line])
    labels = np.array([lm.alphabet.index(symbol) for line in pieces for _, symbol in line])
    lengths = np.array([len(line) for line in pieces])
    return rows + rng.normal(0, 0.3, rows.shape), labels, lengths, truth


def errors(lines: list[np.ndarray], truth: list[str], lm: NGramLM) -> float:
    edits = sum(Levenshtein.distance(lm.alphabet.decode(a), b) for a, b in zip(lines, truth, strict=True))
    return edits / sum(map(len, truth))


@pytest.mark.parametrize(
    "wrong",
    [
        {"m": [("m begins", "n"), ("m ends", "i")]},
        {"T": [("T", "t")]},
        {"h": [("speck", "'"), ("h", "h")]},
        {",": [(",", ".")]},
    ],
    ids=["a letter in two pieces", "a capital read as a small letter", "a speck", "a comma read as a stop"],
)
def test_what_is_wrong_throughout_is_put_right(sentences, lm, wrong) -> None:
    rows, labels, lengths, truth = drawn(sentences, lm, lambda symbol: wrong.get(symbol, [(symbol, symbol)]))
    before = errors(np.split(labels, np.cumsum(lengths)[:-1]), truth, lm)
    after = errors(respell(rows, labels, lengths, lm), truth, lm)
    assert after < 0.4 * before


def test_a_right_reading_stays(sentences, lm) -> None:
    rows, labels, lengths, truth = drawn(sentences, lm, lambda symbol: [(symbol, symbol)])
    assert errors(respell(rows, labels, lengths, lm), truth, lm) < 0.003


def test_lines_in_capitals_hold_no_small_letters(sentences, lm) -> None:
    shout = [each.upper() for each in sentences]
    rows, labels, lengths, _ = drawn(shout, lm, lambda symbol: [(symbol, symbol)], n_lines=30)
    found = respell(rows, labels, lengths, lm, in_capitals=np.ones(len(labels), bool))
    assert all(lm.alphabet.decode(line).upper() == lm.alphabet.decode(line) for line in found)


def test_the_same_seed_spells_the_same(sentences, lm) -> None:
    rows, labels, lengths, _ = drawn(
        sentences, lm, lambda symbol: [(symbol, symbol.lower())] if symbol != " " else [(" ", " ")]
    )
    one, other = (respell(rows, labels, lengths, lm, seed=3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_no_tiles_spell_nothing(lm) -> None:
    none = np.empty(0, np.int64)
    assert [line.tolist() for line in respell(np.empty((0, 4)), none, np.array([0, 0]), lm)] == [[], []]


def test_a_word_that_occurs_again_and_again_counts_for_little_more_than_once() -> None:
    line = TINY.alphabet.encode("ab ba")
    once, often = (novelty(np.tile(line, n), Text(TINY, SPELLINGS, np.full(n, len(line))), TINY) for n in (1, 16))
    assert once.tolist() == [1.0] * len(line)
    assert often.sum() == pytest.approx(2 * len(line))  # the fourth root of 16


def test_a_word_of_one_letter_counts_by_the_words_around_it() -> None:
    lines = [TINY.alphabet.encode(line) for line in ("ab a ba", "bb a ab", "ab a ba", "ab a ba")]
    text = Text(TINY, SPELLINGS, np.array([len(line) for line in lines]))
    alone = novelty(np.concatenate(lines), text, TINY)[3::7]
    assert alone == pytest.approx([3**-0.75, 1.0, 3**-0.75, 3**-0.75])


def test_a_shape_is_told_by_the_text_and_by_how_well_its_tiles_fit() -> None:
    rng = np.random.default_rng(0)
    labels = TINY.alphabet.encode("ab a ba bb a ab" * 3)
    text = Text(TINY, SPELLINGS, np.array([len(labels)]))
    shapes = _group(rng.normal(size=(len(labels), 3)), np.ones(len(labels)), seed=0)
    fit = rng.normal(size=(len(labels), len(SPELLINGS))).astype(np.float32)
    spelled, every = _commonest(shapes, labels, len(TINY.alphabet)), np.arange(len(shapes.size))
    alone, together = (_told(text, SPELLINGS, shapes, part, spelled, every) for part in (0 * fit, fit))
    expected = np.zeros_like(alone)
    np.add.at(expected, shapes.of_tile, shapes.speaks_for[:, None] * fit)
    assert together - alone == pytest.approx(expected, abs=1e-4)


def test_a_tile_is_spelled_as_in_most_draws() -> None:
    assert _most_said(np.array([[1, 2, 3], [1, 4, 5], [6, 4, 7]])).tolist() == [1, 4, 3]


def lines_of(labels: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    return np.split(labels, np.cumsum(lengths)[:-1])


@pytest.mark.parametrize(
    "wrong",
    [{"T": [("T", "S")]}, {"w": [("w begins", "'"), ("w", "v")]}, {",": [(",", ".")]}],
    ids=["two capitals read as one", "a letter read as two", "a comma read as a stop"],
)
def test_letters_read_as_one_symbol_are_told_apart(sentences, lm, wrong) -> None:
    rows, labels, lengths, truth = drawn(sentences, lm, lambda symbol: wrong.get(symbol, [(symbol, symbol)]))
    read = lines_of(labels, lengths)
    found = revise(read, np.arange(len(labels)), rows, lm)
    assert errors(found, truth, lm) < 0.4 * errors(read, truth, lm)


def test_revising_leaves_a_right_reading_alone(sentences, lm) -> None:
    rows, labels, lengths, truth = drawn(sentences, lm, lambda symbol: [(symbol, symbol)])
    found = revise(lines_of(labels, lengths), np.arange(len(labels)), rows, lm)
    assert errors(found, truth, lm) < 0.003


def test_characters_that_no_tile_shows_stay(sentences, lm) -> None:
    rows, labels, lengths, _ = drawn(sentences, lm, lambda symbol: [(symbol, symbol.lower())])
    read = lines_of(labels, lengths)
    none = np.full(len(labels), -1)
    assert all((a == b).all() for a, b in zip(revise(read, none, rows, lm), read, strict=True))
    is_shown = np.concatenate([np.full(length, line % 2 == 0) for line, length in enumerate(lengths)])
    found = revise(read, np.where(is_shown, np.arange(len(labels)), -1), rows, lm)
    assert all((a == b).all() for a, b in zip(found[1::2], read[1::2], strict=True))
    assert any((a != b).any() for a, b in zip(found[::2], read[::2], strict=True) if len(a) == len(b))
    assert [line.tolist() for line in revise([labels[:0]], np.empty(0, np.int64), rows[:0], lm)] == [[]]


def test_what_is_settled_stays(sentences, lm) -> None:
    rows, labels, lengths, _ = drawn(sentences, lm, lambda symbol: [(symbol, {",": "."}.get(symbol, symbol))])
    settled = labels == lm.alphabet.index(".")
    every = np.arange(len(labels))
    for found in (
        respell(rows, labels, lengths, lm, settled=settled),
        revise(lines_of(labels, lengths), every, rows, lm, settled=settled),
    ):
        text = [lm.alphabet.decode(line) for line in found]
        assert sum(line.count(".") for line in text) == settled.sum()
        assert not any("," in line for line in text)


def test_what_the_language_cannot_tell_the_look_of_type_does(sentences) -> None:
    figures = np.random.default_rng(0).choice(["0", "8"], (len(sentences), 6)).tolist()
    numbered = [f"{''.join(number)} {sentence}" for sentence, number in zip(sentences, figures, strict=True)]
    lm = NGramLM.from_text("\n".join(numbered), order=3)
    other = {"0": "8", "8": "0"}
    rows, labels, lengths, truth = drawn(numbered, lm, lambda symbol: [(symbol, other.get(symbol, symbol))])
    shown = [symbol for line in truth for symbol in line]

    def fits(symbols):
        return np.array([[-3.0 * (symbol == other.get(tile)) for symbol in symbols] for tile in shown], np.float32)

    read = lines_of(labels, lengths)
    before = errors(read, truth, lm)
    assert errors(revise(read, np.arange(len(labels)), rows, lm, fits=fits), truth, lm) < 0.2 * before
    assert errors(revise(read, np.arange(len(labels)), rows, lm), truth, lm) > 0.8 * before


def test_revising_with_the_same_seed_is_the_same(sentences, lm) -> None:
    rows, labels, lengths, _ = drawn(sentences, lm, lambda symbol: [(symbol, {"T": "S"}.get(symbol, symbol))])
    one, other = (revise(lines_of(labels, lengths), np.arange(len(labels)), rows, lm, seed=3) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one, other, strict=True))


def test_forms_hold_one_symbol_each_and_part_what_looks_different() -> None:
    rng = np.random.default_rng(0)
    looks = np.repeat([0, 1, 2], [40, 24, 30])
    rows = rng.normal(0, 5, (3, 8))[looks] + rng.normal(0, 0.1, (94, 8))
    read_as = np.array([7, 7, 9])[looks]
    forms = find_forms(rows, read_as)
    members = [frozenset(np.flatnonzero(np.isin(forms.shape, form.nonzero()[0]))) for form in forms.made_of.toarray()]
    assert all(len(set(read_as[list(form)])) == 1 for form in members)
    assert {frozenset(np.flatnonzero(looks == look)) for look in range(3)} <= set(members)
    assert frozenset(np.flatnonzero(read_as == 7)) in members


def test_a_symbol_has_only_so_many_shapes(monkeypatch) -> None:
    monkeypatch.setattr("labelfree.ocr.correct.forms._SHAPES", 6)
    rows = np.random.default_rng(0).normal(size=(400, 5))
    assert find_forms(rows, np.zeros(400, np.int64)).shape.max() == 5


@pytest.mark.parametrize("text", ["ab ba aab bba ab a b ba " * 9, "abba" * 30], ids=["spaces", "no spaces"])
def test_few_characters_and_lines_without_any_are_revised_to_themselves(text: str) -> None:
    lm = NGramLM.from_text(text, order=2)
    read = [np.array([0, 1]), np.empty(0, np.int64), np.array([0])]
    found = revise(read, np.arange(3), np.zeros((3, 4)), lm)
    assert [line.tolist() for line in found] == [[0, 1], [], [0]]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=8), st.integers(0, 40))
def test_no_tile_shows_two_characters(edges, shift) -> None:
    characters, tiles = (np.array([[x + s, 0, x + s + w, 9] for x, w in edges]).reshape(-1, 4) for s in (0, shift))
    found = tile_of_each(characters, tiles)
    shown = found[found >= 0]
    assert len(set(shown.tolist())) == len(shown)
    middle = lambda box: (box[:, 0] + box[:, 2]) / 2  # noqa: E731
    assert (np.abs(middle(characters)[found >= 0] - middle(tiles)[shown]) < 6).all()
