"""Two states with Gaussian clouds in the plane."""

import numpy as np
import pytest

from labelfree.errors import InputError
from labelfree.repro.tasks.plane import MEANS, TRANSITIONS, plane_task


def test_shapes_and_lengths_agree():
    train = plane_task(seed=0, n_sequences=3, length=40).train
    assert train.x.shape == (120, 2)
    assert train.y.shape == (120,)
    assert train.lengths.tolist() == [40, 40, 40]
    assert set(train.y) == {0, 1}


def test_states_follow_the_chain_within_sequences():
    train = plane_task(seed=1, n_sequences=400, length=200).train
    states = train.y.reshape(400, 200)
    pairs = np.zeros((2, 2))
    np.add.at(pairs, (states[:, :-1], states[:, 1:]), 1)
    np.testing.assert_allclose(pairs / pairs.sum(1, keepdims=True), TRANSITIONS, atol=0.01)
    assert abs((states[:, 0] == 1).mean() - 0.4) < 0.08  # the long run holds from the first position


def test_points_lie_around_the_mean_of_their_state():
    train = plane_task(seed=2, n_sequences=100, length=200).train
    for state in (0, 1):
        cloud = train.x[train.y == state]
        np.testing.assert_allclose(cloud.mean(0), MEANS[state], atol=0.05)
        np.testing.assert_allclose(np.cov(cloud.T), np.eye(2), atol=0.06)


def test_the_language_is_the_chain():
    lm = plane_task(seed=0, n_sequences=1, length=2, transitions=[[0.7, 0.3], [0.2, 0.8]]).lm
    np.testing.assert_allclose(lm.joint(2), [[0.28, 0.12], [0.12, 0.48]], atol=1e-6)


def test_a_seed_gives_the_same_points_and_another_seed_others():
    one, again, other = (plane_task(seed=seed, n_sequences=2, length=10).train for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.x, again.x)
    np.testing.assert_array_equal(one.y, again.y)
    assert not np.array_equal(one.x, other.x)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"transitions": [[0.9, 0.2], [0.4, 0.6]]}, "two rows of two positive numbers"),
        ({"transitions": [[1.0, 0.0], [0.4, 0.6]]}, "two rows of two positive numbers"),
        ({"means": [[0.0, np.nan], [1.0, 1.0]]}, "two points in the plane"),
        ({"means": [0.0, 1.0]}, "two points in the plane"),
        ({"length": 1}, "20 sequences of 1 found"),
    ],
)
def test_what_is_no_chain_is_refused(given, told):
    with pytest.raises(InputError, match=told):
        plane_task(seed=0, **given)
