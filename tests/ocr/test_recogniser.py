"""A recogniser trained on a few set lines: what it reads, where, how sure, and how it is kept."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from rapidfuzz.distance import Levenshtein

from labelfree.alphabet import Alphabet
from labelfree.errors import InputError, NonFiniteError
from labelfree.lm import NGramLM
from labelfree.ocr.line_reader import Recogniser, Strip, line_strip, train_recogniser
from labelfree.ocr.line_reader.settings import LineReaderSettings
from labelfree.ocr.segment import measure_book
from labelfree.ocr.segment.baseline import Band, find_band
from labelfree.progress import History, observed_by
from labelfree.repro.tasks.typeset import bundled_typefaces, set_line
from labelfree.workers import workers

ALPHABET = Alphabet(" adeimt.’")
WORDS = ["made", "tie", "dime.", "mad’", "a", "meat", "tide", "aim", "edit", "tam.", "it’d", "teed"]
N_TRAIN, N_TEST = 150, 30


def sentences() -> list[str]:
    rng = np.random.default_rng(5)
    return [" ".join(rng.choice(WORDS, 2)) for _ in range(N_TRAIN + N_TEST)]


def for_epochs(n: int) -> LineReaderSettings:
    return LineReaderSettings(max_epochs=n)


@pytest.fixture(scope="module")
def lines():
    face = next(path for path in bundled_typefaces() if path.stem == "DejaVuSerif")
    return [set_line(text, face, 32, np.random.default_rng(i), strength=0.3) for i, text in enumerate(sentences())]


@pytest.fixture(scope="module")
def strips(lines):
    style = measure_book([line.ink for line in lines])
    return [
        line_strip(np.uint8(255 * line.ink), find_band(line.ink >= 0.5, style.x_height), style.x_height)
        for line in lines
    ]


@pytest.fixture(scope="module")
def labels():
    return [ALPHABET.encode(text) for text in sentences()]


@pytest.fixture(scope="module")
def watched(strips, labels) -> tuple[Recogniser, History]:
    history = History()
    with observed_by(history):
        found = train_recogniser(strips[:N_TRAIN], labels[:N_TRAIN], len(ALPHABET), settings=for_epochs(10))
    return found, history


@pytest.fixture(scope="module")
def recogniser(watched) -> Recogniser:
    return watched[0]


def error_rate(recogniser: Recogniser, strips, labels, lm: NGramLM | None = None) -> float:
    read = [found.labels.tolist() for found in recogniser.read(strips, lm)]
    wrong = sum(Levenshtein.distance(one, true.tolist()) for one, true in zip(read, labels, strict=True))
    return wrong / sum(map(len, labels))


def test_unseen_lines_are_read(recogniser, strips, labels):
    assert error_rate(recogniser, strips[N_TRAIN:], labels[N_TRAIN:]) < 0.02


def test_a_language_model_mends_what_is_blurred(recogniser, strips, labels):
    lm = NGramLM.from_text("\n".join(sentences()[:N_TRAIN]), ALPHABET, order=4)
    rng = np.random.default_rng(1)
    whole, said = strips[N_TRAIN:] * 5, labels[N_TRAIN:] * 5
    torn = [Strip(strip.image * (rng.random(strip.width) < 0.6), strip.scale) for strip in whole]
    assert error_rate(recogniser, torn, said, lm) < error_rate(recogniser, torn, said)


def test_the_loss_on_lines_held_out_falls(watched):
    _, history = watched
    assert history.records[-1].best < 0.1 * history.records[0].best


def test_symbols_stand_where_they_were_set(recogniser, strips, lines, labels):
    inside = []
    for i, found in enumerate(recogniser.read(strips[N_TRAIN:]), N_TRAIN):
        if found.labels.tolist() == labels[i].tolist():
            middles = found.columns.mean(1)
            inside.append((middles > lines[i].boxes[:, 0]) & (middles < lines[i].boxes[:, 2]))
            assert (np.diff(found.columns.ravel()) >= 0).all()
    assert np.concatenate(inside).mean() > 0.95


def test_confidence_tells_right_from_wrong(recogniser, strips):
    clear = recogniser.read(strips[N_TRAIN:])
    rng = np.random.default_rng(0)
    torn = [Strip(strip.image * (rng.random(strip.width) < 0.6), strip.scale) for strip in strips[N_TRAIN:]]
    blurred = recogniser.read(torn)
    sure, unsure = (np.concatenate([found.confidence for found in read]) for read in (clear, blurred))
    assert sure.mean() > 0.97 > unsure.mean()
    assert 0 <= unsure.min() <= sure.max() <= 1


def test_a_strip_reads_the_same_alone_and_in_company(recogniser, strips):
    together = recogniser.log_posteriors(strips[:30])
    alone = [recogniser.log_posteriors([strip])[0] for strip in strips[:30]]
    assert all(np.allclose(one, other, atol=1e-4) for one, other in zip(together, alone, strict=True))


def test_the_same_seed_gives_the_same_bits_whatever_the_number_of_workers(strips, labels):
    lm = NGramLM.from_text("\n".join(sentences()[:N_TRAIN]), ALPHABET, order=4)
    states, read = [], []
    for n in (1, 2, 2):
        with workers(n):
            found = train_recogniser(strips[:60], labels[:60], len(ALPHABET), seed=3, settings=for_epochs(3))
            states.append(found.state()[0])
            read.append(found.read(strips, lm, settings=LineReaderSettings(lm_weight=0.5)))
    for state, lines in zip(states[1:], read[1:], strict=True):
        assert all((tensor == state[name]).all() for name, tensor in states[0].items())
        for one, other in zip(read[0], lines, strict=True):
            assert (one.labels == other.labels).all()
            assert (one.confidence == other.confidence).all()
            assert (one.columns == other.columns).all()


def test_another_seed_gives_other_bits(strips, labels):
    one, other = (
        train_recogniser(strips[:40], labels[:40], len(ALPHABET), seed=seed, settings=for_epochs(2)).state()[0]
        for seed in (3, 4)
    )
    assert (one["symbols.bias"] != other["symbols.bias"]).any()


def test_training_leaves_the_chance_of_others_alone(strips, labels):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    train_recogniser(strips[:30], labels[:30], len(ALPHABET), settings=for_epochs(1))
    assert (torch.get_rng_state() == before).all()


def test_training_goes_on_from_a_start_and_leaves_it_alone(recogniser, watched, strips, labels):
    before = recogniser.state()[0]["symbols.bias"].copy()
    history = History()
    with observed_by(history):
        train_recogniser(strips[:60], labels[:60], len(ALPHABET), start=recogniser, settings=for_epochs(1))
    assert history.records[0].best < 0.2 * watched[1].records[0].best
    assert (recogniser.state()[0]["symbols.bias"] == before).all()


def test_lines_that_cannot_be_right_are_passed_over(recogniser, strips, labels):
    wrong = [np.zeros(5_000, np.int64), np.empty(0, np.int64), *labels[2:60]]
    found = train_recogniser(strips[:60], wrong, len(ALPHABET), start=recogniser, settings=for_epochs(1))
    assert error_rate(found, strips[N_TRAIN:], labels[N_TRAIN:]) < 0.05


def test_strips_of_no_weight_teach_nothing(recogniser, strips, labels):
    other = [(found + 1) % len(ALPHABET) for found in labels[:60]]
    weights = np.repeat([0.0, 1.0], 60)
    mixed, sound = [*strips[:60], *strips[60:120]], [*other, *labels[60:120]]
    found = train_recogniser(mixed, sound, len(ALPHABET), weights=weights, start=recogniser, settings=for_epochs(1))
    assert error_rate(found, strips[N_TRAIN:], labels[N_TRAIN:]) < 0.05


def test_training_that_leaves_the_numbers_is_told(strips, labels):
    broken = [Strip(np.full_like(strip.image, np.nan), strip.scale) for strip in strips[:30]]
    with pytest.raises(NonFiniteError, match="loss"):
        train_recogniser(broken, labels[:30], len(ALPHABET), settings=for_epochs(1))


def test_a_kept_recogniser_reads_the_same(recogniser, strips):
    tensors, settings = recogniser.state()
    again = Recogniser.from_state(tensors, settings)
    for one, other in zip(again.log_posteriors(strips[:9]), recogniser.log_posteriors(strips[:9]), strict=True):
        assert (one == other).all()


@pytest.mark.parametrize(
    ("tensors", "settings", "message"),
    [
        ({}, {"hidden": -3}, "hidden is -3"),
        ({}, {"n_symbols": "many"}, "n_symbols is 'many'"),
        ({}, {"channels": 10**9}, "channels is 1000000000"),
        ({}, {"hidden": 7}, "shape"),
        ({}, {"dropout": None}, "dropout is None"),
        ({"strange": np.zeros(3)}, {}, "'strange' is missing or not one of its own"),
        ({"symbols.bias": np.zeros(3)}, {}, r"symbols.bias has shape \(3,\), \(10,\) wanted"),
        ({"symbols.bias": np.full(10, np.nan)}, {}, "not finite"),
    ],
)
def test_a_damaged_state_is_refused(recogniser, tensors, settings, message):
    sound, known = recogniser.state()
    with pytest.raises(InputError, match=message):
        Recogniser.from_state(sound | tensors, known | settings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [[0]] * 3}, "3 labels for 30 strips"),
        ({"weights": [1.0]}, "1 weights for 30 strips"),
        ({"weights": [-1.0] * 30}, "finite ones of 0 or more"),
        ({"labels": [[9]] * 30}, "run from 9 to 9, 0 to 8 wanted"),
        ({"labels": [[]] * 30}, "0 of 30 strips can be learned from"),
        ({"settings": LineReaderSettings(held_out=1.5)}, "held_out is 1.5"),
        ({"settings": LineReaderSettings(max_epochs=0)}, "max_epochs is 0"),
        ({"n_symbols": 12}, "start knows 9 symbols, 12 wanted"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(recogniser, strips, labels, change, message):
    given = {"labels": labels[:30], "n_symbols": len(ALPHABET), "start": recogniser} | change
    with pytest.raises(InputError, match=message):
        train_recogniser(strips[:30], given.pop("labels"), given.pop("n_symbols"), **given)


def test_nothing_is_read_as_nothing(recogniser):
    blank = line_strip(np.zeros((40, 300), np.uint8), Band(30.0, 0.0, 20.0), 20.0)
    assert recogniser.read([]) == []
    assert len(recogniser.read([blank])[0].labels) <= 1
