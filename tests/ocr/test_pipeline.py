"""Rounds of training on one's own reading: what each learns from, and which is kept."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from labelfree.ocr.line_reader.self_training import NOTHING, LineReading, train_on_own_reading

from labelfree.lm import NGramLM
from labelfree.ocr.line_reader import self_training as selftrain

LM = NGramLM.from_text("ab ba " * 20, order=2)
STRIPS = [SimpleNamespace(strip=None)] * 4


def reading(label: int) -> list[LineReading]:
    return [LineReading(np.full(10, label), np.ones(10), np.zeros((10, 4), np.int64)) for _ in STRIPS]


@pytest.fixture
def taught(monkeypatch) -> list[list[int]]:
    """The first label of every strip in each round; networks that read 0 with the model, 1 alone less and less."""
    rounds: list[list[int]] = []

    class Network:
        def __init__(self) -> None:
            self.number = len(rounds)

        def read(self, images):
            alone = np.zeros(10, np.int64)
            alone[: 6 - 2 * self.number] = 1
            return [LineReading(alone, np.ones(10), np.zeros((10, 4), np.int64)) for _ in images]

    def train(images, labels, n_symbols, **options):
        rounds.append([int(said[0]) for said in labels])
        return Network()

    monkeypatch.setattr(selftrain, "train_recogniser", train)
    monkeypatch.setattr(selftrain, "read_strips", lambda recogniser, strips, lm: reading(0))
    return rounds


def test_a_round_learns_from_what_the_one_before_read(taught) -> None:
    best = train_on_own_reading(STRIPS, [np.array([2])] * 4, LM, rounds=3)
    assert taught == [[2] * 4, [0] * 4, [0] * 4]
    assert best.number == 3


def test_what_was_read_is_put_right_before_the_next_round_and_a_person_has_the_last_word(taught) -> None:
    asked = []

    def put_right(read):
        asked.append(read)
        return [replace(line, labels=line.labels + 1) for line in read]

    train_on_own_reading(STRIPS, [np.array([2])] * 4, LM, known={3: np.array([5])}, put_right=put_right, rounds=2)
    assert taught == [[2, 2, 2, 5], [1, 1, 1, 5]]
    assert len(asked) == 1  # nothing learns from the last reading


@pytest.mark.parametrize(("differ", "kept"), [([6, 4, 5], 3), ([6, 2, 4], 2), ([4, 7, 0], 1)])
def test_the_last_network_is_kept_unless_it_differs_clearly_more_from_the_language(monkeypatch, differ, kept) -> None:
    rounds: list[int] = []

    class Network:
        def __init__(self, number: int) -> None:
            self.number = number

        def read(self, images):
            alone = (np.arange(10) < differ[self.number - 1]).astype(np.int64)
            return [LineReading(alone, np.ones(10), np.zeros((10, 4), np.int64)) for _ in images]

    def train(images, labels, n_symbols, **options):
        rounds.append(len(rounds) + 1)
        return Network(rounds[-1])

    monkeypatch.setattr(selftrain, "train_recogniser", train)
    monkeypatch.setattr(selftrain, "read_strips", lambda recogniser, strips, lm: reading(0))
    assert train_on_own_reading(STRIPS, [np.array([2])] * 4, LM, rounds=3).number == kept


LINE = LineReading(np.array([4, 5, 6]), np.array([0.2, 0.4, 0.9]), np.array([[0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9]]))


def test_a_line_said_to_be_the_same_stays_as_it_is() -> None:
    same = LINE.relabelled(LINE.labels.copy())
    assert (same.sure == LINE.sure).all()
    assert (same.boxes == LINE.boxes).all()


@pytest.mark.parametrize(
    ("labels", "sure", "boxes"),
    [
        ([4, 7, 6], [0.2, 0.4, 0.9], [[0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9]]),
        ([4, 6], [0.2, 0.9], [[0, 1, 4, 9], [8, 0, 9, 9]]),
        ([7, 6], [0.3, 0.9], [[0, 0, 8, 9], [8, 0, 9, 9]]),
        ([4, 7, 8, 6], [0.2, 0.4, 0.4, 0.9], [[0, 1, 4, 9], [4, 0, 6, 8], [6, 0, 8, 8], [8, 0, 9, 9]]),
        ([4, 5, 6, 7], [0.2, 0.4, 0.9, 0.9], [[0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9], [8, 0, 9, 9]]),
        ([7, 4, 5, 6], [0.2, 0.2, 0.4, 0.9], [[0, 1, 4, 9], [0, 1, 4, 9], [4, 0, 8, 8], [8, 0, 9, 9]]),
    ],
)
def test_other_symbols_share_the_place_of_what_was(labels, sure, boxes) -> None:
    found = LINE.relabelled(np.array(labels))
    assert found.labels.tolist() == labels
    assert found.sure == pytest.approx(np.array(sure))
    assert found.boxes.tolist() == boxes


def test_a_line_without_symbols_has_no_places() -> None:
    nothing = np.empty(0, np.int64)
    assert len(LINE.relabelled(nothing).boxes) == 0
    assert len(LineReading(nothing, np.empty(0), np.empty((0, 4), np.int64)).relabelled(np.array([3])).boxes) == 0


def test_a_line_that_a_person_read_is_sure_and_keeps_the_places_of_what_was_read() -> None:
    found = LINE.transcribed(np.array([4, 7, 6]), np.array([[0, 0, 9, 9]]))
    assert found.labels.tolist() == [4, 7, 6]
    assert found.sure.tolist() == [1.0, 1.0, 1.0]
    assert found.boxes.tolist() == LINE.boxes.tolist()


def test_a_line_that_only_a_person_could_read_takes_the_place_of_its_tiles() -> None:
    found = NOTHING.transcribed(np.array([3, 1]), np.array([[4, 2, 8, 6], [9, 3, 20, 7], [21, 3, 24, 5]]))
    assert found.boxes.tolist() == [[4, 2, 14, 7], [14, 2, 24, 7]]
    assert found.sure.tolist() == [1.0, 1.0]
