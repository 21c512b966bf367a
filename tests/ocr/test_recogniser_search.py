"""The beam search held against all there is to find, on lines so short that all can be tried."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from labelfree.errors import InputError
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader.ctc import best_path
from labelfree.ocr.line_reader.prefix_beam_search import best_readings
from labelfree.ocr.line_reader.settings import DEFAULT, LineReaderSettings
from labelfree.workers import workers

TEXT = "abba cab bac. " * 30
LM = NGramLM.from_text(TEXT, order=3)
SPACELESS = NGramLM.from_text("abacabbcab" * 20, order=3)


def lines(n_symbols: int, sizes: list[int], seed: int, sharpness: float = 0.5) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.log(rng.dirichlet(np.full(n_symbols + 1, sharpness), size) + 1e-4) for size in sizes]


def exhaustive(weight: float) -> LineReaderSettings:
    """A beam that gives nothing up."""
    return LineReaderSettings(lm_weight=weight, beam=500, margin=1000.0)


def best(frames: list[np.ndarray], lm: NGramLM, settings: LineReaderSettings = DEFAULT) -> list[list[int]]:
    return [line[0].labels.tolist() for line in best_readings(frames, lm, settings=settings)]


def tried(frames: np.ndarray, lm: NGramLM, weight: float) -> dict[tuple[int, ...], tuple[float, float]]:
    """What the frames and the language model say of all labels there are, by summing over every path."""
    blank = frames.shape[1] - 1
    sums: dict[tuple[int, ...], float] = {}
    for path in product(range(blank + 1), repeat=len(frames)):
        labels = tuple(symbol for symbol, _ in groupby(path) if symbol != blank)
        sums[labels] = sums.get(labels, 0.0) + np.exp(frames[np.arange(len(frames)), list(path)].sum())
    return {labels: (np.log(total), prior(labels, lm, weight)) for labels, total in sums.items()}


def ranked(frames: np.ndarray, lm: NGramLM, weight: float) -> list[tuple[int, ...]]:
    scores = tried(frames, lm, weight)
    return sorted(scores, key=lambda labels: -sum(scores[labels]))


def prior(labels: tuple[int, ...], lm: NGramLM, weight: float) -> float:
    before = [lm.alphabet.symbols.index(" ")] if " " in lm.alphabet else []
    total = 0.0
    for label in labels:
        context = before[-(lm.order - 1) :]
        known = lm.conditional(len(context) + 1) if context else lm.joint(1)
        total += weight * np.log(known[(*context, label)] / lm.joint(1)[label])
        before.append(label)
    return total


@pytest.mark.parametrize("lm", [LM, SPACELESS], ids=["with space", "without"])
@pytest.mark.parametrize("weight", [0.5, 1.0, 0.0])
def test_the_best_of_all_labels_is_found(lm, weight):
    size = 4 if lm is LM else 5
    given = lines(len(lm.alphabet), [size, 1, size - 1, 2, 0], seed=1)
    assert best(given, lm, exhaustive(weight)) == [list(ranked(one, lm, weight)[0]) for one in given]


@pytest.mark.parametrize("weight", [0.5, 0.0])
def test_the_runners_up_come_in_order_with_what_each_source_says(weight):
    given = lines(len(LM.alphabet), [4, 1, 3, 0], seed=5, sharpness=5.0)
    found = best_readings(given, LM, 6, exhaustive(weight))
    for one, readings in zip(given, found, strict=True):
        everything = tried(one, LM, weight)
        unweighted = tried(one, LM, 1.0) if weight else dict.fromkeys(everything, (0.0, 0.0))
        first = ranked(one, LM, weight)[: len(readings)]
        assert [tuple(reading.labels.tolist()) for reading in readings] == first
        assert [reading.network for reading in readings] == pytest.approx([everything[labels][0] for labels in first])
        assert [reading.language for reading in readings] == pytest.approx([unweighted[labels][1] for labels in first])
    assert [len(readings) for readings in found] == [6, 6, 6, 1]


def test_the_best_reading_is_the_first_of_many():
    given = lines(len(LM.alphabet), [40, 25, 31], seed=6, sharpness=0.1)
    several = best_readings(given, LM, 12)
    assert [line[0].labels.tolist() for line in several] == best(given, LM)
    texts = [[tuple(reading.labels.tolist()) for reading in line] for line in several]
    assert all(len(set(line)) == len(line) == 12 for line in texts)


def test_a_narrow_beam_finds_nearly_the_same():
    given = lines(len(LM.alphabet), [60] * 20, seed=2, sharpness=0.05)
    wide, narrow = (np.concatenate(best(given, LM, settings)).tolist() for settings in (exhaustive(0.3), DEFAULT))
    assert Levenshtein.distance(wide, narrow) < 0.03 * len(wide)


def test_a_line_reads_the_same_alone_and_in_company():
    given = lines(len(LM.alphabet), [3, 50, 17, 0, 31], seed=3, sharpness=0.2)
    assert best(given, LM) == [best([one], LM)[0] for one in given]


def test_without_doubt_the_language_model_has_no_say():
    given = lines(len(LM.alphabet), [40, 25], seed=4, sharpness=0.01)
    sure = [np.where(one == one.max(1, keepdims=True), 0.0, -60.0) for one in given]
    assert best(sure, LM) == [best_path(one).tolist() for one in sure]


def test_silence_between_two_letters_parts_them():
    letter, blank = np.full((2, len(LM.alphabet) + 1), -20.0)
    letter[LM.alphabet.index("b")] = 0.0
    blank[-1] = 0.0
    said = [letter, letter, blank, blank, blank, letter, blank]
    assert LM.alphabet.decode(best([np.array(said)], LM)[0]) == "bb"


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        (np.zeros((4, 3)), {}, r"log_posteriors\[0\] has shape \(4, 3\), \(frames, 6\) wanted"),
        (np.zeros((4, 6)), {"beam": 0}, "beam is 0"),
        (np.zeros((4, 6)), {"lm_weight": -1.0}, "weight is -1.0"),
    ],
)
def test_what_does_not_fit_is_refused(given, settings, message):
    with pytest.raises(InputError, match=message):
        best([given], LM, LineReaderSettings(**settings))


def test_many_lines_are_found_by_any_number_of_workers():
    given = lines(len(LM.alphabet), [20 + i % 17 for i in range(300)], seed=7, sharpness=0.1)
    found = []
    for n in (1, 2):
        with workers(n):
            found.append(best_readings(given, LM, 3))
    for one, other in zip(*found, strict=True):
        assert [(c.labels.tolist(), c.network, c.language) for c in one] == [
            (c.labels.tolist(), c.network, c.language) for c in other
        ]
