"""Rounds of training on one's own reading: what each learns from, and which is kept."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.ocr import selftrain
from labelfree.ocr.selftrain import LineReading, train_on_own_reading

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
        return [line.labels + 1 for line in read]

    train_on_own_reading(STRIPS, [np.array([2])] * 4, LM, known={3: np.array([5])}, put_right=put_right, rounds=2)
    assert taught == [[2, 2, 2, 5], [1, 1, 1, 5]]
    assert len(asked) == 1  # nothing learns from the last reading
