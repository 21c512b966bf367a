"""Handwriting from a bank of letters: who writes what, and banks that are no banks."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelfree.errors import InputError
from labelfree.repro.tasks.handwriting import HANDWRITTEN_ALPHABET, handwritten_task, read_letters

POOL = [
    f"{who} wrote to {whom}, twice a week. the letters were short; nobody kept them, but everyone at the harbour knew "
    f"what {who} had asked of {whom} that winter"
    for who in ("a quiet fox", "the jovial miller", "my aunt zoe")
    for whom in ("the king", "her brother", "an old judge", "nobody")
]


def arrays(n: int = 260) -> dict[str, np.ndarray]:
    """Ten words of all letters, each by its own hand; a picture begins with the bytes of its letter and its hand."""
    labels, folds = np.arange(n) % 26, np.arange(10)
    pixels = np.full((n, 16), 255, np.uint8)
    pixels[:, 0], pixels[:, 1] = labels, np.repeat(folds, 26)
    return {"pixels": pixels, "labels": labels, "word_lengths": np.full(10, 26), "folds": folds}


@pytest.fixture
def place(tmp_path):
    np.savez(tmp_path / "letters.npz", **arrays())
    return tmp_path / "letters.npz"


def first_bytes(images: np.ndarray) -> np.ndarray:
    """The two first rows of each picture, as the bytes they were packed in."""
    return np.packbits(images[:, :2, ::2] > 0, axis=2)[..., 0]


def test_every_letter_is_drawn_as_itself_and_a_space_has_no_ink(place):
    task = handwritten_task(read_letters(place), POOL, train_tiles=800, test_tiles=300)
    for part, size in ((task.train, 800), (task.test, 300)):
        assert len(part.y) == part.lengths.sum() == size
        is_space = part.y == 0
        assert part.tiles.images[is_space].max() == 0
        np.testing.assert_array_equal(first_bytes(part.tiles.images[~is_space])[:, 0], part.y[~is_space] - 1)
    assert "  " not in HANDWRITTEN_ALPHABET.decode(task.train.y)


def test_rows_for_a_tile_network_are_the_picture_and_the_measures_beside_it(place):
    part = handwritten_task(read_letters(place), POOL, train_tiles=500, test_tiles=200).train
    part.tiles.geometry[:, 1] = 0.5
    rows = part.pixels()
    assert rows.shape == (500, 16 * 16 + 4)
    np.testing.assert_array_equal(rows[:, :256].reshape(-1, 16, 16) * 255, part.tiles.images)
    np.testing.assert_array_equal(rows[:, 256:], np.tile([0.0, 3.0, 0.0, 0.0], (500, 1)))


def test_hands_of_the_test_are_not_seen_in_training(place):
    task = handwritten_task(read_letters(place), POOL, train_tiles=800, test_tiles=300)
    hands = [set(first_bytes(part.tiles.images[part.y > 0])[:, 1].tolist()) for part in (task.train, task.test)]
    assert hands == [set(range(2, 10)), {0, 1}]


def test_the_same_seed_writes_the_same(place):
    bank = read_letters(place)
    one, two, other = (handwritten_task(bank, POOL, seed=s, train_tiles=500, test_tiles=200) for s in (0, 0, 1))
    np.testing.assert_array_equal(one.train.tiles.images, two.train.tiles.images)
    assert not np.array_equal(one.train.y, other.train.y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.arange(260) % 25}, "labels hold 25 numbers, all of 0 to 25 wanted"),
        ({"pixels": np.zeros((260, 15), np.uint8)}, r"pixels is uint8 of shape \(260, 15\)"),
        ({"pixels": np.zeros((260, 16))}, "pixels is float64 of shape"),
        ({"folds": np.zeros(9, int)}, r"folds is int64 of shape \(9,\)"),
        ({"labels": np.zeros((0,), int)}, r"labels is int64 of shape \(0,\), 260 whole numbers wanted"),
        ({"word_lengths": np.full(10, 25)}, "word_lengths sum to 250, 260 wanted"),
        ({"word_lengths": np.zeros((2, 2), int)}, r"word_lengths is int64 of shape \(2, 2\)"),
    ],
)
def test_arrays_that_do_not_fit_are_named(tmp_path, change, message):
    np.savez(tmp_path / "letters.npz", **(arrays() | change))
    with pytest.raises(InputError, match=message):
        read_letters(tmp_path / "letters.npz")


def test_a_bank_without_a_letter_in_one_part_is_refused(tmp_path):
    found = arrays()
    found["labels"][:52][found["labels"][:52] == 4] = 5
    np.savez(tmp_path / "letters.npz", **found)
    with pytest.raises(InputError, match="the bank has no 'e' in one of its two parts"):
        handwritten_task(read_letters(tmp_path / "letters.npz"), POOL, train_tiles=500, test_tiles=200)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.booleans())
def test_garbage_is_refused_in_one_line(tmp_path, garbage, zipped):
    if zipped:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as file:
            file.writestr("pixels.npy", garbage)
        garbage = content.getvalue()
    (tmp_path / "garbage.npz").write_bytes(garbage)
    with pytest.raises(InputError, match="holds no letters"):
        read_letters(tmp_path / "garbage.npz")
