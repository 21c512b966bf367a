"""Confidence held against the language model asked for every whole text."""

from __future__ import annotations

import numpy as np
import pytest

from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.ctc import confidences
from labelfree.ocr.line_reader.settings import LineReaderSettings

LM = NGramLM.from_text("abba cab bac. " * 30, order=3)
N = len(LM.alphabet)


def frames_of(size: int, seed: int = 0) -> np.ndarray:
    return np.log(np.random.default_rng(seed).dirichlet(np.ones(N + 1), size))


def whole_text(labels: list[int], weight: float) -> float:
    total = 0.0
    for i, label in enumerate(labels):
        context = labels[max(0, i - LM.order + 1) : i]
        known = LM.conditional(len(context) + 1) if context else LM.joint(1)
        total += weight * np.log(known[(*context, label)] / LM.joint(1)[label])
    return total


@pytest.mark.parametrize("weight", [0.0, 0.7])
def test_each_symbol_is_weighed_against_its_rivals_in_the_whole_text(weight):
    texts = [LM.alphabet.encode("abba c").tolist(), [], [3], LM.alphabet.encode("bac. cab").tolist()]
    frames = [frames_of(len(text) + 1, seed) for seed, text in enumerate(texts)]
    places = [np.column_stack([np.arange(len(text))] * 2) for text in texts]
    found = confidences(
        frames, [np.array(text, np.int64) for text in texts], places, LM, LineReaderSettings(lm_weight=weight)
    )
    for text, line, sure in zip(texts, frames, found, strict=True):
        for i, label in enumerate(text):
            rivals = {int(rival) for rival in np.argsort(-line[i, :-1])[:4]} | {label}
            scores = {r: line[i, r] + whole_text([*text[:i], r, *text[i + 1 :]], weight) for r in rivals}
            blank = line[i, -1] + whole_text(text, weight)
            share = np.exp(scores[label]) / (np.exp(list(scores.values())).sum() + np.exp(blank))
            assert sure[i] == pytest.approx(share, rel=1e-6)


def test_the_frame_that_speaks_most_for_a_symbol_counts():
    frames = np.log(np.full((3, N + 1), 0.01))
    frames[1, 2] = np.log(0.94)
    (sure,) = confidences([frames], [np.array([2])], [np.array([[0, 2]])])
    assert sure[0] > 0.9


def test_nothing_read_is_nothing_to_be_sure_of():
    assert [found.shape for found in confidences([frames_of(3)], [np.empty(0, np.int64)], [np.empty((0, 2), int)])] == [
        (0,)
    ]
