"""What the decoders refuse, and how they say so."""

from types import SimpleNamespace

import numpy as np
import pytest

from labelfree.decode import forward_backward, likelihoods_from_posteriors, path_score, viterbi
from labelfree.errors import InputError

UNIFORM = SimpleNamespace(
    alphabet="ab",
    order=2,
    joint=lambda n: np.full((2,) * n, 0.5**n),
    conditional=lambda n: np.full((2,) * n, 0.5),
    log_conditional=lambda contexts: np.full((len(contexts), 2), np.log(0.5)),
)


def with_cell(value, row=2, label=1):
    scores = np.zeros((4, 2))
    scores[row, label] = value
    return scores


IMPOSSIBLE = with_cell(-np.inf)
IMPOSSIBLE[2] = -np.inf


@pytest.mark.parametrize("decode", [viterbi, forward_backward])
@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (with_cell(np.nan), {}, r"log_likelihoods\[2, 1\] is NaN"),
        (with_cell(np.inf), {}, r"log_likelihoods\[2, 1\] is \+inf"),
        (IMPOSSIBLE, {}, r"log_likelihoods\[2\] is -inf for every label"),
        (np.zeros(4), {}, r"shape \(4,\), wanted \(positions, labels\)"),
        (np.zeros((4, 3)), {}, "3 columns, wanted 2"),
        (np.zeros((4, 2)), {"lengths": [1, 2]}, "sum to 3, 4 wanted"),
        (np.zeros((4, 2)), {"lengths": [5, -1]}, r"lengths\[1\] is -1"),
        (np.zeros((4, 2)), {"lengths": [2.0, 2.0]}, "array of float64 with shape .*, a row of whole numbers wanted"),
        (np.zeros((4, 2)), {"order": 0}, "order is 0, wanted 1 to 2"),
        (np.zeros((4, 2)), {"order": 3}, "order is 3, wanted 1 to 2"),
        (np.zeros((4, 2)), {"weight": -1.0}, "weight is -1.0"),
        (np.zeros((4, 2)), {"weight": np.nan}, "weight is nan"),
        (np.zeros((4, 2)), {"beam": 0}, "beam is 0"),
        (np.zeros((4, 2)), {"margin": -1.0}, "margin is -1.0, wanted 0 nats or more"),
        (np.zeros((4, 2)), {"margin": np.nan}, "margin is nan"),
    ],
)
def test_bad_input_is_named_in_one_line(decode, scores, options, message):
    with pytest.raises(InputError, match=message) as caught:
        decode(scores, UNIFORM, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("labels", [[0, 1], [0, 1, 0, 2], [0, 1, 0, -1], [0.0, 1.0, 0.0, 1.0]])
def test_path_score_refuses_labels_that_are_not_a_path(labels):
    with pytest.raises(InputError, match="labels"):
        path_score(labels, np.zeros((4, 2)), UNIFORM)


def test_likelihoods_divide_the_prior_out():
    rng = np.random.default_rng(0)
    likelihood, prior = rng.dirichlet(np.ones(5), size=3).T, np.array([0.2, 0.3, 0.5])
    posterior = likelihood * prior
    posterior /= posterior.sum(axis=1, keepdims=True)
    found = likelihoods_from_posteriors(np.log(posterior), np.log(prior))
    np.testing.assert_allclose(np.ptp(found - np.log(likelihood), axis=1), 0, atol=1e-12)


@pytest.mark.parametrize("prior", [[0.0], [0.0, -np.inf], [0.0, np.nan]])
def test_likelihoods_refuse_a_prior_they_cannot_divide_by(prior):
    with pytest.raises(InputError, match="log_prior"):
        likelihoods_from_posteriors(np.zeros((4, 2)), prior)
