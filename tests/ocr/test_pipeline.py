"""The rounds of the line reader: what each learns from, and which is kept."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr import pipeline
from labelfree.ocr.book import Reading
from labelfree.ocr.correct.corrections import CORRECTIONS
from labelfree.ocr.hints import KnownLabels
from labelfree.ocr.line_reader import lines
from labelfree.ocr.pipeline import FAST, STAGES, State, run_pipeline, stage_names

from .books import book_of, reading_of

N_LINES, LENGTH = 4, 10
LM = NGramLM.from_text("ab ba " * 20, order=2)
BOOK = book_of(np.zeros((N_LINES * LENGTH, 3)), [LENGTH] * N_LINES, LM)
STAGE = {stage.name: stage for stage in STAGES}
ROUNDS = ("lines", "lines-2", "lines-3")


def reading(label: int) -> Reading:
    return reading_of([np.full(LENGTH, label)] * N_LINES)


def first_state(known: KnownLabels | None = None) -> State:
    """What is known before the line reader, of a book that is believed and all of whose characters were read as 2."""
    believed = SimpleNamespace(diagnosis_=SimpleNamespace(settled=True))
    return State(BOOK, known=known, classifier=believed, tile_reading=reading(2), lesson=reading(2), reading=reading(2))


def after(rounds: tuple[str, ...], known: KnownLabels | None = None) -> State:
    state = first_state(known)
    for name in rounds:
        state = STAGE[name].work(state)
    return state


@pytest.fixture
def network(monkeypatch):
    """What the networks of the rounds are taught: `taught`, the first label of every line, and `weights` of lines.

    The n-th reads n with the language model; alone it reads otherwise `differ[n - 1]` of ten symbols.
    """
    said = SimpleNamespace(taught=[], weights=[], starts=[], differ=[4, 2, 0])

    def train(strips, labels, n_symbols, *, weights, start, seed, settings):
        said.taught.append([int(each[0]) for each in labels])
        said.weights.append(weights.tolist())
        said.starts.append(start)
        return len(said.taught)

    def alone(number, images):
        return [np.where(np.arange(LENGTH) < said.differ[number - 1], 99, number) for _ in images]

    monkeypatch.setattr(lines, "train_recogniser", train)
    monkeypatch.setattr(pipeline, "line_images", lambda lines, style, **_: [SimpleNamespace(strip=None)] * N_LINES)
    monkeypatch.setattr(pipeline, "read_images", lambda number, images, language, settings: reading(number))
    monkeypatch.setattr(pipeline, "read_alone", alone)
    monkeypatch.setattr(pipeline, "correct", lambda book, reading, figures, **options: reading)
    return said


def test_a_round_learns_from_what_the_one_before_read(network) -> None:
    state = after(ROUNDS)
    assert network.taught == [[2] * 4, [1] * 4, [2] * 4]
    assert network.starts == [None, 1, 2]
    assert state.recogniser == 3
    assert (state.reading.labels == 3).all()
    assert state.scores == pytest.approx((0.4, 0.2, 0.0))
    assert state.lesson.labels.tolist() == reading(2).labels.tolist()


def test_what_was_read_is_corrected_before_each_round_and_a_person_has_the_last_word(network, monkeypatch) -> None:
    asked = []

    def correct(book, read, figures, *, without, seed, settings):
        asked.append((bool(figures), without))
        return read.with_labels(read.labels + 1)

    monkeypatch.setattr(pipeline, "correct", correct)
    after(ROUNDS[:2], KnownLabels({3: np.array([5])}, np.full(N_LINES * LENGTH, -1)))
    assert network.taught == [[3, 3, 3, 5], [2, 2, 2, 5]]
    assert network.weights == [[1.0, 1.0, 1.0, 5.0]] * 2
    assert asked == [(False, frozenset())] * 2  # nothing learns from the last reading


def test_the_classifier_learns_from_its_own_reading_corrected_and_a_person_has_the_last_word(monkeypatch) -> None:
    class Believed:
        diagnosis_ = SimpleNamespace(settled=True)

        def self_trained(self, rows, labels):
            assert len(rows) == len(labels) == N_LINES * LENGTH
            self.labels = labels
            return self

    known = np.full(N_LINES * LENGTH, -1)
    known[7] = 5
    state = replace(first_state(KnownLabels({}, known)), classifier=Believed())
    monkeypatch.setattr(pipeline, "correct", lambda book, read, figures, **options: read.with_labels(read.labels + 1))
    monkeypatch.setattr(pipeline, "read_tiles", lambda book, classifier, settings: reading(4))
    found = STAGE["tiles-2"].work(state)
    assert found.classifier.labels.tolist() == [5 if i == 7 else 3 for i in range(N_LINES * LENGTH)]
    for after_it in (found.tile_reading, found.reading):
        assert (after_it.labels == 4).all()
    assert (found.lesson.labels == 2).all()  # by which the reading is judged


@pytest.mark.parametrize(("differ", "kept"), [([6, 4, 5], 3), ([6, 2, 4], 2), ([4, 7, 0], 1)])
def test_the_last_network_is_kept_unless_it_differs_clearly_more_from_the_language(network, differ, kept) -> None:
    network.differ = differ
    state = after(ROUNDS)
    assert state.recogniser == kept
    assert (state.reading.labels == kept).all()  # the reading is that of the network


def test_another_round_follows_only_one_that_helped(network) -> None:
    network.differ = [4, 4, 0]
    assert after(ROUNDS).scores == pytest.approx((0.4, 0.4))
    assert len(network.taught) == 2


def test_what_is_not_believed_teaches_nobody(network) -> None:
    doubted = replace(first_state(), classifier=SimpleNamespace(diagnosis_=SimpleNamespace(settled=False)))
    for name in ("page-numbers", "tiles-2", *ROUNDS, "rescoring"):
        assert STAGE[name].work(doubted) is doubted
    assert network.taught == []


def test_stages_and_corrections_have_names_of_their_own_and_fast_leaves_out_some(network) -> None:
    names = stage_names()
    assert len(set(names)) == len(names) == len(STAGES) + len(CORRECTIONS)
    assert set(FAST) < {stage.name for stage in STAGES}
    assert all(each.about for each in (*STAGES, *CORRECTIONS))


def test_an_unknown_stage_is_refused_before_anything_is_cut() -> None:
    with pytest.raises(InputError, match=r"stage 'magic' found, one of shape-prior, tiles, .*punctuation wanted"):
        run_pipeline([], BOOK.language, without=["magic"])
