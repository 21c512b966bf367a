"""Expected bigrams over a grid of linear classifiers against the plain equation, point by point."""

import pytest
import torch

from labelfree.core import expected_ngrams, merge_windows, subsequences
from labelfree.errors import InputError
from labelfree.repro.paper import grid
from labelfree.repro.paper.grid import AffineLogits, expected_bigrams

LENGTHS = [40, 1, 3, 700, 2]


def drawn(n_classes: int, scale: float, seed: int = 0) -> AffineLogits:
    generator = torch.Generator().manual_seed(seed)
    return AffineLogits(*(scale * torch.randn(sum(LENGTHS), n_classes, generator=generator) for _ in range(3)))


def point_by_point(logits: AffineLogits, windows, a, b):
    places = logits.origin + a[:, None, None, None] * logits.first + b[:, None, None] * logits.second
    return expected_ngrams(torch.softmax(places.double(), -1), windows)


@pytest.mark.parametrize("n_classes", [2, 7, 16, 29])
@pytest.mark.parametrize("scale", [0.1, 5.0, 300.0])  # the last so steep that neighbours cannot share an exponential
def test_equals_the_plain_equation_at_every_point(n_classes, scale):
    windows = subsequences(LENGTHS, order=2)
    a, b = torch.linspace(-1, 2, 3), torch.linspace(-1.5, 1, 23)
    logits = drawn(n_classes, scale)
    found = expected_bigrams(logits, windows, a, b)
    assert found.shape == (3, 23, n_classes, n_classes)
    # A position weighs 1 / 742; logits of hundreds have single precision errors of some 1e-4.
    torch.testing.assert_close(found.double(), point_by_point(logits, windows, a, b), rtol=2e-3, atol=1e-7)
    torch.testing.assert_close(found.sum((-1, -2)), torch.ones(3, 23))


def test_windows_do_not_cross_the_ends_of_sequences_nor_of_blocks_of_data(monkeypatch):
    windows = subsequences(LENGTHS, order=2)
    a, b = torch.zeros(1), torch.linspace(-1, 1, 5)
    logits = drawn(5, 1.0)
    wanted = point_by_point(logits, windows, a, b)
    for rows in (1, 41, 745, 746, 10_000):
        monkeypatch.setattr(grid, "_ROWS", rows)
        torch.testing.assert_close(expected_bigrams(logits, windows, a, b).double(), wanted, rtol=1e-4, atol=1e-8)


def test_the_number_of_threads_changes_no_bit_and_is_set_back():
    windows = subsequences(LENGTHS, order=2)
    at = torch.linspace(-1, 1, 7)
    alone = expected_bigrams(drawn(5, 3.0), windows, at, at)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        together = expected_bigrams(drawn(5, 3.0), windows, at, at)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert torch.equal(alone, together)


def test_uneven_steps_and_other_windows_are_refused():
    logits = drawn(3, 1.0)
    with pytest.raises(InputError, match="even ones wanted"):
        expected_bigrams(logits, subsequences(LENGTHS, order=2), torch.zeros(1), torch.tensor([0.0, 1.0, 3.0]))
    merged = merge_windows(subsequences([4], order=2), [0, 1, 0, 0], n_groups=2)
    for windows in (subsequences(LENGTHS, order=3), merged):
        with pytest.raises(InputError, match="two neighbouring rows"):
            expected_bigrams(logits, windows, torch.zeros(1), torch.zeros(1))
