"""The strength of the penalty, chosen without a label, judged here with them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from labelfree.fitting.penalty import STRENGTHS, choose_l2, fit_penalised
from labelfree.progress import History, observed_by
from labelfree.solvers.problem import Problem, cut_lengths

from ..english import english


class Halves:
    """Noisy features, fitted on every other sequence with all strengths at once and none, judged on the others."""

    def __init__(self, **settings) -> None:
        task = english(n_positions=6_000, **settings)
        half = np.arange(len(task.lengths)) % 2 == 0
        rows = np.repeat(half, task.lengths)
        self.problem, judging = task.problem().part(half), task.problem().part(~half)
        self.soft_labels = task.soft_labels(0.25)[torch.from_numpy(rows)]
        models = fit_penalised(self.problem, self.soft_labels, "linear", torch.tensor((0.0, *STRENGTHS)), seed=0)
        with torch.no_grad():
            errors = (models(judging.inputs).argmax(-1).numpy() != task.y[~rows]).mean(1)
        self.kl, self.error, self.size = (
            dict(zip((0.0, *STRENGTHS), values.tolist(), strict=True))
            for values in (self.problem.kl(models), errors, models.squared_weights())
        )
        self.chosen = choose_l2(self.problem, self.soft_labels, "linear", seed=0)


@pytest.fixture(scope="module", params=[(150, 0.4), (200, 0.6)], ids=str)
def halves(request):
    n_noise, noise = request.param
    return Halves(n_noise=n_noise, noise=noise)


def test_the_chosen_strength_reads_unseen_text_nearly_as_well_as_the_best(halves):
    assert halves.error[halves.chosen] < 3 * min(halves.error.values())
    assert halves.error[halves.chosen] < 0.6 * halves.error[STRENGTHS[0]]


def test_without_a_penalty_the_divergence_falls_and_the_error_rises(halves):
    assert halves.kl[0.0] < 0.2 * halves.kl[halves.chosen]
    assert halves.error[0.0] > 2 * halves.error[halves.chosen]


def test_a_stronger_penalty_leaves_smaller_weights(halves):
    sizes = [halves.size[strength] for strength in sorted(halves.size)]
    assert (np.diff(sizes) < 0).all()


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8), st.integers(1, 20))
def test_cut_pieces_are_no_longer_than_asked_and_alike_within_a_sequence(lengths, longest):
    pieces = cut_lengths(np.array(lengths), longest).tolist()
    for length in lengths:
        mine = pieces[: -(-length // longest)]
        del pieces[: len(mine)]
        assert sum(mine) == length
        assert max(mine, default=0) <= longest
        assert max(mine, default=0) - min(mine, default=0) <= 1
    assert not pieces


@pytest.mark.parametrize("lengths", [[401], [1] * 40 + [200, 200], [1, 2, 400, 2], [399, 1, 1]])
@pytest.mark.parametrize("order", [2, 3])
def test_pieces_too_short_for_an_n_gram_take_no_part(lengths, order):
    task = english(n_positions=800)
    n = sum(lengths)
    problem = Problem.from_sequences(torch.from_numpy(task.features[:n]), lengths, task.lm, order)
    for seed in range(3):
        assert choose_l2(problem, task.soft_labels(0.1)[:n], "linear", seed=seed) in STRENGTHS


def test_a_single_short_sequence_gets_the_middle_strength():
    task = english(n_positions=300)
    problem = Problem.from_sequences(torch.from_numpy(task.features[:300]), [300], task.lm, 2)
    assert choose_l2(problem, task.soft_labels(0.1)[:300], "linear", seed=0) == 0.003


def test_data_too_large_for_full_batches_is_fitted_by_small_ones(monkeypatch):
    task = english(n_positions=3_000)
    monkeypatch.setattr("labelfree.fitting.penalty._STEP_WORK", 144 * 1_000)
    history = History()
    with observed_by(history):
        model = fit_penalised(task.problem(), task.soft_labels(0.25), "linear", 0.003, seed=0)
    assert {record.stage for record in history.records} == {"spdg"}
    assert task.error(model) < 0.01
